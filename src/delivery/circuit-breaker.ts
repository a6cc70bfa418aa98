import type { Clock } from "../model/clock.ts";
import { duration } from "../model/quantities.ts";
import type { PauseNotice, PauseReason } from "../model/sending-state.ts";
import type { StopReason } from "../model/stop.ts";
import type { PauseOver } from "./adaptive-limits.ts";

/** The breaker opened, or for longer; it closed, or stays open for another reason; or the outage lasts too long. */
export type BreakerChange = PauseNotice | { readonly kind: "give_up"; readonly reason: StopReason };

export interface Failure {
  readonly isProbe: boolean;
  readonly sentMs: number;
  /** Which event was sent: one object for all its attempts. */
  readonly event: object;
  /** Events that have no outcome. */
  readonly eventsLeft: number;
  readonly httpStatus: number | undefined;
  readonly message: string;
}

/** The breaker opens if nothing has succeeded for this long and three answers' time, ten seconds at most, … */
const withoutSuccessMs = 250;
const maxWithoutSuccessMs = 10_000;
/** … and this many attempts have failed. */
const minFailures = 5;
/** The breaker opens if nothing is answered for this long, and ten answers' time. */
const silenceMs = 5000;
/** The breaker opens if nine of ten of the last hundred failed. */
const brownOut = { of: 100, failed: 90 };
/** A gap between probes is a sixteenth of the outage so far: it is part of what a window that is full seems to take. */
const gapShare = 1 / 16;
const minGapMs = 150;
const maxGapMs = 30_000;
/** A wait that ends at most this much later than the known one is the same wait. */
const sameWaitMs = 1000;
const none: readonly BreakerChange[] = [];

interface Open {
  readonly openedMs: number;
  /** When the outage began: when it opened, or the end of the wait that the service asked for at first. */
  sinceMs: number;
  reason: PauseReason;
  reasonSinceMs: number;
  isThrottled: boolean;
  readonly isForLoad: boolean;
  probeAtMs: number;
  /** The end of the longest wait that the service asked for; 0 if it did not. */
  askedUntilMs: number;
  isProbing: boolean;
}

/**
 * Pauses sending while the service is down or asks for a wait. Closed, everything may be sent. Open, nothing may.
 * Half-open, one probe may: if it succeeds, the breaker closes; if it fails, the next one waits for a sixteenth of the
 * outage so far. It has no timer: whoever asks it comes back after `pausedForMs`.
 *
 * @param maxOutageMs how long an outage may last before the run stops; with 0, failures never open the breaker
 */
