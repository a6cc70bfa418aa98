import { onAbort, type StopSignal } from "./stop.ts";

export const dayMs = 86_400_000;

/** Time and chance, passed in so that a test can decide both. */
export interface Clock {
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  date(): Date;
  /** A number from 0 up to 1. */
  random(): number;
  /** Runs a function after a delay, never earlier. The returned function cancels it. */
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
    // Node drops fractions and counts from the loop's last look at the clock, so a timer may fire
    // early.
    const wakeUp = () => (performance.now() < dueMs ? wait() : run());
    wait();
    return () => clearTimeout(timer);
  },
};

/** Node fires a longer timer at once, so a longer delay takes several timers. */
const longestTimerMs = 2 ** 31 - 1;

/** The time of day in ISO 8601: to write it takes a microsecond, so what happens in one millisecond shares the text. */
export function createIsoTime(clock: Clock): () => string {
  let atMs = Number.NaN;
  let text = "";
  return () => {
    const date = clock.date();
    if (date.getTime() !== atMs) {
      atMs = date.getTime();
      text = date.toISOString();
    }
    return text;
  };
}

/** Resolves when the event loop has handled everything that is ready now. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits for the delay, or until the run stops. Never rejects. */
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
