import type { Clock } from "../src/model/clock.ts";
import { mulberry32 } from "../src/sandbox/faults.ts";

export interface VirtualClock extends Clock {
  /** Time stands still from here on. */
  end(): void;
}

interface Timer {
  readonly due: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Whoever waits for the end of the turn, and once more after that, goes on before time does. */
const turnsToWait = 3;

/**
 * A clock that jumps to the next timer as soon as nothing else can run. For what knows no sockets
 * and no files: whatever real time takes, it does not wait for.
 */
export function createVirtualClock({
  seed = 1,
  date = "2026-03-01T12:00:00.000Z",
} = {}): VirtualClock {
  const started = Date.parse(date);
  const timers: Timer[] = [];
  let nowMs = 0;
  let order = 0;
  let turnsLeft = 0;
  let hasEnded = false;

  const pump = () => {
    if (--turnsLeft > 0) {
      setImmediate(pump);
      return;
    }
    if (hasEnded) return;
    dropCancelled(timers);
    const due = timers[0]?.due;
    if (due === undefined) return;
    nowMs = due;
    takeFirst(timers).run?.();
    pumpSoon();
  };
  // Promises that are ready all run before this.
  const pumpSoon = () => {
    if (turnsLeft > 0) return;
    turnsLeft = turnsToWait;
    setImmediate(pump);
  };

  return {
    now: () => nowMs,
    date: () => new Date(started + nowMs),
    random: mulberry32(seed),
    schedule(delayMs, run) {
      const timer: Timer = { due: nowMs + Math.max(0, delayMs), order: order++, run };
      put(timers, timer);
      pumpSoon();
      return () => {
        timer.run = undefined;
      };
    },
    end() {
      hasEnded = true;
    },
  };
}

function dropCancelled(heap: Timer[]) {
  while (heap[0] !== undefined && heap[0].run === undefined) takeFirst(heap);
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function put(heap: Timer[], timer: Timer) {
  let at = heap.length;
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Timer;
    if (isBefore(parent, timer)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = timer;
}

function takeFirst(heap: Timer[]): Timer {
  const first = heap[0] as Timer;
  const last = heap.pop() as Timer;
  if (heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= heap.length) break;
    const other = heap[below + 1];
    if (other !== undefined && isBefore(other, heap[below] as Timer)) below++;
    const child = heap[below] as Timer;
    if (isBefore(last, child)) break;
    heap[at] = child;
    at = below;
  }
  heap[at] = last;
  return first;
}
