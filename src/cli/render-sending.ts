import { count, duration, grouped, perSecond, shortTime, sum } from "../model/quantities.ts";
import type { LimitedBy, SendingAccount } from "../model/run-figures.ts";
import type { SendingLimit } from "../model/sending-state.ts";
import { type PauseReason, pauseReasons } from "../model/sending-state.ts";
import type { RunSummary } from "../run/import-options.ts";
import { capText, rateText } from "./progress-parts.ts";

/** `Complete: 1,312 rows, 1,280 events in 37.7 s`: the time is that of this process. */
export function renderHead(summary: RunSummary): string {
  const { exitReason, rows, events, elapsedMs, sending } = summary;
  const what = `${count(rows, "row")}, ${count(events, "event")}`;
  const time = duration(elapsedMs);
  const { parts = 1, hasLostPart = false } = sending ?? {};
  const isOne = parts === 1 && !hasLostPart;
  if (!wasRead(summary)) return `Stopped after ${time}`;
  if (exitReason !== "complete") {
    return `Stopped after ${time}${isOne ? "" : " of this part"}: ${what}`;
  }
  if (isOne) return `Complete: ${what} in ${time}`;
  if (hasLostPart) return `Complete: ${what}; this part of the run took ${time}`;
  return `Complete: ${what} in ${parts} parts; this one took ${time}`;
}

/** Whether there is anything to count: not where it stopped before the first row was. */
export function wasRead({ exitReason, rows }: RunSummary): boolean {
  return exitReason === "complete" || rows > 0;
}

/**
 * How the sending went, a line each.
 *
 * @param attempts of all parts of the run, also of those of which no more is known
 */
export function renderSending(attempts: number, sending: SendingAccount): string[] {
  const { hasLostPart } = sending;
  const known = renderKnownSending(sending);
  if (!hasLostPart) return known;
  const all = `${count(attempts, "attempt")} in all parts of the run`;
  if (known.length === 0) return [all];
  return [
    all,
    "Without the part that was killed, of which no times are known:",
    ...known.map((line) => `  ${line}`),
  ];
}

function renderKnownSending(sending: SendingAccount): string[] {
  if (sending.attempts === 0) return [];
  const { attempts, retries, latency, pausedMs, pauses, parts, durationMs } = sending;
  const repeats = retries === 0 ? "" : `, ${grouped(retries)} had to be repeated`;
  const time = parts === 1 ? "" : ` in ${duration(durationMs)} of sending`;
  // One alone has no rate.
  const rate = attempts === 1 ? "" : ` (${perSecond(attempts, durationMs)})`;
  const made = `${count(attempts, "attempt")}${time}${rate}${repeats}`;
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] > 0);
  // A pause may go on for another reason than it began for.
  const inAll =
    reasons.length > pauses
      ? ` of ${duration(sum(reasons.map((reason) => pausedMs[reason])))}`
      : "";
  const paused =
    pauses === 0 || reasons.length === 0
      ? []
      : [
          `${count(pauses, "pause")}${inAll}: ${reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`).join(", ")}`,
        ];
  return [made, ...renderLatency(latency), ...paused];
}

function renderLatency({ answers, p50_ms, p95_ms, p99_ms, max_ms }: SendingAccount["latency"]) {
  const all = shortTime(max_ms);
  switch (answers) {
    case 0:
      return [];
    case 1:
      return [`Answered within ${all}`];
    default:
      return [
        `Answered within ${shortTime(p50_ms)} (half), ${shortTime(p95_ms)} (95 %), ${shortTime(p99_ms)} (99 %), ${all} (all)`,
      ];
  }
}

/** `Limited for 96 % of the time by --rate (20/s)`. */
export function renderLimit({ limit, share, perSecond: rate, allowed }: LimitedBy): string {
  return `Limited for ${Math.round(share * 100)} % of the time by ${limitText(limit, rate, allowed)}`;
}

function limitText(limit: SendingLimit, rate: number | undefined, allowed: number): string {
  switch (limit) {
    case "rate":
      return `--rate (${capText(rate ?? 0)})`;
    case "throttling":
      return `the service, which takes about ${rateText(rate ?? 0)}`;
    case "quota":
      return "the quota that the service tells";
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
  outage: "as it was unavailable",
};
