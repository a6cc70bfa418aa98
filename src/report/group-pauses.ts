import { maskMessage } from "../model/mask-message.ts";
import type { Pause } from "../model/run-figures.ts";

/** Pauses for the same reason that say the same. */
export interface PauseGroup extends Pick<Pause, "reason" | "message"> {
  readonly count: number;
  /** When the first of them began. */
  readonly firstAtMs: number;
  readonly durationMs: number;
  readonly longestMs: number;
}

/** Puts like with like, those that began first before the others. */
export function groupPauses(pauses: readonly Pause[]): PauseGroup[] {
  const groups = new Map<string, PauseGroup>();
  for (const { at_ms, duration_ms, reason, message } of pauses.toSorted(earlierFirst)) {
    const masked = maskMessage(message);
    const key = `${reason} ${masked}`;
    const before = groups.get(key);
    groups.set(key, {
      reason,
      // As it is where all say the very same, else what they have in common.
      message: (before?.message ?? message) === message ? message : masked,
      count: (before?.count ?? 0) + 1,
      firstAtMs: before?.firstAtMs ?? at_ms,
      durationMs: (before?.durationMs ?? 0) + duration_ms,
      longestMs: Math.max(before?.longestMs ?? 0, duration_ms),
    });
  }
  return [...groups.values()];
}

function earlierFirst(one: Pause, other: Pause): number {
  return one.at_ms - other.at_ms;
}
