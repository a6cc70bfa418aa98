import { setImmediate as turn } from "node:timers/promises";
import TinyQueue from "tinyqueue";
import type { Clock } from "../../src/model/clock.ts";
import { mulberry32 } from "../../src/sandbox/faults.ts";

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Turns of the event loop after each step: in them, delivery takes every step that needs no time. */
const turnsOfAStep = 3;
/** Node's timers come up to this much late. */
const timerLatenessMs = 1;

export type PaceClock = ReturnType<typeof createPaceClock>;

/** A clock that goes from timer to timer as fast as it can. The same seed gives the same run. */
export function createPaceClock(seed: number) {
  const random = mulberry32(seed);
  const timers = new TinyQueue<Timer>(
    [],
    (one, other) => one.dueMs - other.dueMs || one.order - other.order,
  );
  const startedMs = Date.parse("2026-03-01T12:00:00.000Z");
  let nowMs = 0;
  let order = 0;
  let hasNew = false;
  /** What a service does is not late. */
  const exactly = (delayMs: number, run: () => void): (() => void) => {
    const timer: Timer = { dueMs: nowMs + Math.max(0, delayMs), order: order++, run };
    hasNew = true;
    timers.push(timer);
    return () => {
      timer.run = undefined;
    };
  };
  return {
    now: () => nowMs,
    date: () => new Date(startedMs + nowMs),
    random,
    schedule: (delayMs, run) => exactly(delayMs + timerLatenessMs * random(), run),
    exactly,
    /** Lets time pass until it is over, nothing waits any more, or so much has passed. */
    async runUntil(isOver: () => boolean, longestMs: number): Promise<void> {
      const settle = async () => {
        for (let quiet = 0; quiet < turnsOfAStep; quiet++) {
          hasNew = false;
          await turn();
          if (hasNew) quiet = 0;
        }
      };
      await settle();
      while (!isOver()) {
        const next = timers.pop();
        if (next === undefined || next.dueMs > longestMs) return;
        if (next.run === undefined) continue;
        nowMs = Math.max(nowMs, next.dueMs);
        next.run();
        await settle();
      }
    },
  } satisfies Clock & Record<string, unknown>;
}
