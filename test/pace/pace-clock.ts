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
/** On a machine that has other work: how often a process has to wait for it, and for how long at most; how late what
 * it sends is on its way, on average. */
const stalls = { everyMs: 150, longestMs: 12 };
const meanJitterMs = 0.5;

export type PaceClock = ReturnType<typeof createPaceClock>;

/**
 * A clock that goes from timer to timer as fast as it can. The same seed gives the same run.
 *
 * @param isBusy whether the clients' machine has other work
 */
export function createPaceClock(seed: number, isBusy = false) {
  const random = mulberry32(seed);
  const exponential = (mean: number) => -mean * Math.log(1 - random());
  let stall = { fromMs: 0, toMs: 0 };
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
  /** What reaches a client while it stalls is seen at the end of that. */
  const toClient = (delayMs: number, run: () => void): (() => void) => {
    if (!isBusy) return exactly(delayMs, run);
    let cancel = () => {};
    const see = () => {
      while (nowMs >= stall.toMs) {
        const fromMs = Math.max(nowMs, stall.toMs) + exponential(stalls.everyMs);
        stall = { fromMs, toMs: fromMs + stalls.longestMs * random() };
      }
      if (nowMs < stall.fromMs) run();
      else cancel = exactly(stall.toMs - nowMs, see);
    };
    cancel = exactly(delayMs, see);
    return () => cancel();
  };
  return {
    now: () => nowMs,
    date: () => new Date(startedMs + nowMs),
    random,
    schedule: (delayMs, run) => toClient(delayMs + timerLatenessMs * random(), run),
    exactly,
    toClient,
    jitterMs: () => (isBusy ? exponential(meanJitterMs) : 0),
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
