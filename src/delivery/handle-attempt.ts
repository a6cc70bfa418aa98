import type { Clock } from "../model/clock.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { EventStatus } from "../model/outcome.ts";
import { duration } from "../model/quantities.ts";
import type { DeliveryMode } from "../model/run-settings.ts";
import type { DeliveryNotice } from "../model/sending-state.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopController, StopReason } from "../model/stop.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { type Classification, classifyAttempt, is2xx } from "./classify-attempt.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { createConsecutiveRefusals } from "./consecutive-refusals.ts";
import type { Attempt } from "./http/attempt.ts";
import { unreachable } from "./http/connection-errors.ts";
import type { RenewableToken, Renewal } from "./http/renewable-token.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/**
 * Handles the end of an attempt: its event is settled or retried, the rate limiter, the concurrency limiter and the
 * breaker take it into account, and the run stops if it has to.
 */
export interface AttemptHandler {
  ended(event: PendingEvent, attempt: Attempt): void;
  /** Whether the service has answered: until then, one event is sent alone. */
  readonly isAnswered: boolean;
  /** The event has its outcome. */
  settled(event: PendingEvent): void;
  /** The breaker opened: events whose attempts are exhausted get new ones. */
  paused(): void;
  /** No more rows come. */
  inputEnded(): void;
  /** The service asked an interrupted part of the run to wait until then, in epoch milliseconds. */
  waitUntil(epochMs: number): void;
}

export interface AttemptHandlerSettings {
  readonly endpoint: Endpoint;
  readonly mode: DeliveryMode;
  readonly maxOutageMs: number;
  readonly statuses?: StatusRules | undefined;
  /** Whether the run is resumed. */
  readonly isResumed?: boolean;
  /** Whether the service accepted or refused an event in an earlier part of the run. */
  readonly hasSucceeded?: boolean;
}

export interface AttemptHandlerPorts {
  readonly clock: Clock;
  readonly stop: StopController;
  readonly token: RenewableToken;
  readonly breaker: CircuitBreaker;
  readonly rate: RateLimiter;
  readonly concurrency: ConcurrencyLimiter;
  readonly policy: RetryPolicy;
  readonly notify: (notice: DeliveryNotice) => void;
  /** Records until when the service asks the run to wait, in epoch milliseconds. */
  readonly recordWait: (epochMs: number) => void;
  readonly settle: (event: PendingEvent, status: EventStatus) => void;
  /** Its attempt is over, and it has no outcome yet. */
  readonly attempted: (event: PendingEvent) => void;
  /** It is retried after this delay. */
  readonly retry: (event: PendingEvent, delayMs: number, needsFreshConnection: boolean) => void;
  /** It is sent again at once, ahead of others, as there is a new token. */
  readonly sendAgain: (event: PendingEvent) => void;
  /** Whether no more rows come. */
  readonly isInputOver: () => boolean;
  /** Whether the reader waits for rows to settle before it reads on. */
  readonly isReaderWaiting: () => boolean;
  /** Events that have no outcome and do not wait for an earlier one. */
  readonly sendable: () => number;
  readonly inFlight: () => number;
}

/** If a service asks for a longer wait than this, the run stops and says when to resume. */
const maxRetryAfterMs = 15 * 60_000;
/** A longer wait may be the service's mistake: a run that is resumed after a day tries again, with one event. */
const maxRecordedWaitMs = 24 * 60 * 60_000;
/** If this many events fail at the same time and more rows come, it is an outage. */
const minSuspectsOfOutage = 5;
const noOtherToken: Renewal = { kind: "no_other", why: "A new one was not accepted either." };

