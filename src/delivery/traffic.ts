import type { LimitFunction } from "p-limit";
import { type AdaptiveConcurrency, createAdaptiveConcurrency } from "./adaptive-concurrency.ts";
import { type AdaptiveRate, createAdaptiveRate } from "./adaptive-rate.ts";
import type { Attempt } from "./attempt.ts";
import type { Verdict } from "./classify.ts";
import type { Clock } from "./clock.ts";
import { createQuotaAdvice } from "./quota-advice.ts";

/** How much may leave at the moment: at a time, and in a second. */
export interface Traffic {
  /** Attempts a second at most, above 0; infinite where there is no bound. */
  perSecond(): number;
  /** Which of the bounds that is; nothing where there is none. */
  boundBy(): RateBound | undefined;
  /**
   * An attempt leaves.
   *
   * @param inFlight requests on the wire, this one among them
   * @param isRepeat whether its event has had another, perhaps in a part of the run before
   */
  departs(inFlight: number, isRepeat: boolean): Departure;
  /**
   * What came of it.
   *
   * @returns milliseconds for which nothing should leave, as a quota is used up
   */
  arrives(
    departure: Departure,
    result: Attempt,
    verdict: Verdict,
    inFlight: number,
  ): number | undefined;
  /** The service was taken to be down: begins gently again. */
  restart(): void;
}

/** What keeps the rate down: the cap that was given, what the service throttles, or its quota. */
export type RateBound = "cap" | "throttling" | "quota";

export interface Departure {
  readonly atMs: number;
  /** Whether as many as may be were on the wire. */
  readonly wasFull: boolean;
}

export interface TrafficSettings {
  /** Requests on the wire at most. */
  readonly concurrency: number;
  /** The hard cap of the rate. */
  readonly ratePerSecond?: number | undefined;
  /** Whether to find out what the service copes with. */
  readonly adaptive: boolean;
}

/**
 * Puts together what bounds the traffic: the caps that were given, the rate that throttling shows, the
 * concurrency that overloads show, and the quotas that the service tells of. One signal never moves
 * both rate and concurrency, or each would make up for the other.
 */
export function createTraffic(
  settings: TrafficSettings,
  limit: LimitFunction,
  clock: Clock,
): Traffic {
  const { concurrency: most, ratePerSecond = Number.POSITIVE_INFINITY, adaptive } = settings;
  const rate: AdaptiveRate | undefined = adaptive ? createAdaptiveRate() : undefined;
  const concurrency: AdaptiveConcurrency | undefined = adaptive
    ? createAdaptiveConcurrency(most)
    : undefined;
  const advice = createQuotaAdvice();
  const apply = () => {
    const wanted = concurrency?.limit ?? most;
    if (limit.concurrency !== wanted) limit.concurrency = wanted;
  };
  apply();

  const traffic: Traffic = {
    perSecond() {
      const advised = advice.perSecond(clock);
      return Math.min(ratePerSecond, advised, rate?.perSecond ?? Number.POSITIVE_INFINITY);
    },
    boundBy() {
      const lowest = traffic.perSecond();
      if (lowest === Number.POSITIVE_INFINITY) return undefined;
      if (lowest === ratePerSecond) return "cap";
      return lowest === rate?.perSecond ? "throttling" : "quota";
    },
    departs(inFlight) {
      const atMs = clock.now();
      rate?.sent(atMs);
      return { atMs, wasFull: inFlight >= limit.concurrency };
    },
    arrives({ atMs, wasFull }, result, verdict, inFlight) {
      const now = clock.now();
      const isAnswered = verdict.kind === "accepted" || verdict.kind === "rejected";
      if (verdict.kind === "again" && verdict.cause === "throttled") rate?.throttled(atMs, now);
      else {
        if (isAnswered) rate?.taken(now);
        const attempt = { departedMs: atMs, isOverload: isOverload(result), isAnswered, wasFull };
        concurrency?.ended(attempt, now);
        apply();
      }
      if (result.kind !== "answered" || result.rateLimit === undefined) return undefined;
      return advice.heed(result.rateLimit, inFlight, now, clock.date());
    },
    restart() {
      concurrency?.restart(clock.now());
      apply();
    },
  };
  return traffic;
}

/** Whether the service could not cope: it says so, or it does not answer in time. */
function isOverload(result: Attempt): boolean {
  return result.kind === "answered" ? result.httpStatus === 503 : result.code === "timeout";
}
