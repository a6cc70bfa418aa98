import { isDone, type Outcome } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import type {
  AttemptsSoFar,
  RunFigures,
  SendingFigures,
  TimeSeries,
} from "../model/run-figures.ts";
import { type PauseReason, pauseReasons } from "../model/sending-state.ts";
import { createAnswerCounts, createKindCounts } from "./answer-counts.ts";
import { createLatencies } from "./latencies.ts";
import { createPauses } from "./pauses.ts";
import { createTimeSeries } from "./time-series.ts";

/** Measures how a run sends, at next to no cost for each event. */
export interface RunMeter {
  /** @param inFlight requests in flight, with this one */
  attemptStarted(inFlight: number, allowed: number, isRetry: boolean): void;
  /** @param inFlight requests in flight, without this one */
  attemptEnded(attempt: MeteredAttempt, inFlight: number, allowed: number): void;
  pauseStarted(reason: PauseReason, message: string): void;
  pauseEnded(): void;
  /** Lines of the results have an outcome. */
  settled(outcomes: readonly Pick<Outcome, "status">[]): void;
  /**
   * The same for lines of which nothing was sent. The journal does not keep these, so an earlier part of the
   * run may have counted them.
   */
  settledUnsent(outcomes: readonly Pick<Outcome, "status">[]): void;
  /** An event of a kind was accepted. */
  succeeded(kind: string): void;
  figures(): RunFigures;
  /** The figures of this part of the run in short. */
  soFar(): AttemptsSoFar;
}

export interface MeteredAttempt {
  /** When it was sent, by the clock of the meter. */
  readonly sentMs: number;
  readonly kind: "answered" | "unanswered" | "not_sent";
  /** Of the answer, if there was one. */
  readonly httpStatus: number | undefined;
  /** The kind of its event. */
  readonly event: string;
}

const maxBuckets = 600;
const firstBucketMs = 100;
/** The start of further parts is not kept. */
const maxParts = 100;

/**
 * @param clock the clock of the delivery
 * @param from the figures of earlier parts, if the run is resumed
 * @param linesOnRecord lines of earlier parts that are in the results or the journal; the lines that those
 * parts counted beyond these settle again
 */