export function createCircuitBreaker(maxOutageMs: number, { now }: Pick<Clock, "now">) {
  let open: Open | undefined;
  let pauses = 0;
  let lastPause: PauseOver | undefined;
  let lastSuccessMs = now();
  /** When the last attempt that succeeded was sent. */
  let successSentMs = Number.NEGATIVE_INFINITY;
  /** Attempts that failed since, and their events. */
  let failures = 0;
  const events = new Set<object>();
  let lastAnswerMs = now();
  let answerMs = 0;
  /** Of the last hundred attempts: whether the service failed. */
  const recent: boolean[] = [];
  let ended = 0;
  let failedOfRecent = 0;

  const gapMs = (sinceMs: number) =>
    Math.min(maxGapMs, maxOutageMs, Math.max(minGapMs, Math.round((now() - sinceMs) * gapShare)));

  const hold = (
    reason: PauseReason,
    forMs: number,
    message: string,
    isThrottled: boolean,
    isForLoad = isThrottled,
  ): readonly BreakerChange[] => {
    const nowMs = now();
    const probeAtMs = nowMs + forMs;
    const pause: BreakerChange = { kind: "pause", reason, durationMs: forMs, message };
    if (open === undefined) {
      pauses++;
      const begun = { openedMs: nowMs, sinceMs: nowMs, reasonSinceMs: nowMs, isProbing: false };
      open = { ...begun, reason, isThrottled, isForLoad, probeAtMs, askedUntilMs: 0 };
      return [pause];
    }
    if (isThrottled) open.isThrottled = true;
    // It is already open for at least as long.
    if (probeAtMs <= open.probeAtMs) return none;
    const isLonger = probeAtMs > open.probeAtMs + sameWaitMs;
    open.probeAtMs = probeAtMs;
    if (open.reason === reason) return isLonger ? [pause] : none;
    const pausedMs = nowMs - open.reasonSinceMs;
    const over: BreakerChange = { kind: "pause_over", reason: open.reason, pausedMs };
    open.reason = reason;
    open.reasonSinceMs = nowMs;
    return [over, pause];
  };

  const close = (): readonly BreakerChange[] => {
    failures = 0;
    events.clear();
    recent.length = 0;
    failedOfRecent = 0;
    lastSuccessMs = now();
    lastAnswerMs = lastSuccessMs;
    if (open === undefined) return none;
    const { reason, reasonSinceMs, openedMs, isThrottled, isForLoad } = open;
    lastPause = { sinceMs: openedMs, isThrottled, isForLoad };
    open = undefined;
    return [{ kind: "pause_over", reason, pausedMs: now() - reasonSinceMs }];
  };

  const probeFailed = (
    probed: Open,
    { httpStatus, message }: Failure,
  ): readonly BreakerChange[] => {
    const isThrottled = httpStatus === 429;
    probed.isProbing = false;
    if (isThrottled) probed.isThrottled = true;
    const nowMs = now();
    // The wait that this answer asked for already counts.
    const isAsked = probed.probeAtMs > nowMs;
    if (maxOutageMs === 0) return isAsked ? none : close();
    const leftMs = probed.sinceMs + maxOutageMs - nowMs;
    if (leftMs <= 0) {
      const forMs = nowMs - probed.sinceMs;
      const nothing = `The service has accepted nothing for ${duration(forMs)} (${message.replace(/\.$/, "")}).`;
      const withoutEnd = `${nothing} With --max-outage 0, events that it never accepts end as failed.`;
      const reason: StopReason = isThrottled
        ? { code: "throttled", message: nothing }
        : { code: "outage", message: withoutEnd };
      return [{ kind: "give_up", reason }];
    }
    if (isAsked) return none;
    // Throttling without a wait does not change the reason.
    const reason = isThrottled ? probed.reason : "outage";
    return hold(reason, Math.min(gapMs(probed.sinceMs), leftMs), message, isThrottled);
  };

  const isBrownOut = (hasFailed: boolean): boolean => {
    const at = ended++ % brownOut.of;
    failedOfRecent += Number(hasFailed) - Number(recent[at] ?? false);
    recent[at] = hasFailed;
    return failedOfRecent >= brownOut.failed;
  };

  const hasFailedLong = ({ event, eventsLeft, sentMs }: Failure): boolean => {
    if (sentMs < successSentMs) return false;
    failures++;
    if (events.size < minFailures) events.add(event);
    const patienceMs = Math.min(maxWithoutSuccessMs, withoutSuccessMs + 3 * answerMs);
    return (
      failures >= minFailures &&
      events.size >= Math.min(minFailures, eventsLeft) &&
      now() - lastSuccessMs >= patienceMs
    );
  };

  /** How long an answer may take before none is expected any more. */
  const answerPatienceMs = () => Math.max(silenceMs, 10 * answerMs);

  return {
    get isClosed(): boolean {
      return open === undefined;
    },
    /** Why the breaker is open or half-open; undefined if it is closed. */
    get reason(): PauseReason | undefined {
      return open?.reason;
    },
    get pauses() {
      return pauses;
    },
    get lastPause() {
      return lastPause;
    },
    /** Milliseconds until a probe may be sent; 0 if it is closed or half-open. */
    pausedForMs: () => (open === undefined ? 0 : Math.max(0, open.probeAtMs - now())),
    allows: () => open === undefined || (!open.isProbing && now() >= open.probeAtMs),
    answerPatienceMs,
    /** An attempt is sent. @returns whether it is a probe */
    sent(inFlight: number): boolean {
      if (inFlight === 1 || open !== undefined) lastAnswerMs = now();
      if (open === undefined) return false;
      open.isProbing = true;
      return true;
    },
    /** The probe was not sent after all, or says nothing about the service. */
    withdrawn() {
      if (open !== undefined) open.isProbing = false;
    },
    answered() {
      lastAnswerMs = now();
    },
    /** An attempt succeeded, or the service refused only this event. */
    succeeded(isProbe: boolean, sentMs: number): readonly BreakerChange[] {
      const nowMs = now();
      const tookMs = nowMs - sentMs;
      answerMs += (tookMs - answerMs) * (answerMs === 0 ? 1 : 0.1);
      failures = 0;
      events.clear();
      lastSuccessMs = nowMs;
      successSentMs = Math.max(successSentMs, sentMs);
      isBrownOut(false);
      if (!isProbe || open === undefined) return none;
      open.isProbing = false;
      // An answer, perhaps this one, may have asked for more time.
      return open.probeAtMs > nowMs ? none : close();
    },
    failed(failure: Failure): readonly BreakerChange[] {
      const { isProbe, httpStatus, message } = failure;
      if (open !== undefined) return isProbe ? probeFailed(open, failure) : none;
      const isLong = hasFailedLong(failure);
      // They can only be the service's fault, and are not because of the load.
      const isOfService = httpStatus === undefined || httpStatus === 502 || httpStatus === 504;
      if ((!isBrownOut(isOfService) && !isLong) || maxOutageMs === 0) return none;
      const isThrottled = httpStatus === 429;
      const isForLoad = isThrottled || httpStatus === 503;
      const reason = isThrottled ? "asked" : "outage";
      return hold(reason, gapMs(now()), message, isThrottled, isForLoad);
    },
    /** Milliseconds until the breaker opens if nothing is answered; 0 if it is time. */
    silentInMs: () => Math.max(0, lastAnswerMs + answerPatienceMs() - now()),
    /** The service asks the run to wait (`Retry-After`, or a quota that is used up). */
    wait(forMs: number, message: string): readonly BreakerChange[] {
      const isUntried = open === undefined || open.sinceMs > now();
      const changes = hold("asked", forMs, message, true);
      if (open === undefined) return changes;
      open.askedUntilMs = Math.max(open.askedUntilMs, now() + forMs);
      if (isUntried) open.sinceMs = open.probeAtMs;
      return changes;
    },
    /** Opens, because nothing that was tried has succeeded, or nothing is answered. */
    trip: (message: string) =>
      open === undefined && maxOutageMs > 0 ? hold("outage", gapMs(now()), message, false) : none,
    // Because only failing events are left. The service may have asked for a wait that ends before the next probe is due.
    close: () => (open !== undefined && open.askedUntilMs > now() ? none : close()),
  };
}
