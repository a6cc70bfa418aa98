import type { PendingEvent } from "../../delivery/pending-event.ts";
import type { Clock } from "../../model/clock.ts";
import { cannotStart, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { PendingRow } from "../../model/pending-row.ts";
import { onAbort, type StopController } from "../../model/stop.ts";
import type { Differences } from "../options/run-events.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { SendingNight } from "../send/send-rows.ts";
import { type Comparison, compareInput, isOver } from "./compare.ts";
import {
  addEvents,
  type EventData,
  eventsLeft,
  fateOf,
  flags,
  hasFlag,
  isSent,
  type KeyEntry,
  type Known,
  setFlag,
  takeEvents,
  takenDigest,
} from "./known-keys.ts";
import type { NightLine, StateLog } from "./state-log.ts";

/** An import that sends only what differs from what the service has, and keeps the state of that. */
export interface Night extends SendingNight {
  readonly comparison: Comparison;
  readonly lastNight: StateLog["lastNight"];
  /** All rows were compared: nothing of it is written until it begins. */
  compared(): Differences;
  /**
   * Notes in the state that the night begins or, if nothing differs, that it was there: a retry of the night before is
   * refused from then on.
   *
   * @throws CannotStartError if the state cannot be written, or has changed since it was read
   */
  begin(night: Omit<NightLine, "after">): Promise<void>;
  /** Rows of the input that were left out, and events that are still to be sent. */
  readonly unchangedRows: number;
  readonly eventsLeft: number;
  /** @throws DiskError */
  end(): Promise<void>;
}

interface NightSettings {
  readonly clock: Clock;
  readonly stop: StopController;
  /** Path of the state. */
  readonly path: string;
  /** Keys are noted as open so many rows before their events leave: one sync is for many. */
  readonly concurrency: number;
}

export function createNight(
  log: StateLog,
  input: PreparedInput,
  { clock, stop, path, concurrency }: NightSettings,
): Night {
  const { keys } = log;
  const comparison = compareInput(keys, input, log.lastNight?.missing ?? 0);
  let found: Differences | undefined;
  let writer: NightWriter | undefined;
  let unchangedRows = 0;
  let eventsTaken = 0;
  /** Rows that were handed to delivery and have not settled, by their number in the run. */
  const pending = new Map<number, PendingRow<PendingEvent>>();
  /** The last row that was handed over, and up to which one keys are noted, and this is on the disk. */
  let handed = 0;
  let noted = 0;
  let synced = 0;
  let mustSync = false;
  /** The key of the row that was read last, if that is gone. */
  let goneKey: string | undefined;
  let wake: (() => void) | undefined;
  const compared = () => {
    found ??= comparison.differences();
    return found;
  };
  const now = () => clock.date().toISOString();

  const settle = (row: PendingRow<PendingEvent>) => {
    for (const [at, sent] of row.events.entries()) {
      const effect = effectOf(row.outcomes[at] ?? sent.unsettled());
      writer?.settled(row.orderingKey ?? "", sent.event, effect);
    }
    if (pending.size === 0) wake?.();
  };

  const allSettled = async () => {
    if (pending.size === 0 || stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      onAbort(stop.signal, resolve);
    });
    wake = undefined;
  };

  return {
    comparison,
    lastNight: log.lastNight,
    compared,
    async begin(night) {
      const differences = compared();
      const after = wholeNightBefore(log.lastNight);
      const { missing } = differences;
      const known = { ...(after && { after }), ...(missing > 0 && { missing }) };
      await log.begin({ ...night, ...known });
      writer = createNightWriter(log);
      if (!isOver(differences)) return;
      await log.end(now()).catch((error: unknown) => {
        throw cannotStart("output_not_writable", path, reasonOf(error));
      });
    },
    async *withGone(batches, isSameInput) {
      yield* batches;
      if ((found?.gone ?? 0) === 0) return;
      await allSettled();
      if (stop.signal.aborted || !(await isSameInput())) return;
      let number = comparison.rows;
      for await (const key of writer?.goneKeys() ?? []) {
        goneKey = key;
        yield [{ row: ++number, line: 0, cells: input.cellsOfKey(key), isGone: true }];
      }
    },
    get isWaiting() {
      return wake !== undefined;
    },
    leavesOut(row) {
      if (row.isGone || row.problem !== undefined) return false;
      const key = input.keyOf?.(row.cells);
      const entry = key === undefined ? undefined : keys.get(key);
      const fate = entry && fateOf(entry);
      const isLeftOut =
        key === undefined
          ? input.mapRow(row).kind === "skipped"
          : fate === "unchanged" || fate === "left_out";
      if (isLeftOut) unchangedRows++;
      return isLeftOut;
    },
    plan(row, planned) {
      const { events } = planned;
      const key = row.isGone ? goneKey : planned.orderingKey;
      if (row.isGone) eventsTaken++;
      if (events.length === 0 || key === undefined) return planned;
      const entry = keys.get(key);
      const fate = entry && fateOf(entry);
      if (fate === "invalid") {
        const invalid = comparison.invalidKeys.rowOf(key);
        return { ...planned, events: [], outcomes: events.map((one) => blocked(one, invalid)) };
      }
      if (!row.isGone) {
        if (!isSent(fate) || writer?.take(key, events.length) !== true) return undefined;
        eventsTaken += events.length;
      }
      return { ...planned, orderingKey: key };
    },
    send(row, events) {
      pending.set(row.rowOfRun, row);
      handed = row.rowOfRun;
      const entry = keys.get(row.orderingKey ?? "");
      if (entry === undefined || keys.known(entry).kind !== "open") return [];
      const { rowOfRun } = row;
      const before = { attempts: 1, unanswered: 1, importedAt: "" };
      return events.map(({ index: event }) => ({ kind: "attempted", rowOfRun, event, ...before }));
    },
    settled(row) {
      if (pending.delete(row.rowOfRun)) settle(row);
    },
    before: (journal) => ({
      ...journal,
      add(record) {
        journal.add(record);
        const { kind, rowOfRun } = record;
        if (kind !== "intent") return;
        if (rowOfRun > noted) {
          const upTo = Math.min(handed, rowOfRun + concurrency);
          while (noted < upTo) {
            const row = pending.get(++noted);
            if (row !== undefined) writer?.leaving(row.orderingKey ?? "");
          }
        }
        mustSync ||= rowOfRun > synced;
      },
      async write(hasIntents) {
        const [isWritten, isJournaled] = await Promise.all([write(), journal.write(hasIntents)]);
        return isWritten && isJournaled;
      },
    }),
    async finish() {
      for (const row of [...pending.values()]) if (pending.delete(row.rowOfRun)) settle(row);
      await write();
    },
    get unchangedRows() {
      return unchangedRows;
    },
    get eventsLeft() {
      const { events = 0, gone = 0 } = found ?? {};
      return Math.max(0, events + gone - eventsTaken);
    },
    end: () => log.end(now()),
  };

  /** @returns whether the state is written */
  async function write(): Promise<boolean> {
    const upTo = noted;
    const isSynced = mustSync;
    mustSync = false;
    try {
      await log.write(isSynced);
      if (isSynced) synced = upTo;
      return true;
    } catch (error) {
      stop.abort(stopForDisk(error));
      return false;
    }
  }
}

