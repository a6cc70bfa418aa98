import pLimit from "p-limit";
import type { SendingLimit, SendingState, SendingWait } from "../model/sending-state.ts";
import { createAdaptiveLimits, type EndedAttempt } from "./adaptive-limits.ts";
import { type BreakerChange, createCircuitBreaker } from "./circuit-breaker.ts";
import type { Attempt, Classification } from "./classify-attempt.ts";
import type { DeliveryPorts, DeliverySettings } from "./delivery-contract.ts";
import type { RenewableToken } from "./http/renewable-token.ts";
import { askedForTooLong, type Judge, type Judgement } from "./judge-attempt.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Queues } from "./queues.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import type { RetryPolicy } from "./retry-policy.ts";

interface LimitsPorts extends Pick<DeliveryPorts, "clock" | "stop" | "journal" | "tap"> {
  readonly queues: Queues;
  readonly policy: RetryPolicy;
  readonly judge: Judge;
  readonly token: RenewableToken;
  readonly figures: { attempts: number };
}

/** What the steps of delivery share. */
export interface SendingParts extends LimitsPorts {
  readonly limits: ReturnType<typeof createSendingLimits>;
}

/** If the rate rises while attempts wait for it, they wait no longer than this. */
const checkRateMs = 250;
/** A longer wait may be the service's mistake: a run that is resumed after a day tries again, with one event. */
const maxRecordedWaitMs = 24 * 60 * 60_000;

/**
 * How much may be sent now. The concurrency limiter, the rate limiter and the circuit breaker learn here how attempts
 * went; they answer with a decision, and it is done here.
 */
