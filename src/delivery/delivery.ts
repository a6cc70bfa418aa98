import TinyQueue from "tinyqueue";
import { type Clock, isoTime } from "../model/clock.ts";
import { createRequestBuilder, type Endpoint } from "../model/endpoint.ts";
import type { LoadEvent } from "../model/event.ts";
import type { OnKeyFailure } from "../model/key-failure.ts";
import type { EventStatus, Outcome, OutcomeStatus } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import type { EventRecord } from "../model/run-record.ts";
import type { DeliveryMode } from "../model/run-settings.ts";
import type {
  DeliveryNotice,
  PauseReason,
  SendingLimit,
  SendingState,
  SendingWait,
} from "../model/sending-state.ts";
import type { StatusRules } from "../model/status-rules.ts";
import { onAbort, type StopController } from "../model/stop.ts";
import type { TokenSource } from "../model/token-source.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { is2xx } from "./classify-attempt.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import { createDeadlines } from "./deadlines.ts";
import { Fifo } from "./fifo.ts";
import { createAttemptHandler } from "./handle-attempt.ts";
import type { Attempt } from "./http/attempt.ts";
import type { ConnectionSettings, Connections } from "./http/connections.ts";
import { createRedact } from "./http/redact.ts";
import { createRenewableToken } from "./http/renewable-token.ts";
import type { Route } from "./http/route.ts";
import type { Token } from "./http/token.ts";
import { createOrdering } from "./ordering.ts";
import { type AttemptRules, PendingEvent } from "./pending-event.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { createRetryPolicy } from "./retry-policy.ts";
import { createStaging, type DeliveryJournal } from "./staging.ts";

export interface DeliverySettings {
  readonly endpoint: Endpoint;
  readonly token: Token;
  /** Where another token comes from if the service no longer accepts this one. */
  readonly tokenSource: TokenSource;
  /** Maximum attempts in flight. */
  readonly concurrency: number;
  /** Whether to detect how much the service can take. */
  readonly adaptive: boolean;
  /** How long an outage may last before the run stops; with 0, exhausted events fail at once. */
  readonly maxOutageMs: number;
  readonly ratePerSecond?: number | undefined;
  /** Maximum attempts per event, from 1. */
  readonly maxAttempts: number;
  /** Deadline of an attempt, from the moment it may be sent to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly mode: DeliveryMode;
  readonly onKeyFailure?: OnKeyFailure;
  readonly idempotencyHeader?: string | undefined;
  /** Default: a direct connection, with the usual certificate authorities. */
  readonly route?: Route;
  /** What the configuration says about statuses; default the usual rules. */
  readonly statuses?: StatusRules | undefined;
  /** Whether the run is resumed; default no. */
  readonly isResumed?: boolean;
  /** Whether the service accepted or refused an event in an earlier part of the run; default no. */
  readonly hasSucceeded?: boolean;
  /** Until when the service asked an earlier part of the run to wait, in epoch milliseconds. */
  readonly waitUntil?: number | undefined;
}

/** Sees every request and answer, and what kept more from being sent. */
export interface DeliveryTap {
  sent(inFlight: number, allowed: number, isRetry: boolean, limit: SendingLimit | undefined): void;
  ended(
    attempt: {
      readonly sentMs: number;
      readonly kind: Attempt["kind"];
      readonly isThrottled: boolean;
    },
    inFlight: number,
    allowed: number,
    limit: SendingLimit | undefined,
  ): void;
  notice(notice: DeliveryNotice): void;
}

export interface DeliveryPorts {
  readonly connect: (settings: ConnectionSettings) => Connections;
  readonly journal: DeliveryJournal;
  readonly tap: DeliveryTap;
  readonly clock: Clock;
  readonly stop: StopController;
  /** Whether the reader waits for rows to settle before it reads on; default no. */
  readonly isReaderWaiting?: () => boolean;
  /** An event has an outcome that no interrupted part of the run had recorded. */
  readonly onOutcome?: (row: PendingRow<PendingEvent>, outcome: Outcome) => void;
  /** Every event of the row has its outcome. */
  readonly onSettled: (row: PendingRow<PendingEvent>) => void;
}

/** What delivery has done so far. */
export interface DeliveryFigures {
  inFlight: number;
  attempts: number;
  unanswered: number;
  retries: number;
}

