import type { Clock } from "../model/clock.ts";
import { duration } from "../model/quantities.ts";
import type { PauseReason } from "../model/sending-state.ts";
import type { StopReason } from "../model/stop.ts";

/**
 * Pauses sending while the service is down or asks for a wait. Closed, everything may be sent. Open,
 * nothing may. Half-open, one probe may: if it succeeds, the breaker closes; if it fails, the breaker opens
 * again, for twice as long, up to 30 seconds.
 */
export interface CircuitBreaker {
  readonly isClosed: boolean;
  /** Why it is open or half-open; undefined if it is closed. */
  readonly reason: PauseReason | undefined;
  /** Milliseconds until a probe may be sent; 0 if it is closed or half-open. */
  pausedForMs(): number;
  /** Whether the service has set the time for which it is open; otherwise it is open until a probe succeeds. */
  readonly hasKnownEnd: boolean;
  /** Whether an attempt may be sent now. */
  allows(): boolean;
  /** An attempt is sent. @returns whether it is a probe */
  sent(): boolean;
  /** The probe was not sent after all, or says nothing about the service. */
  withdrawn(): void;
  /** An attempt succeeded, or the service refused only this event. */
  succeeded(isProbe: boolean): void;
  failed(failure: Failure): void;
  /** The service asks the run to wait (`Retry-After`, or a quota that is used up). */
  wait(forMs: number, message: string): void;
  /** Opens, because nothing that was tried has succeeded. */
  trip(message: string): void;
  /** Closes, because only failing events are left. */
  close(): void;
  /** Nothing is sent any more. */
  end(): void;
}

export interface Failure {
  readonly isProbe: boolean;
  /** Whether the answer was 429. */
  readonly isThrottled: boolean;
  /** Attempts that were in flight when this one was sent, including itself. */
  readonly inFlight: number;
  readonly message: string;
}

export interface CircuitBreakerPorts {
  readonly clock: Clock;
  /** How long an outage may last before the run stops; with 0, failures never open the breaker. */
  readonly maxOutageMs: number;
  /** It opened, or stays open for longer. */
  readonly onPause: (reason: PauseReason, durationMs: number, message: string) => void;
  /** It closed, or stays open for another reason. */
  readonly onPauseEnd: (reason: PauseReason, pausedMs: number) => void;
  /** It is half-open or closed: something may be sent. */
  readonly onChange: () => void;
  /** The outage has lasted too long. */
  readonly onGiveUp: (reason: StopReason) => void;
}

const minFailures = 5;
/** If every attempt is throttled for this long, slowing down does not help. */
const maxThrottledMs = 5000;
const firstGapMs = 1000;
const maxGapMs = 30_000;
/** A wait that ends at most this much later than the known one is the same wait. */
const sameWaitMs = 1000;

interface Open {
  /** When the outage began: when it opened, or the end of the wait that the service asked for at first. */
  sinceMs: number;
  reason: PauseReason;
  /** Since when it is open for this reason. */
  reasonSinceMs: number;
  probeAtMs: number;
  gapMs: number;
  isProbing: boolean;
}

