import { expect, test } from "vitest";
import { isoTime } from "../../src/model/clock.ts";

test("every instant has its own text, however often and in whatever order it is asked for", () => {
  for (const ms of [0, 1, 1, 0, 1_795_000_000_123, 1_795_000_000_124, -1]) {
    expect(isoTime(new Date(ms))).toBe(new Date(ms).toISOString());
  }
});
