import { onAbort, type StopSignal } from "./stop.ts";

/** Time and chance, passed in so that a test can decide both. */
export interface Clock {
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  /** The time of day. */
  date(): Date;
  /** A number from 0 up to 1. */
  random(): number;
  /** Runs a function after a while, and never before; the result calls it off. */
  schedule(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  random: () => Math.random(),
  schedule(delayMs, run) {
    const dueMs = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const wait = () => {
      const leftMs = Math.ceil(dueMs - performance.now());
      timer = setTimeout(wakeUp, Math.min(Math.max(0, leftMs), longestTimerMs));
    };
    // Node cuts fractions off, and counts from when the loop last looked at the time: it may come early.
    const wakeUp = () => (performance.now() < dueMs ? wait() : run());
    wait();
    return () => clearTimeout(timer);
  },
};

/** Beyond this a timer of Node fires at once, so it takes several. */
const longestTimerMs = 2 ** 31 - 1;

/** Resolves when all that the event loop found ready has been dealt with. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits, and no longer than until the run stops. Never rejects. */
export function sleep(clock: Clock, delayMs: number, stop: StopSignal): Promise<void> {
  if (stop.aborted || delayMs <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = () => {
      cancel();
      forget();
      resolve();
    };
    const cancel = clock.schedule(delayMs, wake);
    const forget = onAbort(stop, wake);
  });
}

let lastMs = Number.NaN;
let lastText = "";

/** The instant as ISO 8601 text. In a millisecond several events end, and to write it takes a while. */
export function isoTime(instant: Date): string {
  const ms = instant.getTime();
  if (ms !== lastMs) {
    lastText = instant.toISOString();
    lastMs = ms;
  }
  return lastText;
}
