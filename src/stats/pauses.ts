import type { Pause, RunFigures } from "../model/run-figures.ts";
import type { PauseReason } from "../model/sending-state.ts";

const maxPauses = 20;
const maxMessageChars = 200;

/** Counts the pauses of a run, and keeps the longest. @param from the figures of earlier parts, to continue */
export function createPauses(from?: RunFigures["pauses"]) {
  let current: Omit<Pause, "duration_ms"> | undefined;
  let count = from?.count ?? 0;
  let longest: readonly Pause[] = from?.longest ?? [];

  const longestUntil = (nowMs: number) => {
    if (current === undefined) return longestOf(longest);
    const duration_ms = Math.round(nowMs - current.at_ms);
    return longestOf([...longest, { ...current, at_ms: Math.round(current.at_ms), duration_ms }]);
  };

  return {
    /** A pause starts. If one lasts already, it gets the new reason and message. */
    started(atMs: number, reason: PauseReason, message: string) {
      if (current === undefined) count++;
      else if (current.reason === reason) return;
      const at_ms = current?.at_ms ?? atMs;
      current = { at_ms, reason, message: message.slice(0, maxMessageChars) };
    },
    ended(atMs: number) {
      longest = longestUntil(atMs);
      current = undefined;
    },
    /** Why nothing is sent at the moment. */
    get reason(): PauseReason | undefined {
      return current?.reason;
    },
    figures: (nowMs: number): RunFigures["pauses"] => ({ count, longest: longestUntil(nowMs) }),
  };
}

/** The pauses that are kept, the longest first. */
export function longestOf(pauses: readonly Pause[]): readonly Pause[] {
  return pauses.toSorted((one, other) => other.duration_ms - one.duration_ms).slice(0, maxPauses);
}
