import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { mergeFigures } from "../../src/stats/merge-figures.ts";
import { createRunMeter } from "../../src/stats/run-meter.ts";
import { createFakeClock } from "../fake-clock.ts";

const answered = { kind: "answered", httpStatus: 200, event: "a" } as const;

test("counts what leaves, comes back and ends in its stretch of time", () => {
  const clock = createFakeClock();
  const meter = createRunMeter(clock);
  meter.attemptStarted(1, 4, false);
  meter.attemptStarted(2, 4, false);
  clock.advance(150);
  meter.attemptEnded({ ...answered, sentMs: 0 }, 1, 5);
  meter.settled([{ status: "succeeded" }, { status: "rejected" }, { status: "not_sent" }]);
  clock.advance(100);
  meter.attemptEnded({ ...answered, httpStatus: 429, sentMs: 0 }, 0, 5);
  meter.settled([{ status: "skipped" }]);
  meter.attemptStarted(1, 5, true);
  meter.attemptEnded({ kind: "unanswered", httpStatus: undefined, event: "b", sentMs: 250 }, 0, 5);
  const { series, latency, parts } = meter.figures();
  expect(series).toMatchObject({
    bucket_ms: 100,
    duration_ms: 250,
    attempts: [2, 0, 1],
    answered: [0, 1, 1],
    succeeded: [0, 1, 0],
    not_succeeded: [0, 1, 0],
    skipped: [0, 0, 1],
    retries: [0, 0, 1],
    unanswered: [0, 0, 1],
    latency_ms: [0, 150, 250],
    longest_latency_ms: [0, 150, 250],
    in_flight_ms: [200, 150, 50],
    allowed_ms: [400, 450, 250],
  });
  expect(latency).toMatchObject({ answers: 2, min_ms: 150, mean_ms: 200, max_ms: 250 });
  expect(parts).toEqual([{ started_at: "2026-03-01T12:00:00.000Z", at_ms: 0 }]);
});

test("answers are counted by status with their times, and events by kind, also over parts and runs", () => {
  const clock = createFakeClock();
  const answer = (meter: ReturnType<typeof createRunMeter>, httpStatus: number, event: string) =>
    meter.attemptEnded({ kind: "answered", httpStatus, event, sentMs: clock.now() }, 0, 1);
  const first = createRunMeter(clock);
  answer(first, 200, "a");
  first.succeeded("a");
  clock.advance(1000);
  answer(first, 422, "b");
  const before = first.figures();
  clock.advance(60_000);
  const second = createRunMeter(clock, before);
  clock.advance(500);
  answer(second, 200, "b");
  second.succeeded("b");
  second.attemptEnded({ kind: "not_sent", httpStatus: undefined, event: "c", sentMs: 0 }, 0, 1);
  const { answers, kinds } = second.figures();
  const at = (time: string) => `2026-03-01T12:${time}Z`;
  const ofTwo = { first_at: at("00:00.000"), last_at: at("01:01.500") };
  expect(answers).toEqual([
    { status: 200, count: 2, ...ofTwo },
    { status: 422, count: 1, first_at: at("00:01.000"), last_at: at("00:01.000") },
  ]);
  expect(kinds).toEqual([
    { kind: "b", requests: 2, succeeded: 1 },
    { kind: "a", requests: 1, succeeded: 1 },
  ]);
  const merged = mergeFigures([before, second.figures()]);
  expect(merged?.answers[0]).toEqual({ status: 200, count: 3, ...ofTwo });
  expect(merged?.kinds[0]).toEqual({ kind: "b", requests: 3, succeeded: 1 });
});

test("what was never sent is counted apart, and answers by how long they took", () => {
  const clock = createFakeClock();
  const meter = createRunMeter(clock);
  const statuses = ["invalid", "blocked", "rejected", "failed", "unknown", "succeeded"] as const;
  meter.settled(statuses.map((status) => ({ status })));
  for (const durationMs of [5, 6, 60_000, 60_001]) {
    const sentMs = clock.now();
    clock.advance(durationMs);
    meter.attemptEnded({ ...answered, sentMs }, 0, 1);
  }
  const { series } = meter.figures();
  expect([series.unsent, series.not_succeeded].map((amounts) => amounts[0])).toEqual([2, 5]);
  expect(sum(series.answered)).toBe(4);
  expect(sum(series.latency_ms)).toBe(120_012);
});

test("pauses are counted by their reason, also one that lasts to the end", () => {
  const clock = createFakeClock();
  const meter = createRunMeter(clock);
  clock.advance(50);
  meter.pauseStarted("asked", "too many");
  clock.advance(100);
  meter.pauseStarted("outage", "down");
  clock.advance(100);
  meter.pauseEnded();
  clock.advance(100);
  meter.pauseStarted("asked", "too much again");
  clock.advance(30);
  const { pauses, series } = meter.figures();
  expect(series).toMatchObject({
    paused_asked_ms: [50, 50, 0, 30],
    paused_outage_ms: [0, 50, 50, 0],
  });
  expect(pauses).toEqual({
    count: 2,
    longest: [
      { at_ms: 50, duration_ms: 200, reason: "outage", message: "down" },
      { at_ms: 350, duration_ms: 30, reason: "asked", message: "too much again" },
    ],
  });
});

test("the next part of a run goes on where the first was, without the time between", () => {
  const first = createFakeClock();
  const before = createRunMeter(first);
  before.attemptStarted(1, 1, false);
  first.advance(250);
  before.attemptEnded({ ...answered, sentMs: 0 }, 0, 1);
  const second = createFakeClock({ date: "2026-03-02T09:00:00.000Z" });
  second.advance(5000); // its clock began at some other time
  const after = createRunMeter(second, before.figures());
  after.attemptStarted(1, 1, false);
  second.advance(100);
  after.attemptEnded({ ...answered, sentMs: 5000 }, 0, 1);
  expect(after.figures()).toMatchObject({
    parts: [
      { started_at: "2026-03-01T12:00:00.000Z", at_ms: 0 },
      { started_at: "2026-03-02T09:00:05.000Z", at_ms: 250 },
    ],
    series: { duration_ms: 350, attempts: [1, 0, 1, 0], latency_ms: [0, 0, 250, 100] },
    latency: { answers: 2, min_ms: 100, max_ms: 250 },
  });
});

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