export function createRunMeter(
  clock: { now(): number; date(): Date },
  from?: RunFigures,
  linesOnRecord = 0,
): RunMeter {
  const startedAt = clock.date().toISOString();
  const earlierMs = from?.series.duration_ms ?? 0;
  const origin = clock.now() - earlierMs;
  const series = createTimeSeries({ maxBuckets, firstBucketMs, from: from?.series });
  const latencies = createLatencies(from?.latency);
  const pauses = createPauses(from?.pauses);
  const answers = createAnswerCounts(from?.answers);
  const kinds = createKindCounts(from?.kinds);
  const startedEpochMs = Date.parse(startedAt);
  const isoTime = (ms: number) =>
    new Date(startedEpochMs + Math.round(ms - earlierMs)).toISOString();
  let countedEarlier = from === undefined ? 0 : Math.max(0, linesIn(from.series) - linesOnRecord);
  let lastMs = earlierMs;
  let inFlightNow = 0;
  let allowedNow = 0;
  const sums = { attempts: 0, retries: 0, throttled: 0, unanswered: 0, answers: 0, answersMs: 0 };

  /** Adds the time since the last call to the series, with the state that it had. */
  const advance = (): number => {
    const nowMs = Math.max(lastMs, clock.now() - origin);
    if (nowMs > lastMs) {
      if (inFlightNow > 0) series.spread("in_flight_ms", lastMs, nowMs, inFlightNow);
      if (allowedNow > 0) series.spread("allowed_ms", lastMs, nowMs, allowedNow);
      const { reason } = pauses;
      if (reason !== undefined) series.spread(`paused_${reason}_ms`, lastMs, nowMs, 1);
    }
    lastMs = nowMs;
    return nowMs;
  };

  const settled: RunMeter["settled"] = (outcomes) => {
    const nowMs = advance();
    for (const { status } of outcomes) {
      if (status === "not_sent") continue;
      series.add(isDone(status) ? doneAs(status) : "not_succeeded", nowMs, 1);
      if (status === "invalid" || status === "blocked") series.add("unsent", nowMs, 1);
    }
  };

  return {
    attemptStarted(inFlight, allowed, isRetry) {
      const nowMs = advance();
      // As much was allowed before there was anything to send.
      if (allowedNow === 0) series.spread("allowed_ms", earlierMs, nowMs, allowed);
      series.add("attempts", nowMs, 1);
      sums.attempts++;
      if (isRetry) {
        series.add("retries", nowMs, 1);
        sums.retries++;
      }
      inFlightNow = inFlight;
      allowedNow = allowed;
    },
    attemptEnded({ sentMs, kind, httpStatus, event }, inFlight, allowed) {
      const nowMs = advance();
      inFlightNow = inFlight;
      allowedNow = allowed;
      if (kind !== "not_sent") kinds.requested(event);
      if (kind === "unanswered") {
        series.add("unanswered", nowMs, 1);
        sums.unanswered++;
      }
      if (kind !== "answered") return;
      const latencyMs = Math.max(0, nowMs + origin - sentMs);
      series.add("answered", nowMs, 1);
      series.add("latency_ms", nowMs, latencyMs);
      series.peak("longest_latency_ms", nowMs, latencyMs);
      latencies.add(latencyMs);
      sums.answers++;
      sums.answersMs += latencyMs;
      if (httpStatus !== undefined) answers.add(httpStatus, nowMs);
      if (httpStatus !== 429) return;
      series.add("throttled", nowMs, 1);
      sums.throttled++;
    },
    pauseStarted: (reason, message) => pauses.started(advance(), reason, message),
    pauseEnded: () => pauses.ended(advance()),
    settled,
    succeeded: kinds.succeeded,
    settledUnsent(outcomes) {
      const left = outcomes.slice(countedEarlier);
      countedEarlier -= outcomes.length - left.length;
      if (left.length > 0) settled(left);
    },
    figures() {
      const nowMs = advance();
      const part = { started_at: startedAt, at_ms: Math.round(earlierMs) };
      return {
        parts: [...(from?.parts ?? []).slice(0, maxParts - 1), part],
        series: series.copy(Math.round(nowMs)),
        latency: latencies.figures(),
        pauses: pauses.figures(nowMs),
        answers: answers.figures(isoTime),
        kinds: kinds.figures(),
      };
    },
    soFar: () => ({ ...sums, allowed: allowedNow }),
  };
}

function doneAs(status: Outcome["status"]): "succeeded" | "skipped" {
  return status === "succeeded" ? "succeeded" : "skipped";
}

/** How many lines of the results had an outcome. */
function linesIn({ succeeded, not_succeeded, skipped }: TimeSeries): number {
  return sum(succeeded) + sum(not_succeeded) + sum(skipped);
}

/** The figures of all parts, for the summary of the run. */
export function summarizeFigures(
  { parts, series, latency, pauses }: RunFigures,
  hasLostPart: boolean,
): SendingFigures {
  const paused = pauseReasons.map((reason) => [reason, sum(series[`paused_${reason}_ms`])]);
  return {
    parts: parts.length,
    hasLostPart,
    durationMs: series.duration_ms,
    attempts: sum(series.attempts),
    retries: sum(series.retries),
    pauses: pauses.count,
    pausedMs: Object.fromEntries(paused) as Record<PauseReason, number>,
    latency: {
      answers: latency.answers,
      minMs: latency.min_ms,
      meanMs: latency.mean_ms,
      p50Ms: latency.p50_ms,
      p75Ms: latency.p75_ms,
      p90Ms: latency.p90_ms,
      p95Ms: latency.p95_ms,
      p99Ms: latency.p99_ms,
      p999Ms: latency.p999_ms,
      maxMs: latency.max_ms,
    },
  };
}
