import TinyQueue from "tinyqueue";
import type { LoadEvent } from "../domain/event.ts";
import { isoTime } from "../domain/iso-time.ts";
import { holdsBackKey, type OnKeyFailure } from "../domain/key-failure.ts";
import type { Ending, EventStatus, Outcome } from "../domain/outcome.ts";
import type { PendingRow } from "../domain/pending-row.ts";
import { duration } from "../domain/quantities.ts";
import type { AttemptsSoFar, EventRecord, Intent } from "../domain/run-record.ts";
import type { StopReason, StopSwitch } from "../domain/stop.ts";
import type { Attempt } from "./attempt.ts";
import { createBlockedKeys } from "./blocked-keys.ts";
import { createCircuitBreaker } from "./circuit-breaker.ts";
import { classify, type DeliveryMode, type Verdict } from "./classify.ts";
import { type Clock, endOfTurn } from "./clock.ts";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { Connections, ConnectionSettings } from "./connections.ts";
import { createDeadlines } from "./deadlines.ts";
import { createRequestBuilder, type Endpoint } from "./endpoint.ts";
import { Fifo } from "./fifo.ts";
import { keepToken } from "./keep-token.ts";
import type { DeliveryNotice, PauseReason } from "./notice.ts";
import { type AttemptRules, PendingEvent } from "./pending-event.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { createRedact, type Redact } from "./redact.ts";
import { createRefusalStreak } from "./refusal-streak.ts";
import { createRetryPolicy } from "./retry-policy.ts";
import type { Route } from "./route.ts";
import type { SendingState, SendingWait } from "./sending-state.ts";
import type { StatusRules } from "./status-rules.ts";
import type { Token, TokenSource } from "./token.ts";
import { unreachable } from "./unreachable.ts";

export interface DeliverySettings {
  readonly endpoint: Endpoint;
  readonly token: Token;
  /** Where another token comes from when the service does not accept this one any more. */
  readonly tokenSource: TokenSource;
  /** Attempts in flight at most. */
  readonly concurrency: number;
  /** Whether to find out how much the service copes with. */
  readonly adaptive: boolean;
  /** How long the service may take nothing before the run stops; 0: exhausted events fail at once. */
  readonly maxOutageMs: number;
  readonly ratePerSecond?: number | undefined;
  /** Attempts for an event at most, from 1. */
  readonly maxAttempts: number;
  /** Deadline of an attempt, from the moment it may leave to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly mode: DeliveryMode;
  readonly onKeyFailure?: OnKeyFailure;
  readonly idempotencyHeader?: string | undefined;
  /** Default: straight there, with the usual authorities. */
  readonly route?: Route;
  /** What the configuration says of statuses; default the usual rules. */
  readonly statuses?: StatusRules | undefined;
  /** Whether an earlier part of the run has delivered something; default it has not. */
  readonly isResumed?: boolean;
  /** Epoch milliseconds until which the service has asked an earlier part of the run to wait. */
  readonly waitUntil?: number | undefined;
}

/** Puts on record what is about to leave and what became of it, in batches. */
export interface DeliveryJournal {
  /** Adds to the next batch. */
  intend(intent: Intent): void;
  /** The attempt is over, and its event has no outcome yet. */
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
  /** The service asks to be left alone until then, in epoch milliseconds. */
  waitUntil(epochMs: number): void;
  /**
   * Writes what was added since the last batch.
   *
   * @param hasIntents whether events wait for it
   * @returns whether those may leave; not where the journal cannot be written
   */
  write(hasIntents: boolean): Promise<boolean>;
}

/** Sees what leaves and what comes back. */
export interface DeliveryTap {
  departed(inFlight: number, allowed: number, isRetry: boolean): void;
  arrived(
    attempt: {
      readonly departedMs: number;
      readonly kind: Attempt["kind"];
      readonly isThrottled: boolean;
    },
    inFlight: number,
    allowed: number,
  ): void;
  notice(notice: DeliveryNotice): void;
}

