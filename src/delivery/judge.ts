import type { Clock } from "../model/clock.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { EventStatus } from "../model/outcome.ts";
import { duration } from "../model/quantities.ts";
import type { DeliveryMode } from "../model/sending-settings.ts";
import type { DeliveryNotice } from "../model/sending-state.ts";
import type { StatusRules } from "../model/status-rules.ts";
import type { StopController, StopReason } from "../model/stop.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { classify, type Verdict } from "./classify-attempt.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { Attempt } from "./http/attempt.ts";
import type { KeptToken, Renewal } from "./http/keep-token.ts";
import { unreachable } from "./http/unreachable.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { createRefusalStreak } from "./refusal-streak.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** Decides what an attempt means for its event, and for all others. */
export interface Judge {
  judge(event: PendingEvent, result: Attempt): void;
  /** Whether the service has answered: until then, one event is sent alone. */
  readonly isAnswered: boolean;
  /** The event has its outcome. */
  settled(event: PendingEvent): void;
  /** The service is down, or asks for a wait: events whose attempts are exhausted start over. */
  paused(): void;
  /** Looks at what is left, as no more rows come. */
  inputEnded(): void;
  /** The service asked an interrupted part of the run to wait until then, in epoch milliseconds. */
  waitUntil(epochMs: number): void;
}

export interface JudgeSettings {
  readonly endpoint: Endpoint;
  readonly mode: DeliveryMode;
  readonly maxOutageMs: number;
  readonly statuses?: StatusRules | undefined;
  /** Whether the run is resumed. */
  readonly isResumed?: boolean;
  /** Whether the service accepted or refused an event in an earlier part of the run. */
  readonly hasSucceeded?: boolean;
}

export interface JudgePorts {
  readonly clock: Clock;
  readonly stop: StopController;
  readonly token: KeptToken;
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
  /** Events that have no outcome and do not wait for their ordering key. */
  readonly sendable: () => number;
  readonly inFlight: () => number;
}

/** If a service asks for a longer wait than this, the run stops and says when to resume. */
const longestRetryAfterMs = 15 * 60_000;
/** A longer wait may be a mistake of the service: a run that resumes after a day asks again, with one event. */
const longestRecordedMs = 24 * 60 * 60_000;
/** This many events that fail at the same time, with more rows to come, are taken for an outage. */
const suspectsOfOutage = 5;
const noOther: Renewal = { kind: "no_other", why: "A new one was not accepted either." };

