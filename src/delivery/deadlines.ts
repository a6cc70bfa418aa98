import { type Clock, endOfTurn } from "../model/clock.ts";

/** Calls back for each attempt that is not over in time. */
export interface Deadlines<Attempt> {
  begin(attempt: Attempt): void;
  end(attempt: Attempt): void;
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
export function createDeadlines<Attempt>(
  clock: Clock,
  timeoutMs: number,
  onMissed: (attempt: Attempt) => void,
): Deadlines<Attempt> {
  /** When each began; a map keeps that order. */
  const begun = new Map<Attempt, number>();
  let cancel: (() => void) | undefined;

  const check = () => {
    cancel = undefined;
    const over: [Attempt, number][] = [];
    for (const [attempt, beganMs] of begun) {
      const leftMs = beganMs + timeoutMs - clock.now();
      if (leftMs >= timerStepMs) {
        cancel = clock.schedule(leftMs, check);
        break;
      }
      over.push([attempt, beganMs]);
    }
    if (over.length > 0) void endAll(over);
  };

  /** An answer that is already in the socket wins: if the process was held up, it is read first. */
  const endAll = async (over: readonly [Attempt, number][]) => {
    for (let turn = 0; turn < turnsOfGrace; turn++) await endOfTurn();
    for (const [attempt, beganMs] of over) {
      if (begun.get(attempt) !== beganMs) continue; // it has ended, and perhaps the next one has begun
      begun.delete(attempt);
      onMissed(attempt);
    }
    cancel ??= begun.size === 0 ? undefined : clock.schedule(timerStepMs, check);
  };

  return {
    begin(attempt) {
      begun.set(attempt, clock.now());
      cancel ??= clock.schedule(timeoutMs, check);
    },
    end(attempt) {
      begun.delete(attempt);
      if (begun.size > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
