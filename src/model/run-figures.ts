import type { PauseReason, SendingLimit } from "./sending-state.ts";

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
  /** Answers with status 429. */
  "throttled",
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

/** What happened over time, in buckets of the same length. */
export type TimeSeries = {
  readonly bucket_ms: number;
  /** From the start of the first bucket to the end of the run, which is in the last one. */
  readonly duration_ms: number;
} & { readonly [name in SeriesName]: readonly number[] };

/** How long answers took, by names in the manifest. */
export interface LatencyFigures {
  readonly answers: number;
  readonly min_ms: number;
  readonly mean_ms: number;
  readonly p50_ms: number;
  readonly p75_ms: number;
  readonly p90_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly p999_ms: number;
  readonly max_ms: number;
  /** All latencies as an HdrHistogram in base64, in tenths of a millisecond. */
  readonly histogram: string;
}

export interface Pause {
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly reason: PauseReason;
  /** What the service answered, or what failed, when the pause began. */
  readonly message: string;
}

/** The answers with one HTTP status, and when the first and the last of them came. */
export interface AnswerCount {
  readonly status: number;
  readonly count: number;
  readonly first_at: string;
  readonly last_at: string;
}

/** The events of one kind (the body's `event` member). */
export interface KindCount {
  /** Blank for all those that came after the first fifty kinds. */
  readonly kind: string;
  /** Attempts that left, and events that were accepted. */
  readonly requests: number;
  readonly succeeded: number;
}

/** Figures of the sending. If a run was resumed, its parts follow each other. */
export interface RunFigures {
  /** When each part began. The time between two parts does not count. */
  readonly parts: readonly { readonly started_at: string; readonly at_ms: number }[];
  readonly series: TimeSeries;
  readonly latency: LatencyFigures;
  readonly pauses: { readonly count: number; readonly longest: readonly Pause[] };
  readonly answers: readonly AnswerCount[];
  readonly kinds: readonly KindCount[];
}

/** Figures since this process began to send. */
export interface AttemptsSoFar {
  readonly attempts: number;
  readonly retries: number;
  /** Answers with status 429. */
  readonly throttled: number;
  readonly unanswered: number;
  /** How many requests may be in flight now; 0 before the first. */
  readonly allowed: number;
}

/** How long answers took. */
export interface LatencySummary {
  readonly answers: number;
  readonly minMs: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p75Ms: number;
  readonly p90Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Figures of the sending of a run, earlier parts included. */
export interface SendingFigures {
  /** More than one if the run was resumed. */
  readonly parts: number;
  /** Whether a part left no figures, because it was killed or the disk was full. */
  readonly hasLostPart: boolean;
  readonly durationMs: number;
  readonly attempts: number;
  /** Attempts after the first of their event. */
  readonly retries: number;
  readonly pauses: number;
  readonly pausedMs: Readonly<Record<PauseReason, number>>;
  readonly latency: LatencySummary;
}

/** What limited the rate of a run for most of the time. */
export interface LimitedBy {
  readonly limit: SendingLimit;
  /** The share of the time, from 0 to 1. */
  readonly share: number;
  /** The last limit, in attempts a second; absent if there was none. */
  readonly perSecond?: number;
  /** The last limit of requests in flight. */
  readonly allowed: number;
}