export function createJudge(settings: JudgeSettings, ports: JudgePorts): Judge {
  const { endpoint, mode, maxOutageMs, statuses } = settings;
  const { clock, stop, token, breaker, rate, concurrency, policy } = ports;
  const refusals = createRefusalStreak(endpoint.baseUrl);
  /** Attempts that succeeded, or were refused for what their event says. */
  let successes = settings.hasSucceeded === true ? 1 : 0;
  let isAnswered = false;
  /** Events whose last failure was a 500, which may be their own fault. */
  let suspects = 0;
  /** Events whose attempts are exhausted, while nothing has succeeded since they first failed. */
  const unproven: PendingEvent[] = [];

  /** Whether nothing is left but events that may fail by themselves, in a run that has had a success. */
  const isTail = () => successes > 0 && ports.sendable() === suspects && nothingComes();

  /** A reader that waits brings nothing either: the rows that it has read wait behind these events. */
  const nothingComes = () =>
    ports.isInputOver() || (suspects < suspectsOfOutage && ports.isReaderWaiting());

  const suspect = (event: PendingEvent, isSuspect: boolean) => {
    if (event.isSuspect === isSuspect) return;
    event.isSuspect = isSuspect;
    suspects += isSuspect ? 1 : -1;
  };

  const judge = (event: PendingEvent, result: Attempt) => {
    const wasClosed = breaker.isClosed;
    event.attempts++;
    if (result.kind === "answered") event.httpStatus = result.httpStatus;
    if (result.kind === "unanswered") event.unanswered++;
    const verdict = isPlainSuccess(result) ? accepted : classifyIn(event, result);
    if (verdict.kind !== "accepted") {
      event.errorCode = verdict.code;
      event.error = verdict.message;
    }
    if (verdict.kind !== "unauthorized") {
      event.hasNewToken = false;
      if (result.kind === "answered") {
        token.accepted(event.tokenGeneration);
        if (verdict.kind !== "stop") isAnswered = true;
      }
    }
    learn(event, result, verdict);

    const { isProbe, inFlight } = event;
    switch (verdict.kind) {
      case "accepted":
        refusals.succeeded();
        obey(verdict);
        succeeded(isProbe);
        return ports.settle(event, "succeeded");
      case "rejected": {
        const reason = refusals.refused(event.httpStatus ?? 0, verdict.message);
        if (reason !== undefined) stop.abort(reason);
        obey(verdict);
        succeeded(isProbe);
        return ports.settle(event, "rejected");
      }
      case "unanswered":
        obey(verdict);
        breaker.failed({ isProbe, isThrottled: false, inFlight, message: verdict.message });
        stopUnlessAnswered(event);
        return ports.settle(event, "unknown");
      case "stop":
        if (isProbe) breaker.withdrawn();
        ports.attempted(event);
        return stop.abort(verdict.reason);
      case "unauthorized":
        if (isProbe) breaker.withdrawn();
        ports.attempted(event);
        return renewToken(event, verdict);
      case "retry":
        return fail(event, result, verdict, wasClosed);
      default:
        verdict satisfies never;
    }
  };

  const classifyIn = ({ event }: PendingEvent, result: Attempt): Verdict =>
    classify(result, {
      ...{ mode, statuses, redact: token.redact, now: clock.date() },
      first: !isAnswered,
      isResumable: isAnswered || settings.isResumed === true,
      url: endpoint.origin + endpoint.path(event.resource),
    });

  /** Nearly all attempts are, so they skip the rest of the judgement. */
  const isPlainSuccess = (result: Attempt): boolean =>
    result.kind === "answered" &&
    result.retryAfter === undefined &&
    (statuses?.isSuccess(result.httpStatus) ?? is2xx(result.httpStatus));

  const succeeded = (isProbe: boolean) => {
    successes++;
    breaker.succeeded(isProbe);
    // The service is up: it was these events' own fault.
    for (const event of unproven.splice(0)) settleFailed(event);
  };

  const settleFailed = (event: PendingEvent) =>
    ports.settle(event, event.unanswered > 0 ? "unknown" : "failed");

  const beginAfresh = (event: PendingEvent) => {
    event.tries = 0;
    event.throttled = 0;
    event.successesBefore = -1;
  };

  /** No other event is left to show whether the service is up. */
  const decideUnproven = () => {
    if (unproven.length === 0 || ports.sendable() > unproven.length || !breaker.isClosed) return;
    if (isTail()) for (const event of unproven.splice(0)) settleFailed(event);
    else breaker.trip(unproven[0]?.error ?? "");
  };

  /** Each signal changes one thing: a 429 the rate; a 503, a time-out or slowness the concurrency. */
  const learn = ({ departedMs, inFlight }: PendingEvent, result: Attempt, verdict: Verdict) => {
    if (verdict.kind === "retry" && verdict.cause === "throttled") {
      rate.throttled(departedMs, verdict.retryAfterMs);
    } else {
      const isAnswered = verdict.kind === "accepted" || verdict.kind === "rejected";
      if (isAnswered) rate.taken();
      const isOverload =
        result.kind === "answered" ? result.httpStatus === 503 : result.code === "timeout";
      const wasFull = inFlight >= concurrency.allowed;
      concurrency.ended({ departedMs, isOverload, isAnswered, wasFull }, clock.now());
    }
    if (result.kind !== "answered" || result.rateLimit === undefined) return;
    const holdMs = rate.advise(result.rateLimit, ports.inFlight());
    if (holdMs !== undefined) breaker.wait(holdMs, "its quota is used up");
  };

  /** Obeys `Retry-After`, in full. */
  const obey = (verdict: Exclude<Verdict, { kind: "stop" }>) => {
    const { retryAfterMs } = verdict;
    if (retryAfterMs === undefined || retryAfterMs === 0) return;
    ports.recordWait(clock.date().getTime() + Math.min(retryAfterMs, longestRecordedMs));
    waitFor(
      retryAfterMs,
      verdict.kind === "accepted" ? "asked for with a success" : verdict.message,
    );
  };

  const waitFor = (forMs: number, message: string) => {
    if (forMs > longestRetryAfterMs) stop.abort(comeBackLater(clock.date(), forMs));
    else breaker.wait(forMs, message);
  };

  /** The attempt failed: the event is retried, or has failed, or the service is down. */
  const fail = (
    event: PendingEvent,
    result: Attempt,
    verdict: Extract<Verdict, { kind: "retry" }>,
    wasClosed: boolean,
  ) => {
    const { cause, code, message, retryAfterMs } = verdict;
    const { isProbe, inFlight } = event;
    const httpStatus = result.kind === "answered" ? result.httpStatus : undefined;
    const isThrottled = cause === "throttled";
    suspect(event, httpStatus === 500);
    const isLast = event.isSuspect && isTail();
    if (event.successesBefore < 0) event.successesBefore = successes;
    if (isThrottled || retryAfterMs !== undefined) event.throttled++;
    // While the breaker is open, the service fails, and not the event. A run that waits for a
    // Retry-After of an earlier part may not know yet that there is a service.
    else if (wasClosed || isLast || maxOutageMs === 0 || !isAnswered) event.tries++;

    obey(verdict);
    // Until the service has answered, one event is tried alone, and the run stops after its attempts.
    if (!isLast && isAnswered) breaker.failed({ isProbe, isThrottled, inFlight, message });
    else if (isProbe) breaker.withdrawn();

    if (policy.isExhausted(event.tries, event.throttled)) {
      stopUnlessAnswered(event);
      if (isAnswered) {
        const isItsFault = maxOutageMs === 0 || successes > event.successesBefore || isLast;
        if (isItsFault) return settleFailed(event);
        if (breaker.isClosed) {
          ports.attempted(event);
          unproven.push(event);
          return decideUnproven();
        }
        beginAfresh(event);
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
    closeForTail();
  };

  const closeForTail = () => {
    if (breaker.reason === "outage" && isTail()) breaker.close();
  };

  /** Nothing came back from the service, however often it was tried: the run stops. */
  const stopUnlessAnswered = (event: PendingEvent) => {
    if (isAnswered) return;
    const { errorCode: code, error: message, unanswered } = event;
    const { origin } = endpoint;
    stop.abort(unreachable({ origin, code, message, mayHaveLeft: unanswered > 0 }));
  };

  type Unauthorized = Extract<Verdict, { kind: "unauthorized" }>;

  const renewToken = (event: PendingEvent, verdict: Unauthorized) => {
    const renewal = event.hasNewToken ? noOther : token.renew(event.tokenGeneration);
    if (renewal instanceof Promise) void renewal.then((over) => afterRenewal(event, verdict, over));
    else afterRenewal(event, verdict, renewal);
  };

  /** Another token, or the end of the run. */
  const afterRenewal = (
    event: PendingEvent,
    { reason: { code, message } }: Unauthorized,
    renewal: Renewal,
  ) => {
    if (renewal.kind === "renewed") {
      event.hasNewToken = true;
      return ports.sendAgain(event);
    }
    // What the service says may end without a full stop.
    const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
    stop.abort({ code, message: renewal.why === "" ? message : `${sentence} ${renewal.why}` });
  };

  return {
    judge,
    get isAnswered() {
      return isAnswered;
    },
    settled(event) {
      suspect(event, false);
      closeForTail();
      decideUnproven();
    },
    paused() {
      for (const event of unproven.splice(0)) {
        beginAfresh(event);
        ports.retry(event, 0, false);
      }
    },
    inputEnded() {
      closeForTail();
      decideUnproven();
    },
    waitUntil(epochMs) {
      const leftMs = epochMs - clock.date().getTime();
      if (leftMs > 0) waitFor(leftMs, "asked for before the run was interrupted");
    },
  };
}

const accepted: Verdict = { kind: "accepted" };

function is2xx(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

function comeBackLater(now: Date, forMs: number): StopReason {
  const when = new Date(now.getTime() + forMs);
  // A service may ask for any number of seconds, even more than a date can hold.
  const message = Number.isNaN(when.getTime())
    ? "The service asks to be left alone for longer than dates go. Ask there when the run may be resumed."
    : `The service asks to be left alone until ${when.toISOString()} (for ${duration(forMs)}). Resume after that.`;
  return { code: "throttled", message };
}
