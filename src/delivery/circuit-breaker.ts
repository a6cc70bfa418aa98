import type { Clock } from "../model/clock.ts";
import { duration } from "../model/quantities.ts";
import type { PauseNotice, PauseReason } from "../model/sending-state.ts";
import type { StopReason } from "../model/stop.ts";

/** It opened, or stays open for longer; it closed, or stays open for another reason; or the outage has lasted too long. */
export type BreakerChange = PauseNotice | { readonly kind: "give_up"; readonly reason: StopReason };

export interface Failure {
  readonly isProbe: boolean;
  /** Whether the answer was 429. */
  readonly isThrottled: boolean;
  /** Attempts that were in flight when this one was sent, including itself. */
  readonly inFlight: number;
  readonly message: string;
}

const minFailures = 5;
/** If every attempt is throttled for this long, slowing down does not help. */
const maxThrottledMs = 5000;
const firstGapMs = 1000;
const maxGapMs = 30_000;
/** A wait that ends at most this much later than the known one is the same wait. */
const sameWaitMs = 1000;
const none: readonly BreakerChange[] = [];

interface Open {
  /** When the outage began: when it opened, or the end of the wait that the service asked for at first. */
  sinceMs: number;
  reason: PauseReason;
  /** Since when it is open for this reason. */
  reasonSinceMs: number;
  probeAtMs: number;
  /** The end of the longest wait that the service asked for; 0 if it did not. */
  askedUntilMs: number;
  gapMs: number;
  isProbing: boolean;
}

/**
 * Pauses sending while the service is down or asks for a wait. Closed, everything may be sent. Open, nothing may.
 * Half-open, one probe may: if it succeeds, the breaker closes; if it fails, the breaker opens again, for twice as long,
 * up to 30 seconds. It has no timer: whoever asks it comes back after `pausedForMs`.
 *
 * @param maxOutageMs how long an outage may last before the run stops; with 0, failures never open the breaker
 */
export function createCircuitBreaker(maxOutageMs: number, { now }: Pick<Clock, "now">) {
  let open: Open | undefined;
  let failuresInARow = 0;
  let lastSuccessMs = now();

  /** The wait for the first probe after failures, which is never longer than --max-outage. */
  const firstProbeMs = Math.min(firstGapMs, maxOutageMs);

  const hold = (reason: PauseReason, forMs: number, message: string): readonly BreakerChange[] => {
    const nowMs = now();
    const probeAtMs = nowMs + forMs;
    const pause: BreakerChange = { kind: "pause", reason, durationMs: forMs, message };
    if (open === undefined) {
      const begun = { sinceMs: nowMs, reasonSinceMs: nowMs, isProbing: false, gapMs: firstGapMs };
      open = { ...begun, reason, probeAtMs, askedUntilMs: 0 };
      return [pause];
    }
    // It is already open for at least as long.
    if (probeAtMs <= open.probeAtMs) return none;
    const isLonger = probeAtMs > open.probeAtMs + sameWaitMs;
    open.probeAtMs = probeAtMs;
    if (open.reason === reason) return isLonger ? [pause] : none;
    const pausedMs = nowMs - open.reasonSinceMs;
    const over: BreakerChange = { kind: "open", reason: open.reason, pausedMs };
    open.reason = reason;
    open.reasonSinceMs = nowMs;
    return [over, pause];
  };

  const close = (): readonly BreakerChange[] => {
    failuresInARow = 0;
    lastSuccessMs = now();
    if (open === undefined) return none;
    const { reason, reasonSinceMs } = open;
    open = undefined;
    return [{ kind: "open", reason, pausedMs: now() - reasonSinceMs }];
  };

  const probeFailed = (
    probed: Open,
    { isThrottled, message }: Failure,
  ): readonly BreakerChange[] => {
    probed.isProbing = false;
    const nowMs = now();
    // The wait that this answer asked for already counts.
    const isAsked = probed.probeAtMs > nowMs;
    if (maxOutageMs === 0) return isAsked ? none : close();
    const leftMs = probed.sinceMs + maxOutageMs - nowMs;
    if (leftMs <= 0) {
      const code = isThrottled ? "throttled" : "outage";
      const nothing = acceptedNothing(code, nowMs - probed.sinceMs, message);
      return [{ kind: "give_up", reason: { code, message: nothing } }];
    }
    const gapMs = Math.min(probed.gapMs, leftMs);
    probed.gapMs = Math.min(maxGapMs, probed.gapMs * 2);
    if (isAsked) return none;
    // Throttling without a wait does not change the reason.
    return hold(isThrottled ? probed.reason : "outage", gapMs, message);
  };

  return {
    get isClosed(): boolean {
      return open === undefined;
    },
    /** Why it is open or half-open; undefined if it is closed. */
    get reason(): PauseReason | undefined {
      return open?.reason;
    },
    /** Milliseconds until a probe may be sent; 0 if it is closed or half-open. */
    pausedForMs: () => (open === undefined ? 0 : Math.max(0, open.probeAtMs - now())),
    allows: () => open === undefined || (!open.isProbing && now() >= open.probeAtMs),
    /** An attempt is sent. @returns whether it is a probe */
    sent(): boolean {
      if (open === undefined) return false;
      open.isProbing = true;
      return true;
    },
    /** The probe was not sent after all, or says nothing about the service. */
    withdrawn() {
      if (open !== undefined) open.isProbing = false;
    },
    /** An attempt succeeded, or the service refused only this event. */
    succeeded(isProbe: boolean): readonly BreakerChange[] {
      failuresInARow = 0;
      lastSuccessMs = now();
      if (!isProbe || open === undefined) return none;
      open.isProbing = false;
      // An answer, perhaps this one, may have asked for more time.
      return open.probeAtMs > now() ? none : close();
    },
    failed(failure: Failure): readonly BreakerChange[] {
      const { isProbe, isThrottled, inFlight, message } = failure;
      if (open !== undefined) return isProbe ? probeFailed(open, failure) : none;
      failuresInARow++;
      if (maxOutageMs === 0 || failuresInARow < Math.max(minFailures, inFlight)) return none;
      if (!isThrottled) return hold("outage", firstProbeMs, message);
      return now() - lastSuccessMs >= maxThrottledMs ? hold("asked", firstProbeMs, message) : none;
    },
    /** The service asks the run to wait (`Retry-After`, or a quota that is used up). */
    wait(forMs: number, message: string): readonly BreakerChange[] {
      const isUntried = open === undefined || open.sinceMs > now();
      const changes = hold("asked", forMs, message);
      if (open === undefined) return changes;
      open.askedUntilMs = Math.max(open.askedUntilMs, now() + forMs);
      if (isUntried) open.sinceMs = open.probeAtMs;
      return changes;
    },
    /** Opens, because nothing that was tried has succeeded. */
    trip: (message: string) => (open === undefined ? hold("outage", firstProbeMs, message) : none),
    // Because only failing events are left. The service may have asked for a wait that ends before the next probe is due.
    close: () => (open !== undefined && open.askedUntilMs > now() ? none : close()),
  };
}

function acceptedNothing(code: "throttled" | "outage", forMs: number, message: string): string {
  const nothing = `The service has accepted nothing for ${duration(forMs)} (${message.replace(/\.$/, "")}). Resume when it accepts events again`;
  return code === "throttled"
    ? `${nothing}.`
    : `${nothing}, or with --max-outage 0, so that events that it never accepts end as failed.`;
}
