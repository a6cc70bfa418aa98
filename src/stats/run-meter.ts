import { isDone, type Outcome } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import {
  type LimitedBy,
  type MeteredAttempt,
  type PauseReason,
  pauseReasons,
  type SendingFigures,
  type SendingLimit,
} from "../model/sending-state.ts";
import { createAnswerCounts, createKindCounts } from "./answer-counts.ts";
import { createLatencies } from "./latencies.ts";
import { createPauses } from "./pauses.ts";
import { type Amounts, createTimeSeries } from "./time-series.ts";

export type RunMeter = ReturnType<typeof createRunMeter>;

const maxBuckets = 600;
const firstBucketMs = 100;
const minLimitedMs = 1000;
const minLimitedShare = 0.25;

/**
 * Measures how a run sends, at next to no cost for each event.
 *
 * @param clock the clock of the delivery
 * @param from the figures of earlier parts, if the run is resumed
 * @param linesOnRecord lines of earlier parts that are in the results or the journal; the lines that those
 * parts counted beyond these settle again
 */
export function createRunMeter(
  clock: { now(): number; date(): Date },
  from?: RunFigures,
  linesOnRecord = 0,
) {
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
  const { succeeded = [], not_succeeded = [], skipped = [] } = from?.series ?? {};
  const linesBefore = sum(succeeded) + sum(not_succeeded) + sum(skipped);
  let countedEarlier = Math.max(0, linesBefore - linesOnRecord);
  let lastMs = earlierMs;
  let inFlightNow = 0;
  let allowedNow = 0;
  /** For how long each limit held, until when that is known. */
  const limits = new Map<SendingLimit, number>();
  let limitedMs = earlierMs;

  const passed = (amounts: Amounts, ms: number) => {
    amounts.in_flight_ms += ms * inFlightNow;
    amounts.allowed_ms += ms * allowedNow;
    const { reason } = pauses;
    if (reason !== undefined) amounts[`paused_${reason}_ms`] += ms;
  };
  /**
   * Adds the time since the last call to the series, with the state that it had.
   *
   * @returns the amounts of now, which is `lastMs`
   */
  const advance = (): Amounts => {
    const nowMs = Math.max(lastMs, clock.now() - origin);
    series.spread(lastMs, nowMs, passed);
    lastMs = nowMs;
    return series.at(nowMs);
  };
  const limitedBy = (limit: SendingLimit | undefined) => {
    if (limit !== undefined) limits.set(limit, (limits.get(limit) ?? 0) + lastMs - limitedMs);
    limitedMs = lastMs;
  };

  /** Lines of the results have an outcome. */
  const settled = (outcomes: readonly Pick<Outcome, "status">[]) => {
    const amounts = advance();
    for (const { status } of outcomes) {
      if (status === "not_sent") continue;
      if (!isDone(status)) amounts.not_succeeded++;
      else if (status === "succeeded") amounts.succeeded++;
      else amounts.skipped++;
      if (status === "invalid" || status === "blocked") amounts.unsent++;
    }
  };

  return {
    /**
     * @param inFlight requests in flight, with this one
     * @param limit what has limited sending since the last attempt started or ended, if anything has
     */
    attemptStarted(inFlight: number, allowed: number, isRetry: boolean, limit?: SendingLimit) {
      // As much was allowed before there was anything to send.
      if (allowedNow === 0) allowedNow = allowed;
      const amounts = advance();
      limitedBy(limit);
      amounts.attempts++;
      if (isRetry) amounts.retries++;
      inFlightNow = inFlight;
      allowedNow = allowed;
    },
    /** @param inFlight requests in flight, without this one */
    attemptEnded(
      { sentMs, kind, httpStatus, event }: MeteredAttempt,
      inFlight: number,
      allowed: number,
      limit?: SendingLimit,
    ) {
      const amounts = advance();
      limitedBy(limit);
      inFlightNow = inFlight;
      allowedNow = allowed;
      if (kind !== "not_sent") kinds.requested(event);
      if (kind === "unanswered") amounts.unanswered++;
      if (kind !== "answered") return;
      const latencyMs = Math.max(0, lastMs + origin - sentMs);
      amounts.answered++;
      amounts.latency_ms += latencyMs;
      if (latencyMs > amounts.longest_latency_ms) amounts.longest_latency_ms = latencyMs;
      latencies.add(latencyMs);
      if (httpStatus !== undefined) answers.add(httpStatus, lastMs);
    },
    pauseStarted(reason: PauseReason, message: string) {
      advance();
      pauses.started(lastMs, reason, message);
    },
    pauseEnded() {
      advance();
      pauses.ended(lastMs);
    },
    settled,
    /** An event of a kind was accepted. */
    succeeded: kinds.succeeded,
    /**
     * The same as `settled` for lines of which nothing was sent. The journal does not keep these, so an earlier part of
     * the run may have counted them.
     */
    settledUnsent(outcomes: readonly Pick<Outcome, "status">[]) {
      const left = outcomes.slice(countedEarlier);
      countedEarlier -= outcomes.length - left.length;
      if (left.length > 0) settled(left);
    },
    figures(): RunFigures {
      advance();
      const part = { started_at: startedAt, at_ms: Math.round(earlierMs) };
      return {
        parts: [...(from?.parts ?? []), part],
        series: series.copy(Math.round(lastMs)),
        latency: latencies.figures(),
        pauses: pauses.figures(lastMs),
        answers: answers.figures(isoTime),
        kinds: kinds.figures(),
      };
    },
    soFar: () => ({
      attempts: series.total("attempts"),
      retries: series.total("retries"),
      unanswered: series.total("unanswered"),
    }),
    /**
     * The limit that kept this part from sending faster for longest. Undefined if it held for less than a quarter of
     * the time, or the part sent for less than a second.
     *
     * @param bounds the limits as they are now
     */
    mainLimit(
      bounds: Pick<LimitedBy, "allowed" | "perSecond" | "refusedWith">,
    ): LimitedBy | undefined {
      const { allowed, perSecond, refusedWith } = bounds;
      const durationMs = limitedMs - earlierMs;
      const [longest] = [...limits].sort(([, one], [, other]) => other - one);
      if (longest === undefined || durationMs < minLimitedMs) return undefined;
      const [limit, ms] = longest;
      const share = ms / durationMs;
      if (share < minLimitedShare) return undefined;
      return {
        ...{ limit, share, allowed },
        ...(perSecond === undefined ? {} : { perSecond }),
        ...(refusedWith === undefined ? {} : { refusedWith }),
      };
    },
  };
}

/** The figures of all parts, for the summary of the run. */
export function summarizeFigures(
  { parts, series, latency, pauses }: RunFigures,
  hasLostPart: boolean,
): SendingFigures {
  const paused = pauseReasons.map((reason) => [reason, sum(series[`paused_${reason}_ms`])]);
  const { histogram: _, ...times } = latency;
  return {
    parts: parts.length,
    hasLostPart,
    durationMs: series.duration_ms,
    attempts: sum(series.attempts),
    retries: sum(series.retries),
    pauses: pauses.count,
    pausedMs: Object.fromEntries(paused) as Record<PauseReason, number>,
    latency: times,
  };
}
