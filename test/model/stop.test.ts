import { expect, test } from "vitest";
import { onAbort } from "../../src/model/stop.ts";

test("each listener hears of it once, one that is forgotten never, and a late one at once", () => {
  const stop = new AbortController();
  const heard: string[] = [];
  onAbort(stop.signal, () => heard.push("a"));
  onAbort(stop.signal, () => heard.push("b"))();
  stop.abort({ code: "unauthorized", message: "one" });
  stop.abort({ code: "disk", message: "two" });
  expect(stop.signal.reason).toMatchObject({ message: "one" });
  onAbort(stop.signal, () => heard.push("late"));
  expect(heard).toEqual(["a", "late"]);
});
