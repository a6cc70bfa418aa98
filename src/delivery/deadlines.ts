import { type Clock, endOfTurn } from "../model/clock.ts";
import type { PendingEvent } from "./pending-event.ts";

/** A fraction of this that is left over must not set a timer again and again. */
const timerResolutionMs = 1;
/** Turns of the event loop in which sockets are read before a missed deadline counts; TLS takes two. */
const turnsOfGrace = 2;

/**
 * The attempts in flight. It calls back for each that is not over in time. All have the same time-out, so the oldest one
 * has the next deadline: one timer is enough for all, and most attempts never need it.
 *
 * @param onMissed ends the attempt
 * @param onChange is called with each attempt that begins or ends
 */
export function createDeadlines<Attempt extends Pick<PendingEvent, "connection" | "sentMs">>(
  clock: Clock,
  timeoutMs: number,
  onMissed: (attempt: Attempt) => void,
  onChange = () => {},
) {
  // No map: each time one makes room, it leaves its old table behind, whose attempts then look as if they were in use.
  const begun: (Attempt | undefined)[] = [];
  let count = 0;
  let cancel: (() => void) | undefined;

  const check = async () => {
    const checking = () => {};
    cancel = checking;
    const sentBefore = clock.now() - timeoutMs + timerResolutionMs;
    // An answer that is already in the socket wins: if the process was held up, it is read first.
    for (let turn = 0; turn < turnsOfGrace; turn++) await endOfTurn();
    for (const attempt of begun) {
      if (attempt !== undefined && attempt.sentMs < sentBefore) onMissed(attempt);
    }
    // Only now: when an attempt is missed, the next one may begin at once, with the same connection.
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const attempt of begun) oldestMs = Math.min(oldestMs, attempt?.sentMs ?? oldestMs);
    // If all had ended, the next one has set a timer of its own.
    if (cancel !== checking) return;
    cancel = undefined;
    if (oldestMs < Number.POSITIVE_INFINITY) wakeAt(oldestMs + timeoutMs);
  };

  const wakeAt = (atMs: number) => {
    cancel = clock.schedule(Math.max(timerResolutionMs, atMs - clock.now()), () => void check());
  };

  return {
    get length() {
      return count;
    },
    /** Attempts that were sent before, the oldest first. */
    sentBefore: (ms: number): Attempt[] =>
      begun
        .filter((attempt): attempt is Attempt => attempt !== undefined && attempt.sentMs < ms)
        .sort((one, other) => one.sentMs - other.sentMs),
    begin(attempt: Attempt) {
      begun[attempt.connection] = attempt;
      count++;
      onChange();
      if (cancel === undefined) wakeAt(attempt.sentMs + timeoutMs);
    },
    end(attempt: Attempt) {
      begun[attempt.connection] = undefined;
      onChange();
      if (--count > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
