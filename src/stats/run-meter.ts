import { isDone, type OutcomeStatus } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import type { Tried } from "../model/run-record.ts";
import { type PauseReason, pauseReasons, type SendingFigures } from "../model/sending-state.ts";
import { createAnswerCounts, createKindCounts } from "./answer-counts.ts";
import { createLatencies } from "./latencies.ts";
import { createPauses } from "./pauses.ts";
import { type Amounts, createTimeSeries } from "./time-series.ts";

/**
 * Figures of the sending over time, at next to no cost for each event: a fold over the records of a journal. Times are
 * those of the records, in milliseconds since their process began.
 *
 * @param from the figures of the account before the part
 */
export function createRunMeter(from?: RunFigures) {
  const series = createTimeSeries(from?.series);
  const latencies = createLatencies(from?.latency);
  const pauses = createPauses(from?.pauses);
  const answers = createAnswerCounts(from?.answers);
  const kinds = createKindCounts(from?.kinds);
  const parts = [...(from?.parts ?? [])];
  let lastMs = from?.series.duration_ms ?? 0;
  /** When the process began, in the time of the series and of the day. */
  let originMs = lastMs;
  let startedEpochMs = 0;
  let allowedNow = 0;

  const passed = (amounts: Amounts, ms: number) => {
    amounts.allowed_ms += ms * allowedNow;
    const { reason } = pauses;
    if (reason !== undefined) amounts[`paused_${reason}_ms`] += ms;
  };
  /** Adds the time until then to the series, with the state that it had. */
  const advance = (atMs: number) => {
    const nowMs = Math.max(lastMs, originMs + atMs);
    series.spread(lastMs, nowMs, passed);
    lastMs = nowMs;
  };

  return {
    /** A process begins. @param startedAt an ISO 8601 instant */
    began(startedAt: string) {
      pauses.ended(lastMs);
      allowedNow = 0;
      originMs = lastMs;
      startedEpochMs = Date.parse(startedAt);
      parts.push({ started_at: startedAt, at_ms: Math.round(originMs) });
    },
    tried({ sentMs, endedMs, kind, httpStatus, isRetry, event }: Tried) {
      const fromMs = originMs + sentMs;
      const toMs = originMs + Math.max(sentMs, endedMs);
      const sent = series.at(fromMs);
      sent.attempts++;
      if (isRetry) sent.retries++;
      series.spread(fromMs, toMs, addInFlight);
      advance(endedMs);
      if (kind !== "not_sent") kinds.requested(event);
      const over = series.at(toMs);
      if (kind === "unanswered") over.unanswered++;
      if (kind !== "answered") return;
      const latencyMs = toMs - fromMs;
      over.answered++;
      over.latency_ms += latencyMs;
      if (latencyMs > over.longest_latency_ms) over.longest_latency_ms = latencyMs;
      latencies.add(latencyMs);
      if (httpStatus !== undefined)
        answers.add(httpStatus, startedEpochMs + Math.max(sentMs, endedMs));
    },
    /** Attempts were in flight when their process was killed: each the first of its event, the second or another. */
    lost(attempts: readonly number[]) {
      const amounts = series.at(lastMs);
      amounts.attempts += attempts.length;
      amounts.unanswered += attempts.length;
      amounts.retries += attempts.filter((number) => number > 1).length;
      for (const _ of attempts) kinds.requested("");
    },
    /** A line has its outcome. @param event the kind of its event, if one was sent */
    settled(status: OutcomeStatus, atMs: number, event: string | undefined) {
      advance(atMs);
      const amounts = series.at(lastMs);
      if (!isDone(status)) amounts.not_succeeded++;
      else if (status === "succeeded") amounts.succeeded++;
      else amounts.skipped++;
      if (status === "invalid" || status === "blocked") amounts.unsent++;
      if (status === "succeeded" && event !== undefined) kinds.succeeded(event);
    },
    /** Sending pauses or, without a reason, goes on. */
    held(atMs: number, reason: PauseReason | undefined, message = "") {
      advance(atMs);
      if (reason === undefined) pauses.ended(lastMs);
      else pauses.started(lastMs, reason, message);
    },
    /** So many requests may be in flight from now on. */
    allowed(atMs: number, requests: number) {
      advance(atMs);
      allowedNow = requests;
    },
    advance,
    figures: (): RunFigures => ({
      parts,
      series: series.copy(Math.round(lastMs)),
      latency: latencies.figures(),
      pauses: pauses.figures(lastMs),
      answers: answers.figures(),
      kinds: kinds.figures(),
    }),
    soFar: () => ({
      attempts: series.total("attempts"),
      retries: series.total("retries"),
      unanswered: series.total("unanswered"),
    }),
  };
}

function addInFlight(amounts: Amounts, ms: number) {
  amounts.in_flight_ms += ms;
}

/** The figures of all processes and parts, for the summary of the run. */
export function summarizeFigures({ parts, series, latency, pauses }: RunFigures): SendingFigures {
  const paused = pauseReasons.map((reason) => [reason, sum(series[`paused_${reason}_ms`])]);
  const { histogram: _, ...times } = latency;
  return {
    processes: parts.length,
    durationMs: series.duration_ms,
    attempts: sum(series.attempts),
    retries: sum(series.retries),
    pauses: pauses.count,
    pausedMs: Object.fromEntries(paused) as Record<PauseReason, number>,
    latency: times,
  };
}