export interface Delivery {
  /**
   * Takes the events of a row. They settle later, one after another; rows settle in any order.
   *
   * @param before what an interrupted part of the run recorded about them
   */
  send(
    row: PendingRow<PendingEvent>,
    events: readonly LoadEvent[],
    before?: readonly EventRecord[],
  ): void;
  /**
   * A row whose outcome is known without sending takes its place in the order of its key: it may
   * block rows after it, but not rows before it.
   */
  pass(orderingKey: string, row: number, status: OutcomeStatus): void;
  /** Blocks the rows after one that did not succeed in an interrupted run. */
  block(orderingKey: string, row: number): void;
  /** Resolves when there is room for more events; undefined if there is room now. */
  room(): Promise<void> | undefined;
  /** No more rows come. Resolves when nothing is in flight and every event has settled or the run stops. */
  finish(): Promise<void>;
  readonly figures: Readonly<DeliveryFigures>;
  /** For how many milliseconds sending is still paused; 0 if it is not. */
  pausedForMs(): number;
  /** Why only a probe may be sent now; undefined if sending is not paused. */
  pausedBecause(): PauseReason | undefined;
  /** The current state of sending. */
  state(): SendingState;
  close(): Promise<void>;
}

/** At least this many events may wait to be staged; many more would only take memory. */
const minReady = 16;
/** How often to check the retry budget again if nothing else does. */
const checkBudgetMs = 1000;

/**
 * Sends events until each has an outcome, or the run stops.
 *
 * An event is ready when its ordering key is free, staged when its intent is in a batch of the journal, in
 * flight when it has a concurrency permit and a token of the rate limiter while the breaker is closed, and
 * settled, or back in line for a retry, when its attempt is over. An event that waits is in one of the queues here.
 */
