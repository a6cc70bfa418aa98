import { expect, test } from "vitest";
import { createStopSwitch } from "../../src/domain/stop.ts";

const first = { code: "unauthorized", message: "one" } as const;
const second = { code: "disk", message: "two" } as const;

test("the first reason is the one that counts, and each listener hears of it once", () => {
  const stop = createStopSwitch();
  const heard: string[] = [];
  stop.onStop(() => heard.push("a"));
  const forget = stop.onStop(() => heard.push("b"));
  stop.onStop(() => heard.push("c"));
  forget();
  expect(stop.reason).toBeUndefined();
  stop.request(first);
  stop.request(second);
  expect(stop.reason).toBe(first);
  expect(heard).toEqual(["a", "c"]);
});

test("who comes later is told at once", () => {
  const stop = createStopSwitch();
  stop.request(first);
  const heard: string[] = [];
  stop.onStop(() => heard.push("late"));
  expect(heard).toEqual(["late"]);
});
