import type { Clock } from "../src/model/clock.ts";
import { mulberry32 } from "../src/sandbox/faults.ts";

export interface FakeClock extends Clock {
  /** Moves time by hand, and runs what falls due on the way. */
  advance(durationMs: number): void;
  /** Timers that have not run. */
  readonly waiting: number;
  /** Every delay that was asked for, in that order, but for deadlines. */
  readonly delays: readonly number[];
  /** Time stands still from here on. */
  end(): void;
}

export interface FakeClockSettings {
  /**
   * The delay by which the deadline of an attempt is known. While one is running there is a request
   * in flight, which takes real time: the clock stands still until it is called off.
   */
  readonly deadlineMs?: number;
  readonly random?: () => number;
  /**
   * Whether time also stands still while a file is written or read; default not, as it takes long.
   * Where something looks again every second, time would run away from an intent on its way.
   */
  readonly waitsForDisk?: boolean;
  /** What the time of day is at the beginning. */
  readonly date?: string;
}

/** Odd, so that no other wait is taken for the deadline of an attempt. */
export const deadlineMs = 29_989;

interface Timer {
  readonly due: number;
  readonly isDeadline: boolean;
  readonly run: () => void;
}

/** Turns of the event loop without a new timer, after which everything is taken to wait. */
const quietTurns = 3;

/** A disk that does not answer for so long is one that a test has made so. */
const longestBusyTurns = 100_000;

function isDiskBusy(): boolean {
  return process.getActiveResourcesInfo().some((kind) => kind.startsWith("FSReq"));
}

/** A clock that goes forward on its own, to the next timer, whenever everything waits. */
export function createFakeClock(settings: FakeClockSettings = {}): FakeClock {
  const { random = () => 0.5, date = "2026-03-01T12:00:00.000Z" } = settings;
  const deadline = settings.deadlineMs ?? deadlineMs;
  const started = Date.parse(date);
  /** The earliest first, of those that are due together the one that was asked for first. */
  const timers: Timer[] = [];
  const delays: number[] = [];
  let nowMs = 0;
  let deadlines = 0;
  let hasEnded = false;
  let quiet = 0;
  let isPumping = false;
  let busyTurns = 0;

  const drop = (timer: Timer): boolean => {
    const at = timers.indexOf(timer);
    if (at < 0) return false;
    timers.splice(at, 1);
    if (timer.isDeadline) deadlines--;
    return true;
  };
  const fire = (timer: Timer) => {
    drop(timer);
    nowMs = Math.max(nowMs, timer.due);
    timer.run();
  };
  const pump = () => {
    isPumping = false;
    const [next] = timers;
    if (next === undefined || deadlines > 0 || hasEnded) return;
    if (settings.waitsForDisk && isDiskBusy() && busyTurns++ < longestBusyTurns) return pumpSoon();
    busyTurns = 0;
    quiet++;
    if (quiet > quietTurns) {
      quiet = 0;
      fire(next);
    }
    pumpSoon();
  };
  const pumpSoon = () => {
    if (isPumping) return;
    isPumping = true;
    setImmediate(pump);
  };

  return {
    now: () => nowMs,
    date: () => new Date(started + nowMs),
    random,
    schedule(delayMs, run) {
      // The same time, computed again, may differ by next to nothing.
      const isDeadline = Math.abs(delayMs - deadline) < 1e-6;
      if (!isDeadline) delays.push(delayMs);
      if (isDeadline) deadlines++;
      const timer = { due: nowMs + Math.max(0, delayMs), isDeadline, run };
      timers.splice(timers.findLastIndex(({ due }) => due <= timer.due) + 1, 0, timer);
      quiet = 0;
      pumpSoon();
      return () => {
        if (!drop(timer)) return;
        quiet = 0;
        pumpSoon();
      };
    },
    advance(durationMs) {
      const until = nowMs + durationMs;
      while (timers[0] !== undefined && timers[0].due <= until) fire(timers[0]);
      nowMs = until;
    },
    get waiting() {
      return timers.length;
    },
    delays,
    end() {
      hasEnded = true;
    },
  };
}

/** The same for what knows no sockets and no files: whatever real time takes, it does not wait for. */
export function createVirtualClock({ seed = 1, date }: { seed?: number; date?: string } = {}) {
  const random = mulberry32(seed);
  return createFakeClock({ deadlineMs: Number.NaN, random, ...(date !== undefined && { date }) });
}
