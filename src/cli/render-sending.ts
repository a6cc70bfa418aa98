import { count, duration, grouped, perSecond, shortTime } from "../domain/quantities.ts";
import { type PauseReason, pauseReasons } from "../domain/run-figures.ts";
import type { SendingAccount } from "../figures/sum-up-figures.ts";

/** What this process took, where that is the time of all; else what it is the time of. */
export function timeOf(elapsedMs: number, sending: SendingAccount | undefined): string {
  const time = duration(elapsedMs);
  const { parts = 1, hasLostPart = false } = sending ?? {};
  if (hasLostPart) return `; this part of the run took ${time}`;
  return parts === 1 ? ` in ${time}` : ` in ${parts} parts; this one took ${time}`;
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
  const made = `${count(attempts, "attempt")}${time} (${perSecond(attempts, durationMs)})${repeats}`;
  const { p50_ms, p95_ms, p99_ms, max_ms } = latency;
  const answered =
    latency.answers === 0
      ? []
      : [
          `Answered within ${shortTime(p50_ms)} (half), ${shortTime(p95_ms)} (95 %), ${shortTime(p99_ms)} (99 %), ${shortTime(max_ms)} (all)`,
        ];
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] > 0);
  const paused =
    pauses === 0 || reasons.length === 0
      ? []
      : [
          `${count(pauses, "pause")}: ${reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`).join(", ")}`,
        ];
  return [made, ...answered, ...paused];
}

const pauseWords: Record<PauseReason, string> = {
  asked: "as the service asked",
  outage: "as it was unavailable",
  retry_budget: "as requests kept failing",
};