export function createAttemptHandler(
  settings: AttemptHandlerSettings,
  ports: AttemptHandlerPorts,
): AttemptHandler {
  const { endpoint, mode, maxOutageMs, statuses } = settings;
  const { clock, stop, token, breaker, rate, concurrency, policy } = ports;
  const refusals = createConsecutiveRefusals(endpoint.baseUrl);
  /** Attempts that succeeded, or were refused for what their event says. */
  let successes = settings.hasSucceeded === true ? 1 : 0;
  let isAnswered = false;
  /** How many events had a 500 as their last failure, which may be their own fault. */
  let suspects = 0;
  /** Their attempts are exhausted, and no other event has succeeded since they first failed. */
  const exhausted: PendingEvent[] = [];

  /** Whether only events are left that may fail by themselves, in a run that has had a success. */
  const areOnlySuspectsLeft = () =>
    successes > 0 && ports.sendable() === suspects && areNoRowsComing();

  /** A reader that waits brings no rows either: those that it has read wait behind these events. */
  const areNoRowsComing = () =>
    ports.isInputOver() || (suspects < minSuspectsOfOutage && ports.isReaderWaiting());

  const setSuspect = (event: PendingEvent, isSuspect: boolean) => {
    if (event.isSuspect === isSuspect) return;
    event.isSuspect = isSuspect;
    suspects += isSuspect ? 1 : -1;
  };

  const ended = (event: PendingEvent, attempt: Attempt) => {
    const wasClosed = breaker.isClosed;
    event.attempts++;
    if (attempt.kind === "answered") event.httpStatus = attempt.httpStatus;
    if (attempt.kind === "unanswered") event.unanswered++;
    const classified = isPlainSuccess(attempt) ? accepted : classificationOf(event, attempt);
    if (classified.kind !== "accepted") {
      event.errorCode = classified.code;
      event.error = classified.message;
    }
    if (classified.kind !== "unauthorized") {
      event.hasNewToken = false;
      if (attempt.kind === "answered") {
        token.accepted(event.tokenGeneration);
        if (classified.kind !== "stop") isAnswered = true;
      }
    }
    adapt(event, attempt, classified);

    const { isProbe, inFlight } = event;
    switch (classified.kind) {
      case "accepted":
        refusals.succeeded();
        obeyRetryAfter(classified);
        succeeded(isProbe);
        return ports.settle(event, "succeeded");
      case "rejected": {
        const reason = refusals.refused(event.httpStatus ?? 0, classified.message);
        if (reason !== undefined) stop.abort(reason);
        obeyRetryAfter(classified);
        succeeded(isProbe);
        return ports.settle(event, "rejected");
      }
      case "unanswered":
        obeyRetryAfter(classified);
        breaker.failed({ isProbe, isThrottled: false, inFlight, message: classified.message });
        stopUnlessAnswered(event);
        return ports.settle(event, "unknown");
      case "stop":
        if (isProbe) breaker.withdrawn();
        ports.attempted(event);
        return stop.abort(classified.reason);
      case "unauthorized":
        if (isProbe) breaker.withdrawn();
        ports.attempted(event);
        return renewToken(event, classified);
      case "retry":
        return fail(event, attempt, classified, wasClosed);
      default:
        classified satisfies never;
    }
  };

  const classificationOf = ({ event }: PendingEvent, attempt: Attempt): Classification =>
    classifyAttempt(attempt, {
      ...{ mode, statuses, redact: token.redact, now: clock.date() },
      isFirst: !isAnswered,
      isResumable: isAnswered || settings.isResumed === true,
      url: endpoint.origin + endpoint.path(event.resource),
    });

  /** Nearly all attempts are a plain success: they are not classified. */
  const isPlainSuccess = (attempt: Attempt): boolean =>
    attempt.kind === "answered" &&
    attempt.retryAfter === undefined &&
    (statuses?.isSuccess(attempt.httpStatus) ?? is2xx(attempt.httpStatus));

  const succeeded = (isProbe: boolean) => {
    successes++;
    breaker.succeeded(isProbe);
    // The service is up: it was these events' own fault.
    for (const event of exhausted.splice(0)) settleFailed(event);
  };

  const settleFailed = (event: PendingEvent) =>
    ports.settle(event, event.unanswered > 0 ? "unknown" : "failed");

  const resetAttempts = (event: PendingEvent) => {
    event.tries = 0;
    event.throttled = 0;
    event.successesAtFirstFailure = -1;
  };

  /** Fails exhausted events, or opens the breaker, if no other event is left to show whether the service is up. */
  const decideExhausted = () => {
    if (exhausted.length === 0 || ports.sendable() > exhausted.length || !breaker.isClosed) return;
    if (areOnlySuspectsLeft()) for (const event of exhausted.splice(0)) settleFailed(event);
    else breaker.trip(exhausted[0]?.error ?? "");
  };

  /** A 429 lowers the rate; a 503, a time-out or a slow answer lowers the concurrency. */
  const adapt = (
    { sentMs, inFlight }: PendingEvent,
    attempt: Attempt,
    classified: Classification,
  ) => {
    if (classified.kind === "retry" && classified.cause === "throttled") {
      rate.throttled(sentMs, classified.retryAfterMs);
    } else {
      const isAnswered = classified.kind === "accepted" || classified.kind === "rejected";
      if (isAnswered) rate.answered();
      const isOverload =
        attempt.kind === "answered" ? attempt.httpStatus === 503 : attempt.code === "timeout";
      const wasFull = inFlight >= concurrency.allowed;
      concurrency.ended({ sentMs, isOverload, isAnswered, wasFull }, clock.now());
    }
    if (attempt.kind !== "answered" || attempt.rateLimit === undefined) return;
    const holdMs = rate.advise(attempt.rateLimit, ports.inFlight());
    if (holdMs !== undefined) breaker.wait(holdMs, "its quota is used up");
  };

  /** Obeys `Retry-After`, in full. */
  const obeyRetryAfter = (classified: Exclude<Classification, { kind: "stop" }>) => {
    const { retryAfterMs } = classified;
    if (retryAfterMs === undefined || retryAfterMs === 0) return;
    ports.recordWait(clock.date().getTime() + Math.min(retryAfterMs, maxRecordedWaitMs));
    waitFor(
      retryAfterMs,
      classified.kind === "accepted" ? "asked for with a success" : classified.message,
    );
  };

  const waitFor = (forMs: number, message: string) => {
    if (forMs > maxRetryAfterMs) stop.abort(askedForTooLong(clock.date(), forMs));
    else breaker.wait(forMs, message);
  };

  /** The attempt failed: the event is retried or fails, or the service has an outage. */
  const fail = (
    event: PendingEvent,
    attempt: Attempt,
    classified: Extract<Classification, { kind: "retry" }>,
    wasClosed: boolean,
  ) => {
    const { cause, code, message, retryAfterMs } = classified;
    const { isProbe, inFlight } = event;
    const httpStatus = attempt.kind === "answered" ? attempt.httpStatus : undefined;
    const isThrottled = cause === "throttled";
    setSuspect(event, httpStatus === 500);
    const isAmongLast = event.isSuspect && areOnlySuspectsLeft();
    if (event.successesAtFirstFailure < 0) event.successesAtFirstFailure = successes;
    if (isThrottled || retryAfterMs !== undefined) event.throttled++;
    // While the breaker is open, the service fails, and not the event. A run that waits for a
    // Retry-After of an earlier part may not know yet that there is a service.
    else if (wasClosed || isAmongLast || maxOutageMs === 0 || !isAnswered) event.tries++;

    obeyRetryAfter(classified);
    // Until the service has answered, one event is tried alone, and the run stops after its attempts.
    if (!isAmongLast && isAnswered) breaker.failed({ isProbe, isThrottled, inFlight, message });
    else if (isProbe) breaker.withdrawn();

    if (policy.isExhausted(event.tries, event.throttled)) {
      stopUnlessAnswered(event);
      // If an attempt goes without an answer while the run stops, the event is tried again when the run is resumed.
      const isLostAtStop = stop.signal.aborted && attempt.kind === "unanswered";
      if (!isLostAtStop && isAnswered) {
        const isItsFault =
          maxOutageMs === 0 || successes > event.successesAtFirstFailure || isAmongLast;
        if (isItsFault) return settleFailed(event);
        if (breaker.isClosed) {
          ports.attempted(event);
          exhausted.push(event);
          return decideExhausted();
        }
        resetAttempts(event);
      }
    }
    ports.attempted(event);
    if (stop.signal.aborted) return;
    const isOverload = isThrottled || cause === "overloaded";
    const delayMs = policy.backoffMs(Math.max(1, event.tries + event.throttled), isOverload);
    const { row } = event.row.row;
    const place = { row, event: event.event.index, attempts: event.attempts };
    ports.notify({ kind: "retry", ...place, delayMs, code, message });
    ports.retry(event, delayMs, httpStatus === 421);
    closeForSuspects();
  };

  const closeForSuspects = () => {
    if (breaker.reason === "outage" && areOnlySuspectsLeft()) breaker.close();
  };

  /** Stops the run if all attempts of the first event went without an answer. */
  const stopUnlessAnswered = (event: PendingEvent) => {
    if (isAnswered) return;
    const { errorCode: code, error: message, unanswered } = event;
    const { origin } = endpoint;
    stop.abort(unreachable({ origin, code, message, mayHaveLeft: unanswered > 0 }));
  };

  type Unauthorized = Extract<Classification, { kind: "unauthorized" }>;

  const renewToken = (event: PendingEvent, classified: Unauthorized) => {
    const renewal = event.hasNewToken ? noOtherToken : token.renew(event.tokenGeneration);
    if (renewal instanceof Promise) {
      void renewal.then((over) => afterRenewal(event, classified, over));
    } else afterRenewal(event, classified, renewal);
  };

  /** Sends the event again with the new token, or stops the run. */
  const afterRenewal = (
    event: PendingEvent,
    { reason: { code, message } }: Unauthorized,
    renewal: Renewal,
  ) => {
    if (renewal.kind === "renewed") {
      event.hasNewToken = true;
      return ports.sendAgain(event);
    }
    // The service's message may have no full stop.
    const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
    stop.abort({ code, message: renewal.why === "" ? message : `${sentence} ${renewal.why}` });
  };

  return {
    ended,
    get isAnswered() {
      return isAnswered;
    },
    settled(event) {
      setSuspect(event, false);
      closeForSuspects();
      decideExhausted();
    },
    paused() {
      for (const event of exhausted.splice(0)) {
        resetAttempts(event);
        ports.retry(event, 0, false);
      }
    },
    inputEnded() {
      closeForSuspects();
      decideExhausted();
    },
    waitUntil(epochMs) {
      const leftMs = epochMs - clock.date().getTime();
      if (leftMs > 0) waitFor(leftMs, "asked for before the run was interrupted");
    },
  };
}

const accepted: Classification = { kind: "accepted" };

function askedForTooLong(now: Date, forMs: number): StopReason {
  const when = new Date(now.getTime() + forMs);
  // A service may ask for any number of seconds, even more than a date can hold.
  const message = Number.isNaN(when.getTime())
    ? "The service asks to be left alone for longer than dates go. Ask there when the run may be resumed."
    : `The service asks to be left alone until ${when.toISOString()} (for ${duration(forMs)}). Resume after that.`;
  return { code: "throttled", message };
}