export function createCircuitBreaker(ports: CircuitBreakerPorts): CircuitBreaker {
  const { clock, maxOutageMs } = ports;
  let open: Open | undefined;
  let failuresInARow = 0;
  let lastSuccessMs = clock.now();
  let cancelTimer = () => {};

  const wakeAtProbe = ({ probeAtMs }: Open) => {
    cancelTimer();
    const inMs = probeAtMs - clock.now();
    if (inMs <= 0) return ports.onChange();
    cancelTimer = clock.schedule(inMs, ports.onChange);
  };

  /** The wait for the first probe after failures, which is never longer than --max-outage. */
  const firstProbeMs = Math.min(firstGapMs, maxOutageMs);

  const hold = (reason: PauseReason, forMs: number, message: string) => {
    const now = clock.now();
    const probeAtMs = now + forMs;
    if (open === undefined) {
      const begun = { sinceMs: now, reasonSinceMs: now, isProbing: false, gapMs: firstGapMs };
      open = { ...begun, reason, probeAtMs };
      ports.onPause(reason, forMs, message);
      return wakeAtProbe(open);
    }
    // It is already open for at least as long.
    if (probeAtMs <= open.probeAtMs) return;
    const isNew = open.reason !== reason;
    const isLonger = probeAtMs > open.probeAtMs + sameWaitMs;
    if (isNew) {
      ports.onPauseEnd(open.reason, now - open.reasonSinceMs);
      open.reason = reason;
      open.reasonSinceMs = now;
    }
    open.probeAtMs = probeAtMs;
    if (isNew || isLonger) ports.onPause(reason, forMs, message);
    wakeAtProbe(open);
  };

  const close = () => {
    cancelTimer();
    failuresInARow = 0;
    lastSuccessMs = clock.now();
    if (open === undefined) return;
    const { reason, reasonSinceMs } = open;
    open = undefined;
    ports.onPauseEnd(reason, clock.now() - reasonSinceMs);
    ports.onChange();
  };

  const probeFailed = (probed: Open, { isThrottled, message }: Failure) => {
    probed.isProbing = false;
    const now = clock.now();
    if (maxOutageMs === 0) return probed.probeAtMs > now ? wakeAtProbe(probed) : close();
    const leftMs = probed.sinceMs + maxOutageMs - now;
    if (leftMs <= 0) {
      const code = isThrottled ? "throttled" : "outage";
      return ports.onGiveUp({
        code,
        message: acceptedNothing(code, now - probed.sinceMs, message),
      });
    }
    const gapMs = Math.min(probed.gapMs, leftMs);
    probed.gapMs = Math.min(maxGapMs, probed.gapMs * 2);
    // The wait that this answer asked for already counts.
    if (probed.probeAtMs > now) return wakeAtProbe(probed);
    // Throttling without a wait does not change the reason.
    hold(isThrottled ? probed.reason : "outage", gapMs, message);
  };

  return {
    get isClosed() {
      return open === undefined;
    },
    get reason() {
      return open?.reason;
    },
    pausedForMs: () => (open === undefined ? 0 : Math.max(0, open.probeAtMs - clock.now())),
    get hasKnownEnd() {
      return open?.reason === "asked" && open.gapMs === firstGapMs;
    },
    allows: () => open === undefined || (!open.isProbing && clock.now() >= open.probeAtMs),
    sent() {
      if (open === undefined) return false;
      open.isProbing = true;
      return true;
    },
    withdrawn() {
      if (open !== undefined) open.isProbing = false;
    },
    succeeded(isProbe) {
      failuresInARow = 0;
      lastSuccessMs = clock.now();
      if (!isProbe || open === undefined) return;
      open.isProbing = false;
      // An answer, perhaps this one, has asked for more time.
      if (open.probeAtMs > clock.now()) wakeAtProbe(open);
      else close();
    },
    failed(failure) {
      const { isProbe, isThrottled, inFlight, message } = failure;
      if (open !== undefined) {
        if (isProbe) probeFailed(open, failure);
        return;
      }
      failuresInARow++;
      if (maxOutageMs === 0 || failuresInARow < Math.max(minFailures, inFlight)) return;
      if (!isThrottled) hold("outage", firstProbeMs, message);
      else if (clock.now() - lastSuccessMs >= maxThrottledMs) hold("asked", firstProbeMs, message);
    },
    wait(forMs, message) {
      const isUntried = open === undefined || open.sinceMs > clock.now();
      hold("asked", forMs, message);
      if (open !== undefined && isUntried) open.sinceMs = open.probeAtMs;
    },
    trip(message) {
      if (open === undefined) hold("outage", firstProbeMs, message);
    },
    close,
    end: () => cancelTimer(),
  };
}

function acceptedNothing(code: "throttled" | "outage", forMs: number, message: string): string {
  const nothing = `The service has accepted nothing for ${duration(forMs)} (${message.replace(/\.$/, "")}). Try again when it does`;
  return code === "throttled"
    ? `${nothing}.`
    : `${nothing}, or with --max-outage 0, so that events it never takes end as failed.`;
}
