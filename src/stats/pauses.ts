import type { Pause, RunFigures } from "../model/run-figures.ts";
import type { PauseReason } from "../model/sending-state.ts";

/** Keeps the pauses of a run, the longest of them one by one. */
export interface Pauses {
  /** It has been paused since then; a reason that changes meanwhile is the one that counts, with its message. */
  began(atMs: number, reason: PauseReason, message: string): void;
  ended(atMs: number): void;
  /** Why nothing leaves at the moment. */
  readonly reason: PauseReason | undefined;
  figures(nowMs: number): RunFigures["pauses"];
}

const mostKept = 20;
const longestMessage = 200;

/** @param from those of before, to continue */
export function createPauses(from?: RunFigures["pauses"]): Pauses {
  let current: Omit<Pause, "duration_ms"> | undefined;
  let count = from?.count ?? 0;
  let longest: readonly Pause[] = from?.longest ?? [];

  const lasting = (nowMs: number): readonly Pause[] => {
    if (current === undefined) return [];
    const duration_ms = Math.round(nowMs - current.at_ms);
    return [{ ...current, at_ms: Math.round(current.at_ms), duration_ms }];
  };
  const withLasting = (nowMs: number) =>
    [...longest, ...lasting(nowMs)]
      .toSorted((one, other) => other.duration_ms - one.duration_ms)
      .slice(0, mostKept);

  return {
    began(atMs, reason, message) {
      if (current === undefined) count++;
      else if (current.reason === reason) return;
      const at_ms = current?.at_ms ?? atMs;
      current = { at_ms, reason, message: message.slice(0, longestMessage) };
    },
    ended(atMs) {
      longest = withLasting(atMs);
      current = undefined;
    },
    get reason() {
      return current?.reason;
    },
    figures: (nowMs) => ({ count, longest: withLasting(nowMs) }),
  };
}
