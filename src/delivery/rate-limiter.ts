import type { Clock } from "../model/clock.ts";
import type { RateBound } from "../model/sending-state.ts";
import { type RateLimitFields, readQuotas } from "./rate-limit-fields.ts";

/** How late a Node timer usually is. The limiter makes up for that, or it could not keep up a high rate. */
const timerLatenessMs = 2;
/** `--rate` is what limits a run only if about so much of it is reached. */
const reachedShare = 0.9;

/**
 * Decides when the next attempt may be sent, for all events of the run. It spaces attempts evenly: in any period, it lets
 * at most `perSecond` a second and one more through. After the whole process was held up, it does not catch up, as that
 * would be a burst.
 *
 * @param ratePerSecond the upper bound
 */
export function createRateLimiter(ratePerSecond = Infinity, clock: Pick<Clock, "now">) {
  const quota = createQuotaAdvice(clock);
  const sending = createSendingRate();
  let found = Infinity;
  let lastMs = Number.NEGATIVE_INFINITY;

  const lowest = () => Math.min(ratePerSecond, quota.perSecond, found);

  return {
    /** Maximum attempts per second, above 0; infinite if nothing limits them. */
    get perSecond() {
      return lowest();
    },
    /** Which limit that is: `--rate`, what the service takes, or its quota. */
    get bound(): RateBound | undefined {
      const perSecond = lowest();
      if (perSecond === Infinity) return undefined;
      if (perSecond === found) return "throttling";
      if (perSecond !== ratePerSecond) return "quota";
      return sending.perSecond(clock.now()) >= reachedShare * ratePerSecond ? "rate" : undefined;
    },
    /** Milliseconds until the next attempt may be sent; 0 if it may be sent now. */
    waitMs() {
      const perSecond = lowest();
      if (perSecond === Infinity) return 0;
      return Math.max(0, lastMs + 1000 / perSecond - clock.now());
    },
    /** @param hasWaited whether attempts waited for the limiter */
    sent(hasWaited: boolean) {
      const now = clock.now();
      sending.count(now);
      const lateMs = hasWaited ? now - (lastMs + 1000 / lowest()) : 0;
      // Such a service refuses whatever comes too soon after another: making up for a late one would be too soon.
      const isTooSoon = found === lowest() && found < 1000 / (3 * timerLatenessMs);
      lastMs = isTooSoon ? now : now - Math.max(0, Math.min(lateMs, timerLatenessMs));
    },
    /** The service was found to take this many attempts a second. */
    adapt(perSecond: number) {
      found = perSecond;
    },
    sendingPerSecond: () => sending.perSecond(clock.now()),
    /** A pause begins or ends: its few probes say nothing about the rate of sending. */
    pause: (isNow: boolean) => sending.pause(isNow, clock.now()),
    advise: quota.take,
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
  let isPaused = false;

  const close = (now: number) => {
    const elapsedMs = now - startedMs;
    if (isPaused || elapsedMs < measuredMs) return;
    last = (counted * 1000) / elapsedMs;
    startedMs = now;
    counted = 0;
  };

  const perSecond = (now: number) => {
    close(now);
    if (last > 0) return Math.max(last, counted);
    return (counted * measuredMs) / Math.max(minMeasuredMs, now - startedMs);
  };

  return {
    perSecond,
    count(now: number) {
      close(now);
      counted++;
    },
    pause(isNow: boolean, now: number) {
      if (isNow === isPaused) return;
      if (isNow) last = perSecond(now);
      isPaused = isNow;
      startedMs = now;
      counted = 0;
    },
  };
}

/** Only this last part of a quota is spread over the time that is left; before that, the quota slows nothing down. */
const spreadShare = 0.1;
/** A quota that is renewed later than this slows nothing down before a 429 does: the service may count otherwise. */
const maxAdviceMs = 60_000;
/** Services round up to whole seconds: a quota that is always renewed so soon says too little. */
const minAdviceMs = 1000;

/** Keeps to the quotas that a service reports, so that it need not throttle anything. */
function createQuotaAdvice(clock: Pick<Clock, "now">) {
  let cap = Infinity;
  let capEndsMs = 0;
  let countsDown = false;
  let isLong = false;

  return {
    /** Attempts per second with which the quota lasts until it is renewed; infinite if it lasts anyway. */
    // Reads the clock only if there is something to compare it with.
    get perSecond() {
      return cap < Infinity && clock.now() < capEndsMs ? cap : Infinity;
    },
    /**
     * Obeys the quotas that an answer reports.
     *
     * @param inFlight attempts that the service may not have counted yet
     * @returns for how many milliseconds nothing more should be sent, if the quota is used up
     */
    take(fields: RateLimitFields, inFlight: number): number | undefined {
      let holdMs: number | undefined;
      let lowest = Infinity;
      let lasts = 0;
      for (const { remaining, resetMs, limit } of readQuotas(fields)) {
        // A field that is always 0 is no quota.
        if (remaining > 0) countsDown = true;
        if (resetMs > minAdviceMs) isLong = true;
        if (resetMs === 0 || !countsDown || !isLong) continue;
        const left = remaining - inFlight;
        if (left <= 0) {
          holdMs = Math.max(holdMs ?? 0, Math.min(resetMs, maxAdviceMs));
          continue;
        }
        const few = Math.max(2 * inFlight, spreadShare * (limit ?? 0));
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