export function openDelivery(settings: DeliverySettings, ports: DeliveryPorts): Delivery {
  const { endpoint, mode, timeoutMs, maxOutageMs, onKeyFailure = "default" } = settings;
  const { clock, stop, journal, tap } = ports;
  const isSuccess = settings.statuses?.isSuccess ?? is2xx;
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
  const request = createRequestBuilder(endpoint, token, settings.idempotencyHeader);
  const connections = ports.connect({
    ...{ endpoint, connections: settings.concurrency, timeoutMs, clock, route },
  });
  const concurrency = createConcurrencyLimiter(settings.concurrency, settings.adaptive);
  const rate = createRateLimiter(settings, clock);
  const policy = createRetryPolicy({ maxAttempts: settings.maxAttempts, random: clock.random });
  const breaker = createCircuitBreaker({
    clock,
    maxOutageMs,
    onPause(reason, durationMs, message) {
      if (reason === "outage") concurrency.restart(clock.now());
      handler.paused();
      tap.notice({ kind: "pause", reason, durationMs, message });
    },
    onPauseEnd: (reason, pausedMs) => tap.notice({ kind: "open", reason, pausedMs }),
    onChange: () => sendStaged(),
    onGiveUp: (reason) => stop.abort(reason),
  });
  const deadlines = createDeadlines<PendingEvent>(clock, timeoutMs, (event) =>
    event.giveUp("timeout", `no answer within ${timeoutMs / 1000} s`),
  );

  const handler = createAttemptHandler(settings, {
    ...{ clock, stop, token, breaker, rate, concurrency, policy, notify: tap.notice },
    recordWait(epochMs) {
      journal.waitUntil(epochMs);
      recordSoon();
    },
    settle: (event, status) => settle(event, status),
    attempted: (event) => attempted(event),
    retry: (event, delayMs, needsFreshConnection) => retry(event, delayMs, needsFreshConnection),
    sendAgain: (event) => sendAgain(event),
    isInputOver: () => isInputOver,
    isReaderWaiting: ports.isReaderWaiting ?? (() => false),
    sendable: () => sendable,
    inFlight: () => figures.inFlight,
  });

  // The queues that an event passes through, in this order. Staging holds the batch that is being written.
  const ready = new Fifo<PendingEvent>();
  const staging = createStaging({
    ...{ clock, stop: stop.signal, journal, breaker, concurrency },
    isAnswered: () => handler.isAnswered,
    permits: () => permits,
    hasNext: () => ready.length > 0 || retries.length > 0,
    next: () => nextToStage(),
    onStaged: () => sendStaged(),
    onIdle: () => endWhenDone(),
  });
  const { staged, stageMore, recordSoon } = staging;
  const backoff = new TinyQueue<PendingEvent>([], (one, other) => one.dueMs - other.dueMs);
  /** Their backoff is over; they wait for the retry budget. */
  const retries = new Fifo<PendingEvent>();

  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0, retries: 0 };
  /** Concurrency permits that are held or asked for. */
  let permits = 0;
  /** Events that have not settled and do not wait for an earlier one. */
  let sendable = 0;
  let isInputOver = false;
  /** The event that is sent alone until the service has answered. */
  let first: PendingEvent | undefined;

  /** Whether attempts wait for the rate limiter. */
  let waitsForRate = false;

  let wakeReader: (() => void) | undefined;
  let finished: (() => void) | undefined;
  let cancelRateTimer = () => {};
  let cancelBackoffTimer: (() => void) | undefined;
  let backoffTimerMs = Number.POSITIVE_INFINITY;
  let cancelBudgetTimer: (() => void) | undefined;

  // -- Waiting for the ordering key, or for the event before --

  const send: Delivery["send"] = (row, events, before = []) => {
    row.events = events.map((event, place) => new PendingEvent(event, row, place));
    row.unsettled = events.length;
    for (const [place, event] of row.events.entries()) {
      const known = before.length === 0 ? undefined : findRecord(before, event.event.index);
      if (known === undefined) continue;
      if (known.kind === "outcome") {
        row.outcomes[place] = { ...known.outcome, eventId: event.event.id };
      } else event.resume(known);
    }
    if (row.orderingKey !== undefined || events.length > 1) ordering.add(row);
    else for (const event of row.events) begin(event);
  };

  const ordering = createOrdering({
    onKeyFailure,
    begin: (event, blocker) => begin(event, blocker),
  });

  const blockedOutcome = (event: PendingEvent, blocker: string): Outcome => ({
    ...event.outcome("blocked", isoTime(clock.date())),
    errorCode: "blocked",
    error: `blocked, because ${blocker} did not succeed`,
  });

  // -- Ready --

  /** @returns its outcome, if that is known without sending it */
  const begin = (event: PendingEvent, blocker?: string): Outcome | undefined => {
    const known =
      event.row.outcomes[event.place] ??
      unknownOutcomeOf(event) ??
      (blocker === undefined ? undefined : blockedOutcome(event, blocker));
    if (known !== undefined) settled(event, known);
    else {
      sendable++;
      ready.push(event);
      stageMore();
    }
    return known;
  };

  /** The outcome of an event that may have arrived and must not be sent again; undefined for any other. */
  const unknownOutcomeOf = (event: PendingEvent): Outcome | undefined => {
    if (event.unanswered === 0 || mode === "at-least-once") return undefined;
    const outcome = event.outcome("unknown", isoTime(clock.date()));
    journal.settle(event.row.rowOfRun, outcome);
    recordSoon();
    return outcome;
  };

  const maxReady = () => Math.max(minReady, 2 * concurrency.allowed);

  /** Until the service has answered, nothing is read after the first event: the run may stop there. */
  const hasRoom = () => (handler.isAnswered ? ready.length < maxReady() : sendable === 0);

  const room = (): Promise<void> | undefined => {
    if (hasRoom() || stop.signal.aborted) return undefined;
    return new Promise((resolve) => {
      wakeReader = resolve;
    });
  };

  const makeRoom = () => {
    if (wakeReader === undefined || !hasRoom() || ready.length * 2 > maxReady()) return;
    wakeReader();
    wakeReader = undefined;
  };

  // -- Staged --

  /** Takes the next event to stage; undefined if none may be staged now. */
  const nextToStage = (): PendingEvent | undefined => {
    const isFirstTurn = !handler.isAnswered;
    const mayTakeReady = ready.length > 0 && (!isFirstTurn || first === undefined);
    const mayRetry =
      retries.length > 0 && (isFirstTurn || !breaker.isClosed || policy.budget(clock.now()) > 0);
    if (retries.length > 0 && !mayRetry) checkBudgetLater();
    if (!mayRetry && !mayTakeReady) return undefined;
    // While the breaker is open, retries and first attempts take turns as probes: either alone may be
    // events that fail by themselves.
    const prefersReady = !breaker.isClosed && figures.attempts % 2 === 0;
    const isRetry = mayRetry && !(prefersReady && mayTakeReady);
    const event = (isRetry ? retries : ready).shift();
    if (isRetry) policy.retried(clock.now());
    if (isFirstTurn) first ??= event;
    makeRoom();
    return event;
  };

  const checkBudgetLater = () => {
    cancelBudgetTimer ??= clock.schedule(checkBudgetMs, () => {
      cancelBudgetTimer = undefined;
      stageMore();
    });
  };

  // -- In flight --

  /**
   * Sends what is staged, as far as the limiters and the breaker allow.
   *
   * @param release gives back a permit that has just become free: the next event takes it
   */
  const sendStaged = (release?: () => void) => {
    let permit = release;
    while (staged.length > 0) {
      if (permits >= concurrency.allowed) break;
      if (token.renewing !== undefined || !breaker.allows()) break;
      const waitMs = rate.waitMs();
      if (waitMs > 0) {
        waitsForRate = true;
        cancelRateTimer();
        cancelRateTimer = clock.schedule(Math.min(waitMs, checkRateMs), () => sendStaged());
        break;
      }
      const event = staged.shift() as PendingEvent;
      permits++;
      event.isProbe = breaker.sent();
      event.waitedForRate = waitsForRate;
      rate.sent(waitsForRate);
      if (permit === undefined) concurrency.run(dispatchWithPermit, event);
      else {
        event.release = permit;
        permit = undefined;
        dispatch(event);
      }
    }
    permit?.();
    if (staged.length === 0) {
      waitsForRate = false;
      if (permits < concurrency.allowed) staging.starved();
    }
    stageMore();
  };

  /** Holds a permit until the attempt is over. */
  const dispatchWithPermit = (event: PendingEvent) =>
    new Promise<void>((release) => {
      event.release = release;
      dispatch(event);
    });

  const dispatch = (event: PendingEvent) => {
    // A permit comes a moment after it is asked for, and the stop, the breaker or the token may change meanwhile.
    const maySend = event.isProbe || breaker.isClosed;
    if (stop.signal.aborted || !maySend || token.renewing !== undefined) {
      permits--;
      if (event.isProbe) breaker.withdrawn();
      staged.putBack(event);
      event.release();
      if (stop.signal.aborted) {
        staging.withdraw();
        endWhenDone();
      }
      return;
    }
    const now = clock.now();
    policy.sent(now);
    figures.attempts++;
    figures.inFlight++;
    staging.sent();
    event.sentMs = now;
    event.inFlight = figures.inFlight;
    event.tokenGeneration = token.generation;
    tap.sent(figures.inFlight, concurrency.allowed, event.isRetry, limit(event.waitedForRate));
    event.begin(rules);
    deadlines.begin(event);
    const { needsFreshConnection } = event;
    connections.dispatch(request(event.event, event.importedAt), event, needsFreshConnection);
  };

  const rules: AttemptRules = {
    isSuccess,
    blame: connections.blame,
    onEnd(event, attempt) {
      deadlines.end(event);
      figures.inFlight--;
      event.isIntended = false;
      if (attempt.kind === "unanswered") figures.unanswered++;
      const isThrottled = attempt.kind === "answered" && attempt.httpStatus === 429;
      const { sentMs, release } = event;
      const { kind } = attempt;
      const { allowed } = concurrency;
      tap.ended({ sentMs, kind, isThrottled }, figures.inFlight, allowed, limit(waitsForRate));
      handler.ended(event, attempt);
      permits--;
      makeRoom();
      sendStaged(release);
      endWhenDone();
    },
  };

  // -- Retry --

  const retry = (event: PendingEvent, delayMs: number, needsFreshConnection: boolean) => {
    figures.retries++;
    const next = nextAttemptOf(event);
    next.isRetry = true;
    next.needsFreshConnection = needsFreshConnection;
    next.dueMs = clock.now() + delayMs;
    if (delayMs <= 0) {
      retries.push(next);
      stageMore();
    } else {
      backoff.push(next);
      wakeAfterBackoff();
    }
  };

  const nextAttemptOf = (event: PendingEvent): PendingEvent => {
    const next = event.forNextAttempt();
    if (next === event) return event;
    event.row.events = event.row.events.map((one) => (one === event ? next : one));
    if (first === event) first = next;
    return next;
  };

  const wakeAfterBackoff = () => {
    const { dueMs } = backoff.peek() ?? {};
    if (dueMs === undefined || dueMs >= backoffTimerMs) return;
    cancelBackoffTimer?.();
    backoffTimerMs = dueMs;
    cancelBackoffTimer = clock.schedule(dueMs - clock.now(), () => {
      backoffTimerMs = Number.POSITIVE_INFINITY;
      const now = clock.now();
      for (let due = backoff.peek(); due !== undefined && due.dueMs <= now; due = backoff.peek()) {
        retries.push(backoff.pop() as PendingEvent);
      }
      wakeAfterBackoff();
      stageMore();
    });
  };

  /** The event was sent with a token that the service no longer accepts. */
  const sendAgain = (event: PendingEvent) => {
    const next = nextAttemptOf(event);
    next.isRetry = false;
    ready.putBack(next);
    if (first === next) first = undefined; // it is sent alone again
    sendStaged();
  };

  // -- Settled --

  const attempted = (event: PendingEvent) => {
    journal.attempted(event.soFar());
    recordSoon();
  };

  const settle = (event: PendingEvent, status: EventStatus) => {
    const outcome = event.outcome(status, isoTime(clock.date()));
    journal.settle(event.row.rowOfRun, outcome);
    recordNext(event);
    recordSoon();
    sendable--;
    settled(event, outcome);
    ordering.settled(event.row, status);
    handler.settled(event);
  };

  /** Says in the journal that an event of the row is still to come: the row has not settled. */
  const recordNext = ({ row, place }: PendingEvent) => {
    const next = row.events[place + 1];
    if (next === undefined || row.outcomes[place + 1] !== undefined) return;
    if (next.attempts === 0 && !next.isIntended) journal.attempted(next.soFar());
  };

  const settled = ({ row, place }: PendingEvent, outcome: Outcome) => {
    const isKnown = row.outcomes[place] !== undefined;
    row.outcomes[place] = outcome;
    if (!isKnown) ports.onOutcome?.(row, outcome);
    row.unsettled--;
    if (row.unsettled > 0) return;
    row.isSettled = true;
    ports.onSettled(row);
    row.events = []; // frees their requests and answers, however long the row waits to be written
  };

  const endWhenDone = () => {
    if (finished === undefined || permits > 0 || staging.isWriting) return;
    if (sendable > 0 && !stop.signal.aborted) return;
    finished();
  };

  const cancelTimers = () => {
    for (const cancel of [cancelRateTimer, cancelBackoffTimer, cancelBudgetTimer]) cancel?.();
    breaker.end();
  };

  onAbort(stop.signal, () => {
    wakeReader?.();
    cancelTimers();
    staging.withdraw();
    endWhenDone();
  });

  if (settings.waitUntil !== undefined) handler.waitUntil(settings.waitUntil);

  const waitsFor = (): SendingWait | undefined => {
    const { reason } = breaker;
    if (stop.signal.aborted) return { kind: "stop" };
    if (reason !== undefined) {
      const { hasKnownEnd } = breaker;
      return { kind: "pause", reason, forMs: breaker.pausedForMs(), hasKnownEnd };
    }
    if (token.renewing !== undefined) return { kind: "token" };
    if (!handler.isAnswered && figures.attempts > 0) return { kind: "first_answer" };
    const bound = waitsForRate ? rate.bound : undefined;
    return bound === undefined ? undefined : { kind: "rate", bound };
  };

  /** What keeps more from being sent; undefined while the run is paused, or if this program itself is the limit. */
  const limit = (isForRate: boolean): SendingLimit | undefined => {
    if (!breaker.isClosed || !handler.isAnswered || token.renewing !== undefined) return undefined;
    if (isForRate && rate.bound !== undefined) return rate.bound === "cap" ? "rate" : rate.bound;
    if (permits >= concurrency.allowed) {
      return concurrency.isDetected ? "adapted_concurrency" : "concurrency";
    }
    return retries.length > 0 && ready.length + staged.length === 0 ? "retry_budget" : undefined;
  };

  return {
    send,
    pass: ordering.pass,
    block: ordering.block,
    room,
    finish() {
      isInputOver = true;
      handler.inputEnded();
      return new Promise((resolve) => {
        finished = resolve;
        endWhenDone();
      });
    },
    figures,
    pausedForMs: breaker.pausedForMs,
    pausedBecause: () => breaker.reason,
    state() {
      const { inFlight, attempts, retries: retried } = figures;
      const { perSecond } = rate;
      return {
        ...{ inFlight, attempts, retries: retried, allowed: concurrency.allowed },
        toRetry: backoff.length + retries.length,
        retriesHeld: retries.length,
        ...(perSecond === Number.POSITIVE_INFINITY ? {} : { perSecond }),
        ...(settings.ratePerSecond === undefined ? {} : { cap: settings.ratePerSecond }),
        waitsFor: waitsFor(),
      };
    },
    async close() {
      cancelTimers();
      staging.close();
      await connections.close();
    },
  };
}

/** If the rate rises while attempts wait for it, they wait no longer than this. */
const checkRateMs = 250;

function findRecord(records: readonly EventRecord[], event: number): EventRecord | undefined {
  return records.find(
    (record) => (record.kind === "outcome" ? record.outcome.event : record.event) === event,
  );
}
