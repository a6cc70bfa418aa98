import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunFigures } from "../../src/model/run-figures.ts";
import { createRunMeter } from "../../src/stats/run-meter.ts";

const noon = Date.parse("2026-03-01T12:00:00.000Z");
const after = (ms: number) => new Date(noon + ms).toISOString();

type RunMeter = ReturnType<typeof createRunMeter>;

const answered = { kind: "answered", httpStatus: 200, event: "a" } as const;
const unanswered = { kind: "unanswered", isRetry: true, event: "b" } as const;

test.each<[what: string, records: (meter: RunMeter) => void, figures: object]>([
  [
    "what leaves, comes back and settles counts in its stretch of time",
    (meter) => {
      meter.allowed(0, 4);
      meter.tried({ ...answered, sentMs: 0, endedMs: 150 });
      for (const status of ["succeeded", "rejected"] as const) meter.settled(status, 150, "a");
      meter.allowed(150, 5);
      meter.tried({ ...answered, httpStatus: 429, sentMs: 0, endedMs: 250 });
      meter.settled("skipped", 250, undefined);
      meter.tried({ ...unanswered, sentMs: 250, endedMs: 250 });
      meter.lost([1, 2]);
    },
    {
      parts: [{ started_at: after(0), at_ms: 0 }],
      latency: { answers: 2, min_ms: 150, mean_ms: 200, max_ms: 250 },
      series: {
        ...{ bucket_ms: 100, duration_ms: 250 },
        ...{ attempts: [2, 0, 3], answered: [0, 1, 1], retries: [0, 0, 2], unanswered: [0, 0, 3] },
        ...{ succeeded: [0, 1, 0], not_succeeded: [0, 1, 0], skipped: [0, 0, 1] },
        ...{ latency_ms: [0, 150, 250], longest_latency_ms: [0, 150, 250] },
        ...{ in_flight_ms: [200, 150, 50], allowed_ms: [400, 450, 250] },
      },
    },
  ],
  [
    "answers are counted by status with their times, and requests and successes by kind",
    (meter) => {
      meter.tried({ ...answered, sentMs: 0, endedMs: 0 });
      meter.settled("succeeded", 0, "a");
      meter.tried({ ...answered, httpStatus: 422, event: "b", sentMs: 500, endedMs: 1000 });
      meter.tried({ ...answered, event: "b", sentMs: 1000, endedMs: 1500 });
      meter.settled("succeeded", 1500, "b");
      meter.tried({ kind: "not_sent", event: "c", sentMs: 1500, endedMs: 1600 });
    },
    {
      series: { duration_ms: 1600 },
      answers: [
        { status: 200, count: 2, first_at: after(0), last_at: after(1500) },
        { status: 422, count: 1, first_at: after(1000), last_at: after(1000) },
      ],
      kinds: [
        { kind: "b", requests: 2, succeeded: 1 },
        { kind: "a", requests: 1, succeeded: 1 },
      ],
    },
  ],
  [
    "what is not sent at all is counted apart",
    (meter) => {
      const statuses = ["invalid", "blocked", "rejected", "failed", "unknown"] as const;
      for (const status of statuses) meter.settled(status, 0, undefined);
    },
    { series: { unsent: [2], not_succeeded: [5] } },
  ],
  [
    "pauses are counted by their reason, also one that lasts to the end of its process",
    (meter) => {
      meter.held(50, "asked", "too many");
      meter.held(150, "outage", "down");
      meter.held(250, undefined);
      meter.held(350, "asked", "too much again");
      meter.allowed(350, 1);
      meter.advance(380);
      meter.began(after(1000));
      meter.advance(100);
    },
    {
      series: {
        ...{ paused_asked_ms: [50, 50, 0, 30, 0], paused_outage_ms: [0, 50, 50, 0, 0] },
        allowed_ms: [0, 0, 0, 30, 0],
      },
      pauses: {
        count: 2,
        longest: [
          { at_ms: 50, duration_ms: 200, reason: "outage", message: "down" },
          { at_ms: 350, duration_ms: 30, reason: "asked", message: "too much again" },
        ],
      },
    },
  ],
])("%s", (_, records, figures) => {
  const meter = createRunMeter();
  meter.began(after(0));
  records(meter);
  expect(meter.figures()).toMatchObject(figures);
});

/** A record, with the times of the one before and its own since the process began. */
type Step = (meter: RunMeter, sentMs: number, endedMs: number) => void;

const steps = fc.constantFrom<Step>(
  (meter, sentMs, endedMs) => meter.tried({ ...answered, sentMs, endedMs }),
  (meter, sentMs, endedMs) => meter.tried({ ...answered, httpStatus: 503, sentMs, endedMs }),
  (meter, sentMs, endedMs) => meter.tried({ ...unanswered, sentMs, endedMs }),
  (meter, _, atMs) => meter.settled("succeeded", atMs, "a"),
  (meter, _, atMs) => meter.settled("blocked", atMs, undefined),
  (meter, _, atMs) => meter.held(atMs, "asked", "wait"),
  (meter, _, atMs) => meter.held(atMs, "outage", "down"),
  (meter, _, atMs) => meter.held(atMs, undefined),
  (meter, _, atMs) => meter.allowed(atMs, 3),
  (meter) => meter.lost([1]),
);
/** What a process records, and how long after the record before; buckets become wider after a minute. */
const records = fc.array(fc.tuple(fc.oneof(fc.nat(300), fc.nat(40_000)), steps), { maxLength: 12 });
type Records = readonly (readonly [ms: number, step: Step])[];

/** Folds the records of a process that begins at this time; at its end nothing pauses. @returns when that is */
function fold(meter: RunMeter, of: Records, fromMs = 0): number {
  let atMs = fromMs;
  meter.allowed(atMs, 2);
  for (const [ms, step] of of) {
    step(meter, atMs, atMs + ms);
    atMs += ms;
  }
  meter.held(atMs, undefined);
  return atMs;
}

test("a split into two processes or parts adds up to the figures of one, without the time between", () => {
  fc.assert(
    fc.property(records, records, fc.nat(100_000), (first, second, betweenMs) => {
      const [one, two, before] = [createRunMeter(), createRunMeter(), createRunMeter()];
      let endMs = 0;
      for (const meter of [one, two, before]) {
        meter.began(after(0));
        endMs = fold(meter, first);
      }
      fold(one, second, endMs);
      const { parts, answers, ...whole } = one.figures();
      const counts = (of: RunFigures["answers"]) =>
        of.map(({ status, count }) => ({ status, count }));
      for (const meter of [two, createRunMeter(before.figures())]) {
        const began = { started_at: after(endMs + betweenMs), at_ms: endMs };
        meter.began(began.started_at);
        fold(meter, second);
        const figures = meter.figures();
        // What the first part has kept of the mean is rounded.
        const mean_ms = expect.closeTo(whole.latency.mean_ms, 1);
        expect(figures).toMatchObject({ ...whole, latency: { ...whole.latency, mean_ms } });
        expect(counts(figures.answers)).toEqual(counts(answers));
        expect(figures.parts).toEqual([...parts, began]);
      }
    }),
  );
});
