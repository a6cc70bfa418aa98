import { type Clock, endOfTurn } from "../model/clock.ts";

/** Tells when the time of what has begun is over. */
export interface Deadlines<Thing> {
  begin(thing: Thing): void;
  end(thing: Thing): void;
}

/** Timers know no less; a fraction that is left over must not set one again and again. */
const timerStepMs = 1;
/** Turns of the event loop in which sockets are read before a time that is over counts; TLS takes two. */
const turnsOfGrace = 2;

/**
 * As all have the same time, the oldest is the next whose time is over: one timer is enough for all, and
 * most never need it.
 *
 * @param onOver is called once for each; it has ended then
 */
export function createDeadlines<Thing>(
  clock: Clock,
  timeoutMs: number,
  onOver: (thing: Thing) => void,
): Deadlines<Thing> {
  /** When they began; a map keeps them in that order. */
  const begun = new Map<Thing, number>();
  let cancel: (() => void) | undefined;

  const look = () => {
    cancel = undefined;
    const over: [Thing, number][] = [];
    for (const [thing, beganMs] of begun) {
      const leftMs = beganMs + timeoutMs - clock.now();
      if (leftMs >= timerStepMs) {
        cancel = clock.schedule(leftMs, look);
        break;
      }
      over.push([thing, beganMs]);
    }
    if (over.length > 0) void endAll(over);
  };

  /** An answer that lies in the socket already wins: where the process was held up, it is read first. */
  const endAll = async (over: readonly [Thing, number][]) => {
    for (let turn = 0; turn < turnsOfGrace; turn++) await endOfTurn();
    for (const [thing, beganMs] of over) {
      if (begun.get(thing) !== beganMs) continue; // it has ended, and perhaps begun anew
      begun.delete(thing);
      onOver(thing);
    }
    cancel ??= begun.size === 0 ? undefined : clock.schedule(timerStepMs, look);
  };

  const callOff = () => {
    cancel?.();
    cancel = undefined;
  };

  return {
    begin(thing) {
      begun.set(thing, clock.now());
      cancel ??= clock.schedule(timeoutMs, look);
    },
    end(thing) {
      begun.delete(thing);
      if (begun.size === 0) callOff();
    },
  };
}
