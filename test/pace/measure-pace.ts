import type { DeliverySettings } from "../../src/delivery/delivery-contract.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import { eventOf } from "../delivery/event-of.ts";
import { noJournal, noTap, openSimulated } from "../delivery/simulated-wire.ts";
import { createPaceClock, type PaceClock } from "./pace-clock.ts";
import { createSimulatedService, type ServiceModel } from "./service-model.ts";
import { createSimulatedConnections } from "./simulated-connections.ts";

export interface PaceModel extends ServiceModel {
  readonly name: string;
  readonly rows?: number;
  /** From when on it counts. */
  readonly fromMs?: number;
  readonly clients?: number;
  /** Whether the clients' machine has other work. */
  readonly isBusy?: boolean;
  readonly settings?: Partial<DeliverySettings>;
}

export interface Measured {
  /** The share of what the service would have taken that was used, while there was something to send. */
  readonly used: number;
  /** The share of what it got in that time that it refused. */
  readonly refused: number;
  /** Events that ended other than as `succeeded`. */
  readonly bad: number;
  readonly stopped: string | undefined;
  /** From the last row that was read to the end. */
  readonly tailMs: number;
  readonly pauses: number;
  /** The share of what all clients got that the first one got. */
  readonly ofFirst: number;
  /** Median latency of what was accepted, as a multiple of that of a service with nothing else to do. */
  readonly slowness: number;
  /** Of the first outage, from its begin to the pause and from its end to the end of the pause. */
  readonly noticedMs: number;
  readonly overMs: number;
  /** The longest gap between two probes. */
  readonly gapMs: number;
  /** Probes at a time, at most. */
  readonly probesAtOnce: number;
}

/** Services that limit, and how well each has to be used. */
export interface PaceRow {
  readonly name: string;
  readonly models: readonly PaceModel[];
  /** What must hold of each, or of the median of so many seeds. */
  readonly used?: number;
  readonly refused?: number;
  readonly seeds?: number;
  /** Events may fail by themselves. */
  readonly mayFail?: boolean;
  /** More that is to hold: what does not. */
  readonly faults?: (measured: Measured) => readonly string[];
}

/** What a row says and does not hold. */
export function faultsOf(row: PaceRow, measured: Measured): string[] {
  const { used, refused, bad, stopped } = measured;
  return [
    ...(stopped === undefined ? [] : [`stopped: ${stopped}`]),
    ...(used >= (row.used ?? 0) ? [] : ["used"]),
    ...(refused <= (row.refused ?? 1) ? [] : ["refused"]),
    ...(bad === 0 || row.mayFail ? [] : [`${bad} events did not succeed`]),
    ...(row.faults?.(measured) ?? []),
  ];
}

const concurrency = 32;
const longestMs = 2 * 60 * 60_000;
/** What writing and syncing a batch of the journal takes. */
const writeMs = 1;
const maxPending = 10_000;

/** Sends rows to a simulated service through delivery as a run has it, on a virtual clock. */
export async function measurePace(model: PaceModel, seed = 1): Promise<Measured> {
  const clock = createPaceClock(seed, model.isBusy);
  const service = createSimulatedService(model, clock);
  const connect = createSimulatedConnections(model, service, clock);
  const count = model.clients ?? 1;
  const rows = model.rows ?? rowsFor(model);
  const clients = await Promise.all(
    Array.from({ length: count }, () =>
      openClient(model, connect, clock, Math.round(rows / count)),
    ),
  );
  const isOver = () => clients.every(({ figures }) => figures.endMs !== undefined);
  await clock.runUntil(isOver, longestMs);
  const all = clients.map(({ figures }) => figures);
  const [first] = all;
  if (first === undefined) throw new Error("there is a client");

  const tailFrom = Math.min(...all.map(({ lastReadMs }) => lastReadMs));
  const endMs = Math.max(...all.map((one) => one.endMs ?? clock.now()));
  const span = spanOf(model, tailFrom);
  const within = (times: readonly number[]) =>
    times.filter((at) => at >= span.fromMs && at < span.toMs).length;
  const [taken, refused] = [within(service.accepted), within(all.flatMap((one) => one.refused))];
  const pauses = first.pauses;
  const outage = model.outages?.[0];
  const noticed = pauses.find(({ fromMs }) => outage && fromMs >= outage.fromMs);
  const resumed = pauses.findLast(({ fromMs }) => outage && fromMs < outage.toMs);
  return {
    used: taken / ((capacityOf(model) * upMs(model, span)) / 1000),
    refused: refused / Math.max(1, taken + refused),
    bad: all.reduce((sum, { bad }) => sum + bad, 0),
    stopped: all.find(({ stopped }) => stopped)?.stopped?.(),
    tailMs: endMs - tailFrom,
    pauses: pauses.length,
    ofFirst: within(first.accepted) / Math.max(1, taken),
    slowness: medianOf(first.latencies) / leastLatency(model),
    noticedMs:
      noticed === undefined || outage === undefined ? never : noticed.fromMs - outage.fromMs,
    overMs: outage === undefined ? never : (resumed?.toMs ?? never) - outage.toMs,
    gapMs: first.longestGapMs,
    probesAtOnce: first.probesAtOnce,
  };
}

const never = Number.POSITIVE_INFINITY;

type Connect = ReturnType<typeof createSimulatedConnections>;