export interface DeliveryPorts {
  readonly connect: (settings: ConnectionSettings) => Connections;
  readonly journal: DeliveryJournal;
  readonly tap: DeliveryTap;
  readonly clock: Clock;
  readonly stop: StopSwitch;
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
   * Takes the events of a row. They settle later, also in another order than they came.
   *
   * @param before what an interrupted part of the run put on record of them
   */
  send(
    row: PendingRow<PendingEvent>,
    events: readonly LoadEvent[],
    before?: readonly EventRecord[],
  ): void;
  /**
   * A row whose outcome is known without sending takes its place in the order of its key: it may
   * block what comes after it, and not what comes before it.
   */
  pass(orderingKey: string, row: number, ending: Ending): void;
  /** Blocks what comes after a row of an interrupted run that did not succeed. */
  block(orderingKey: string, row: number): void;
  /** Resolves when there is use for more events; nothing where there is now. */
  room(): Promise<void> | undefined;
  /** No more rows come. Resolves when nothing is in flight and every event has settled or the run stops. */
  finish(): Promise<void>;
  readonly figures: Readonly<DeliveryFigures>;
  /** Milliseconds for which nothing leaves from now. */
  pausedForMs(): number;
  /** Why nothing but a probe leaves at the moment. */
  pausedBecause(): PauseReason | undefined;
  /** How the sending is at the moment. */
  state(): SendingState;
  /** Cuts off what is in flight; those attempts end as unanswered. */
  cutOff(): void;
  close(): Promise<void>;
}

/** So many events may wait to be staged; more would only take memory. */
const leastReady = 128;
/** A service that asks for more than this is left alone: the run stops and says when to come back. */
const longestRetryAfterMs = 15 * 60_000;
/** Outcomes that no event waits for are written after so long. */
const recordOutcomesMs = 10;
/** How often the retry budget is looked at again where nothing else brings it up. */
const lookAtBudgetMs = 1000;

/** The rows of a key behind the one whose turn it is; a number is a row that blocks the key in its turn. */
type Line = Fifo<PendingRow<PendingEvent> | number>;

/**
 * Sends events until each has an outcome, or the run stops.
 *
 * An event is ready when its ordering key is free, staged when its intent is in a batch of the journal, in
 * flight when it has a concurrency permit and a token of the rate limiter while the breaker is closed, and
 * settled, or back in line for a retry, when its attempt is over. Waiting is a place in one of the queues here.
 */
