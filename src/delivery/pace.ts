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

/**
 * Spaces attempts evenly: in any stretch of time, at most `ratePerSecond` a second and one more
 * leave.
 *
 * @param ratePerSecond the hard cap; without it only pauses count
 */
export function createPace(clock: Clock, ratePerSecond: number | undefined): Pace {
  const intervalMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond;
  let pausedUntil = 0;
  let nextTurn = 0;

  return {
    async turn(stop) {
      while (stop.reason === undefined) {
        const now = clock.now();
        if (now < pausedUntil) {
          await sleep(clock, pausedUntil - now, stop);
          continue;
        }
        if (intervalMs === 0) return;
        if (now >= nextTurn) {
          nextTurn = now + intervalMs;
          return;
        }
        const mine = nextTurn;
        nextTurn += intervalMs;
        await sleep(clock, mine - now, stop);
        if (clock.now() >= pausedUntil) return;
        // A pause began while this one waited for its place: it asks for a new one after it.
      }
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