/** The last night that finished, by its `run`. */
export function wholeNightBefore(lastNight: StateLog["lastNight"]): string | undefined {
  return lastNight?.end === undefined ? lastNight?.after : lastNight.run;
}

function blocked({ index: event, id: eventId }: LoadEvent, row: number | undefined) {
  return {
    status: "blocked" as const,
    event,
    eventId,
    attempts: 0,
    unanswered: 0,
    errorCode: "blocked",
    error: `blocked, because row ${row} of the same ordering key is invalid: nothing of the key is sent`,
  };
}

/** What an attempt to send an event did to the service: it took effect, or surely not, or nobody knows. */
export type Effect = "succeeded" | "none" | "unknown";

/** Keeps the state right while a night sends. */
export interface NightWriter {
  /**
   * The events of a row are about to be handed to delivery. Each is `settled` later.
   *
   * @returns false if the input has changed since it was compared: then they must not be sent
   */
  take(key: string, events: number): boolean;
  /** An event of the key, or of a key that is gone, is about to leave: it may after the next `write`. */
  leaving(key: string): void;
  /** An event of the key has its outcome, or gets none in this run; the events of a key in their order. */
  settled(key: string, event: EventData, effect: Effect): void;
  /** Keys that the service has, or may have, and the input does not; in the order of the log. */
  goneKeys(): AsyncGenerator<string>;
}

