import type { StopSwitch } from "../domain/stop.ts";
import { type Clock, sleep } from "./clock.ts";

/** Decides when the next attempt may leave, for all events of the run together. */
export interface Pace {
  /**
   * Waits for the next place in time; nothing where there is one now, or the run stops.
   *
   * @param isWanted whether the attempt may still leave; one that may not leaves its place to the next
   */
  turn(stop: StopSwitch, isWanted?: () => boolean): Promise<void> | undefined;
  /** Whether attempts wait for their place in time. */
  readonly isHolding: boolean;
}

/** How late a timer of Node usually is, which is made up for, as a high rate could not be kept else. */
const timerLatenessMs = 2;

/**
 * Spaces attempts evenly: in any stretch of time, at most `perSecond` a second and one more leave.
 * Where the whole process was held up, what was missed is not made up for, as that would be a burst.
 *
 * @param perSecond the rate at the moment, above 0; infinite for none
 */
export function createPace(clock: Clock, perSecond: () => number): Pace {
  let lastTurn = Number.NEGATIVE_INFINITY;
  let inLine = 0;
  let lastInLine = Promise.resolve();

  /** Waits at the head of the line. The rate may change meanwhile. */
  const takeTurn = async (askedAt: number, stop: StopSwitch, isWanted: () => boolean) => {
    for (let now = clock.now(); stop.reason === undefined && isWanted(); now = clock.now()) {
      const opensAt = lastTurn + 1000 / perSecond();
      if (now >= opensAt) {
        const lateMs = now - Math.max(opensAt, askedAt);
        lastTurn = now - Math.min(lateMs, timerLatenessMs);
        break;
      }
      await sleep(clock, Math.min(opensAt - now, lookAgainMs), stop);
    }
    inLine--;
  };

  return {
    turn(stop, isWanted = () => true) {
      if (inLine === 0 && perSecond() === Number.POSITIVE_INFINITY) return undefined;
      const askedAt = clock.now();
      inLine++;
      lastInLine = lastInLine.then(() => takeTurn(askedAt, stop, isWanted));
      return lastInLine;
    },
    get isHolding() {
      return inLine > 0;
    },
  };
}

/** A rate that has risen meanwhile is made use of by then, and the place of one that may not leave. */
const lookAgainMs = 250;

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
