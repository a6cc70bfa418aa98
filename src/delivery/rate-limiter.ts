import type { Clock } from "../model/clock.ts";
import type { RateBound } from "../model/sending-state.ts";
import { type Fields, readQuotas } from "./rate-limit-fields.ts";

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
  /**
   * An attempt was answered with 429.
   *
   * @param pauseMs how long the service asks to be left alone, for which nothing leaves; default 0
   */
  throttled(departedMs: number, pauseMs?: number): void;
  /**
   * Takes in what an answer says of quotas.
   *
   * @param inFlight attempts that the service may not have counted yet
   * @returns milliseconds for which nothing more should leave, where the quota is used up
   */
  advise(fields: Fields, inFlight: number): number | undefined;
}

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
    throttled(departedMs, pauseMs = 0) {
      granted?.throttled(departedMs, pauseMs, clock.now());
    },
    advise: (fields, inFlight) => quota.take(fields, inFlight, clock.now(), clock.date()),
  };
}

/** What is left of the rate at a refusal: it may be chance, or a limit that was met. */
const afterRefusal = 0.95;
/** What is left of it where it had hardly come back from the last cut: the limit is further down. */
const afterAnother = 0.8;
/**
 * How fast the rate grows beyond where it was refused, by the cube of the seconds, as a share of it. The
 * AWS SDKs use 0.4 attempts a second for every rate; this is twice that at 50 a second, and takes as
 * long at every other.
 */
const growth = 0.8 / 50;
/** The same after the first refusal, when nobody knows where the limit is: twice as fast. */
const growthAtFirst = growth * 2 ** 3;
/**
 * Looking beyond a limit that was met may take this share of the time. A look costs one attempt, and the
 * pause that the refusal asks for.
 */
const costOfLooking = 0.025;
/** The rate is at most so many times what left: what is not made use of is no reason to allow more. */
const slack = 1.3;
/** From less than this, it would take too long to see that the service takes more. */
const leastPerSecond = 0.5;

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode: with each throttling the rate
 * falls, comes back, stays near where it was for a while, and then looks further and further
 * beyond (the CUBIC curve of RFC 9438, for a rate). Other than there, a single refusal takes little
 * away, and the way back takes longer the more a refusal costs: in a simulation of hidden limits that
 * holds 89 to 100 % of the capacity, with hardly more than 2 % refused.
 */
function createGrantedRate() {
  const sendingRate = createSendingRate();
  let perSecond = Number.POSITIVE_INFINITY;
  /** The rate that was refused last, and what was left of it. */
  let highest = 0;
  let lowest = 0;
  /** When the rate began to come back, how long that takes, and how fast it grows after that. */
  let resumesMs = Number.NEGATIVE_INFINITY;
  let comesBackSeconds = 0;
  let growthNow = growth;

  return {
    get perSecond() {
      return perSecond;
    },
    departed: sendingRate.count,
    taken(now: number) {
      if (perSecond === Number.POSITIVE_INFINITY) return;
      const seconds = Math.max(0, now - resumesMs) / 1000 - comesBackSeconds;
      const curve =
        seconds < 0
          ? highest + (highest - lowest) * (seconds / comesBackSeconds) ** 3
          : highest * (1 + growthNow * seconds ** 3);
      perSecond = Math.max(perSecond, Math.min(curve, slack * sendingRate.perSecond(now)));
    },
    throttled(departedMs: number, pauseMs: number, now: number) {
      // It left before the last cut, and says nothing of the rate since.
      if (departedMs < resumesMs) return;
      const isFirst = perSecond === Number.POSITIVE_INFINITY;
      const part = 2 * perSecond >= highest + lowest ? afterRefusal : afterAnother;
      const used = Math.min(perSecond, slack * sendingRate.perSecond(now));
      highest = Math.max(leastPerSecond, used);
      lowest = highest * part;
      growthNow = isFirst ? growthAtFirst : growth;
      comesBackSeconds = Math.cbrt((1 - part) / growthNow);
      if (!isFirst) {
        const costSeconds = 1 / highest + pauseMs / 1000;
        comesBackSeconds = Math.max(comesBackSeconds, costSeconds / costOfLooking);
      }
      perSecond = lowest;
      resumesMs = now + pauseMs;
      sendingRate.leaveOut(pauseMs);
    },
  };
}

/** Services count by the second or longer: what leaves within one may leave at once. */
const measuredMs = 1000;
/** What left in less than this says little of what would have left in a second. */
const leastMeasuredMs = 100;

/** Measures a rate over whole seconds, or longer where attempts are further apart. */
function createSendingRate() {
  let startedMs = Number.NEGATIVE_INFINITY;
  let counted = 0;
  let last = 0;

  const close = (now: number) => {
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
      return (counted * measuredMs) / Math.max(leastMeasuredMs, now - startedMs);
    },
    /** Nothing leaves for so long from now, which says nothing of a rate that is known. */
    leaveOut(durationMs: number) {
      if (last > 0) startedMs += durationMs;
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
