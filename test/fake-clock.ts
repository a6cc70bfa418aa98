import type { Clock } from "../src/model/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time by hand, and runs what falls due on the way. */
  advance(durationMs: number): void;
  /** Timers that have not run. */
  readonly waiting: number;
  /** Every delay that was asked for, in that order, but for deadlines. */
  readonly delays: readonly number[];
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
  readonly order: number;
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
  const timers = new Set<Timer>();
  const delays: number[] = [];
  let nowMs = 0;
  let order = 0;
  let quiet = 0;
  let isPumping = false;
  let busyTurns = 0;

  const earliest = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers) {
      const isEarlier =
        first === undefined ||
        timer.due < first.due ||
        (timer.due === first.due && timer.order < first.order);
      if (isEarlier) first = timer;
    }
    return first;
  };
  const fire = (timer: Timer) => {
    timers.delete(timer);
    nowMs = Math.max(nowMs, timer.due);
    timer.run();
  };
  const standsStill = () => {
    for (const { isDeadline } of timers) if (isDeadline) return true;
    return timers.size === 0;
  };
  const pump = () => {
    isPumping = false;
    if (standsStill()) return;
    if (settings.waitsForDisk && isDiskBusy() && busyTurns++ < longestBusyTurns) return pumpSoon();
    busyTurns = 0;
    quiet++;
    if (quiet > quietTurns) {
      quiet = 0;
      const next = earliest();
      if (next !== undefined) fire(next);
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
      const isDeadline = delayMs === deadline;
      if (!isDeadline) delays.push(delayMs);
      const timer = { due: nowMs + Math.max(0, delayMs), order: order++, isDeadline, run };
      timers.add(timer);
      quiet = 0;
      pumpSoon();
      return () => {
        if (!timers.delete(timer)) return;
        quiet = 0;
        pumpSoon();
      };
    },
    advance(durationMs) {
      const until = nowMs + durationMs;
      for (let next = earliest(); next !== undefined && next.due <= until; next = earliest()) {
        fire(next);
      }
      nowMs = until;
    },
    get waiting() {
      return timers.size;
    },
    delays,
  };
}
