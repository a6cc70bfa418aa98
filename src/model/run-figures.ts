import { z } from "zod";
import { amount, each, longText, moment } from "./members.ts";
import { latencyNames, pauseReasons } from "./sending-state.ts";

/** The figures of a time series, by their names in the manifest. */
export const seriesNames = [
  "succeeded",
  /** Rejected, failed, unknown, invalid or blocked. */
  "not_succeeded",
  /** Invalid or blocked; also part of `not_succeeded`. */
  "unsent",
  "skipped",
  "attempts",
  /** Attempts after the first of their event; also part of `attempts`. */
  "retries",
  "unanswered",
  "answered",
  /** Sum over all answers: divide it by `answered` for the mean. */
  "latency_ms",
  /** The maximum, not a sum. */
  "longest_latency_ms",
  /** Requests in flight, multiplied by time: divide it by the length of the bucket for the mean. */
  "in_flight_ms",
  /** Requests that may be in flight, multiplied by time. */
  "allowed_ms",
  "paused_asked_ms",
  "paused_outage_ms",
] as const;
export type SeriesName = (typeof seriesNames)[number];

/** Of milliseconds there are parts. */
const quantity = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER);

export const mostBuckets = 600;
const list = z.array(quantity).max(mostBuckets);

/** What happened over time, in buckets of the same length. */
const series = z
  .object({
    bucket_ms: quantity.positive(),
    /** From the start of the first bucket to the end of the run, which is in the last one. */
    duration_ms: quantity,
    ...each(seriesNames, list),
  })
  .refine((all) => new Set(seriesNames.map((name) => all[name].length)).size === 1);

const latency = z.object({
  ...each(latencyNames, quantity),
  /** All latencies as an HdrHistogram in base64, in tenths of a millisecond. */
  histogram: z.string(),
});

const pause = z.object({
  ...each(["at_ms", "duration_ms"], quantity),
  reason: z.enum(pauseReasons),
  /** What the service answered, or what failed, when the pause began. */
  message: longText,
});

/** The answers with one HTTP status, and when the first and the last of them came. */
const answer = z.object({
  ...each(["status", "count"], amount),
  ...each(["first_at", "last_at"], moment),
});

/** The events of one kind (the body's `event` member): attempts that left, and events that were accepted. */
const kind = z.object({
  /** Blank for all those that came after the first fifty kinds. */
  kind: longText,
  ...each(["requests", "succeeded"], amount),
});

/** Figures of the sending, as the manifest keeps them. If a run was resumed, its parts follow each other. */
export const figuresSchema = z.object({
  /** When each part began. The time between two parts does not count. */
  parts: z.array(z.object({ started_at: moment, at_ms: quantity })).min(1),
  series,
  latency,
  pauses: z.object({ count: amount, longest: z.array(pause).readonly() }),
  answers: z.array(answer),
  kinds: z.array(kind),
});

export type RunFigures = z.infer<typeof figuresSchema>;
export type TimeSeries = z.infer<typeof series>;
export type LatencyFigures = z.infer<typeof latency>;
export type Pause = z.infer<typeof pause>;
export type AnswerCount = z.infer<typeof answer>;
export type KindCount = z.infer<typeof kind>;
