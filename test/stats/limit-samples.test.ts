import { expect, test } from "vitest";
import type { SendingState } from "../../src/model/sending-state.ts";
import { sampleLimits } from "../../src/stats/limit-samples.ts";
import { createFakeClock } from "../fake-clock.ts";

const idle: SendingState = {
  ...{ inFlight: 0, allowed: 8, attempts: 0, retries: 0, toRetry: 0, retriesHeld: 0 },
  ...{ waitsFor: undefined, limit: undefined },
};

async function sampled(states: readonly Partial<SendingState>[]) {
  const clock = createFakeClock();
  let at = 0;
  const end = sampleLimits(clock.schedule, () => ({ ...idle, ...states[at++] }));
  await clock.advance(100 * states.length);
  return end();
}

const times = (count: number, state: Partial<SendingState>) =>
  Array<Partial<SendingState>>(count).fill(state);

test("what limited most of the time is told, as it was last", async () => {
  const states = [
    ...times(3, {}),
    ...times(2, { limit: "concurrency" }),
    ...times(14, { limit: "rate", perSecond: 50, allowed: 4 }),
    ...times(1, { limit: "rate", perSecond: 20, allowed: 5 }),
  ];
  expect(await sampled(states)).toEqual({ limit: "rate", share: 0.75, perSecond: 20, allowed: 5 });
});

test("what did so for less than a quarter of the time, or of a second, is not told", async () => {
  expect(await sampled([...times(40, {}), ...times(10, { limit: "rate" })])).toBeUndefined();
  expect(await sampled(times(9, { limit: "rate" }))).toBeUndefined();
  expect(await sampled(times(10, { limit: "rate" }))).toMatchObject({ share: 1 });
});
