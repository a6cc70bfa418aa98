import { createIsoTime } from "../model/clock.ts";
import type { LoadEvent } from "../model/event.ts";
import type { EventStatus, Outcome } from "../model/outcome.ts";
import type { EventBefore, Tried, Writable } from "../model/run-record.ts";
import { onAbort, type StopReason } from "../model/stop.ts";
import type { Attempt } from "./classify-attempt.ts";
import type { DeliveryPorts, DeliverySettings } from "./delivery-contract.ts";
import { createHeldEvents } from "./held-events.ts";
import { createRedact } from "./http/redact.ts";
import { createRenewableToken, type Renewal } from "./http/renewable-token.ts";
import type { Token } from "./http/token.ts";
import { createJudge, type NextMove, statusOfFailed } from "./judge-attempt.ts";
import { createOrdering } from "./ordering.ts";
import { type AttemptRules, PendingEvent, type PendingRow } from "./pending-event.ts";
import { createQueues } from "./queues.ts";
import { createRetryPolicy } from "./retry-policy.ts";
import { createSending } from "./sending.ts";
import { createSendingLimits } from "./sending-limits.ts";
import { createSilence } from "./silence.ts";

/** Costs less than `queueMicrotask`, which makes an AsyncResource each time. */
const soon = Promise.resolve();

/**
 * Sends events until each has an outcome, or the run stops.
 *
 * An event waits in one of the queues. It is ready when its ordering key is free, staged when its intent is in a batch
 * of the journal, in flight when p-limit has a place for it, and a token of the rate limiter while the breaker is
 * closed, and settled, or back in line for a retry, when its attempt is over. Each move from queue to queue wakes
 * `advance`, which takes every step that is possible then. The limiters, the breaker, the retry policy and the judge are
 * asked, and answer with a decision; none of them calls back.
 */
