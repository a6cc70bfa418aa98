import type { Clock } from "./clock.ts";
import { type Fields, readQuotas } from "./read-quotas.ts";

/** Decides when the next attempt may leave, for all events of the run together. */
export interface RateLimiter {
  /** Attempts a second at most, above 0; infinite where nothing limits them. */
  readonly perSecond: number;
  /** Which limit that is: `--rate`, what the service throttles to, or its quota. */
  readonly bound: RateBound | undefined;
  /** Milliseconds until the next attempt may leave; 0 where it may leave now. */
  waitMs(): number;
  /**
   * An attempt leaves.
   *
   * @param hasWaited whether attempts were waiting for their turn, and not the limiter for attempts
   */
  departed(hasWaited: boolean): void;
  /** An attempt was answered, and not throttled. */
  taken(): void;
  /** An attempt was answered with 429. */
  throttled(departedMs: number): void;
  /**
   * Takes in what an answer says of quotas.
   *
   * @param inFlight attempts that the service may not have counted yet
   * @returns milliseconds for which nothing more should leave, where the quota is used up
   */
  advise(fields: Fields, inFlight: number): number | undefined;
}

export type RateBound = "cap" | "throttling" | "quota";

export interface RateLimiterSettings {
  /** The cap of `--rate`. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to find the rate that the service grants. */
  readonly adaptive: boolean;
}

/** How late a timer of Node usually is. It is made up for, or a high rate could not be kept. */
const timerLatenessMs = 2;

/**
 * Spaces attempts evenly: in any stretch of time, at most `perSecond` a second and one more leave. Where
 * the whole process was held up, what was missed is not made up for, as that would be a burst.
 */
export function createRateLimiter(
  { ratePerSecond = Number.POSITIVE_INFINITY, adaptive }: RateLimiterSettings,
  clock: Pick<Clock, "now" | "date">,
): RateLimiter {
  const granted = adaptive ? createGrantedRate() : undefined;
  const quota = createQuotaAdvice();
  let lastMs = Number.NEGATIVE_INFINITY;

  const lowest = () =>
    Math.min(ratePerSecond, quota.perSecond(clock), granted?.perSecond ?? Number.POSITIVE_INFINITY);

  return {
    get perSecond() {
      return lowest();
    },
    get bound() {
      const perSecond = lowest();
      if (perSecond === Number.POSITIVE_INFINITY) return undefined;
      if (perSecond === ratePerSecond) return "cap";
      return perSecond === granted?.perSecond ? "throttling" : "quota";
    },
    waitMs() {
      const perSecond = lowest();
      if (perSecond === Number.POSITIVE_INFINITY) return 0;
      return Math.max(0, lastMs + 1000 / perSecond - clock.now());
    },
    departed(hasWaited) {
      const now = clock.now();
      granted?.departed(now);
      const lateMs = hasWaited ? now - (lastMs + 1000 / lowest()) : 0;
      lastMs = now - Math.max(0, Math.min(lateMs, timerLatenessMs));
    },
    taken() {
      granted?.taken(clock.now());
    },
    throttled(departedMs) {
      granted?.throttled(departedMs, clock.now());
    },
    advise: (fields, inFlight) => quota.take(fields, inFlight, clock.now(), clock.date()),
  };
}

/** What is left of the rate at a refusal after a calm time: it may be chance, or a limit that was met. */
const afterOneRefusal = 0.93;
/** What is left of it at each that follows soon: the limit is further down. */
const afterAnother = 0.8;
const calmMs = 1000;
/**
 * How fast the rate comes back, and goes beyond, by the cube of the seconds, as a share of the rate.
 * The AWS SDKs use 0.4 attempts a second for every rate; this is twice that at 50 a second, and takes
 * as long at every other from `fullGrowthFrom` up.
 */
const growth = 0.8 / 50;
/**
 * At a limit that was met before, it grows more slowly below so many a second, as each look beyond the
 * limit costs a refusal.
 */
const fullGrowthFrom = 20;
/** It is the same limit up to so many times the rate or its inverse. */
const alike = 2;
/** The rate counts as made use of up to so much more than what is sent. */
const slack = 1.25;
const leastPerSecond = 0.5;

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode: with each throttling the rate
 * falls, comes back soon, stays near where it was for a while, and then looks further and further
 * beyond (the CUBIC curve of RFC 9438, for a rate). Other than there, a single refusal takes little
 * away: in a simulation of hidden limits that held 89 to 100 % of the capacity where a cut to 0.7 held
 * 81 to 98 %, with about as few refused.
 */
