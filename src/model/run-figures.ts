import type { PauseReason, SendingLimit } from "./sending-state.ts";

/** What is added up for each stretch of time, by its name in the manifest. */
export const seriesNames = [
  "succeeded",
  /** Rejected, failed, unknown, invalid or blocked. */
  "not_succeeded",
  /** Of these, invalid or blocked. */
  "unsent",
  "skipped",
  "attempts",
  /** Of these, those that repeat an earlier one of their event. */
  "retries",
  /** Answers that say that there were too many requests. */
  "throttled",
  "unanswered",
  "answered",
  /** Sum over the answers; divided by `answered` it is their mean. */
  "latency_ms",
  /** The longest of the answers, not a sum. */
  "longest_latency_ms",
  /** Requests in flight, times how long; divided by the stretch it is their mean. */
  "in_flight_ms",
  /** Requests that may be in flight, times how long. */
  "allowed_ms",
  "paused_asked_ms",
  "paused_outage_ms",
] as const;
export type SeriesName = (typeof seriesNames)[number];

/** What happened over time, in stretches of the same length. */
export type TimeSeries = {
  readonly bucket_ms: number;
  /** From the beginning to where it ends, in the last stretch. */
  readonly duration_ms: number;
} & { readonly [name in SeriesName]: readonly number[] };

/** How long answers took. */
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
  /** All of them as an HdrHistogram in its base64 form, in tenths of a millisecond. */
  readonly histogram: string;
}

export interface Pause {
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly reason: PauseReason;
  /** What the service said when it began. */
  readonly message: string;
}

/** Figures of the sending; the parts of a run that was resumed follow each other. */
export interface RunFigures {
  /** When each part began; between two of them the run stood still, and no time is counted. */
  readonly parts: readonly { readonly started_at: string; readonly at_ms: number }[];
  readonly series: TimeSeries;
  readonly latency: LatencyFigures;
  readonly pauses: { readonly count: number; readonly longest: readonly Pause[] };
}

/** Up to which time an answer counts in each stretch, but for the last, which has no end. */
export const answerTimesUpToMs = [
  5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
] as const;

/** The traffic since this process began to send. */
export interface TrafficSoFar {
  readonly attempts: number;
  readonly retries: number;
  /** Answers that say that there were too many requests. */
  readonly throttled: number;
  readonly unanswered: number;
  /** Requests that may be in flight at the moment; 0 before the first. */
  readonly allowed: number;
  /** Answers by how long they took, by the stretches above, and the sum of their times. */
  readonly answerTimes: { readonly counts: readonly number[]; readonly sumMs: number };
}

/** Figures of the sending of a run, with its earlier parts. */
export interface SendingFigures {
  /** Of a run that was resumed there are several. */
  readonly parts: number;
  /** Whether a part left no figures, as it was killed or met a full disk. */
  readonly hasLostPart: boolean;
  readonly durationMs: number;
  readonly attempts: number;
  /** Of these, those that repeat an earlier one of their event. */
  readonly retries: number;
  readonly pauses: number;
  readonly pausedMs: Readonly<Record<PauseReason, number>>;
  /** How long answers took. */
  readonly latency: Omit<LatencyFigures, "histogram">;
}

/** What kept a run from sending faster, most of the time. */
export interface LimitedBy {
  readonly limit: SendingLimit;
  /** For which share of the time, up to 1. */
  readonly share: number;
  /** Attempts a second at most when it was seen last; absent where there was no bound. */
  readonly perSecond?: number;
  /** Requests in flight at most then. */
  readonly allowed: number;
}
