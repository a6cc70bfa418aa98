import type { StopSwitch } from "../domain/stop.ts";
import { type Clock, sleep } from "./clock.ts";

/** Decides when the next attempt may leave, for all events of the run together. */
export interface Pace {
  /** Waits for the next place in time; returns at once when the run stops. */
  turn(stop: StopSwitch): Promise<void>;
  /** Holds everything back for a while; the longest wish counts. */
  pause(durationMs: number): void;
  /** Milliseconds until a pause ends; 0 where there is none. */
  pausedForMs(): number;
}

/** How late a timer of Node usually is, which is made up for, as a high rate could not be kept else. */
const timerLatenessMs = 2;

/**
 * Spaces attempts evenly: in any stretch of time, at most `ratePerSecond` a second and one more
 * leave. Where the whole process was held up, what was missed is not made up for, as that would be
 * a burst.
 *
 * @param ratePerSecond the hard cap; without it only pauses count
 */
export function createPace(clock: Clock, ratePerSecond: number | undefined): Pace {
  const intervalMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond;
  let pausedUntil = 0;
  let nextTurn = 0;
  let lastInLine = Promise.resolve();

  const untilPauseEnds = async (stop: StopSwitch) => {
    for (let now = clock.now(); now < pausedUntil; now = clock.now()) {
      if (stop.reason !== undefined) return;
      await sleep(clock, pausedUntil - now, stop);
    }
  };
  /** Waits at the head of the line. */
  const takeTurn = async (askedAt: number, stop: StopSwitch) => {
    for (let now = clock.now(); stop.reason === undefined; now = clock.now()) {
      const opensAt = Math.max(nextTurn, pausedUntil);
      if (now >= opensAt) {
        const lateMs = now - Math.max(opensAt, askedAt);
        nextTurn = now - Math.min(lateMs, timerLatenessMs) + intervalMs;
        return;
      }
      await sleep(clock, opensAt - now, stop);
    }
  };

  return {
    turn(stop) {
      if (intervalMs === 0) return untilPauseEnds(stop);
      const askedAt = clock.now();
      lastInLine = lastInLine.then(() => takeTurn(askedAt, stop));
      return lastInLine;
    },
    pause(durationMs) {
      pausedUntil = Math.max(pausedUntil, clock.now() + durationMs);
    },
    pausedForMs: () => Math.max(0, pausedUntil - clock.now()),
  };
}

export type ParsedRate =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "problem"; readonly message: string };

const perSecond: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Reads `50/s`, `3000/m` or `100000/h`. */
export function parseRate(text: string): ParsedRate {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text.trim()) ?? [];
  const rate = Number(count) / (perSecond[unit ?? ""] ?? Number.NaN);
  return rate > 0
    ? { kind: "rate", perSecond: rate }
    : { kind: "problem", message: `"${text}" is not a rate such as 50/s, 3000/m or 100000/h` };
}
