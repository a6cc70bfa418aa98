import { longRunSeconds, nowSeconds } from "./progress-parts.ts";
import { createRecentRate } from "./recent-rate.ts";

/** How fast something goes, with the time in which nothing may go on and without it. */
export interface ProgressPace {
  /** @param isHeld whether nothing may go on from now until the next call */
  add(nowMs: number, amount: number, isHeld: boolean): void;
  /** A second, as a clock has it. */
  now(): number | undefined;
  /** By which to tell what is left: pauses that come again and again are a part of it. */
  lasting(): number | undefined;
}

/** A single one may have been the last. */
const fewestPauses = 2;

export function createProgressPace(): ProgressPace {
  const unheld = createRecentRate();
  const byClock = createRecentRate();
  let pausesMs: number[] = [];
  let wasHeld = false;
  return {
    add(nowMs, amount, isHeld) {
      unheld.add(nowMs, amount, isHeld);
      byClock.add(nowMs, amount, false);
      if (isHeld && !wasHeld) pausesMs.push(nowMs);
      pausesMs = pausesMs.filter((ms) => ms >= nowMs - longRunSeconds * 1000);
      wasHeld = isHeld;
    },
    now: () => byClock.perSecond(nowSeconds),
    lasting() {
      const pace = unheld.perSecond(longRunSeconds);
      if (pace === undefined || pausesMs.length < fewestPauses) return pace;
      return Math.min(pace, byClock.perSecond(longRunSeconds) ?? pace);
    },
  };
}
