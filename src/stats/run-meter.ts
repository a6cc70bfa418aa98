import { isDone, type Outcome } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import {
  answerTimesUpToMs,
  type RunFigures,
  type TimeSeries,
  type TrafficSoFar,
} from "../model/run-figures.ts";
import type { PauseReason } from "../model/sending-state.ts";
import { createLatencies } from "./latencies.ts";
import { createPauses } from "./pauses.ts";
import { createTimeSeries } from "./time-series.ts";

/** Takes down how the sending goes, next to nothing for each event. */
export interface RunMeter {
  /** A request has left. @param inFlight requests in flight, this one among them */
  departed(inFlight: number, allowed: number, isRepeat: boolean): void;
  /** It is over. @param inFlight requests in flight, without it */
  arrived(attempt: MeteredAttempt, inFlight: number, allowed: number): void;
  paused(reason: PauseReason, message: string): void;
  opened(): void;
  /** Lines of the results have their outcome. */
  ended(outcomes: readonly Pick<Outcome, "status">[]): void;
  /** The same of lines that were not to be sent, which no journal keeps: an earlier part may have counted them. */
  endedUnsent(outcomes: readonly Pick<Outcome, "status">[]): void;
  figures(): RunFigures;
  /** The same in short, and without the parts before. */
  soFar(): TrafficSoFar;
}

export interface MeteredAttempt {
  /** When it left, by the same clock. */
  readonly departedMs: number;
  readonly kind: "answered" | "unanswered" | "not_sent";
  /** Whether the answer is that there were too many. */
  readonly isThrottled: boolean;
}

const mostBuckets = 600;
const firstBucketMs = 100;
/** As many parts are told apart; the beginnings of further ones are not kept. */
const mostParts = 100;

/**
 * @param clock the one by which requests leave
 * @param from the figures of the parts before, where a run goes on
 * @param linesOnRecord how many lines of those parts stand in the results or the journal; what they
 * counted beyond these ends once more
 */
export function createRunMeter(
  clock: { now(): number; date(): Date },
  from?: RunFigures,
  linesOnRecord = 0,
): RunMeter {
  const startedAt = clock.date().toISOString();
  const before = from?.series.duration_ms ?? 0;
  const origin = clock.now() - before;
  const series = createTimeSeries({ mostBuckets, firstBucketMs, from: from?.series });
  const latencies = createLatencies(from?.latency);
  const pauses = createPauses(from?.pauses);
  let countedBefore = from === undefined ? 0 : Math.max(0, linesIn(from.series) - linesOnRecord);
  let lastMs = before;
  let onWire = 0;
  let mayBe = 0;
  const sums = { attempts: 0, retries: 0, throttled: 0, unanswered: 0 };
  const answers = new Array<number>(answerTimesUpToMs.length + 1).fill(0);
  let answersSumMs = 0;

  /** Counts the time since the last call for how things were in it. */
  const advance = (): number => {
    const nowMs = Math.max(lastMs, clock.now() - origin);
    if (nowMs > lastMs) {
      if (onWire > 0) series.spread("in_flight_ms", lastMs, nowMs, onWire);
      if (mayBe > 0) series.spread("allowed_ms", lastMs, nowMs, mayBe);
      const { reason } = pauses;
      if (reason !== undefined) series.spread(`paused_${reason}_ms`, lastMs, nowMs, 1);
    }
    lastMs = nowMs;
    return nowMs;
  };

  const ended: RunMeter["ended"] = (outcomes) => {
    const nowMs = advance();
    for (const { status } of outcomes) {
      if (status === "not_sent") continue;
      series.add(isDone(status) ? doneAs(status) : "not_succeeded", nowMs, 1);
      if (status === "invalid" || status === "blocked") series.add("unsent", nowMs, 1);
    }
  };

  return {
    departed(inFlight, allowed, isRepeat) {
      const nowMs = advance();
      // What it began with was allowed before there was anything to send.
      if (mayBe === 0) series.spread("allowed_ms", before, nowMs, allowed);
      series.add("attempts", nowMs, 1);
      sums.attempts++;
      if (isRepeat) {
        series.add("retries", nowMs, 1);
        sums.retries++;
      }
      onWire = inFlight;
      mayBe = allowed;
    },
    arrived({ departedMs, kind, isThrottled }, inFlight, allowed) {
      const nowMs = advance();
      onWire = inFlight;
      mayBe = allowed;
      if (kind === "unanswered") {
        series.add("unanswered", nowMs, 1);
        sums.unanswered++;
      }
      if (kind !== "answered") return;
      const latencyMs = Math.max(0, nowMs + origin - departedMs);
      series.add("answered", nowMs, 1);
      series.add("latency_ms", nowMs, latencyMs);
      series.peak("longest_latency_ms", nowMs, latencyMs);
      latencies.add(latencyMs);
      const stretch = answerTimesUpToMs.findIndex((upToMs) => latencyMs <= upToMs);
      const at = stretch < 0 ? answerTimesUpToMs.length : stretch;
      answers[at] = (answers[at] ?? 0) + 1;
      answersSumMs += latencyMs;
      if (!isThrottled) return;
      series.add("throttled", nowMs, 1);
      sums.throttled++;
    },
    paused: (reason, message) => pauses.began(advance(), reason, message),
    opened: () => pauses.ended(advance()),
    ended,
    endedUnsent(outcomes) {
      const left = outcomes.slice(countedBefore);
      countedBefore -= outcomes.length - left.length;
      if (left.length > 0) ended(left);
    },
    figures() {
      const nowMs = advance();
      const part = { started_at: startedAt, at_ms: Math.round(before) };
      return {
        parts: [...(from?.parts ?? []).slice(0, mostParts - 1), part],
        series: series.copy(Math.round(nowMs)),
        latency: latencies.figures(),
        pauses: pauses.figures(nowMs),
      };
    },
    soFar: () => ({
      ...sums,
      allowed: mayBe,
      answerTimes: { counts: [...answers], sumMs: answersSumMs },
    }),
  };
}

function doneAs(status: Outcome["status"]): "succeeded" | "skipped" {
  return status === "succeeded" ? "succeeded" : "skipped";
}

/** Lines of the results that had their outcome. */
function linesIn({ succeeded, not_succeeded, skipped }: TimeSeries): number {
  return sum(succeeded) + sum(not_succeeded) + sum(skipped);
}