function createGrantedRate() {
  const sendingRate = createSendingRate();
  const takenAtFirst = createPeakRate();
  let perSecond = Number.POSITIVE_INFINITY;
  let highest = 0;
  let growthNow = growth;
  let comesBackSeconds = 0;
  let cutAtMs = Number.NEGATIVE_INFINITY;
  /** Where a refusal came after a calm time, the last time. */
  let limitBefore: number | undefined;

  return {
    get perSecond() {
      return perSecond;
    },
    departed: sendingRate.count,
    taken(now: number) {
      if (perSecond === Number.POSITIVE_INFINITY) {
        takenAtFirst.count(now);
        return;
      }
      const seconds = (now - cutAtMs) / 1000 - comesBackSeconds;
      const curve = highest * (1 + growthNow * seconds ** 3);
      // What is not made use of is no reason to allow more and more.
      const most = Math.max(perSecond, 2 * sendingRate.perSecond(now));
      perSecond = Math.max(leastPerSecond, Math.min(curve, most));
    },
    throttled(departedMs: number, now: number) {
      // It left before the last cut, and says nothing of the rate since.
      if (departedMs < cutAtMs) return;
      const isFirst = perSecond === Number.POSITIVE_INFINITY;
      const used = isFirst ? takenAtFirst.perSecond(now) : slack * sendingRate.perSecond(now);
      highest = Math.max(leastPerSecond, Math.min(perSecond, used));
      const isCalm = !isFirst && now - cutAtMs > calmMs;
      const part = isCalm ? afterOneRefusal : afterAnother;
      growthNow = growth;
      if (isCalm) {
        const ratio = limitBefore === undefined ? Number.POSITIVE_INFINITY : highest / limitBefore;
        const isKnown = ratio <= alike && ratio >= 1 / alike;
        if (isKnown) growthNow *= Math.min(1, (highest / fullGrowthFrom) ** 2);
        limitBefore = highest;
      }
      comesBackSeconds = Math.cbrt((1 - part) / growthNow);
      perSecond = Math.max(leastPerSecond, highest * part);
      cutAtMs = now;
    },
  };
}

const sendingBucketMs = 500;
const weightOfLatest = 0.8;
/** Over less than this, a handful that left at once would look like a high rate. */
const leastMs = 250;

/**
 * Measures a rate as the AWS SDKs do: counts in half seconds, of which the latest weighs most. Where
 * nothing happens for a while, the next count is over all of that time, so that rates below one a
 * second come out right too.
 */
function createSendingRate() {
  let startedMs: number | undefined;
  let bucketStartMs = 0;
  let counted = 0;
  let smoothed: number | undefined;

  const close = (now: number) => {
    const elapsedMs = now - bucketStartMs;
    if (elapsedMs < sendingBucketMs) return;
    const latest = (counted * 1000) / elapsedMs;
    smoothed =
      smoothed === undefined ? latest : latest * weightOfLatest + smoothed * (1 - weightOfLatest);
    bucketStartMs = now;
    counted = 0;
  };

  return {
    count(now: number) {
      if (startedMs === undefined) {
        startedMs = now;
        bucketStartMs = now;
      }
      close(now);
      counted++;
    },
    perSecond(now: number) {
      close(now);
      if (smoothed !== undefined) return smoothed;
      return (counted * 1000) / Math.max(leastMs, now - bucketStartMs);
    },
  };
}

const peakBucketMs = 100;

/**
 * The highest rate seen so far. While the traffic still grows, a mean over it would tell of what it
 * was, and not of what the service has just taken.
 */
function createPeakRate() {
  let bucketStartMs: number | undefined;
  let counted = 0;
  let peak: number | undefined;

  const close = (now: number) => {
    bucketStartMs ??= now;
    const elapsedMs = now - bucketStartMs;
    if (elapsedMs < peakBucketMs) return;
    peak = Math.max(peak ?? 0, (counted * 1000) / elapsedMs);
    bucketStartMs = now;
    counted = 0;
  };

  return {
    count(now: number) {
      close(now);
      counted++;
    },
    perSecond(now: number) {
      close(now);
      return peak ?? (counted * 1000) / Math.max(leastMs, now - (bucketStartMs ?? now));
    },
  };
}

/** The last part of a quota is made to last; before that the speed is the run's own. */
const lastPart = 0.1;
/** Slowing down for longer is left to the service's refusals: nobody knows how it really counts. */
const longestAdviceMs = 60_000;

/** Follows what a service says of its quotas, so that it need not refuse anything. */
function createQuotaAdvice() {
  let cap = Number.POSITIVE_INFINITY;
  let capEndsMs = 0;
  let countsDown = false;

  return {
    /** Attempts a second that leave the quota to last until it is renewed; infinite where it will. */
    // The clock is read only where there is something to compare it with.
    perSecond: (clock: Pick<Clock, "now">) =>
      cap < Number.POSITIVE_INFINITY && clock.now() < capEndsMs ? cap : Number.POSITIVE_INFINITY,
    take(fields: Fields, inFlight: number, now: number, date: Date): number | undefined {
      let holdMs: number | undefined;
      let lowest = Number.POSITIVE_INFINITY;
      let lasts = 0;
      for (const { remaining, resetMs, limit } of readQuotas(fields, date)) {
        // A field that always says 0 is no quota.
        if (remaining > 0) countsDown = true;
        if (resetMs === 0 || !countsDown) continue;
        const left = remaining - inFlight;
        if (left <= 0) {
          holdMs = Math.max(holdMs ?? 0, Math.min(resetMs, longestAdviceMs));
          continue;
        }
        const few = Math.max(2 * inFlight, lastPart * (limit ?? 0));
        if (left > few || resetMs > longestAdviceMs) continue;
        const perSecond = (left * 1000) / resetMs;
        if (perSecond >= lowest) continue;
        lowest = perSecond;
        lasts = resetMs;
      }
      cap = lowest;
      capEndsMs = now + lasts;
      return holdMs;
    },
  };
}

export type ParsedRate =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "problem"; readonly message: string };

const unitsPerSecond: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Reads `50/s`, `3000/m` or `100000/h`. */
export function parseRate(text: string): ParsedRate {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text.trim()) ?? [];
  const rate = Number(count) / (unitsPerSecond[unit ?? ""] ?? Number.NaN);
  return rate > 0
    ? { kind: "rate", perSecond: rate }
    : { kind: "problem", message: `"${text}" is not a rate such as 50/s, 3000/m or 100000/h` };
}
