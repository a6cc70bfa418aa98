import type { Clock } from "../model/clock.ts";
import type { RateBound } from "../model/sending-state.ts";
import type { DeliverySettings } from "./delivery-contract.ts";
import { type RateLimitFields, readQuotas } from "./rate-limit-fields.ts";

export type RateLimiterSettings = Pick<DeliverySettings, "ratePerSecond" | "adaptive">;

const infinite = Number.POSITIVE_INFINITY;
/** How late a Node timer usually is. The limiter makes up for that, or it could not keep up a high rate. */
const timerLatenessMs = 2;

/**
 * Decides when the next attempt may be sent, for all events of the run. It spaces attempts evenly: in any period, it lets at most `perSecond` a second and one more through. After the whole
 * process was held up, it does not catch up, as that would be a burst.
 */
export function createRateLimiter(
  { ratePerSecond = infinite, adaptive }: RateLimiterSettings,
  clock: Pick<Clock, "now">,
) {
  const allowed = adaptive ? createAdaptiveRate() : undefined;
  const quota = createQuotaAdvice(clock);
  let lastMs = Number.NEGATIVE_INFINITY;

  const lowest = () => Math.min(ratePerSecond, quota.perSecond, allowed?.perSecond ?? infinite);

  return {
    /** Maximum attempts per second, above 0; infinite if nothing limits them. */
    get perSecond() {
      return lowest();
    },
    /** Which limit that is: `--rate`, what the service throttles to, or its quota. */
    get bound(): RateBound | undefined {
      const perSecond = lowest();
      if (perSecond === infinite) return undefined;
      if (perSecond === ratePerSecond) return "rate";
      return perSecond === allowed?.perSecond ? "throttling" : "quota";
    },
    /** Milliseconds until the next attempt may be sent; 0 if it may be sent now. */
    waitMs() {
      const perSecond = lowest();
      if (perSecond === infinite) return 0;
      return Math.max(0, lastMs + 1000 / perSecond - clock.now());
    },
    /** @param hasWaited whether attempts waited for the limiter */
    sent(hasWaited: boolean) {
      const now = clock.now();
      allowed?.sent(now);
      const lateMs = hasWaited ? now - (lastMs + 1000 / lowest()) : 0;
      lastMs = now - Math.max(0, Math.min(lateMs, timerLatenessMs));
    },
    /** An attempt was answered, and not throttled. */
    answered() {
      allowed?.answered(clock.now());
    },
    /** @param pauseMs how long the service asks the run to wait; nothing is sent for that long */
    throttled(sentMs: number, pauseMs = 0) {
      allowed?.throttled(sentMs, pauseMs, clock.now());
    },
    /** There is an outage, or no longer: its few probes say nothing about the rate of sending. */
    outage(isNow: boolean) {
      allowed?.outage(isNow, clock.now());
    },
    advise: quota.take,
  };
}

/** A 429 cuts the rate to this share: it may be chance, or a limit. */
const afterThrottling = 0.95;
/** A 429 right after the rate recovered cuts it to this share: the limit is lower. */
const afterQuickThrottling = 0.8;
/**
 * How fast the rate grows above the one that was throttled: a share of it, times the cube of the seconds. The
 * AWS SDKs use 0.4 attempts a second for every rate. This is twice that at 50 a second, and takes equally long at
 * every other rate.
 */
const growth = 0.8 / 50;
/** The same after the first 429, when the limit is not known yet: twice as fast. */
const growthAtFirst = growth * 2 ** 3;
/**
 * Trying rates above a known limit may take this share of the time. Each try costs one attempt, and the pause that
 * the 429 asks for.
 */
const costOfTrying = 0.025;
/** The rate is at most this many times the rate of sending: a limit that is not used up need not rise. */
const slack = 1.3;
/** From a lower rate, it would take too long to notice that the service accepts more. */
const minPerSecond = 0.5;

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode. With each 429, the rate falls, recovers, stays
 * near the old rate for a while, and then grows beyond it, faster and faster (the CUBIC curve of RFC 9438, for a
 * rate). Unlike there, a single 429 lowers the rate only a little, and the rate recovers more slowly the more a 429
 * costs. In a simulation of hidden limits, this uses 89 to 100 % of the capacity, and hardly more than 2 % of the
 * attempts are throttled.
 */