export function createSendingLimits(settings: DeliverySettings, ports: LimitsPorts) {
  const { clock, stop, journal, tap, queues, judge, token, figures } = ports;
  const limit = pLimit(settings.concurrency);
  const adaptive = settings.adaptive
    ? createAdaptiveLimits(settings.concurrency, clock.now(), settings.found)
    : undefined;
  const rate = createRateLimiter(settings.ratePerSecond, clock);
  const breaker = createCircuitBreaker(settings.maxOutageMs, clock);
  /** Whether what is staged waits for the rate limiter. */
  let waitsForRate = false;
  /** What the service refused with last, because of the load. */
  let refusedWith: number | undefined;
  /** Whether a `Retry-After` that is not obeyed was told of. */
  let hasNotedWait = false;

  const isFree = () => queues.inFlight.length < limit.concurrency;

  const allow = (concurrency: number) => {
    if (limit.concurrency !== concurrency) limit.concurrency = concurrency;
  };

  const applyAdaptive = () => {
    if (adaptive === undefined) return;
    rate.adapt(adaptive.perSecond);
    allow(adaptive.concurrency);
  };

  const applyBreaker = (changes: readonly BreakerChange[]) => {
    if (changes.length === 0) return;
    for (const change of changes) {
      if (change.kind === "give_up") stop.abort(change.reason);
      else tap.notice(change);
    }
    rate.pause(!breaker.isClosed);
    if (!breaker.isClosed || breaker.lastPause === undefined) return;
    adaptive?.resumed(breaker.lastPause, clock.now());
    applyAdaptive();
  };

  const wait = (forMs: number, message: string) => {
    const isTooLong = askedForTooLong(clock.date(), forMs);
    if (isTooLong !== undefined) stop.abort(isTooLong);
    else applyBreaker(breaker.wait(forMs, message));
  };

  const tellLimiters = (event: PendingEvent, attempt: Attempt, classified: Classification) => {
    const { sentMs, inFlight, hasWaited, isNewConnection } = event;
    const status = attempt.kind === "answered" ? attempt.httpStatus : undefined;
    const quota = attempt.kind === "answered" ? attempt.rateLimit : undefined;
    const waitMs = classified.kind === "retry" ? (classified.retryAfterMs ?? 0) : 0;
    const end = endOf(attempt, classified, isNewConnection);
    if (end === "refused") refusedWith = status;
    const sendingPerSecond = rate.sendingPerSecond();
    const isHinted = waitMs > 0 || quota !== undefined;
    const over = { sentMs, inFlight, hasWaited, end, isHinted, waitMs, sendingPerSecond };
    adaptive?.ended(over, clock.now());
    applyAdaptive();
    const holdMs = quota === undefined ? undefined : rate.advise(quota, queues.inFlight.length);
    if (holdMs !== undefined) applyBreaker(breaker.wait(holdMs, "its quota is used up"));
  };

  /** Obeys `Retry-After` in full, if the event is sent again: some services add it to every answer. */
  const obeyRetryAfter = (classified: Classification) => {
    const { kind, retryAfterMs: forMs = 0 } = classified;
    if (forMs <= 0) return;
    if (kind === "accepted" || kind === "rejected") {
      if (!hasNotedWait) tap.notice({ kind: "wait_ignored", forMs });
      hasNotedWait = true;
      return;
    }
    // An import that stops at its first event leaves no files, and so no wait.
    if (judge.isUnknown && kind === "stop") return;
    const untilMs = Math.ceil(clock.date().getTime() + Math.min(forMs, maxRecordedWaitMs));
    journal.add({ kind: "wait", untilMs });
    wait(forMs, classified.message);
  };

  const tellBreaker = (event: PendingEvent, attempt: Attempt, service: Judgement["service"]) => {
    const { sentMs, isProbe } = event;
    const status = attempt.kind === "answered" ? attempt.httpStatus : undefined;
    switch (service) {
      case "up":
        applyBreaker(breaker.succeeded(isProbe, sentMs));
        break;
      case "down":
        applyBreaker(
          breaker.failed({
            ...{ isProbe, sentMs, event: event.event, eventsLeft: queues.sendable },
            ...{ httpStatus: status, message: event.error },
          }),
        );
        break;
      case "unknown":
        if (isProbe) breaker.withdrawn();
        break;
      default:
        service satisfies never;
    }
  };

  const rateBound = () => (waitsForRate ? rate.bound : undefined);

  /** Undefined while the run is paused, or if this program itself is the limit. */
  const limitedBy = (): SendingLimit | undefined => {
    if (!breaker.isClosed || !judge.isKnown || token.renewing !== undefined) return undefined;
    const bound = rateBound();
    if (bound !== undefined || isFree()) return bound;
    return adaptive?.isConcurrencyFound ? "adapted_concurrency" : "concurrency";
  };

  const waitsFor = (): SendingWait | undefined => {
    const { reason } = breaker;
    if (stop.signal.aborted) return { kind: "stop" };
    if (reason !== undefined) return { kind: "pause", reason, forMs: breaker.pausedForMs() };
    if (token.renewing !== undefined) return { kind: "token" };
    if (!judge.isKnown && figures.attempts > 0) return { kind: "first_answer" };
    const bound = rateBound();
    return bound === undefined ? undefined : { kind: "rate", bound };
  };

  applyAdaptive();
  if (settings.waitUntil !== undefined) {
    const leftMs = settings.waitUntil - clock.date().getTime();
    if (leftMs > 0) wait(leftMs, "asked for before the run was interrupted");
  }

  return {
    /** For questions: only this file changes it. */
    breaker,
    /** Runs a task for each attempt; its `concurrency` is what is allowed now. */
    limit,
    isFree,
    /** As many more may be in flight, as far as `--concurrency` goes. @returns whether there is a place now */
    allowBeside(more: number): boolean {
      if (adaptive === undefined) return false;
      allow(Math.min(settings.concurrency, adaptive.concurrency + more));
      return isFree();
    },
    /** @returns whether an attempt that is ready may leave now, as far as the rate goes */
    mayLeave(isReady: boolean): boolean {
      if (!isReady) waitsForRate = false;
      else if (rate.waitMs() === 0) return true;
      else waitsForRate = true;
      return false;
    },
    /** Tells what has limited sending so far, before that changes. */
    tell: () => tap.limited(limit.concurrency, limitedBy(), adaptive?.foundPerSecond(clock.now())),
    sent(event: PendingEvent) {
      rate.sent(waitsForRate);
      event.hasWaited = waitsForRate;
      event.inFlight = queues.inFlight.length;
      event.isProbe = breaker.sent(event.inFlight);
    },
    ended(event: PendingEvent, attempt: Attempt, { classified, service }: Judgement) {
      if (attempt.kind === "answered") breaker.answered();
      tellLimiters(event, attempt, classified);
      obeyRetryAfter(classified);
      tellBreaker(event, attempt, service);
    },
    /** Nothing that was tried has succeeded, or nothing is answered. */
    pause: (message: string) => applyBreaker(breaker.trip(message)),
    /** Closes the breaker when only failing events are left. */
    resume: () => applyBreaker(breaker.close()),
    /** Milliseconds until time alone lets something leave; infinite if it does not. */
    dueInMs(): number {
      const pausedForMs = breaker.pausedForMs() || Infinity;
      // The wait may be over by now, and then nothing else would wake it.
      return waitsForRate ? Math.min(pausedForMs, rate.waitMs(), checkRateMs) : pausedForMs;
    },
    get state(): SendingState {
      const perSecond =
        rate.bound === "throttling"
          ? (adaptive?.foundPerSecond(clock.now()) ?? Infinity)
          : rate.perSecond;
      return {
        inFlight: queues.inFlight.length,
        toRetry: queues.retries.length,
        allowed: limit.concurrency,
        ...(perSecond === Infinity ? {} : { perSecond }),
        ...(refusedWith === undefined ? {} : { refusedWith }),
        waitsFor: waitsFor(),
      };
    },
  };
}

/** How an attempt went, for the limiters. */
function endOf(
  attempt: Attempt,
  { kind }: Classification,
  isNewConnection: boolean,
): EndedAttempt["end"] {
  if (kind === "accepted" || kind === "rejected") return "accepted";
  if (attempt.kind === "answered") {
    return [429, 502, 503, 504].includes(attempt.httpStatus) ? "refused" : "failed";
  }
  if (attempt.code === "timeout") return "failed";
  // A connection that worked may break at any time; a new one shows that there is no place.
  return attempt.kind === "not_sent" || isNewConnection ? "no_place" : "failed";
}
