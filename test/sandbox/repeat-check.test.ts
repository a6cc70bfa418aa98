import { expect, test } from "vitest";
import { createRepeatCheck } from "../../src/sandbox/repeat-check.ts";

test("at least one generation is remembered, and at most two", () => {
  const isRepeat = createRepeatCheck(3);
  const body = (i: number) => Buffer.from(String(i));
  for (let i = 0; i < 5; i++) isRepeat("users", body(i));
  expect(isRepeat("users", body(2))).toBe(true);
  isRepeat("users", body(5));
  expect(isRepeat("users", body(2))).toBe(false);
  expect(isRepeat("users", body(5))).toBe(true);
});
