import type { Clock } from "../model/clock.ts";
import type { EventStatus } from "../model/outcome.ts";
import { duration } from "../model/quantities.ts";
import type { StopController, StopReason } from "../model/stop.ts";
import type { Attempt } from "./classify-attempt.ts";
import { type Classification, classifyAttempt, stopCodeOf } from "./classify-attempt.ts";
import type { DeliverySettings } from "./delivery-contract.ts";
import { unreachable } from "./http/connection-errors.ts";
import type { Redact } from "./http/redact.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Queues } from "./queues.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** What an attempt that is over means for its event, and what it says about the service. */
export interface Judgement {
  /** What the answer, or the lack of one, means by itself. */
  readonly classified: Classification;
  readonly next: NextMove;
  /** What the attempt says of the service: nothing if `unknown`. */
  readonly service: "up" | "down" | "unknown";
  readonly stop?: StopReason;
}

export type NextMove =
  | { readonly kind: "settle"; readonly status: EventStatus }
  | { readonly kind: "retry"; readonly delayMs: number }
  /**
   * The event's attempts are exhausted, and no other has succeeded since it first failed: perhaps it is an outage. Or
   * it was refused before any event succeeded: perhaps the service refuses all.
   */
  | { readonly kind: "hold" }
  /** The service does not accept the token that it was sent with. */
  | { readonly kind: "renew_token"; readonly reason: StopReason }
  /** The event has no outcome, and the run stops. */
  | { readonly kind: "leave" };

/** This many events that fail at the same time, while more rows come, are an outage. */
const minSuspectsOfOutage = 5;
/** This many events in a row may be refused for what is not about them, or get no answer, with no success between. */
const maxInARow = 10;

const leave: NextMove = { kind: "leave" };
const acceptedAttempt: Classification = { kind: "accepted" };
const settleAs = (status: EventStatus): NextMove => ({ kind: "settle", status });
const succeeded: Pick<Judgement, "next" | "service"> = {
  next: settleAs("succeeded"),
  service: "up",
};
const plainlySucceeded: Judgement = { classified: acceptedAttempt, ...succeeded };

type JudgeSettings = Pick<
  DeliverySettings,
  "endpoint" | "mode" | "maxOutageMs" | "statuses" | "isKnown" | "acceptHtml"
>;

/**
 * What is known of the service.
 *
 * - `unknown`: nothing was answered yet. One event goes alone, and the run stops if it is never answered.
 * - `tried_again`: it took events in an earlier run, but this one has had nothing accepted, or rejected for what it
 *   says. Events go one at a time, as all may be refused.
 * - `known`: it works, or has answered at least. Events go as the limiters let them.
 */
type Service = "unknown" | "tried_again" | "known";

/** Of the circuit breaker. */
interface Pauses {
  readonly isClosed: boolean;
  readonly pauses: number;
}

interface JudgePorts {
  readonly clock: Clock;
  readonly stop: StopController;
  readonly policy: RetryPolicy;
  /** What is left to send, as far as a verdict depends on it. */
  readonly queues: Readonly<Pick<Queues, "sendable" | "isInputOver">>;
  readonly isReaderWaiting: () => boolean;
  readonly redact: Redact;
}

export type Judge = ReturnType<typeof createJudge>;

