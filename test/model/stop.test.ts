import { expect, test } from "vitest";
import { onAbort } from "../../src/model/stop.ts";

const first = { code: "unauthorized", message: "one" } as const;
const second = { code: "disk", message: "two" } as const;

test("the first reason is the one that counts, and each listener hears of it once", () => {
  const stop = new AbortController();
  const heard: string[] = [];
  onAbort(stop.signal, () => heard.push("a"));
  const forget = onAbort(stop.signal, () => heard.push("b"));
  onAbort(stop.signal, () => heard.push("c"));
  forget();
  expect(stop.signal.reason).toBeUndefined();
  stop.abort(first);
  stop.abort(second);
  expect(stop.signal.reason).toBe(first);
  expect(heard).toEqual(["a", "c"]);
});

test("a listener that is added later is called at once", () => {
  const stop = new AbortController();
  stop.abort(first);
  const heard: string[] = [];
  onAbort(stop.signal, () => heard.push("late"));
  expect(heard).toEqual(["late"]);
});
