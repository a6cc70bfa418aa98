import { count, duration, grouped, shortTime } from "../../model/quantities.ts";
import type { LimitedBy, SendingFigures } from "../../model/run-figures.ts";
import { type PauseReason, pauseReasons, type SendingLimit } from "../../model/sending-state.ts";
import type { RunSummary } from "../../run/options/run-events.ts";
import { capText, rateText } from "./rate-text.ts";

/** How the sending went, a line each. */
export function renderSending({ attempts, sending, limitedBy }: RunSummary): string[] {
  if (sending === undefined) return [];
  const all = `${count(attempts, "attempt")} in all parts: one of them was cut off and left no more figures`;
  return [
    ...renderKnownSending(sending),
    ...(sending.hasLostPart ? [all] : []),
    ...(limitedBy === undefined ? [] : [renderLimit(limitedBy)]),
  ];
}

function renderKnownSending(sending: SendingFigures): string[] {
  if (sending.attempts === 0) return [];
  const { attempts, retries, latency, pausedMs, pauses, parts, durationMs } = sending;
  const repeats = retries === 0 ? "" : `, ${grouped(retries)} of them retries`;
  const time = parts === 1 ? "" : ` in ${duration(durationMs)} of sending`;
  // One alone has no rate.
  const perSecond = (attempts * 1000) / Math.max(1, durationMs);
  const rate = attempts === 1 ? "" : ` (${rateText(perSecond, "request")})`;
  const made = `${count(attempts, "attempt")}${time}${rate}${repeats}`;
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] > 0);
  const each = reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`);
  const paused =
    pauses === 0 || each.length === 0 ? [] : [`${count(pauses, "pause")}: ${each.join(", ")}`];
  return [made, ...renderLatency(latency), ...paused];
}

function renderLatency({ answers, p50Ms, p95Ms, p99Ms, maxMs }: SendingFigures["latency"]) {
  const all = shortTime(maxMs);
  switch (answers) {
    case 0:
      return [];
    case 1:
      return [`Answered within ${all}`];
    default:
      return [
        `Answered within ${shortTime(p50Ms)} (half), ${shortTime(p95Ms)} (95 %), ${shortTime(p99Ms)} (99 %), ${all} (the longest)`,
      ];
  }
}

/** `Limited for 96 % of the time by --rate (20 requests/s)`. */
function renderLimit({ limit, share, perSecond: rate, allowed }: LimitedBy): string {
  return `Limited for ${Math.round(share * 100)} % of the time by ${limitText(limit, rate, allowed)}`;
}

function limitText(limit: SendingLimit, rate: number | undefined, allowed: number): string {
  switch (limit) {
    case "rate":
      return `--rate (${capText(rate ?? 0, "request")})`;
    case "throttling":
      return `the service, which takes about ${rateText(rate ?? 0, "request")}`;
    case "quota":
      return "the service's quota";
    case "retry_budget":
      return "failed attempts: only retries were left to send, and the retry budget bounds them";
    case "adapted_concurrency":
      return `the service, which copes with about ${count(allowed, "request")} at a time`;
    case "concurrency":
      return `the time that answers take, with ${count(allowed, "request")} at a time`;
    default:
      return limit satisfies never;
  }
}

const pauseWords: Record<PauseReason, string> = {
  asked: "as the service asked",
  outage: "because it was unavailable",
};
