import { expect, test } from "vitest";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { createRunMeter } from "../../src/stats/run-meter.ts";
import { createFakeClock } from "../fake-clock.ts";

function mainLimitOf(
  stretches: readonly (readonly [ms: number, limit: SendingLimit | undefined])[],
) {
  const clock = createFakeClock();
  const meter = createRunMeter(clock);
  for (const [ms, limit] of stretches) {
    clock.advance(ms);
    meter.attemptStarted(1, 5, false, limit);
  }
  return meter.mainLimit({ allowed: 5, perSecond: 20 });
}

test("the limit that held longest is reported, with the limits at the end", () => {
  const stretches = [
    [300, undefined],
    [200, "concurrency"],
    [700, "rate"],
    [800, "rate"],
  ] as const;
  expect(mainLimitOf(stretches)).toEqual({ limit: "rate", share: 0.75, perSecond: 20, allowed: 5 });
});

test("no limit is reported that held for less than a quarter of the time, or in less than a second", () => {
  expect(
    mainLimitOf([
      [8000, undefined],
      [2000, "rate"],
    ]),
  ).toBeUndefined();
  expect(mainLimitOf([[999, "rate"]])).toBeUndefined();
  expect(mainLimitOf([[1000, "rate"]])).toMatchObject({ share: 1 });
});
