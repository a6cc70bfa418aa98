import { expect, test } from "vitest";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { createLimitTimes } from "../../src/stats/limit-times.ts";

function mostOf(stretches: readonly (readonly [ms: number, limit: SendingLimit | undefined])[]) {
  let nowMs = 5000;
  const times = createLimitTimes(() => nowMs);
  for (const [ms, limit] of stretches) {
    nowMs += ms;
    times.note(limit);
  }
  return times.most({ allowed: 5, perSecond: 20 });
}

test("what limited for most of the time is told, with the bounds of the end", () => {
  const stretches = [
    [300, undefined],
    [200, "concurrency"],
    [700, "rate"],
    [800, "rate"],
  ] as const;
  expect(mostOf(stretches)).toEqual({ limit: "rate", share: 0.75, perSecond: 20, allowed: 5 });
});

test("what did so for less than a quarter of the time, or of a second, is not told", () => {
  expect(
    mostOf([
      [8000, undefined],
      [2000, "rate"],
    ]),
  ).toBeUndefined();
  expect(mostOf([[999, "rate"]])).toBeUndefined();
  expect(mostOf([[1000, "rate"]])).toMatchObject({ share: 1 });
});
