import { createIsoTime, endOfTurn } from "../model/clock.ts";
import { createRequestBuilder } from "../model/endpoint.ts";
import { createBatchSize } from "./batch-size.ts";
import type { DeliverySettings } from "./delivery-contract.ts";
import { checkAgainMs } from "./held-events.ts";
import type { Connections } from "./http/connections.ts";
import type { AttemptRules, PendingEvent } from "./pending-event.ts";
import type { SendingParts } from "./sending-limits.ts";
import type { Silence } from "./silence.ts";

interface SendingPorts extends SendingParts {
  readonly silence: Silence;
  readonly wake: () => void;
  readonly connections: Connections;
  readonly rules: AttemptRules;
}

/** Sends events: while those of one batch of the journal are sent, the intents of the next are written. */
export function createSending(settings: DeliverySettings, ports: SendingPorts) {
  const { clock, stop, journal, queues, judge, limits, policy, token, figures } = ports;
  const { silence, connections, rules, wake } = ports;
  const { ready, retries, batch, staged, inFlight } = queues;
  const { breaker, limit } = limits;
  const isoTime = createIsoTime(clock);
  const request = createRequestBuilder(settings.endpoint, token, settings.idempotencyHeader);
  const batchSize = createBatchSize();
  let isWriting = false;
  /** Connections that carry no request, the one that was used last at the end. */
  const idle = Array.from(
    { length: settings.concurrency },
    (_, at) => settings.concurrency - 1 - at,
  );

  // -- Staged --

  const mayStage = (): number => {
    if (stop.signal.aborted || token.renewing !== undefined) return 0;
    if (!breaker.isClosed) return breaker.allows() && staged.length === 0 ? 1 : 0;
    // Until the service has answered, one event is sent alone.
    if (!judge.isKnown) {
      const others = judge.isUnknown && retries.dueInMs() > 0 ? retries.length : 0;
      return staged.length + inFlight.length + others === 0 ? 1 : 0;
    }
    return batchSize.wanted(staged.length, limit.concurrency);
  };

  const nextQueue = () => {
    if (retries.dueInMs() > 0) return ready;
    // Where only retries are left, they go as the service takes them.
    if (ready.length === 0) return retries;
    if (breaker.isClosed) return !judge.isKnown || policy.mayRetry() ? retries : ready;
    // While the breaker is open, retries and first attempts take turns as probes: either alone may be
    // events that fail by themselves.
    return figures.attempts % 2 === 0 ? ready : retries;
  };

  const writeBatch = async () => {
    isWriting = true;
    // Everything that is ready now goes into one batch. Otherwise the first event would get a write of its own,
    // and the others would wait for it.
    await endOfTurn();
    addIntents();
    let maySend = true;
    if (batch.length > 0) {
      const begunMs = clock.now();
      maySend = await journal.write();
      batchSize.written(begunMs, clock.now());
    }
    for (let event = batch.shift(); event !== undefined; event = batch.shift()) staged.push(event);
    // The journal may hold a batch that must not be sent: what is written stays written.
    if (!maySend || stop.signal.aborted) withdraw();
    isWriting = false;
    wake();
  };

  const addIntents = () => {
    const importedAt = isoTime();
    for (let count = mayStage(); count > 0; count--) {
      const queue = nextQueue();
      const event = queue.shift();
      if (event === undefined) break;
      if (queue === retries) policy.retried();
      if (event.importedAt === "") event.importedAt = importedAt;
      journal.add(event.intent());
      batch.push(event);
    }
  };

  /** Staged events are no longer sent, and the journal says so. */
  const withdraw = () => {
    for (let event = staged.shift(); event !== undefined; event = staged.shift()) {
      journal.add(event.attempted());
    }
  };

  // -- In flight --

  const maySend = (): boolean => {
    if (staged.length === 0 && batch.length > 0 && limits.isFree()) batchSize.starved();
    const isHeld = staged.length === 0 || token.renewing !== undefined || !breaker.allows();
    return limits.mayLeave(!isHeld && (limits.isFree() || silence.makePlace()));
  };

  const sendNext = () => {
    const event = maySend() ? staged.shift() : undefined;
    return event === undefined ? undefined : dispatch(event);
  };

  /** @returns what resolves when the attempt is over */
  const dispatch = (event: PendingEvent) => {
    figures.attempts++;
    limits.tell();
    event.connection = takeConnection();
    event.isNewConnection = !connections.isOpen(event.connection);
    event.sentMs = clock.now();
    event.number = figures.attempts;
    event.tokenGeneration = token.generation;
    inFlight.begin(event);
    limits.sent(event);
    batchSize.sent();
    if (!event.isRetry) policy.sentFirst();
    return new Promise<void>((resolve) => {
      event.begin(rules, resolve);
      connections.dispatch(request(event.event, event.importedAt), event, event.connection);
    });
  };

  /** An open one, if there is one, as a service may let no more in; in turn, as it may limit each. */
  const takeConnection = () => {
    const [connection = 0] = idle.splice(idle.findIndex(connections.isOpen), 1);
    return connection;
  };

  return {
    get isWriting() {
      return isWriting;
    },
    /** @returns milliseconds until time alone makes a step possible */
    advance(): number {
      // Each attempt is a task of p-limit, which begins in a moment.
      if (maySend()) void limit(sendNext);
      if (!isWriting && mayStage() > 0 && nextQueue().length > 0) void writeBatch();
      const dueInMs = retries.dueInMs();
      return Math.min(
        limits.dueInMs(),
        dueInMs > 0 ? dueInMs : Infinity,
        // An attempt that is silent by then takes no place.
        breaker.isClosed && staged.length > 0 && !limits.isFree() ? checkAgainMs : Infinity,
      );
    },
    withdraw,
    ended(event: PendingEvent) {
      limits.tell();
      idle.push(event.connection);
      inFlight.end(event);
    },
  };
}
