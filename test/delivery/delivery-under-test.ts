import { getEventListeners } from "node:events";
import { onTestFinished } from "vitest";
import type { DeliverySettings } from "../../src/delivery/delivery-contract.ts";
import { openConnections } from "../../src/delivery/http/connections.ts";
import { readToken } from "../../src/delivery/http/token.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import { createBlockedKeys } from "../../src/model/blocked-keys.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import type { LoadEvent } from "../../src/model/event.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { EventBefore, Intent } from "../../src/model/run-record.ts";
import type { DeliveryNotice } from "../../src/model/sending-state.ts";
import { onAbort, type StopController } from "../../src/model/stop.ts";
import { createFakeClock, deadlineMs, type FakeClock } from "../fake-clock.ts";
import { type EventRecord, eventOf, outcomesOf, placeOf } from "./event-of.ts";
import { noTap, openSimulated } from "./simulated-wire.ts";

const secret = "s3cr3t/Token+of=length";

export interface SentRow {
  readonly row: number;
  /** Default: the number of the row. */
  readonly rowOfRun?: number;
  readonly events: readonly LoadEvent[];
  readonly orderingKey?: string | undefined;
  readonly before?: readonly EventBefore[];
}

export interface DeliveryUnderTestSettings extends Partial<DeliverySettings> {
  readonly clock?: FakeClock;
  /** Whether the reader waits until rows settle; default it does not. */
  readonly isReaderWaiting?: boolean;
  /** Puts intents on record; their events may be sent when it resolves with true. */
  readonly write?: (intents: readonly Intent[]) => Promise<boolean>;
}

/** Delivery over real sockets, on a clock that stands still while a request is in flight. */
export async function deliveryTo(baseUrl: string, settings: DeliveryUnderTestSettings = {}) {
  const { clock = createFakeClock(), write = async () => true } = settings;
  const stop: StopController = new AbortController();
  /** How many wait for the run to stop. */
  const listeners = () => getEventListeners(stop.signal as AbortSignal, "abort").length;
  const notices: DeliveryNotice[] = [];
  /** What the journal was given, in that order; an intent counts when its batch has been written. */
  const records: EventRecord[] = [];
  const waits: number[] = [];
  const blockedKeys = createBlockedKeys();
  let batch: Intent[] = [];
  const unsettled = new Map<PendingRow, (outcomes: readonly Outcome[]) => void>();

  const token = { kind: "value", value: secret, from: "the test" } as const;
  const { delivery } = await openSimulated(
    clock,
    openConnections,
    {
      ...{ maxAttempts: 3, timeoutMs: deadlineMs, tokenSource: token },
      ...{ endpoint: parseBaseUrl(baseUrl, true), token: await readToken(token) },
      ...settings,
    },
    {
      journal: {
        add(record) {
          if (record.kind === "wait") waits.push(record.untilMs);
          else if (record.kind === "intent") batch.push(record);
          else records.push(record);
        },
        async write() {
          const intents = batch;
          batch = [];
          const mayLeave = await write(intents);
          // They are on record also where they may not leave, as the space for more could not be had.
          records.push(...intents);
          return mayLeave;
        },
      },
      tap: { ...noTap, notice: (notice) => notices.push(notice) },
      ...{ stop, blockedKeys },
      isReaderWaiting: () => settings.isReaderWaiting ?? false,
      onOutcome: ({ row: { rowOfRun } }, outcome) =>
        records.push({ kind: "outcome", rowOfRun, outcome }),
      onSettled(row) {
        unsettled.get(row)?.(row.outcomes);
        unsettled.delete(row);
      },
    },
  );
  onTestFinished(() => delivery.close());

  let finished: Promise<void> | undefined;
  const finish = () => {
    finished ??= delivery.finish();
    return finished;
  };
  const settleRest = () => {
    for (const [row, resolve] of unsettled) {
      resolve(outcomesOf(row));
    }
    unsettled.clear();
  };
  const settleRestWhenStopped = () => void finish().then(settleRest);
  onAbort(stop.signal, settleRestWhenStopped);

  const sendRow = ({ row, rowOfRun = row, events, orderingKey, before }: SentRow) =>
    new Promise<readonly Outcome[]>((resolve) => {
      const pending = new PendingRow({ row, line: row + 1, cells: [] }, rowOfRun);
      pending.orderingKey = orderingKey;
      unsettled.set(pending, resolve);
      delivery.send(pending, events, before);
      if (stop.signal.aborted) settleRestWhenStopped();
    });

  return {
    ...{ delivery, clock, stop, listeners, notices, records, waits, blockedKeys, sendRow, finish },
    /** Sends a row of one event. In a run that stops first, it resolves when nothing is in flight any more. */
    async send(row: number, orderingKey?: string, before?: EventBefore): Promise<Outcome> {
      const known = before === undefined ? {} : { before: [before] };
      const [outcome] = await sendRow({ row, events: [eventOf(row)], orderingKey, ...known });
      if (outcome === undefined) throw new Error("a row of one event has one outcome");
      return outcome;
    },
  };
}

/**
 * Where intents and ends do not take turns, event by event: each intent has one end, and each end
 * its intent, but for an outcome that is known without an attempt.
 */
export function offBeat(records: readonly EventRecord[]): string[] {
  const open = new Set<string>();
  const attempted = new Set<string>();
  const found: string[] = [];
  for (const record of records) {
    const place = placeOf(record);
    if (record.kind === "outcome" && record.outcome.status === "blocked") continue;
    if (record.kind === "intent") {
      if (open.has(place)) found.push(`${place}: an intent without an end`);
      open.add(place);
    } else if (!open.delete(place)) {
      // Whether an exhausted event has failed may be known only some time after its last attempt.
      const isLate = record.kind === "outcome" && attempted.has(place);
      if (!isLate) found.push(`${place}: an end without an intent`);
    }
    if (record.kind === "attempt") attempted.add(place);
    else attempted.delete(place);
  }
  return [...found, ...[...open].map((place) => `${place}: an intent without an end`)];
}
