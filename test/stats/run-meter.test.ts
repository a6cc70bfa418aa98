import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunFigures } from "../../src/model/run-figures.ts";
import type { Tried } from "../../src/model/run-record.ts";
import { createRunMeter, type RunMeter } from "../../src/stats/run-meter.ts";

const noon = Date.parse("2026-03-01T12:00:00.000Z");
const after = (ms: number) => new Date(noon + ms).toISOString();

/** A record, whose times count from the beginning of its process. */
type Step = (meter: RunMeter, fromMs: number) => void;

const answer =
  (sentMs: number, endedMs: number, more: Partial<Tried> = { httpStatus: 200 }): Step =>
  (meter, fromMs) => {
    const times = { sentMs: fromMs + sentMs, endedMs: fromMs + endedMs };
    meter.tried({ ...times, kind: "answered", event: "a", ...more });
  };
const settled =
  (status: Parameters<RunMeter["settled"]>[0], atMs: number, event?: string): Step =>
  (meter, fromMs) =>
    meter.settled(status, fromMs + atMs, event);
const held =
  (atMs: number, reason?: "asked" | "outage", message?: string): Step =>
  (meter, fromMs) =>
    meter.held(fromMs + atMs, reason, message);
const allowed =
  (atMs: number, requests: number): Step =>
  (meter, fromMs) =>
    meter.allowed(fromMs + atMs, requests);
const lost =
  (attempts: number): Step =>
  (meter) =>
    meter.lost(attempts);
const advance =
  (atMs: number): Step =>
  (meter, fromMs) =>
    meter.advance(fromMs + atMs);

const unanswered: Partial<Tried> = { kind: "unanswered", isRetry: true, event: "b" };

test.each<[what: string, steps: readonly Step[], figures: object]>([
  [
    "what leaves, comes back and settles counts in its stretch of time",
    [
      allowed(0, 4),
      ...[answer(0, 150), settled("succeeded", 150, "a"), settled("rejected", 150, "a")],
      ...[allowed(150, 5), answer(0, 250, { httpStatus: 429 }), settled("skipped", 250)],
      ...[answer(250, 250, unanswered), lost(2)],
    ],
    {
      parts: [{ started_at: after(0), at_ms: 0 }],
      latency: { answers: 2, min_ms: 150, mean_ms: 200, max_ms: 250 },
      series: {
        ...{ bucket_ms: 100, duration_ms: 250 },
        ...{ attempts: [2, 0, 3], answered: [0, 1, 1], retries: [0, 0, 1], unanswered: [0, 0, 3] },
        ...{ succeeded: [0, 1, 0], not_succeeded: [0, 1, 0], skipped: [0, 0, 1] },
        ...{ latency_ms: [0, 150, 250], longest_latency_ms: [0, 150, 250] },
        ...{ in_flight_ms: [200, 150, 50], allowed_ms: [400, 450, 250] },
      },
    },
  ],
  [
    "answers are counted by status with their times, and requests and successes by kind",
    [
      ...[answer(0, 0), settled("succeeded", 0, "a")],
      answer(500, 1000, { httpStatus: 422, event: "b" }),
      ...[answer(1000, 1500, { httpStatus: 200, event: "b" }), settled("succeeded", 1500, "b")],
      answer(1500, 1500, { kind: "not_sent", event: "c" }),
    ],
    {
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
    (["invalid", "blocked", "rejected", "failed", "unknown", "succeeded"] as const).map((status) =>
      settled(status, 0),
    ),
    { series: { unsent: [2], not_succeeded: [5] } },
  ],
  [
    "pauses are counted by their reason, also one that lasts to the end",
    [
      ...[held(50, "asked", "too many"), held(150, "outage", "down"), held(250)],
      ...[held(350, "asked", "too much again"), advance(380)],
    ],
    {
      series: { paused_asked_ms: [50, 50, 0, 30], paused_outage_ms: [0, 50, 50, 0] },
      pauses: {
        count: 2,
        longest: [
          { at_ms: 50, duration_ms: 200, reason: "outage", message: "down" },
          { at_ms: 350, duration_ms: 30, reason: "asked", message: "too much again" },
        ],
      },
    },
  ],
])("%s", (_, steps, figures) => {
  const meter = createRunMeter();
  meter.began(after(0));
  for (const step of steps) step(meter, 0);
  expect(meter.figures()).toMatchObject(figures);
});

/** What a process records, one step after another, until nothing of it is in flight or paused. */
const process = fc
  .array(
    fc.tuple(
      fc.oneof(fc.nat(300), fc.nat(40_000)), // buckets become wider after a minute
      fc.constantFrom<(beforeMs: number, nowMs: number) => Step>(
        answer,
        (beforeMs, nowMs) => answer(beforeMs, nowMs, { httpStatus: 503, isRetry: true }),
        (beforeMs, nowMs) => answer(beforeMs, nowMs, unanswered),
        (_, nowMs) => settled("succeeded", nowMs, "a"),
        (_, nowMs) => settled("blocked", nowMs),
        (_, nowMs) => held(nowMs, "asked", "wait"),
        (_, nowMs) => held(nowMs, "outage", "down"),
        (_, nowMs) => held(nowMs),
        (_, nowMs) => allowed(nowMs, 3),
        () => lost(1),
      ),
    ),
    { maxLength: 12 },
  )
  .map((steps) => {
    let endMs = 0;
    const all = steps.map(([ms, stepAt]) => {
      const beforeMs = endMs;
      endMs += ms;
      return stepAt(beforeMs, endMs);
    });
    return { steps: [allowed(0, 2), ...all, held(endMs)], endMs };
  });

test("a split into two processes or parts adds up to the figures of one, without the time between", () => {
  fc.assert(
    fc.property(process, process, fc.nat(100_000), (first, second, betweenMs) => {
      const [one, two, before] = [createRunMeter(), createRunMeter(), createRunMeter()];
      for (const meter of [one, two, before]) {
        meter.began(after(0));
        for (const step of first.steps) step(meter, 0);
      }
      const next = createRunMeter(before.figures());
      for (const step of second.steps) step(one, first.endMs);
      for (const meter of [two, next]) {
        meter.began(after(first.endMs + betweenMs));
        for (const step of second.steps) step(meter, 0);
      }
      const { parts, answers, ...whole } = one.figures();
      const counts = (figures: Pick<RunFigures, "answers">) =>
        figures.answers.map(({ status, count }) => ({ status, count }));
      for (const meter of [two, next]) {
        const figures = meter.figures();
        // What the first part has kept of the mean is rounded.
        const mean_ms = expect.closeTo(whole.latency.mean_ms, 1);
        expect(figures).toMatchObject({ ...whole, latency: { ...whole.latency, mean_ms } });
        expect(counts(figures)).toEqual(counts({ answers }));
        const began = { started_at: after(first.endMs + betweenMs), at_ms: first.endMs };
        expect(figures.parts).toEqual([...parts, began]);
      }
    }),
  );
});