async function openClient(model: PaceModel, connect: Connect, clock: PaceClock, rows: number) {
  let written = 0;
  const settled = new Set<number>();
  let wakeReader = () => {};
  /** When the probes that are in flight were sent. */
  let probes: number[] = [];
  let sent = 0;
  let probedMs = 0;
  const figures = {
    endMs: undefined as number | undefined,
    lastReadMs: never,
    bad: 0,
    accepted: [] as number[],
    refused: [] as number[],
    latencies: [] as number[],
    pauses: [] as { fromMs: number; toMs: number }[],
    longestGapMs: 0,
    probesAtOnce: 0,
    stopped: undefined as (() => string | undefined) | undefined,
  };
  const isPaused = () => figures.pauses.at(-1)?.toMs === never;
  const { delivery, stop } = await openSimulated(
    clock,
    connect,
    {
      ...{ concurrency, adaptive: true, maxAttempts: 5, maxOutageMs: 15 * 60_000 },
      ...model.settings,
    },
    {
      journal: {
        ...noJournal,
        write: () => new Promise((resolve) => clock.exactly(writeMs, () => resolve(true))),
      },
      tap: {
        ...noTap,
        limited() {
          const isSent = delivery.figures.attempts > sent;
          sent = delivery.figures.attempts;
          if (!isSent || !isPaused()) return;
          probes.push(Math.round(clock.now() * 10) / 10); // as records have it
          figures.probesAtOnce = Math.max(figures.probesAtOnce, probes.length);
          if (probedMs > 0) {
            figures.longestGapMs = Math.max(figures.longestGapMs, clock.now() - probedMs);
          }
          probedMs = clock.now();
        },
        notice(notice) {
          if (notice.kind === "pause") {
            if (isPaused()) return;
            figures.pauses.push({ fromMs: clock.now(), toMs: never });
            probes = [];
            probedMs = 0;
          } else if (notice.kind === "pause_over") {
            const pause = figures.pauses.at(-1);
            if (pause !== undefined) pause.toMs = clock.now();
          }
        },
      },
      onTried({ sentMs, endedMs, httpStatus }) {
        const probe = probes.indexOf(sentMs);
        if (probe >= 0) probes.splice(probe, 1);
        const isRefusal = httpStatus === 429 || httpStatus === 503 || httpStatus === undefined;
        if (httpStatus === 202) {
          figures.accepted.push(endedMs);
          if (endedMs > settledMs) figures.latencies.push(endedMs - sentMs);
        } else if (isRefusal) figures.refused.push(endedMs);
      },
      onSettled({ rowOfRun, outcomes }) {
        if (outcomes[0]?.status !== "succeeded") figures.bad++;
        settled.add(rowOfRun);
        // Results are written in the order of the input, and what is written makes room for more.
        while (settled.delete(written + 1)) written++;
        wakeReader();
      },
      isReaderWaiting: () => isReaderWaiting,
    },
  );
  figures.stopped = () => stop.signal.reason?.code;
  let isReaderWaiting = false;
  const read = async () => {
    for (let row = 1; row <= rows && !stop.signal.aborted; row++) {
      await delivery.room();
      while (row - written > maxPending && !stop.signal.aborted) {
        isReaderWaiting = true;
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
        isReaderWaiting = false;
      }
      if (stop.signal.aborted) break;
      delivery.send(new PendingRow({ row, line: row + 1, cells: [] }, row), [eventOf(row)]);
    }
    figures.lastReadMs = clock.now();
    await delivery.finish();
    figures.endMs = clock.now();
    await delivery.close();
  };
  void read();
  return { figures };
}

/** What comes before says little about the limit. */
const settledMs = 10_000;

/** When it counts: whole windows, if it has any. */
function spanOf(model: PaceModel, tailFrom: number) {
  const { limiter } = model;
  const windowMs = limiter.kind === "window" ? limiter.windowMs : 1;
  const phase = limiter.kind === "window" && !limiter.slides ? 0.37 * windowMs : 0;
  const from = model.fromMs ?? Math.max(settledMs, 2 * windowMs);
  const fromMs = Math.ceil((from + phase) / windowMs) * windowMs - phase;
  const toMs = Math.floor((tailFrom + phase) / windowMs) * windowMs - phase;
  return { fromMs, toMs: Math.max(toMs, fromMs + 1) };
}

/** How long the service was up in that time. */
function upMs({ outages = [] }: PaceModel, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  return outages.reduce(
    (up, outage) => up - Math.max(0, Math.min(toMs, outage.toMs) - Math.max(fromMs, outage.fromMs)),
    toMs - fromMs,
  );
}

/** Events a second that the service takes at most, with so many requests in flight. */
function capacityOf({ limiter, latencyMs, fails, connections }: PaceModel): number {
  const [shortest, longest] = typeof latencyMs === "number" ? [latencyMs, latencyMs] : latencyMs;
  const meanMs = (shortest + longest) / 2;
  const hung = fails?.status === "never" ? fails.share : 0;
  const succeeds = 1 - (fails?.share ?? 0);
  const places = Math.min(concurrency, connections?.most ?? concurrency);
  const own = (places * succeeds) / (((1 - hung) * meanMs + hung * 30_000) / 1000);
  switch (limiter.kind) {
    case "none":
      return own;
    case "bucket":
      return Math.min(own, limiter.perSecond * (limiter.isPerConnection ? concurrency : 1));
    case "leaky":
      return Math.min(own, limiter.perSecond);
    case "window":
    case "estimate":
      return Math.min(own, (limiter.most * 1000) / limiter.windowMs);
    case "places":
      return Math.min(own, (limiter.most * 1000) / meanMs);
    case "processors":
      return Math.min(own, (limiter.most * 1000) / limiter.workMs);
    default:
      return limiter satisfies never;
  }
}

function leastLatency({ limiter, latencyMs }: PaceModel): number {
  const own = typeof latencyMs === "number" ? latencyMs : latencyMs[0];
  return limiter.kind === "processors" ? limiter.workMs + 0.4 * own : own;
}

function rowsFor(model: PaceModel): number {
  return Math.max(1500, Math.min(16_000, Math.round(capacityOf(model) * 40)));
}

function medianOf(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN;
}