function createAdaptiveRate() {
  const sendingRate = createSendingRate();
  let perSecond = infinite;
  /** The rate that was throttled last, and the rate after that cut. */
  let highest = 0;
  let lowest = 0;
  /** When the rate began to recover, how long that takes, and how fast it grows after that. */
  let recoversFromMs = Number.NEGATIVE_INFINITY;
  let recoverySeconds = 0;
  let growthNow = growth;

  return {
    get perSecond() {
      return perSecond;
    },
    sent: sendingRate.count,
    outage: sendingRate.outage,
    answered(now: number) {
      if (perSecond === infinite) return;
      const seconds = Math.max(0, now - recoversFromMs) / 1000 - recoverySeconds;
      const curve =
        seconds < 0
          ? highest + (highest - lowest) * (seconds / recoverySeconds) ** 3
          : highest * (1 + growthNow * seconds ** 3);
      perSecond = Math.max(perSecond, Math.min(curve, slack * sendingRate.perSecond(now)));
    },
    throttled(sentMs: number, pauseMs: number, now: number) {
      // The attempt was sent before the last cut, so it says nothing about the new rate.
      if (sentMs < recoversFromMs) return;
      const isFirst = perSecond === infinite;
      const part = 2 * perSecond >= highest + lowest ? afterThrottling : afterQuickThrottling;
      const used = Math.min(perSecond, slack * sendingRate.perSecond(now));
      highest = Math.max(minPerSecond, used);
      lowest = highest * part;
      growthNow = isFirst ? growthAtFirst : growth;
      recoverySeconds = Math.cbrt((1 - part) / growthNow);
      if (!isFirst) {
        const costSeconds = 1 / highest + pauseMs / 1000;
        recoverySeconds = Math.max(recoverySeconds, costSeconds / costOfTrying);
      }
      perSecond = lowest;
      recoversFromMs = now + pauseMs;
      sendingRate.addPause(pauseMs);
    },
  };
}

/** Services count per second or longer: how attempts are spread within a second does not matter. */
const measuredMs = 1000;
/** In a shorter time, too little is sent to measure a rate. */
const minMeasuredMs = 100;

/** Measures the rate of sending over whole seconds, or longer if attempts are further apart. */
function createSendingRate() {
  let startedMs = Number.NEGATIVE_INFINITY;
  let counted = 0;
  let last = 0;
  let isOutage = false;

  const close = (now: number) => {
    if (isOutage) return;
    const elapsedMs = now - startedMs;
    if (elapsedMs < measuredMs) return;
    last = (counted * 1000) / elapsedMs;
    startedMs = now;
    counted = 0;
  };

  return {
    count(now: number) {
      close(now);
      counted++;
    },
    perSecond(now: number) {
      close(now);
      if (last > 0) return Math.max(last, counted);
      return (counted * measuredMs) / Math.max(minMeasuredMs, now - startedMs);
    },
    outage(isNow: boolean, now: number) {
      if (isNow) close(now);
      if (isNow === isOutage) return;
      isOutage = isNow;
      startedMs = now;
      counted = 0;
    },
    /** Nothing is sent for this long; that does not lower a known rate. */
    addPause(durationMs: number) {
      if (last > 0) startedMs += durationMs;
    },
  };
}

/** Only this last part of a quota is spread over the time that is left; before that, the quota slows nothing down. */
const lastPart = 0.1;
/** A quota that is renewed later than this slows nothing down before a 429 does: the service may count otherwise. */
const maxAdviceMs = 60_000;

/** Keeps to the quotas that a service reports, so that it need not throttle anything. */
function createQuotaAdvice(clock: Pick<Clock, "now">) {
  let cap = infinite;
  let capEndsMs = 0;
  let countsDown = false;

  return {
    /** Attempts per second with which the quota lasts until it is renewed; infinite if it lasts anyway. */
    // Reads the clock only if there is something to compare it with.
    get perSecond() {
      return cap < infinite && clock.now() < capEndsMs ? cap : infinite;
    },
    /**
     * Obeys the quotas that an answer reports.
     *
     * @param inFlight attempts that the service may not have counted yet
     * @returns for how many milliseconds nothing more should be sent, if the quota is used up
     */
    take(fields: RateLimitFields, inFlight: number): number | undefined {
      let holdMs: number | undefined;
      let lowest = infinite;
      let lasts = 0;
      for (const { remaining, resetMs, limit } of readQuotas(fields)) {
        // A field that is always 0 is no quota.
        if (remaining > 0) countsDown = true;
        if (resetMs === 0 || !countsDown) continue;
        const left = remaining - inFlight;
        if (left <= 0) {
          holdMs = Math.max(holdMs ?? 0, Math.min(resetMs, maxAdviceMs));
          continue;
        }
        const few = Math.max(2 * inFlight, lastPart * (limit ?? 0));
        if (left > few || resetMs > maxAdviceMs) continue;
        const perSecond = (left * 1000) / resetMs;
        if (perSecond >= lowest) continue;
        lowest = perSecond;
        lasts = resetMs;
      }
      cap = lowest;
      capEndsMs = clock.now() + lasts;
      return holdMs;
    },
  };
}