export function openDelivery(settings: DeliverySettings, ports: DeliveryPorts) {
  const { endpoint, mode, timeoutMs, onKeyFailure = "default" } = settings;
  const { clock, stop, journal, tap, isReaderWaiting = () => false } = ports;
  const route = settings.route ?? {};

  const redactProxy = createRedact(...(route.proxy?.secrets ?? []));
  const firstToken: Token = {
    ...settings.token,
    redact: (text, isCut) => redactProxy(settings.token.redact(text, isCut), isCut),
  };
  const token = createRenewableToken(
    firstToken,
    settings.tokenSource,
    { stop: stop.signal, clock },
    () => tap.notice({ kind: "token_renewed" }),
  );
  const connections = ports.connect({ endpoint, timeoutMs, clock, route });
  const isoTime = createIsoTime(clock);

  // -- The loop --

  let isWoken = false;
  /** Soon takes every step that is possible then; once, however many ask for it. */
  const wake = () => {
    if (isWoken) return;
    isWoken = true;
    void soon.then(advance);
  };

  const advance = () => {
    isWoken = false;
    makeRoom();
    if (!stop.signal.aborted) {
      wakeIn(Math.min(silence.advance(), heldEvents.advance(), sending.advance()));
    }
    endWhenDone();
  };

  let timerMs = Infinity;
  let cancelTimer = () => {};

  const wakeIn = (dueInMs: number) => {
    const atMs = clock.now() + dueInMs;
    // The same time, computed again, may differ by next to nothing: that sets no other timer.
    if (dueInMs === Infinity || atMs > timerMs - 0.5) return;
    cancelTimer();
    timerMs = atMs;
    cancelTimer = clock.schedule(Math.max(0, dueInMs), () => {
      timerMs = Infinity;
      advance();
    });
  };

  const endWhenDone = () => {
    if (finished === undefined || queues.inFlight.length > 0 || sending.isWriting) return;
    if (queues.sendable > 0 && !stop.signal.aborted) return;
    finished();
  };

  // -- Rows come --

  let wakeReader: (() => void) | undefined;
  /** The reader was woken, and has not brought a row since. */
  let isReaderComing = false;
  let finished: (() => void) | undefined;

  /**
   * Takes the events of a row. They settle later, one after another; rows settle in any order.
   *
   * @param before what an interrupted part of the run recorded about them
   */
  const send = (
    row: PendingRow,
    events: readonly LoadEvent[],
    before: readonly EventBefore[] = [],
  ) => {
    isReaderComing = false;
    row.events = events.map((event, place) => new PendingEvent(event, row, place));
    row.unsettled = events.length;
    if (before.length > 0) takeRecords(row, before);
    if (row.orderingKey !== undefined || events.length > 1) ordering.add(row);
    else for (const event of row.events) begin(event);
  };

  const takeRecords = (row: PendingRow, before: readonly EventBefore[]) => {
    for (const [place, event] of row.events.entries()) {
      const known = before.find((one) => one.event === event.event.index);
      if (known?.outcome !== undefined) row.outcomes[place] = known.outcome;
      else if (known !== undefined) event.resume(known);
    }
  };

  /** @returns the event's outcome, if that is known without sending it */
  const begin = (event: PendingEvent, blocker?: string): Outcome | undefined => {
    const known = event.row.outcomes[event.place] ?? outcomeUnsent(event, blocker);
    if (known !== undefined) settled(event, known);
    else {
      queues.sendable++;
      queues.ready.push(event);
    }
    return known;
  };

  /** The outcome of an event that must not be sent; undefined for any other. */
  const outcomeUnsent = (event: PendingEvent, blocker?: string): Outcome | undefined => {
    // It may have arrived.
    if (event.unanswered > 0 && mode === "at-most-once") return event.outcome("unknown", isoTime());
    if (blocker === undefined) return undefined;
    event.errorCode = "blocked";
    event.error = `blocked, because ${blocker} did not succeed`;
    return event.outcome("blocked", isoTime());
  };

  /** Many more events that wait to be staged would only take memory. */
  const maxReady = () => Math.max(16, 2 * limits.limit.concurrency);

  /** Of an unknown service, nothing is read after the first event: the run may stop there. */
  const hasRoom = () =>
    (judge.isUnknown ? queues.sendable === 0 : queues.ready.length < maxReady()) ||
    stop.signal.aborted;

  /** Resolves when there is room for more events; undefined if there is room now. */
  const room = (): Promise<void> | undefined => {
    if (hasRoom()) return undefined;
    return new Promise((resolve) => {
      wakeReader = resolve;
    });
  };

  const makeRoom = () => {
    if (wakeReader === undefined || !hasRoom()) return;
    if (queues.ready.length * 2 > maxReady() && !stop.signal.aborted) return;
    wakeReader();
    wakeReader = undefined;
    isReaderComing = true;
  };

  /** Whether the reader may bring another row. Until the service has answered, it counts however slow it is. */
  const mayRowsCome = () =>
    !isReaderWaiting() && (judge.isKnown ? isReaderComing : !queues.isInputOver);

  // -- An attempt is over --

  const ended = (event: PendingEvent, attempt: Attempt) => {
    sending.ended(event);
    event.tried = triedOf(event, attempt);
    const judgement = judge.judge(event, attempt, breaker);
    const { classified, service, next } = judgement;
    if (classified.kind !== "unauthorized") event.hasNewToken = false;
    if (classified.kind === "accepted" && event.isRetry) policy.retrySucceeded();
    if (judgement.stop !== undefined) stop.abort(judgement.stop);
    limits.ended(event, attempt, judgement);
    if (service === "up") heldEvents.succeeded();
    if (next.kind === "settle") settle(event, next.status);
    else goOn(event, next);
  };

  const triedOf = (event: PendingEvent, attempt: Attempt): Tried => {
    const tried: Writable<Tried> = {
      sentMs: sinceStart(event.sentMs),
      endedMs: sinceStart(clock.now()),
      kind: attempt.kind,
      event: event.event.name,
    };
    if (attempt.kind === "answered") tried.httpStatus = attempt.httpStatus;
    // Of an earlier part, too.
    if (event.isRetry || event.attempts > 0) tried.isRetry = true;
    return tried;
  };

  const sinceStart = (ms: number) => Math.max(0, Math.round((ms - settings.startedMs) * 10) / 10);

  /** The event has no outcome yet. */
  const goOn = (event: PendingEvent, next: Exclude<NextMove, { kind: "settle" }>) => {
    journal.add(event.attempted());
    switch (next.kind) {
      case "retry":
        if (!stop.signal.aborted) retry(event, next.delayMs);
        break;
      case "hold":
        queues.held.push(event);
        break;
      case "renew_token":
        void renewToken(event, next.reason);
        break;
      case "leave":
        break;
      default:
        next satisfies never;
    }
  };

  const retry = (event: PendingEvent, delayMs: number) => {
    const place = { row: event.row.row.row, event: event.event.index };
    const { attempts, errorCode: code, error: message } = event;
    tap.notice({ kind: "retry", ...place, attempts, delayMs, code, message });
    const next = nextAttemptOf(event);
    next.isRetry = true;
    queues.retries.push(next, delayMs);
  };

  const nextAttemptOf = (event: PendingEvent): PendingEvent => {
    const next = event.forNextAttempt();
    if (next === event) return event;
    event.row.events = event.row.events.map((one) => (one === event ? next : one));
    return next;
  };

  /** Sends the event again with a new token, ahead of others, or stops the run. */
  const renewToken = async (event: PendingEvent, { code, message }: StopReason) => {
    const renewal = event.hasNewToken ? noOtherToken : token.renew(event.tokenGeneration);
    const over = renewal instanceof Promise ? await renewal : renewal;
    if (over.kind === "renewed") {
      event.hasNewToken = true;
      const next = nextAttemptOf(event);
      next.isRetry = false;
      return queues.ready.putBack(next);
    }
    // The service's message may have no full stop.
    const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
    stop.abort({ code, message: over.why === "" ? message : `${sentence} ${over.why}` });
  };

  // -- Settled --

  const settle = (event: PendingEvent, status: EventStatus) => {
    queues.sendable--;
    settled(event, event.outcome(status, isoTime()));
    ordering.settled(event.row, status);
    judge.settled(event);
  };

  const settled = (event: PendingEvent, outcome: Outcome) => {
    const { row, place } = event;
    const isKnown = row.outcomes[place] !== undefined;
    row.outcomes[place] = outcome;
    row.unsettled--;
    if (!isKnown) ports.onOutcome?.(event, outcome, event.takeTried());
    if (row.unsettled > 0) return;
    ports.onSettled(row);
    row.events = []; // frees their requests and answers, however long the row waits to be written
  };

  // -- The parts --

  const giveUp = (event: PendingEvent) => {
    const waitedMs = Math.min(timeoutMs, Math.round(clock.now() - event.sentMs));
    event.giveUp("timeout", `no answer within ${waitedMs / 1000} s`);
  };

  const queues = createQueues(clock, timeoutMs, giveUp, wake);
  const figures = { attempts: 0 };
  const { redact } = token;
  const policy = createRetryPolicy(settings.maxAttempts, clock);
  const judge = createJudge(settings, { clock, stop, policy, queues, isReaderWaiting, redact });
  const deciders = { clock, stop, journal, tap, queues, policy, judge, token, figures };
  const limits = createSendingLimits(settings, deciders);
  const { breaker } = limits;
  const parts = { ...deciders, limits };
  const silence = createSilence(mode, parts, giveUp);
  const ordering = createOrdering({ blockedKeys: ports.blockedKeys, onKeyFailure, begin });
  const fail = (event: PendingEvent) => settle(event, statusOfFailed(event));
  const heldEvents = createHeldEvents({ ...parts, ordering, mayRowsCome, fail, retry });
  const rules: AttemptRules = { statuses: settings.statuses, onEnd: ended };
  const sending = createSending(settings, { ...parts, connections, silence, rules, wake });

  onAbort(stop.signal, () => {
    sending.withdraw();
    wake();
  });
  wake(); // the service may have asked an earlier part of the run to wait

  return {
    send,
    pass: ordering.pass,
    room,
    /** No more rows come. Resolves when nothing is in flight and every event has settled or the run stops. */
    finish() {
      queues.isInputOver = true;
      isReaderComing = false;
      return new Promise<void>((resolve) => {
        finished = resolve;
        wake();
      });
    },
    figures,
    state: () => limits.state,
    async close() {
      cancelTimer();
      await connections.close();
    },
  };
}

const noOtherToken: Renewal = { kind: "no_other", why: "A new one was not accepted either." };
