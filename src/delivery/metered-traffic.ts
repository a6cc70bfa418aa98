import type { LimitFunction } from "p-limit";
import type { Attempt } from "./attempt.ts";
import type { Traffic } from "./traffic.ts";

/** Takes down what leaves and what comes back. */
export interface TrafficMeter {
  departed(inFlight: number, allowed: number, isRepeat: boolean): void;
  arrived(
    attempt: {
      readonly departedMs: number;
      readonly kind: Attempt["kind"];
      readonly isThrottled: boolean;
    },
    inFlight: number,
    allowed: number,
  ): void;
}

/** The same traffic, and all that passes is told to the meter. */
export function meterTraffic(
  traffic: Traffic,
  meter: TrafficMeter,
  limit: Pick<LimitFunction, "concurrency">,
): Traffic {
  return {
    ...traffic,
    departs(inFlight, isRepeat) {
      const departure = traffic.departs(inFlight, isRepeat);
      meter.departed(inFlight, limit.concurrency, isRepeat);
      return departure;
    },
    arrives(departure, result, verdict, inFlight) {
      const holdMs = traffic.arrives(departure, result, verdict, inFlight);
      const isThrottled = verdict.kind === "again" && verdict.cause === "throttled";
      const attempt = { departedMs: departure.atMs, kind: result.kind, isThrottled };
      meter.arrived(attempt, inFlight, limit.concurrency);
      return holdMs;
    },
  };
}
