import { type Clock, endOfTurn } from "../model/clock.ts";

/** Calls back for each attempt that is not over in time. */
export interface Deadlines<Attempt> {
  begin(attempt: Attempt): void;
  end(attempt: Attempt): void;
}

export interface Timed {
  /** The number of its permit: no other attempt in flight has the same. */
  permit: number;
  /** When it was sent. */
  sentMs: number;
}

/** The resolution of timers: a fraction that is left over must not set a timer again and again. */
const timerStepMs = 1;
/** Turns of the event loop in which sockets are read before a missed deadline counts; TLS takes two. */
const turnsOfGrace = 2;

/**
 * All attempts have the same time-out, so the oldest one has the next deadline: one timer is enough for all, and
 * most attempts never need it.
 *
 * @param onMissed is called once for an attempt, which has ended then
 */
export function createDeadlines<Attempt extends Timed>(
  clock: Clock,
  timeoutMs: number,
  onMissed: (attempt: Attempt) => void,
): Deadlines<Attempt> {
  // No map: each time one makes room, it leaves its old table behind, whose attempts then look as if they were in use.
  const begun: (Attempt | undefined)[] = [];
  let count = 0;
  let cancel: (() => void) | undefined;

  const check = () => {
    cancel = undefined;
    const now = clock.now();
    const over: [Attempt, number][] = [];
    let leastMs = Number.POSITIVE_INFINITY;
    for (const attempt of begun) {
      if (attempt === undefined) continue;
      const leftMs = attempt.sentMs + timeoutMs - now;
      if (leftMs < timerStepMs) over.push([attempt, attempt.sentMs]);
      else if (leftMs < leastMs) leastMs = leftMs;
    }
    if (leastMs < Number.POSITIVE_INFINITY) cancel = clock.schedule(leastMs, check);
    if (over.length > 0) void endAll(over);
  };

  /** An answer that is already in the socket wins: if the process was held up, it is read first. */
  const endAll = async (over: readonly [Attempt, number][]) => {
    for (let turn = 0; turn < turnsOfGrace; turn++) await endOfTurn();
    for (const [attempt, sentMs] of over) {
      // It may have ended, and perhaps the next one has begun.
      if (begun[attempt.permit] !== attempt || attempt.sentMs !== sentMs) continue;
      remove(attempt);
      onMissed(attempt);
    }
    cancel ??= count === 0 ? undefined : clock.schedule(timerStepMs, check);
  };

  const remove = (attempt: Attempt) => {
    begun[attempt.permit] = undefined;
    count--;
  };

  return {
    begin(attempt) {
      begun[attempt.permit] = attempt;
      count++;
      cancel ??= clock.schedule(timeoutMs, check);
    },
    end(attempt) {
      if (begun[attempt.permit] !== attempt) return;
      remove(attempt);
      if (count > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