/** @param log of a night that has begun */
export function createNightWriter(log: StateLog): NightWriter {
  const { keys } = log;
  /** The keys with events that were taken and have not settled. No key is added to the table while they are. */
  const inFlight = new Map<string, { readonly entry: KeyEntry; events: number }>();
  const entryOf = (key: string) => inFlight.get(key)?.entry ?? keys.entry(key);

  const put = (key: string, entry: KeyEntry, known: Known) => {
    setFlag(entry, flags.isUnsure, false);
    keys.setKnown(entry, known);
    log.put(key, known);
  };

  return {
    take(key, events) {
      const entry = keys.get(key);
      if (entry === undefined || !takeEvents(entry, events)) return false;
      const known = inFlight.get(key);
      if (known === undefined) inFlight.set(key, { entry, events });
      else known.events += events;
      return true;
    },
    leaving(key) {
      const entry = entryOf(key);
      if (hasFlag(entry, flags.isUnsure) || hasFlag(entry, flags.isOpen)) return;
      setFlag(entry, flags.isUnsure);
      log.put(key, { kind: "open" });
    },
    settled(key, event, effect) {
      const entry = entryOf(key);
      if (fateOf(entry) === "missing") {
        if (effect === "succeeded") put(key, entry, { kind: "nothing" });
        if (effect === "none") put(key, entry, keys.known(entry));
        return;
      }
      if (effect === "succeeded") addEvents(entry, [event]);
      else setFlag(entry, flags.hasFailed);
      if (effect !== "none") setFlag(entry, flags.hasArrived);
      const taken = inFlight.get(key);
      if (taken !== undefined && --taken.events > 0) return;
      inFlight.delete(key);
      if (!hasFlag(entry, flags.hasFailed)) {
        const known: Known = { kind: "events", digest: takenDigest(entry) };
        if (eventsLeft(entry) === 0) put(key, entry, known);
      } else if (hasFlag(entry, flags.isUnsure) && !hasFlag(entry, flags.hasArrived)) {
        put(key, entry, keys.known(entry)); // what it had before tonight
      }
    },
    async *goneKeys() {
      for await (const key of log.keyTexts()) {
        const entry = keys.entry(key);
        if (fateOf(entry) !== "missing" || hasFlag(entry, flags.isListed)) continue;
        setFlag(entry, flags.isListed);
        yield key;
      }
    },
  };
}

/** What an event did to the service, as far as its outcome tells. */
export function effectOf({ status, attempts, unanswered, httpStatus }: Outcome): Effect {
  if (status === "succeeded") return "succeeded";
  if (unanswered > 0) return "unknown";
  if (attempts === 0 || httpStatus === undefined) return "none"; // it was not sent
  // Of several attempts, only the last one's status is known; anything but a 4xx may have taken effect.
  const isRefused = attempts === 1 && httpStatus >= 400 && httpStatus < 500;
  return isRefused ? "none" : "unknown";
}
