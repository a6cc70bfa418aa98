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

/** What is left of the rate when the service throttles. */
const afterThrottling = 0.7;
/**
 * How fast the rate comes back, and goes beyond, by the cube of the seconds, as a share of the rate.
 * The AWS SDKs use 0.4 attempts a second for every rate; this is the same at 50 a second, and takes
 * as long at every other.
 */
const growth = 0.4 / 50;
/** Seconds after which it is where it was: growth * comesBack ** 3 makes up for the cut. */
const comesBackSeconds = Math.cbrt((1 - afterThrottling) / growth);
const leastPerSecond = 0.5;

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode: after each throttling the rate
 * falls to a part of what was taken, comes back soon, stays near where it was for a while, and then
 * looks further and further beyond (the CUBIC curve of RFC 9438, for a rate).
 */
export function createAdaptiveRate(): AdaptiveRate {
  const sendingRate = createSendingRate();
  const takenRate = createSendingRate();
  let perSecond = Number.POSITIVE_INFINITY;
  let highest = 0;
  let cutAtMs = 0;

  return {
    get perSecond() {
      return perSecond;
    },
    sent: sendingRate.count,
    taken(now) {
      takenRate.count(now);
      if (perSecond === Number.POSITIVE_INFINITY) return;
      const seconds = (now - cutAtMs) / 1000 - comesBackSeconds;
      const curve = highest * (1 + growth * seconds ** 3);
      // What is not made use of is no reason to allow more and more.
      const most = Math.max(perSecond, 2 * sendingRate.perSecond(now));
      perSecond = Math.max(leastPerSecond, Math.min(curve, most));
    },
    throttled(departedMs, now) {
      // It left before the last cut, and says nothing of the rate since.
      if (departedMs < cutAtMs) return;
      highest = Math.max(leastPerSecond, Math.min(perSecond, takenRate.perSecond(now)));
      perSecond = Math.max(leastPerSecond, highest * afterThrottling);
      cutAtMs = now;
    },
  };
}
