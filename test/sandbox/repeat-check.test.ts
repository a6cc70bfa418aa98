import { expect, test } from "vitest";
import { createRepeatCheck } from "../../src/sandbox/repeat-check.ts";

const event = (i: number) =>
  ({ method: "POST", resource: "users", headers: {}, text: String(i) }) as const;

test("at least one generation is remembered, and at most two", () => {
  const isRepeat = createRepeatCheck(3);
  for (let i = 0; i < 5; i++) isRepeat(event(i));
  expect(isRepeat(event(2))).toBe(true);
  isRepeat(event(5));
  expect(isRepeat(event(2))).toBe(false);
  expect(isRepeat(event(5))).toBe(true);
});

test("an id tells events apart, and the body only where there is none", () => {
  const isRepeat = createRepeatCheck();
  const withId = (id: string, i: number) => ({ ...event(i), headers: { "idempotency-key": id } });
  expect([withId("a", 1), withId("b", 1), withId("a", 2), event(1)].map(isRepeat)).toEqual([
    ...[false, false, true, false],
  ]);
});
