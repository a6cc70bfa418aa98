import pLimit from "p-limit";
import TinyQueue from "tinyqueue";
import { createIsoTime, endOfTurn } from "../model/clock.ts";
import { createRequestBuilder } from "../model/endpoint.ts";
import type { EventStatus, Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { duration } from "../model/quantities.ts";
import type { EventBefore, Tried, Writable } from "../model/run-record.ts";
import type { SendingLimit, SendingWait } from "../model/sending-state.ts";
import { onAbort, type StopReason } from "../model/stop.ts";
import { createAdaptiveLimits, type EndedAttempt } from "./adaptive-limits.ts";
import { createBatchSize } from "./batch-size.ts";
import { type BreakerChange, createCircuitBreaker } from "./circuit-breaker.ts";
import type { Attempt, Classification } from "./classify-attempt.ts";
import { createDeadlines } from "./deadlines.ts";
import type {
  Delivery,
  DeliveryFigures,
  DeliveryPorts,
  DeliverySettings,
} from "./delivery-contract.ts";
import { Fifo } from "./fifo.ts";
import { createRedact } from "./http/redact.ts";
import { createRenewableToken, type Renewal } from "./http/renewable-token.ts";
import type { Token } from "./http/token.ts";
import { askedForTooLong, createJudge, statusOfFailed } from "./judge-attempt.ts";
import { createOrdering } from "./ordering.ts";
import { type AttemptRules, PendingEvent } from "./pending-event.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { createRetryPolicy } from "./retry-policy.ts";

/** How often to check whether the reader waits, or an attempt is silent, if nothing else does. */
const checkAgainMs = 1000;
/** If the rate rises while attempts wait for it, they wait no longer than this. */
const checkRateMs = 250;
const never = Number.POSITIVE_INFINITY;
/** A longer wait may be the service's mistake: a run that is resumed after a day tries again, with one event. */
const maxRecordedWaitMs = 24 * 60 * 60_000;

/**
 * Sends events until each has an outcome, or the run stops.
 *
 * An event is ready when its ordering key is free, staged when its intent is in a batch of the journal, in
 * flight when p-limit has a place for it, and a token of the rate limiter while the breaker is closed, and
 * settled, or back in line for a retry, when its attempt is over. An event that waits is in one of the queues here,
 * and `advance` moves events from queue to queue. The limiters, the breaker, the retry policy and the judge are
 * asked, and answer with a decision; none of them calls back.
 */
export function openDelivery(settings: DeliverySettings, ports: DeliveryPorts): Delivery {
  const { endpoint, mode, timeoutMs, onKeyFailure = "default" } = settings;
  const { clock, stop, journal, tap } = ports;
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
  const connections = ports.connect({ endpoint, timeoutMs, clock, route });
  const giveUp = (event: PendingEvent) => {
    const waitedMs = Math.min(timeoutMs, Math.round(clock.now() - event.sentMs));
    event.giveUp("timeout", `no answer within ${waitedMs / 1000} s`);
  };
  const deadlines = createDeadlines<PendingEvent>(clock, timeoutMs, giveUp);

  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0 };
  const left = {
    sendable: 0,
    isInputOver: false,
    isReaderWaiting: ports.isReaderWaiting ?? (() => false),
  };

  const isoTime = createIsoTime(clock);
  const sinceStart = (ms: number) => Math.max(0, Math.round((ms - settings.startedMs) * 10) / 10);

  // They decide; what they decide is done here.
  const limit = pLimit(settings.concurrency);
  const limits = settings.adaptive
    ? createAdaptiveLimits(settings.concurrency, clock.now(), settings.found)
    : undefined;
  const rate = createRateLimiter(settings.ratePerSecond, clock);
  const policy = createRetryPolicy(settings.maxAttempts, clock);
  const breaker = createCircuitBreaker(settings.maxOutageMs, clock);
  const batchSize = createBatchSize();
  const { redact } = token;
  const judge = createJudge(settings, { clock, stop: stop.signal, policy, left, redact });

  // The queues that an event passes through.
  const ready = new Fifo<PendingEvent>();
  /** Its intent is in the batch of the journal that is being written; undefined if none is. */
  let batch: readonly PendingEvent[] | undefined;
  /** Its intent is in the journal: it may be sent. */
  const staged = new Fifo<PendingEvent>();
  const backoff = new TinyQueue<PendingEvent>([], (one, other) => one.dueMs - other.dueMs);
  /** Its backoff is over. */
  const retries = new Fifo<PendingEvent>();
  /** Its attempts are exhausted, or it was refused: it fails when another event succeeds, and is retried after an outage. */
  let held: PendingEvent[] = [];

  /** Connections that carry no request, the one that was used last at the end. */
  const idle = Array.from(
    { length: settings.concurrency },
    (_, at) => settings.concurrency - 1 - at,
  );
  /** Whether what is staged waits for the rate limiter. */
  let waitsForRate = false;
  /** What the service refused with last, because of the load. */
  let refusedWith: number | undefined;
  /** Whether a `Retry-After` that is not obeyed was told of. */
  let hasNotedWait = false;
  let isPaused = false;
  let wakeReader: (() => void) | undefined;
  /** The reader was woken, and has not brought a row since. */
  let isReaderComing = false;
  let finished: (() => void) | undefined;
  let cancelTimer = () => {};
  let timerMs = never;

  /**
   * Takes every step that is possible now. It is called when an attempt is over, a batch is written, the input ends,
   * there is a new token, or a wait is over.
   */
  const advance = () => {
    endSilence();
    endBackoffs();
    decideHeld();
    sendStaged();
    stageMore();
    wakeLater();
    endWhenDone();
  };

  // -- Waiting for the ordering key, or for the event before --

  const send: Delivery["send"] = (row, events, before = []) => {
    isReaderComing = false;
    row.events = events.map((event, place) => new PendingEvent(event, row, place));
    row.unsettled = events.length;
    if (before.length > 0) takeRecords(row, before);
    if (row.orderingKey !== undefined || events.length > 1) ordering.add(row);
    else for (const event of row.events) begin(event);
    stageMore();
  };

  /** Takes over what an interrupted part of the run recorded about the events of a row. */
  const takeRecords = (row: PendingRow<PendingEvent>, before: readonly EventBefore[]) => {
    for (const [place, event] of row.events.entries()) {
      const known = before.find((one) => one.event === event.event.index);
      if (known?.outcome !== undefined) row.outcomes[place] = known.outcome;
      else if (known !== undefined) event.resume(known);
    }
  };

  const blockedOutcome = (event: PendingEvent, blocker: string): Outcome => ({
    ...event.outcome("blocked", isoTime()),
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
      left.sendable++;
      ready.push(event);
    }
    return known;
  };

  const ordering = createOrdering({ blockedKeys: ports.blockedKeys, onKeyFailure, begin });

  /** The outcome of an event that may have arrived and must not be sent again; undefined for any other. */
  const unknownOutcomeOf = (event: PendingEvent): Outcome | undefined => {
    if (event.unanswered === 0 || mode === "at-least-once") return undefined;
    return event.outcome("unknown", isoTime());
  };

  /** Many more events that wait to be staged would only take memory. */
  const maxReady = () => Math.max(16, 2 * limit.concurrency);

  /** Of an unknown service, nothing is read after the first event: the run may stop there. */
  const hasRoom = () => (judge.isUnknown ? left.sendable === 0 : ready.length < maxReady());

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
    isReaderComing = true;
  };

  // -- Staged --

  /** How many events to stage now. */
  const mayStage = (): number => {
    if (stop.signal.aborted || token.renewing !== undefined) return 0;
    if (!breaker.isClosed) return breaker.allows() && staged.length === 0 ? 1 : 0;
    // Until the service has answered, one event is sent alone.
    if (!judge.isKnown) {
      const others = judge.isUnknown ? backoff.length : 0;
      return staged.length + figures.inFlight + others === 0 ? 1 : 0;
    }
    return batchSize.wanted(staged.length, limit.concurrency);
  };

  /** The queue from which the next event is staged; undefined if there is no event that may be. */
  const nextQueue = (): Fifo<PendingEvent> | undefined => {
    if (retries.length === 0) return ready.length > 0 ? ready : undefined;
    // Where only retries are left, they go as the service takes them.
    if (ready.length === 0) return retries;
    if (breaker.isClosed) return !judge.isKnown || policy.mayRetry() ? retries : ready;
    // While the breaker is open, retries and first attempts take turns as probes: either alone may be
    // events that fail by themselves.
    return figures.attempts % 2 === 0 ? ready : retries;
  };

  const stageMore = () => {
    if (batch !== undefined) return;
    if (mayStage() > 0 && nextQueue() !== undefined) void writeBatch();
  };

  /** Writes a batch of the journal, while the events of the one before are sent. */
  const writeBatch = async () => {
    batch = [];
    // Everything that is ready now goes into one batch. Otherwise the first event would get a write of its own,
    // and the others would wait for it.
    await endOfTurn();
    batch = nextBatch();
    if (batch.length > 0) {
      const begunMs = clock.now();
      const maySend = await journal.write();
      batchSize.written(begunMs, clock.now());
      for (const event of batch) staged.push(event);
      // The journal may hold a batch that must not be sent: what is written stays written.
      if (!maySend || stop.signal.aborted) withdrawStaged();
    }
    batch = undefined;
    advance();
  };

  /** Puts the intents of the next events into the journal's batch. */
  const nextBatch = (): readonly PendingEvent[] => {
    const events: PendingEvent[] = [];
    const importedAt = isoTime();
    for (let count = mayStage(); count > 0; count--) {
      const queue = nextQueue();
      const event = queue?.shift();
      if (event === undefined) break;
      if (queue === retries) policy.retried();
      makeRoom();
      if (event.importedAt === "") event.importedAt = importedAt;
      journal.add(event.intent());
      events.push(event);
    }
    return events;
  };

  /** Staged events are no longer sent, and the journal says so. */
  const withdrawStaged = () => {
    for (let event = staged.shift(); event !== undefined; event = staged.shift()) {
      attempted(event);
    }
  };

  // -- In flight --

  /** Whether one more attempt may be in flight. */
  const isFree = () => figures.inFlight < limit.concurrency;

  /** Whether what is staged may leave, as far as the limiters and the breaker allow. */
  const maySend = (): boolean => {
    if (staged.length === 0) {
      waitsForRate = false;
      if (batch !== undefined && batch.length > 0 && isFree()) batchSize.starved();
      return false;
    }
    const isHeld = token.renewing !== undefined || !breaker.allows();
    if (isHeld || (!isFree() && !makePlaceBesideSilent() && !makePlaceForProbe())) {
      waitsForRate = false;
      return false;
    }
    if (rate.waitMs() === 0) return true;
    waitsForRate = true;
    return false;
  };

  /** Each attempt is a task of p-limit, which begins in a moment. */
  const sendStaged = () => {
    if (maySend()) void limit(sendNext).then(advance);
  };

  const sendNext = async () => {
    const event = maySend() ? staged.shift() : undefined;
    if (event === undefined) return;
    const over = dispatch(event);
    sendStaged();
    stageMore();
    wakeLater();
    await over;
  };

  /** @returns what resolves when the attempt is over */
  const dispatch = (event: PendingEvent) => {
    const now = clock.now();
    rate.sent(waitsForRate);
    if (!event.isRetry) policy.sentFirst();
    batchSize.sent();
    figures.attempts++;
    tellLimits();
    figures.inFlight++;
    event.isProbe = breaker.sent(figures.inFlight);
    event.sentMs = now;
    event.number = figures.attempts;
    event.inFlight = figures.inFlight;
    event.hasWaited = waitsForRate;
    event.tokenGeneration = token.generation;
    event.connection = takeConnection();
    event.isNewConnection = !connections.isOpen(event.connection);
    return new Promise<void>((resolve) => {
      event.begin(rules, resolve);
      deadlines.begin(event);
      connections.dispatch(request(event.event, event.importedAt), event, event.connection);
    });
  };

  /** Tells what has limited sending so far, before that changes. */
  const tellLimits = () =>
    tap.limited(limit.concurrency, limitedBy(waitsForRate), limits?.foundPerSecond);

  /** An open one, if there is one, as a service may let no more in; in turn, as it may limit each. */
  const takeConnection = () => {
    const [connection = 0] = idle.splice(idle.findIndex(connections.isOpen), 1);
    return connection;
  };

  // -- The attempt is over --

  const ended = (event: PendingEvent, attempt: Attempt) => {
    tellLimits();
    deadlines.end(event);
    idle.push(event.connection);
    figures.inFlight--;
    const { sentMs, isProbe } = event;
    const { kind } = attempt;
    if (kind === "unanswered") figures.unanswered++;
    const httpStatus = kind === "answered" ? attempt.httpStatus : undefined;
    const tried: Writable<Tried> = {
      ...{ sentMs: sinceStart(sentMs), endedMs: sinceStart(clock.now()), kind },
      event: event.event.name,
    };
    if (httpStatus !== undefined) tried.httpStatus = httpStatus;
    // Of an earlier part, too.
    if (event.isRetry || event.attempts > 0) tried.isRetry = true;
    event.tried = tried;

    const judgement = judge.judge(event, attempt, breaker.isClosed);
    const { classified } = judgement;
    if (classified.kind !== "unauthorized") event.hasNewToken = false;
    if (kind === "answered") breaker.answered();
    adapt(event, attempt, classified);
    if (judgement.stop !== undefined) stop.abort(judgement.stop);
    obeyRetryAfter(classified);
    switch (judgement.service) {
      case "up":
        if (event.isRetry && classified.kind === "accepted") policy.retrySucceeded();
        note(breaker.succeeded(isProbe, sentMs));
        failHeld(judge.isFault);
        break;
      case "down":
      case "throttled":
        note(
          breaker.failed({
            ...{ isProbe, sentMs, event: event.event, eventsLeft: left.sendable },
            isThrottled: judgement.service === "throttled",
            isForLoad: httpStatus === 429 || httpStatus === 503,
            isOfService: kind !== "answered" || httpStatus === 502 || httpStatus === 504,
            message: event.error,
          }),
        );
        break;
      case "unknown":
        if (isProbe) breaker.withdrawn();
        break;
      default:
        judgement.service satisfies never;
    }
    const { next } = judgement;
    switch (next.kind) {
      case "settle":
        settle(event, next.status);
        break;
      case "retry":
        attempted(event);
        if (!stop.signal.aborted) retry(event, next.delayMs);
        break;
      case "hold":
        attempted(event);
        held.push(event);
        break;
      case "renew_token":
        attempted(event);
        void renewToken(event, next.reason);
        break;
      case "leave":
        attempted(event);
        break;
      default:
        next satisfies never;
    }
    makeRoom();
  };

  const rules: AttemptRules = { statuses: settings.statuses, onEnd: ended };

  /** Tells the limiters how it went. */
  const adapt = (event: PendingEvent, attempt: Attempt, classified: Classification) => {
    const { sentMs, inFlight, hasWaited, isNewConnection } = event;
    const status = attempt.kind === "answered" ? attempt.httpStatus : undefined;
    const waitMs = classified.kind === "retry" ? (classified.retryAfterMs ?? 0) : 0;
    const isClear = classified.kind === "retry" && (status === 429 || waitMs > 0);
    const end = endOf(attempt, classified, isNewConnection);
    if (end === "refused") refusedWith = status;
    const sendingPerSecond = rate.sendingPerSecond();
    const isHinted = waitMs > 0 || (attempt.kind === "answered" && attempt.rateLimit !== undefined);
    const over = { sentMs, inFlight, hasWaited, end, isClear, isHinted, waitMs, sendingPerSecond };
    limits?.ended(over, clock.now());
    applyLimits();
    if (attempt.kind !== "answered" || attempt.rateLimit === undefined) return;
    const holdMs = rate.advise(attempt.rateLimit, figures.inFlight);
    if (holdMs !== undefined) note(breaker.wait(holdMs, "its quota is used up"));
  };

  const applyLimits = () => {
    if (limits === undefined) return;
    rate.adapt(limits.perSecond);
    if (limit.concurrency !== limits.concurrency) limit.concurrency = limits.concurrency;
  };
  applyLimits();

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
    waitFor(forMs, classified.message);
  };

  const waitFor = (forMs: number, message: string) => {
    const isTooLong = askedForTooLong(clock.date(), forMs);
    if (isTooLong !== undefined) stop.abort(isTooLong);
    else note(breaker.wait(forMs, message));
  };

  const note = (changes: readonly BreakerChange[]) => {
    for (const change of changes) {
      if (change.kind === "give_up") stop.abort(change.reason);
      else tap.notice(change);
    }
    if (changes.length === 0) return;
    rate.pause(!breaker.isClosed);
    const wasPaused = isPaused;
    isPaused = !breaker.isClosed;
    if (isPaused && !wasPaused) judge.pauseBegan();
    if (!isPaused && breaker.lastPause !== undefined) {
      limits?.resumed(breaker.lastPause, clock.now());
      applyLimits();
      // Others that were sent later have an answer.
      giveUpSilent();
    }
  };

  /** At least so many in flight show that nothing is answered; fewer may be slow ones. */
  const minSilent = 5;

  /** If nothing is answered any more, that is an outage; and so is a probe that is not answered. */
  const endSilence = () => {
    if (mode === "at-most-once" || !judge.isKnown || breaker.silentInMs() > 0) return;
    if (breaker.isClosed && figures.inFlight >= minSilent) {
      note(breaker.trip(`nothing was answered for ${duration(breaker.answerPatienceMs())}`));
    } else if (!breaker.isClosed && !breaker.allows()) {
      for (const event of silent()) if (event.isProbe) giveUp(event);
    }
  };

  const silent = () => deadlines.sentBefore(clock.now() - breaker.answerPatienceMs() + 1);

  const giveUpSilent = () => {
    if (mode === "at-most-once") return;
    for (const event of silent()) giveUp(event);
  };

  /** An attempt to which nobody expects an answer any more takes no place from others, as far as `--concurrency` goes. */
  const makePlaceBesideSilent = (): boolean => {
    if (!breaker.isClosed || limits === undefined) return false;
    limit.concurrency = Math.min(settings.concurrency, limits.concurrency + silent().length);
    return isFree();
  };

  /** If all places are taken by attempts that are not answered, the oldest makes place for a probe. */
  const makePlaceForProbe = (): boolean => {
    if (breaker.isClosed || mode === "at-most-once") return false;
    const [oldest] = silent();
    if (oldest !== undefined) giveUp(oldest);
    return isFree();
  };

  /** Sends the event again with a new token, ahead of others, or stops the run. */
  const renewToken = async (event: PendingEvent, { code, message }: StopReason) => {
    const renewal = event.hasNewToken ? noOtherToken : token.renew(event.tokenGeneration);
    const over = renewal instanceof Promise ? await renewal : renewal;
    if (over.kind === "renewed") {
      event.hasNewToken = true;
      const next = nextAttemptOf(event);
      next.isRetry = false;
      ready.putBack(next);
      return advance();
    }
    // The service's message may have no full stop.
    const sentence = /[.!?…]$/.test(message) ? message : `${message}.`;
    stop.abort({ code, message: over.why === "" ? message : `${sentence} ${over.why}` });
  };

  // -- Retry --

  const retry = (event: PendingEvent, delayMs: number) => {
    const place = { row: event.row.row.row, event: event.event.index };
    const { attempts, errorCode: code, error: message } = event;
    tap.notice({ kind: "retry", ...place, attempts, delayMs, code, message });
    const next = nextAttemptOf(event);
    next.isRetry = true;
    next.dueMs = clock.now() + delayMs;
    backoff.push(next);
  };

  const nextAttemptOf = (event: PendingEvent): PendingEvent => {
    const next = event.forNextAttempt();
    if (next === event) return event;
    event.row.events = event.row.events.map((one) => (one === event ? next : one));
    return next;
  };

  const endBackoffs = () => {
    if (backoff.length === 0) return;
    const now = clock.now();
    for (let due = backoff.peek(); due !== undefined && due.dueMs <= now; due = backoff.peek()) {
      retries.push(backoff.pop() as PendingEvent);
    }
  };

  /** The service is up, or nothing else is left to show it: it was these events' own fault. */
  const failHeld = (isFault: (event: PendingEvent) => boolean = () => true) => {
    if (held.length === 0) return;
    const failed = held.filter(isFault);
    held = held.filter((event) => !failed.includes(event));
    for (const event of failed) settle(event, statusOfFailed(event));
  };

  /** Whether the reader may bring another row. Until the service has answered, it counts however slow it is. */
  const mayRowsCome = () =>
    !left.isReaderWaiting() && (judge.isKnown ? isReaderComing : !left.isInputOver);

  const mayDecideHeld = () =>
    held.length > 0 && breaker.isClosed && left.sendable <= held.length && !mayRowsCome();

  /** If no other event is left to show whether the service is up, held events fail, or the breaker opens. */
  const decideHeld = () => {
    if (stop.signal.aborted) return;
    if (mayDecideHeld()) {
      const overtaken = held.find(({ refusal, row }) => refusal && ordering.wouldBeOvertaken(row));
      if (overtaken?.refusal !== undefined) stop.abort(overtaken.refusal);
      else if (judge.areOnlySuspectsLeft()) failHeld();
      else note(breaker.trip(held[0]?.error ?? ""));
    }
    if (held.length > 0 && !breaker.isClosed) {
      const retried = held;
      held = [];
      for (const event of retried) {
        event.resetAttempts();
        retry(event, 0);
      }
      endBackoffs();
    }
    if (breaker.reason === "outage" && judge.areOnlySuspectsLeft()) note(breaker.close());
  };

  // -- Settled --

  const attempted = (event: PendingEvent) => journal.add(event.attempted());

  const settle = (event: PendingEvent, status: EventStatus) => {
    left.sendable--;
    settled(event, event.outcome(status, isoTime()));
    ordering.settled(event.row, status);
    judge.settled(event);
  };

  const settled = (event: PendingEvent, outcome: Outcome) => {
    const { row, place } = event;
    const isKnown = row.outcomes[place] !== undefined;
    row.outcomes[place] = outcome;
    row.unsettled--;
    if (!isKnown) ports.onOutcome?.(row, outcome, event.takeTried());
    if (row.unsettled > 0) return;
    ports.onSettled(row);
    row.events = []; // frees their requests and answers, however long the row waits to be written
  };

  // -- Waiting, and the end --

  const silenceInMs = () => {
    const isExpected = breaker.isClosed ? figures.inFlight >= minSilent : !breaker.allows();
    return isExpected && judge.isKnown && mode !== "at-most-once" ? breaker.silentInMs() : 0;
  };

  /** Sets the timer for the next step that only time makes possible. */
  const wakeLater = () => {
    let atMs = never;
    const wakeIn = (waitMs: number) => {
      if (waitMs > 0) atMs = Math.min(atMs, clock.now() + waitMs);
    };
    if (!stop.signal.aborted) {
      if (!breaker.isClosed) wakeIn(breaker.pausedForMs());
      if (backoff.length > 0) wakeIn((backoff.peek()?.dueMs ?? 0) - clock.now());
      // The wait may be over by now, and then nothing else would wake it.
      if (waitsForRate) atMs = Math.min(atMs, clock.now() + Math.min(rate.waitMs(), checkRateMs));
      wakeIn(silenceInMs());
      if (breaker.isClosed && staged.length > 0 && !isFree()) wakeIn(checkAgainMs);
      if (held.length > 0 && mayRowsCome()) wakeIn(checkAgainMs);
    }
    // The same time, computed again, may differ by next to nothing: that sets no other timer.
    if (atMs === never || atMs > timerMs - 0.5) return;
    cancelTimer();
    timerMs = atMs;
    cancelTimer = clock.schedule(Math.max(0, atMs - clock.now()), () => {
      timerMs = never;
      advance();
    });
  };

  const endWhenDone = () => {
    if (finished === undefined || figures.inFlight > 0 || batch !== undefined) return;
    if (left.sendable > 0 && !stop.signal.aborted) return;
    finished();
  };

  onAbort(stop.signal, () => {
    wakeReader?.();
    withdrawStaged();
    endWhenDone();
  });

  if (settings.waitUntil !== undefined) {
    const leftMs = settings.waitUntil - clock.date().getTime();
    if (leftMs > 0) waitFor(leftMs, "asked for before the run was interrupted");
    wakeLater();
  }

  const waitsFor = (): SendingWait | undefined => {
    const { reason } = breaker;
    if (stop.signal.aborted) return { kind: "stop" };
    if (reason !== undefined) return { kind: "pause", reason, forMs: breaker.pausedForMs() };
    if (token.renewing !== undefined) return { kind: "token" };
    if (!judge.isKnown && figures.attempts > 0) return { kind: "first_answer" };
    const bound = waitsForRate ? rate.bound : undefined;
    return bound === undefined ? undefined : { kind: "rate", bound };
  };

  /** What keeps more from being sent; undefined while the run is paused, or if this program itself is the limit. */
  const limitedBy = (isForRate: boolean): SendingLimit | undefined => {
    if (!breaker.isClosed || !judge.isKnown || token.renewing !== undefined) return undefined;
    if (isForRate && rate.bound !== undefined) return rate.bound;
    if (isFree()) return undefined;
    return limits?.isConcurrencyFound ? "adapted_concurrency" : "concurrency";
  };

  return {
    send,
    pass: ordering.pass,
    room,
    finish() {
      left.isInputOver = true;
      isReaderComing = false;
      return new Promise((resolve) => {
        finished = resolve;
        advance();
      });
    },
    figures,
    state() {
      const perSecond =
        rate.bound === "throttling" ? (limits?.foundPerSecond ?? never) : rate.perSecond;
      return {
        inFlight: figures.inFlight,
        allowed: limit.concurrency,
        toRetry: backoff.length + retries.length,
        ...(perSecond === never ? {} : { perSecond }),
        ...(refusedWith === undefined ? {} : { refusedWith }),
        waitsFor: waitsFor(),
      };
    },
    async close() {
      cancelTimer();
      await connections.close();
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

const noOtherToken: Renewal = { kind: "no_other", why: "A new one was not accepted either." };
