/** Measures how fast something goes, over the time in which it could. */
export interface RecentRate {
  /** @param isHeld whether nothing may go on from now until the next call */
  add(nowMs: number, amount: number, isHeld: boolean): void;
  /** A second, over the last so many seconds or what there is of them; nothing before there is a rate. */
  perSecond(seconds: number): number | undefined;
}

interface Sample {
  /** Time in which nothing was held back. */
  readonly activeMs: number;
  readonly amount: number;
}

const betweenSamplesMs = 500;
const longestSeconds = 60;
/** Over less than this, a handful at the beginning would look like a high rate. */
const leastMs = 1000;

export function createRecentRate(): RecentRate {
  let samples: Sample[] = [];
  let latest: Sample | undefined;
  let lastMs = 0;
  let wasHeld = false;
  return {
    add(nowMs, amount, isHeld) {
      const passedMs = latest === undefined || wasHeld ? 0 : Math.max(0, nowMs - lastMs);
      latest = { activeMs: (latest?.activeMs ?? 0) + passedMs, amount };
      lastMs = nowMs;
      wasHeld = isHeld;
      const before = samples.at(-1);
      if (before !== undefined && latest.activeMs - before.activeMs < betweenSamplesMs) return;
      const oldest = latest.activeMs - longestSeconds * 1000;
      samples = [...samples.filter(({ activeMs }) => activeMs >= oldest), latest];
    },
    perSecond(seconds) {
      if (latest === undefined) return undefined;
      const from = latest.activeMs - seconds * 1000;
      const first = samples.find(({ activeMs }) => activeMs >= from) ?? latest;
      const overMs = latest.activeMs - first.activeMs;
      return overMs < leastMs ? undefined : ((latest.amount - first.amount) * 1000) / overMs;
    },
  };
}
