import { sum } from "../model/quantities.ts";
import type { RunFigures, SendingAccount } from "../model/run-figures.ts";
import { type PauseReason, pauseReasons } from "../model/sending-state.ts";

export function sumUpFigures(
  { parts, series, latency, pauses }: RunFigures,
  hasLostPart: boolean,
): SendingAccount {
  const { histogram: _, ...percentiles } = latency;
  const paused = pauseReasons.map((reason) => [reason, sum(series[`paused_${reason}_ms`])]);
  return {
    parts: parts.length,
    hasLostPart,
    durationMs: series.duration_ms,
    attempts: sum(series.attempts),
    retries: sum(series.retries),
    pauses: pauses.count,
    pausedMs: Object.fromEntries(paused) as Record<PauseReason, number>,
    latency: percentiles,
  };
}
