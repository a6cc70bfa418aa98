import { expect, test } from "vitest";
import { createTextBuffer } from "../../../src/model/disk/disk.ts";

test.each([
  ["a", 10],
  ["€", 21_845],
  ["€", 30_000],
  ["😀", 50_000],
  ["é", 200_000],
])("%j, %i times, is all there, also after another text", (character, times) => {
  const toBytes = createTextBuffer();
  toBytes("x".repeat(100));
  const text = character.repeat(times);
  expect(toBytes(text).equals(Buffer.from(text))).toBe(true);
});