/** Decides what becomes of an event when an attempt is over: failing event, or outage? */
export function createJudge(settings: JudgeSettings, ports: JudgePorts) {
  const { endpoint, mode, maxOutageMs, statuses } = settings;
  const { clock, stop, policy, queues, isReaderWaiting, redact } = ports;
  let service: Service = settings.isKnown === true ? "tried_again" : "unknown";
  /** Attempts that succeeded, or were refused for what their event says, in this run or an earlier one. */
  let successes = settings.isKnown === true ? 1 : 0;
  /** Which attempt of this run the last of them was. */
  let lastSuccess = 0;
  /** Whether an event was accepted in this run. */
  let hasAccepted = false;
  /** How many pauses the breaker had made, and how many successes there were when the last one began. */
  let pauses = 0;
  let successesAtPause = -1;
  /** How many events had a 500 as their last failure, which may be their own fault. */
  let suspects = 0;
  /** Events that were refused for what is not about them, or got no answer, with no success between. */
  let inARow = 0;

  /** Nearly all attempts are a plain success: they are not classified. */
  const isPlainSuccess = (attempt: Attempt): boolean =>
    attempt.kind === "answered" &&
    attempt.retryAfter === undefined &&
    (hasAccepted || attempt.isHtml !== true) &&
    statuses(attempt.httpStatus) === "success";

  const classify = (event: PendingEvent, attempt: Attempt): Classification => {
    event.attempts++;
    if (attempt.kind === "answered") event.httpStatus = attempt.httpStatus;
    if (attempt.kind === "unanswered") event.unanswered++;
    const classified = isPlainSuccess(attempt)
      ? acceptedAttempt
      : classifyAttempt(attempt, {
          mode,
          statuses,
          redact,
          now: clock.date(),
          isFirst: service !== "known",
          refusesHtml: !hasAccepted && settings.acceptHtml !== true,
          url: endpoint.origin + endpoint.path(event.event.resource),
        });
    if (classified.kind !== "accepted") {
      event.errorCode = classified.code;
      event.error = classified.message;
    }
    const isAboutRun = classified.kind === "unauthorized" || classified.kind === "stop";
    if (attempt.kind === "answered" && !isAboutRun && service === "unknown") service = "known";
    return classified;
  };

  const succeed = (event: PendingEvent) => {
    successes++;
    lastSuccess = Math.max(lastSuccess, event.number);
    service = "known";
  };

  /** The event takes the attempt into account. */
  const judge = (event: PendingEvent, attempt: Attempt, breaker: Pauses): Judgement => {
    if (breaker.pauses !== pauses) {
      pauses = breaker.pauses;
      successesAtPause = successes;
    }
    const classified = classify(event, attempt);
    switch (classified.kind) {
      case "accepted":
        succeed(event);
        hasAccepted = true;
        inARow = 0;
        return classified === acceptedAttempt ? plainlySucceeded : { classified, ...succeeded };
      case "rejected": {
        succeed(event);
        const rejected: Judgement = { classified, next: settleAs("rejected"), service: "up" };
        const { httpStatus = 0, error } = event;
        const code = statuses(httpStatus) === undefined ? stopCodeOf(httpStatus) : undefined;
        if (code === undefined || ++inARow < maxInARow) return rejected;
        const refused = `${inARow} consecutive events were refused`;
        const message = `${refused}, the last with ${httpStatus} from ${endpoint.baseUrl} (${error}): check the service and the token.`;
        return { ...rejected, stop: { code, message } };
      }
      case "unanswered": {
        const unknown: Judgement = { classified, next: settleAs("unknown"), service: "down" };
        return service !== "unknown" ? unknown : { ...unknown, stop: noAnswer(event) };
      }
      case "stop": {
        const { reason } = classified;
        // A service that took events before may refuse this one alone: others are tried, one at a time.
        const { httpStatus = 0 } = event;
        const isPerhapsIts = service !== "unknown" && stopCodeOf(httpStatus) === reason.code;
        if (!isPerhapsIts) return { classified, next: leave, service: "unknown", stop: reason };
        const wayOut = `If the service refuses only these events, put reject_statuses: ${httpStatus} into a file and give it with --config.`;
        const refusal = { ...reason, message: `${reason.message} ${wayOut}` };
        if (++inARow >= maxInARow) {
          return { classified, next: leave, service: "unknown", stop: refusal };
        }
        setSuspect(event, true);
        event.refusal = refusal;
        return { classified, next: { kind: "hold" }, service: "unknown" };
      }
      case "unauthorized": {
        const { reason } = classified;
        return { classified, next: { kind: "renew_token", reason }, service: "unknown" };
      }
      case "retry":
        return { classified, ...judgeFailure(event, attempt, classified.retryAfterMs, breaker) };
      default:
        return classified satisfies never;
    }
  };

  const judgeFailure = (
    event: PendingEvent,
    attempt: Attempt,
    retryAfterMs: number | undefined,
    { isClosed }: Pauses,
  ): Omit<Judgement, "classified"> => {
    const status = attempt.kind === "answered" ? attempt.httpStatus : undefined;
    const isThrottled = status === 429;
    setSuspect(event, status === 500);
    event.refusal = undefined;
    const isAmongLast = event.isSuspect && areOnlySuspectsLeft();
    const isKnown = service !== "unknown";
    // Without an outage to wait for, an event that is always refused fails after its attempts.
    const isForLoad =
      isThrottled ||
      retryAfterMs !== undefined ||
      (isKnown && maxOutageMs > 0 && (status === 503 || attempt.kind === "not_sent"));
    countFailure(event);
    if (isForLoad) event.refusals++;
    // While the breaker is open, the service fails, and not the event. A run that waits for a
    // Retry-After of an earlier part may not know yet that there is a service.
    else if (isClosed || isAmongLast || maxOutageMs === 0 || !isKnown) event.tries++;

    // Of an unknown service, one event is tried alone, and the run stops after its attempts. A 500 for an event that had
    // one in an earlier part is no news.
    const isNews = !(status === 500 && event.failedEarlier);
    const verdict = !isKnown || isAmongLast || !isNews ? "unknown" : "down";
    if (!policy.isExhausted(event.tries, event.refusals)) {
      const delayMs = policy.backoffMs(Math.max(1, event.tries + event.refusals), isForLoad);
      return { next: { kind: "retry", delayMs }, service: verdict };
    }
    const isInVain = maxOutageMs === 0 && service !== "known" && ++inARow >= maxInARow;
    if (!isKnown || isInVain) return { next: leave, service: verdict, stop: noAnswer(event) };
    // If an attempt goes without an answer while the run stops, the event is tried again when the run is resumed.
    if (stop.signal.aborted && attempt.kind === "unanswered")
      return { next: leave, service: verdict };
    const isItsFault = maxOutageMs === 0 || isFault(event) || isAmongLast;
    const next: NextMove = isItsFault ? settleAs(statusOfFailed(event)) : { kind: "hold" };
    return { next, service: verdict };
  };

  /** Attempts made since the last success do not count once there is an outage. */
  const countFailure = (event: PendingEvent) => {
    if (event.firstFailed === 0) event.firstFailed = event.number;
    if (event.pauses !== pauses && event.successesAtFailure === successesAtPause) {
      event.tries = event.triesBefore;
    }
    event.pauses = pauses;
    if (event.successesAtFailure === successes) return;
    event.successesAtFailure = successes;
    event.triesBefore = event.tries;
  };

  /** Whether another event, sent after the first attempt of this one that failed, has succeeded. */
  const isFault = ({ firstFailed }: PendingEvent) => lastSuccess > firstFailed;

  const setSuspect = (event: PendingEvent, isSuspect: boolean) => {
    if (event.isSuspect === isSuspect) return;
    event.isSuspect = isSuspect;
    suspects += isSuspect ? 1 : -1;
  };

  /** A reader that waits brings no rows either: those that it has read wait behind these events. */
  const areNoRowsComing = () =>
    queues.isInputOver ||
    (suspects - (service === "tried_again" ? inARow : 0) < minSuspectsOfOutage &&
      isReaderWaiting());

  /** Whether only events are left that may fail by themselves, in a run that has had a success. */
  const areOnlySuspectsLeft = () =>
    successes > 0 && queues.sendable === suspects && areNoRowsComing();

  /** Why a run stops whose first event got no answer with all its attempts. */
  const noAnswer = ({ errorCode: code, error: message, unanswered }: PendingEvent): StopReason =>
    unreachable(endpoint.origin, code, message, unanswered > 0);

  return {
    judge,
    /** Whether events may go more than one at a time. */
    get isKnown() {
      return service === "known";
    },
    /** Whether no event has been answered, in this run or an earlier one: until then, no other is tried. */
    get isUnknown() {
      return service === "unknown";
    },
    areOnlySuspectsLeft,
    isFault,
    settled: (event: PendingEvent) => setSuspect(event, false),
  };
}

/** The status of an event that was held, or whose attempts are exhausted. */
export function statusOfFailed({ unanswered, refusal }: PendingEvent): EventStatus {
  if (refusal !== undefined) return "rejected";
  return unanswered > 0 ? "unknown" : "failed";
}

/** If a service asks for a longer wait than this, the run stops and says when to resume. */
const maxRetryAfterMs = 15 * 60_000;

/** @returns why the run stops rather than wait for so long; undefined if it waits */
export function askedForTooLong(now: Date, forMs: number): StopReason | undefined {
  if (forMs <= maxRetryAfterMs) return undefined;
  const when = new Date(now.getTime() + forMs);
  // A service may ask for any number of seconds, even more than a date can hold.
  const message = Number.isNaN(when.getTime())
    ? "Retry-After is too far in the future: ask the service's operators when it accepts events again."
    : `The service asks for a wait until ${when.toISOString()} (for ${duration(forMs)}).`;
  return { code: "throttled", message };
}