export function openDelivery(settings: DeliverySettings, ports: DeliveryPorts): Delivery {
  const { endpoint, mode, timeoutMs, maxOutageMs, onKeyFailure = "default" } = settings;
  const { clock, stop, journal, tap } = ports;
  const isSuccess = settings.statuses?.isSuccess ?? is2xx;
  const route = settings.route ?? {};

  const token = keepToken(settings.token, settings.tokenSource, { stop, clock }, () =>
    tap.notice({ kind: "token_renewed" }),
  );
  const request = createRequestBuilder(endpoint, token, settings.idempotencyHeader);
  const connections = ports.connect({
    ...{ endpoint, connections: settings.concurrency, timeoutMs, clock, route },
  });
  const concurrency = createConcurrencyLimiter(settings.concurrency, settings.adaptive);
  const rate = createRateLimiter(settings, clock);
  const policy = createRetryPolicy({ maxAttempts: settings.maxAttempts, random: clock.random });
  const refusals = createRefusalStreak(endpoint.baseUrl);
  const breaker = createCircuitBreaker({
    clock,
    maxOutageMs,
    onPause(reason, durationMs, message) {
      if (reason === "outage") concurrency.restart(clock.now());
      tap.notice({ kind: "pause", reason, durationMs, message });
    },
    onPauseEnd: (reason, pausedMs) => tap.notice({ kind: "open", reason, pausedMs }),
    onChange: () => pump(),
    onGiveUp: (reason) => stop.request(reason),
  });
  const deadlines = createDeadlines<PendingEvent>(clock, timeoutMs, (event) =>
    event.giveUp("timeout", `no answer within ${timeoutMs / 1000} s`),
  );

  // Where an event waits, in the order of its way.
  const lines = new Map<string, Line | undefined>();
  const ready = new Fifo<PendingEvent>();
  /** In the batch that is being written. */
  let staging: readonly PendingEvent[] = [];
  const staged = new Fifo<PendingEvent>();
  const backoff = new TinyQueue<PendingEvent>([], (one, other) => one.dueMs - other.dueMs);
  /** Their backoff is over; the retry budget has to allow them. */
  const retries = new Fifo<PendingEvent>();

  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0, retries: 0 };
  /** Permits that are taken, or asked for. */
  let permits = 0;
  /** Events that have not settled and do not wait for their key. */
  let sendable = 0;
  /** Of these, those that failed last with a 500. */
  let suspects = 0;
  /** Attempts that succeeded, or were refused for what their event says. */
  let successes = 0;
  let isInputOver = false;
  /** The one that goes ahead until the service has answered. */
  let first: PendingEvent | undefined;
  let isAnswered = false;
  const blockedKeys = createBlockedKeys();

  // How much is staged ahead.
  /** Attempts that left while the last batches were written. */
  let leftDuringWrite = 1;
  let leftSinceStaged = 0;
  /** Whether an event could have left and none was staged. */
  let isStarved = false;
  /** Whether attempts wait for the rate limiter. */
  let waitsForRate = false;

  let isWriting = false;
  let hasOutcomes = false;
  let wakeReader: (() => void) | undefined;
  let finished: (() => void) | undefined;
  let cancelRateTimer = () => {};
  let cancelBackoffTimer: (() => void) | undefined;
  let backoffTimerMs = Number.POSITIVE_INFINITY;
  let cancelBudgetTimer: (() => void) | undefined;
  let cancelOutcomeTimer: (() => void) | undefined;

  // -- Waiting for the ordering key --

  const send: Delivery["send"] = (row, events, before = []) => {
    row.events = events.map((event, place) => new PendingEvent(event, row, place));
    row.unsettled = events.length;
    for (const [place, event] of row.events.entries()) {
      const known = before.length === 0 ? undefined : findRecord(before, event.event.index);
      if (known === undefined) continue;
      if (known.kind === "outcome") row.outcomes[place] = { ...known.outcome, eventId: event.event.id };
      else event.resume(known);
    }
    const { orderingKey: key } = row;
    if (key === undefined) {
      for (const event of row.events) {
        const known = row.outcomes[event.place] ?? doubtful(event);
        if (known === undefined) begin(event);
        else settled(event, known);
      }
      return;
    }
    const line = lines.get(key);
    if (line !== undefined) line.push(row);
    else if (lines.has(key)) {
      const begun: Line = new Fifo();
      begun.push(row);
      lines.set(key, begun);
    } else {
      lines.set(key, undefined);
      takeTurn(row, key);
    }
  };


  /** Sends the next event of the row, and then of those behind it: one at a time. */
  const takeTurn = (row: PendingRow<PendingEvent>, key: string) => {
    let next: PendingRow<PendingEvent> | number | undefined = row;
    while (next !== undefined) {
      if (typeof next === "number") blockedKeys.block(key, next);
      else if (beginNextOf(next, key)) return;
      const line = lines.get(key);
      next = line?.shift();
    }
    lines.delete(key);
  };

  /** @returns whether one of its events is to be sent; else all have their outcome */
  const beginNextOf = (row: PendingRow<PendingEvent>, key: string): boolean => {
    for (let place = row.events.length - row.unsettled; place < row.events.length; place++) {
      const event = row.events[place] as PendingEvent;
      const blocker = blockedKeys.rowOf(key);
      // What an interrupted run has settled stays as it was.
      const known =
        row.outcomes[place] ??
        (blocker === undefined ? doubtful(event) : blocked(event, blocker));
      if (known === undefined) {
        begin(event);
        return true;
      }
      if (holdsBackKey(known.ending, onKeyFailure)) blockedKeys.block(key, row.row.row);
      settled(event, known);
    }
    return false;
  };

  const blocked = (event: PendingEvent, blocker: number): Outcome => ({
    ...{ ending: "blocked", event: event.event.index, eventId: event.event.id },
    ...{ attempts: 0, unanswered: 0, errorCode: "blocked" },
    error: `blocked, because row ${blocker} of the same ordering key did not succeed`,
    finishedAt: isoTime(clock.date()),
  });

  /** The outcome of an event that may have arrived and must not be sent again; nothing for any other. */
  const doubtful = (event: PendingEvent): Outcome | undefined => {
    if (event.unanswered === 0 || mode === "at-least-once") return undefined;
    const outcome = event.outcome("unknown", isoTime(clock.date()));
    journal.settle(event.row.rowOfRun, outcome);
    recordSoon();
    return outcome;
  };

  const pass: Delivery["pass"] = (key, row, ending) => {
    if (!holdsBackKey(ending, onKeyFailure)) return;
    if (!lines.has(key)) return blockedKeys.block(key, row);
    const line = lines.get(key) ?? new Fifo();
    line.push(row);
    lines.set(key, line);
  };

  // -- Ready --

  const begin = (event: PendingEvent) => {
    sendable++;
    ready.push(event);
    stageMore();
  };

  const mostReady = () => Math.max(leastReady, 2 * concurrency.allowed);

  const room = (): Promise<void> | undefined => {
    if (ready.length < mostReady() || stop.reason !== undefined) return undefined;
    return new Promise((resolve) => {
      wakeReader = resolve;
    });
  };

  const makeRoom = () => {
    if (wakeReader === undefined || ready.length * 2 > mostReady()) return;
    wakeReader();
    wakeReader = undefined;
  };

  // -- Staged: the journal's batches --

  /** As many events as leave while a batch is written; twice as many are staged at most. */
  const lowWater = () => Math.max(1, Math.min(Math.ceil(leftDuringWrite), concurrency.allowed));

  const mayStage = (): number => {
    if (stop.reason !== undefined) return 0;
    if (!breaker.isClosed) return breaker.allows() && staged.length === 0 ? 1 : 0;
    if (!isAnswered) return staged.length + permits === 0 ? 1 : 0;
    const low = lowWater();
    if (staged.length >= low) return 0;
    return Math.min(2 * low, concurrency.allowed) - staged.length;
  };

  const stageMore = () => {
    if (isWriting) return;
    if (mayStage() > 0 && (ready.length > 0 || retries.length > 0)) void writeBatches();
  };

  const recordSoon = () => {
    hasOutcomes = true;
    if (isWriting || cancelOutcomeTimer !== undefined) return;
    cancelOutcomeTimer = clock.schedule(recordOutcomesMs, () => {
      cancelOutcomeTimer = undefined;
      if (hasOutcomes && !isWriting) void writeBatches();
    });
  };

  /** Takes the next event to be staged, and puts its intent into the batch. */
  const stageNext = (budget: number): PendingEvent | undefined => {
    const isFirstTurn = !isAnswered;
    // While the breaker is open, retries and first attempts take turns as probes: either alone may be
    // events that fail by themselves.
    const prefersReady = !breaker.isClosed && figures.attempts % 2 === 0;
    const mayRetry = retries.length > 0 && (budget > 0 || !breaker.isClosed || isFirstTurn);
    const mayTakeReady = ready.length > 0 && (!isFirstTurn || first === undefined);
    if (!mayRetry && !mayTakeReady) return undefined;
    const isRetry = mayRetry && !(prefersReady && mayTakeReady);
    return isRetry ? retries.shift() : ready.shift();
  };

  const stage = (): readonly PendingEvent[] => {
    const most = mayStage();
    if (most <= 0) return [];
    const now = clock.now();
    const importedAt = isoTime(clock.date());
    let budget = retries.length > 0 ? policy.budget(now) : 0;
    const batch: PendingEvent[] = [];
    while (batch.length < most) {
      const event = stageNext(budget);
      if (event === undefined) break;
      if (!isAnswered) first ??= event;
      if (event.isRetry) {
        budget--;
        policy.retried(now);
      }
      if (event.importedAt === "") event.importedAt = importedAt;
      event.isIntended = true;
      journal.intend({
        rowOfRun: event.row.rowOfRun,
        event: event.event.index,
        attempt: event.attempts + 1,
        unanswered: event.unanswered,
        importedAt: event.importedAt,
      });
      batch.push(event);
    }
    makeRoom();
    if (batch.length === 0 && retries.length > 0) {
      cancelBudgetTimer ??= clock.schedule(lookAtBudgetMs, () => {
        cancelBudgetTimer = undefined;
        stageMore();
      });
    }
    return batch;
  };

  const writeBatches = async () => {
    isWriting = true;
    // All that is ready now goes into one batch: the first of it would have a write of its own, for which
    // the others wait.
    await endOfTurn();
    for (;;) {
      staging = stage();
      if (staging.length === 0 && !hasOutcomes) break;
      hasOutcomes = false;
      leftSinceStaged = 0;
      isStarved = false;
      const mayLeave = await journal.write(staging.length > 0);
      const batch = staging;
      staging = [];
      // Where events could have left and did not, as none was staged, more would have left.
      if (batch.length > 0) {
        leftDuringWrite = isStarved
          ? Math.min(Math.max(2 * leftDuringWrite, leftSinceStaged), settings.concurrency)
          : leftDuringWrite + (leftSinceStaged - leftDuringWrite) / 4;
      }
      for (const event of batch) {
        if (mayLeave) staged.push(event);
        else event.isIntended = false;
      }
      if (stop.reason !== undefined) withdrawStaged();
      pump();
      if (mayStage() === 0 || (ready.length === 0 && retries.length === 0)) break;
    }
    isWriting = false;
    if (hasOutcomes) recordSoon();
    endWhenDone();
  };

  /** The run stops: what has not left does not, and the journal says so. */
  const withdrawStaged = () => {
    for (const event of staged.drain()) {
      event.isIntended = false;
      journal.attempted(soFar(event));
      hasOutcomes = true;
    }
  };

  // -- In flight --

  const pump = () => {
    while (staged.length > 0 && stop.reason === undefined) {
      if (permits >= (isAnswered ? concurrency.allowed : 1)) break;
      if (token.renewing !== undefined || !breaker.allows()) break;
      const waitMs = rate.waitMs();
      if (waitMs > 0) {
        waitsForRate = true;
        cancelRateTimer();
        cancelRateTimer = clock.schedule(Math.min(waitMs, lookAtRateMs), pump);
        break;
      }
      const event = staged.shift() as PendingEvent;
      permits++;
      event.isProbe = breaker.departed();
      rate.departed(waitsForRate);
      concurrency.run(attempt, event);
    }
    if (staged.length === 0) {
      waitsForRate = false;
      if (staging.length > 0 && permits < concurrency.allowed) isStarved = true;
    }
    stageMore();
  };

  /** Holds a permit until the attempt is over. */
  const attempt = (event: PendingEvent) =>
    new Promise<void>((release) => {
      event.release = release;
      depart(event);
    });

  const depart = (event: PendingEvent) => {
    // Permits come a moment later than they are asked for.
    const mayLeave = event.isProbe || breaker.isClosed;
    if (stop.reason !== undefined || !mayLeave || token.renewing !== undefined) {
      permits--;
      if (event.isProbe) breaker.withdrawn();
      staged.putBack(event);
      event.release();
      if (stop.reason !== undefined) {
        withdrawStaged();
        recordSoon();
        endWhenDone();
      }
      return;
    }
    const now = clock.now();
    policy.departed(now);
    figures.attempts++;
    figures.inFlight++;
    leftSinceStaged++;
    event.departedMs = now;
    event.inFlight = figures.inFlight;
    event.tokenGeneration = token.generation;
    tap.departed(figures.inFlight, concurrency.allowed, event.attempts > 0);
    event.begin(rules);
    deadlines.begin(event);
    const { needsFreshConnection } = event;
    connections.dispatch(request(event.event, event.importedAt), event, needsFreshConnection);
  };

  const rules: AttemptRules = {
    isSuccess,
    hide: hiding(route),
    blame: connections.blame,
    onEnd(event, attempt) {
      deadlines.end(event);
      figures.inFlight--;
      judge(event, redacted(attempt, token.redact));
      permits--;
      event.release();
      pump();
      endWhenDone();
    },
  };

  // -- What an answer means --

  const judge = (event: PendingEvent, result: Attempt) => {
    const wasClosed = breaker.isClosed;
    event.isIntended = false;
    event.attempts++;
    if (result.kind === "answered") event.httpStatus = result.httpStatus;
    if (result.kind === "unanswered") {
      event.unanswered++;
      figures.unanswered++;
    }
    const verdict = classify(result, {
      mode,
      first: !isAnswered,
      canGoOn: isAnswered || settings.isResumed === true,
      url: endpoint.origin + endpoint.path(event.event.resource),
      now: clock.date(),
      statuses: settings.statuses,
      redact: token.redact,
    });
    if (verdict.kind !== "accepted") {
      event.errorCode = verdict.code;
      event.error = verdict.message;
    }
    if (result.kind === "answered" && verdict.kind !== "unauthorized") {
      token.accepted(event.tokenGeneration);
      if (verdict.kind !== "stop") isAnswered = true;
    }
    if (verdict.kind !== "unauthorized") event.hasNewToken = false;
    learn(event, result, verdict);

    const { isProbe } = event;
    switch (verdict.kind) {
      case "accepted":
        refusals.succeeded();
        wait(verdict);
        succeeded(isProbe);
        return settle(event, "succeeded");
      case "rejected": {
        const status = event.httpStatus as number;
        const reason = refusals.refused(status, verdict.message);
        if (reason !== undefined) stop.request(reason);
        wait(verdict);
        succeeded(isProbe);
        return settle(event, "rejected");
      }
      case "doubtful":
        wait(verdict);
        breaker.failed({ isProbe, isThrottled: false, inFlight: event.inFlight, message: verdict.message });
        stopUnlessAnswered(event);
        return settle(event, "unknown");
      case "stop":
        if (isProbe) breaker.withdrawn();
        attempted(event);
        return stop.request(verdict.reason);
      case "unauthorized":
        if (isProbe) breaker.withdrawn();
        attempted(event);
        void renewToken(event, verdict);
        return;
      case "again":
        return again(event, result, verdict, wasClosed);
      default:
        verdict satisfies never;
    }
  };

  const succeeded = (isProbe: boolean) => {
    successes++;
    breaker.succeeded(isProbe);
  };

  /** One signal moves one thing: a 429 the rate; a 503, a time-out or slowness the concurrency. */
  const learn = (event: PendingEvent, result: Attempt, verdict: Verdict) => {
    const { departedMs } = event;
    const isThrottled = verdict.kind === "again" && verdict.cause === "throttled";
    const now = clock.now();
    if (isThrottled) rate.throttled(departedMs, verdict.retryAfterMs);
    else {
      const isTaken = verdict.kind === "accepted" || verdict.kind === "rejected";
      if (isTaken) rate.taken();
      const isOverload =
        result.kind === "answered" ? result.httpStatus === 503 : result.code === "timeout";
      const wasFull = event.inFlight >= concurrency.allowed;
      concurrency.ended({ departedMs, isOverload, isAnswered: isTaken, wasFull }, now);
    }
    tap.arrived(
      { departedMs, kind: result.kind, isThrottled },
      figures.inFlight,
      concurrency.allowed,
    );
    if (result.kind !== "answered" || result.rateLimit === undefined) return;
    const holdMs = rate.advise(result.rateLimit, figures.inFlight);
    if (holdMs !== undefined) breaker.wait(holdMs, "its quota is used up");
  };

  /** Obeys `Retry-After`, in full. */
  const wait = (verdict: Exclude<Verdict, { kind: "stop" }>) => {
    const { retryAfterMs } = verdict;
    if (retryAfterMs === undefined || retryAfterMs === 0) return;
    journal.waitUntil(clock.date().getTime() + retryAfterMs);
    recordSoon();
    if (retryAfterMs > longestRetryAfterMs) {
      return stop.request(comeBackLater(clock.date(), retryAfterMs));
    }
    const message = verdict.kind === "accepted" ? "asked for with a success" : verdict.message;
    breaker.wait(retryAfterMs, message);
  };

  const again = (
    event: PendingEvent,
    result: Attempt,
    verdict: Extract<Verdict, { kind: "again" }>,
    wasClosed: boolean,
  ) => {
    const { cause, code, message, retryAfterMs } = verdict;
    const isThrottled = cause === "throttled";
    suspect(event, cause === "failing" && result.kind === "answered" && result.httpStatus === 500);
    const isLast = event.isSuspect && isTail();
    if (event.successesBefore < 0) event.successesBefore = successes;
    if (isThrottled || retryAfterMs !== undefined) event.throttled++;
    // While the breaker is open, it is the service that fails, and not the event.
    else if (wasClosed || isLast || maxOutageMs === 0) event.tries++;

    wait(verdict);
    const { isProbe, inFlight } = event;
    // Until the service has answered, one event is tried alone, and the run stops after its attempts.
    if (!isLast && isAnswered) breaker.failed({ isProbe, isThrottled, inFlight, message });
    else if (isProbe) breaker.withdrawn();

    if (policy.isExhausted(event.tries, event.throttled)) {
      stopUnlessAnswered(event);
      // An attempt that was cut off says nothing: the event is tried again when the run is resumed.
      const isCutOff = stop.reason !== undefined && result.kind === "unanswered";
      if (!isCutOff && isAnswered) {
        const isItsFault = maxOutageMs === 0 || successes > event.successesBefore || isLast;
        if (isItsFault) return settle(event, event.unanswered > 0 ? "unknown" : "failed");
        breaker.trip(message);
        event.tries = 0;
        event.throttled = 0;
        event.successesBefore = -1;
      }
    }
    attempted(event);
    if (stop.reason !== undefined) return;
    figures.retries++;
    const isOverload = isThrottled || cause === "overloaded";
    const delayMs = policy.backoffMs(Math.max(1, event.tries + event.throttled), isOverload);
    const { row } = event.row.row;
    const place = { row, event: event.event.index, attempts: event.attempts };
    tap.notice({ kind: "retry", ...place, delayMs, code, message });
    retryAfterBackoff(event, delayMs, result);
    if (isTail() && breaker.reason === "outage") breaker.close();
  };

  const retryAfterBackoff = (event: PendingEvent, delayMs: number, result: Attempt) => {
    const next = nextAttemptOf(event);
    next.isRetry = true;
    next.needsFreshConnection = result.kind === "answered" && result.httpStatus === 421;
    next.dueMs = clock.now() + delayMs;
    backoff.push(next);
    wakeAfterBackoff();
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

  /** Whether only events are left that may fail by themselves, in a run that has had a success. */
  const isTail = () => isInputOver && successes > 0 && sendable === suspects;

  const suspect = (event: PendingEvent, isSuspect: boolean) => {
    if (event.isSuspect === isSuspect) return;
    event.isSuspect = isSuspect;
    suspects += isSuspect ? 1 : -1;
  };

  /** Nothing came back from the service, however often it was tried: the run stops. */
  const stopUnlessAnswered = (event: PendingEvent) => {
    if (isAnswered) return;
    const { errorCode: code, error: message, unanswered } = event;
    const { origin } = endpoint;
    stop.request(unreachable({ origin, code, message, mayHaveLeft: unanswered > 0 }));
  };

  /** Another token, or the end of the run. */
  const renewToken = async (
    event: PendingEvent,
    verdict: Extract<Verdict, { kind: "unauthorized" }>,
  ) => {
    const renewal = event.hasNewToken
      ? { kind: "no_other" as const, why: "A new one was not accepted either." }
      : await token.renew(event.tokenGeneration);
    if (renewal.kind === "renewed") {
      event.hasNewToken = true;
      const next = nextAttemptOf(event);
      next.isRetry = false;
      ready.putBack(next);
      if (first === next) first = undefined; // it goes ahead once more
      return pump();
    }
    const { code, message } = verdict.reason;
    stop.request({ code, message: renewal.why === "" ? message : `${message} ${renewal.why}` });
  };

  // -- Settled --

  const soFar = (event: PendingEvent): AttemptsSoFar => {
    const { attempts, unanswered, importedAt, httpStatus } = event;
    const place = { rowOfRun: event.row.rowOfRun, event: event.event.index };
    const common = { ...place, attempts, unanswered, importedAt };
    return httpStatus === undefined ? common : { ...common, httpStatus };
  };

  const attempted = (event: PendingEvent) => {
    journal.attempted(soFar(event));
    recordSoon();
  };

  const settle = (event: PendingEvent, status: EventStatus) => {
    const outcome = event.outcome(status, isoTime(clock.date()));
    journal.settle(event.row.rowOfRun, outcome);
    recordSoon();
    sendable--;
    suspect(event, false);
    const { row } = event;
    const { orderingKey: key } = row;
    settled(event, outcome);
    if (key !== undefined) {
      if (holdsBackKey(status, onKeyFailure)) blockedKeys.block(key, row.row.row);
      takeTurn(row, key);
    }
    if (!breaker.isClosed && breaker.reason === "outage" && isTail()) breaker.close();
  };

  const settled = ({ row, place }: PendingEvent, outcome: Outcome) => {
    row.outcomes[place] = outcome;
    row.unsettled--;
    if (row.unsettled > 0) return;
    row.isSettled = true;
    ports.onSettled(row);
  };

  const endWhenDone = () => {
    if (finished === undefined || figures.inFlight > 0 || permits > 0 || isWriting) return;
    if (sendable > 0 && stop.reason === undefined) return;
    finished();
  };

  stop.onStop(() => {
    wakeReader?.();
    for (const cancel of [cancelRateTimer, cancelBackoffTimer, cancelBudgetTimer]) cancel?.();
    if (!isWriting) withdrawStaged();
    if (hasOutcomes) recordSoon();
    endWhenDone();
  });

  if (settings.waitUntil !== undefined) {
    const leftMs = settings.waitUntil - clock.date().getTime();
    if (leftMs > longestRetryAfterMs) stop.request(comeBackLater(clock.date(), leftMs));
    else if (leftMs > 0) breaker.wait(leftMs, "asked for before the run was interrupted");
  }

  const waitsFor = (): SendingWait | undefined => {
    const { reason } = breaker;
    if (stop.reason !== undefined) return { kind: "stop" };
    if (reason !== undefined) {
      const { hasKnownEnd } = breaker;
      return { kind: "pause", reason, forMs: breaker.pausedForMs(), hasKnownEnd };
    }
    if (token.renewing !== undefined) return { kind: "token" };
    if (!isAnswered && figures.attempts > 0) return { kind: "first_answer" };
    const bound = waitsForRate ? rate.bound : undefined;
    return bound === undefined ? undefined : { kind: "rate", bound };
  };

  return {
    send,
    pass,
    block: blockedKeys.block,
    room,
    finish() {
      isInputOver = true;
      if (isTail() && breaker.reason === "outage") breaker.close();
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
    cutOff() {
      for (const event of [...deadlines.open]) {
        event.giveUp("interrupted", "the run was interrupted");
      }
    },
    async close() {
      cancelOutcomeTimer?.();
      await connections.close();
    },
  };
}

/** A rate that has risen meanwhile is made use of by then. */
const lookAtRateMs = 250;

function findRecord(records: readonly EventRecord[], event: number): EventRecord | undefined {
  return records.find(
    (record) => (record.kind === "outcome" ? record.outcome.event : record.event) === event,
  );
}

function hiding({ proxy }: Route): Redact {
  const hides = (proxy?.secrets ?? []).map((secret) => createRedact(secret, "********"));
  return (text, isCut) => hides.reduce((hidden, hide) => hide(hidden, isCut), text);
}

/**
 * Takes the token out of an answer as it came. What is unescaped or cut after that is redacted once
 * more where it is, in {@link classify}: neither an escaped token nor a part of one is known here.
 */
function redacted(result: Attempt, redact: Redact): Attempt {
  if (result.kind !== "answered") return { ...result, message: redact(result.message) };
  const { location, body, isCut } = result;
  if (body === "" && location === undefined) return result;
  return {
    ...result,
    body: redact(body, isCut),
    ...(location === undefined ? {} : { location: redact(location) }),
  };
}

function comeBackLater(now: Date, forMs: number): StopReason {
  const when = new Date(now.getTime() + forMs);
  // Any number of seconds may be asked for; not every one leads to a date.
  const message = Number.isNaN(when.getTime())
    ? "The service asks to be left alone for longer than dates go. Ask there when the run may be resumed."
    : `The service asks to be left alone until ${when.toISOString()} (for ${duration(forMs)}). Resume after that.`;
  return { code: "throttled", message };
}

function is2xx(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}
