import { createPeakRate } from "./peak-rate.ts";
import { createSendingRate } from "./sending-rate.ts";

/** Finds the rate that a throttling service grants. */
export interface AdaptiveRate {
  /** Attempts a second that may leave; infinite until the service has throttled for the first time. */
  readonly perSecond: number;
  /** An attempt leaves. */
  sent(now: number): void;
  /** An attempt was taken, or refused for a reason of its own. */
  taken(now: number): void;
  /** An attempt was refused because there are too many of them. */
  throttled(departedMs: number, now: number): void;
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
export function createAdaptiveRate(): AdaptiveRate {
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
    sent: sendingRate.count,
    taken(now) {
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
    throttled(departedMs, now) {
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
