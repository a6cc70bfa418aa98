import { sum } from "../domain/quantities.ts";
import {
  type LatencyFigures,
  type PauseReason,
  pauseReasons,
  type RunFigures,
} from "../domain/run-figures.ts";

/** How the sending of a run went in all, its earlier parts among it. */
export interface SendingAccount {
  /** Of a run that was gone on with there are several. */
  readonly parts: number;
  /** Whether a part was killed, of which the rest tells nothing. */
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
