import type { Clock } from "./clock.ts";
import { type Fields, readQuotas } from "./read-quotas.ts";

/** Heeds what a service says of its quotas, so that it need not refuse anything. */
export interface QuotaAdvice {
  /** Attempts a second that leave the quota to last until it is renewed; infinite where it will. */
  perSecond(clock: Pick<Clock, "now">): number;
  /**
   * Takes in what an answer says.
   *
   * @param inFlight requests on the wire, which the service may not have counted yet
   * @returns milliseconds for which nothing more should leave; nothing where some may
   */
  heed(fields: Fields, inFlight: number, now: number, date: Date): number | undefined;
}

/** The last part of a quota is made to last; before that the speed is the run's own. */
const lastPart = 0.1;
/** Slowing down for longer is left to the service's refusals: nobody knows how it really counts. */
const longestAdviceMs = 60_000;

export function createQuotaAdvice(): QuotaAdvice {
  let cap = Number.POSITIVE_INFINITY;
  let capEndsMs = 0;
  let countsDown = false;

  return {
    // The clock is read only where there is something to compare it with.
    perSecond: (clock) =>
      cap < Number.POSITIVE_INFINITY && clock.now() < capEndsMs ? cap : Number.POSITIVE_INFINITY,
    heed(fields, inFlight, now, date) {
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
