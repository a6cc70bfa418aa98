import type { PendingEvent } from "../../delivery/pending-event.ts";
import type { Clock } from "../../model/clock.ts";
import { cannotStart, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { PendingRow } from "../../model/pending-row.ts";
import { onAbort, type StopController } from "../../model/stop.ts";
import type { Differences } from "../options/run-events.ts";
import { unsent } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { SendingNight } from "../send/send-rows.ts";
import { compareInput, isOver } from "./compare.ts";
import {
  addEvents,
  eventsLeft,
  fateOf,
  flags,
  hasFlag,
  hasMoved,
  isSent,
  type Known,
  knownOf,
  openOf,
  setFlag,
  setKnown,
  takeEvents,
  takenDigest,
} from "./known-keys.ts";
import type { NightLine, StateLog } from "./state-log.ts";

/** An import that sends only what differs from what the service has, and keeps the state of that. */
export type Night = ReturnType<typeof createNight>;

interface NightSettings {
  readonly clock: Clock;
  readonly stop: StopController;
  /** Keys are noted as open so many rows before their events leave: one sync is for many. */
  readonly concurrency: number;
}

const keysPerWrite = 4096;
/** What no event waits for is written so much later. */
const writeAfterMs = 25;

export function createNight(
  log: StateLog,
  input: PreparedInput,
  { clock, stop, concurrency }: NightSettings,
) {
  const { keys } = log;
  const comparison = compareInput(keys, input, log.lastNight);
  let found: Differences | undefined;
  let unchangedRows = 0;
  let eventsTaken = 0;
  /** Rows that were handed to delivery and have not settled, by their number in the run; and how many of each key. */
  const pending = new Map<number, PendingRow<PendingEvent>>();
  const pendingOf = new Map<string, number>();
  /** The last row that was handed over, and up to which one keys are noted, and this is on the disk. */
  let handed = 0;
  let noted = 0;
  let synced = 0;
  let mustSync = false;
  /** The key of the row that was read last, if that is gone. */
  let goneKey: string | undefined;
  let wake: (() => void) | undefined;
  let writing = Promise.resolve(true);
  let cancelWrite: (() => void) | undefined;
  const compared = () => {
    found ??= comparison.differences();
    return found;
  };
  const now = () => clock.date().toISOString();

  const put = (key: string, known: Known) => {
    const entry = keys.entry(key);
    setFlag(entry, flags.isUnsure, false);
    setKnown(entry, known);
    log.put(key, known);
  };

  /** An event of the key may leave after the next write. */
  const leaving = (key: string) => {
    const entry = keys.entry(key);
    if (hasFlag(entry, flags.isUnsure) || hasFlag(entry, flags.isOpen)) return;
    setFlag(entry, flags.isUnsure);
    log.put(key, openOf(entry));
  };

  /** The events of a row have their outcomes, or get none in this run; the rows of a key in their order. */
  const settle = ({ row, events, outcomes, orderingKey: key = "" }: PendingRow<PendingEvent>) => {
    const entry = keys.entry(key);
    for (const [at, sent] of events.entries()) {
      const effect = effectOf(outcomes[at] ?? sent.unsettled());
      if (row.isGone) {
        if (effect === "succeeded") put(key, { gone: true });
        if (effect === "none") put(key, knownOf(entry));
        continue;
      }
      if (effect === "succeeded") addEvents(entry, [sent.event]);
      else setFlag(entry, flags.hasFailed);
      if (effect !== "none") setFlag(entry, flags.hasArrived);
    }
    const left = (pendingOf.get(key) ?? 0) - 1;
    if (left > 0) pendingOf.set(key, left);
    else pendingOf.delete(key);
    if (left === 0 && !row.isGone) settleKey(key);
    if (pending.size === 0) wake?.();
  };

  /** No event of the key is pending. */
  const settleKey = (key: string) => {
    const entry = keys.entry(key);
    if (!hasFlag(entry, flags.hasFailed)) {
      if (eventsLeft(entry) === 0) put(key, { d: takenDigest(entry) });
    } else if (hasFlag(entry, flags.isUnsure) && !hasFlag(entry, flags.hasArrived)) {
      put(key, knownOf(entry)); // what it had before tonight
    }
  };

  /** Notes which keys the input lacks, so that each counts for `--max-gone` once. */
  const noteAway = async () => {
    let left = 0;
    keys.forEach((entry) => {
      if (hasMoved(entry)) left++;
    });
    if (left === 0) return;
    for await (const key of log.keyTexts()) {
      const entry = keys.entry(key);
      if (!hasMoved(entry)) continue;
      setFlag(entry, flags.isAway, !hasFlag(entry, flags.isAway));
      log.put(key, knownOf(entry));
      if (--left % keysPerWrite === 0) await log.write(false);
      if (left === 0) return;
    }
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
    /** All rows were compared: nothing of it is written until it begins. */
    compared,
    /**
     * Notes in the state that the night begins or, if nothing differs, that it was there: a retry of the night before
     * is refused from then on.
     *
     * @throws CannotStartError if the state cannot be written, or has changed since it was read
     */
    async begin(night: NightLine) {
      const differences = compared();
      const { makesGoneEvents, unreadableRows } = differences;
      const gone = makesGoneEvents && unreadableRows === 0 && { gone: true as const };
      await log.begin({ ...night, ...gone });
      try {
        await noteAway();
        if (isOver(differences)) await log.end(now());
      } catch (error) {
        throw cannotStart("output_not_writable", log.path, reasonOf(error));
      }
    },
    async *withGone(batches, isSameInput) {
      yield* batches;
      if ((found?.gone ?? 0) === 0) return;
      await allSettled();
      if (stop.signal.aborted || !(await isSameInput())) return;
      let number = comparison.rows;
      for await (const key of log.keyTexts()) {
        const entry = keys.entry(key);
        if (fateOf(entry) !== "missing" || hasFlag(entry, flags.isListed)) continue;
        setFlag(entry, flags.isListed);
        goneKey = key;
        yield [{ row: ++number, line: 0, cells: input.cellsOfKey(key), isGone: true }];
      }
    },
    get isKnownService() {
      return comparison.isKnownService;
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
        if (entry === undefined || !isSent(fate)) return undefined;
        if (!takeEvents(entry, events.length)) return undefined;
        eventsTaken += events.length;
      }
      return { ...planned, orderingKey: key };
    },
    send(row, events) {
      const { rowOfRun, orderingKey: key = "" } = row;
      pending.set(rowOfRun, row);
      pendingOf.set(key, (pendingOf.get(key) ?? 0) + 1);
      handed = rowOfRun;
      if (!hasFlag(keys.entry(key), flags.isOpen)) return [];
      const before = { attempts: 1, unanswered: 1, importedAt: "" };
      return events.map(({ index: event }) => ({ event, ...before }));
    },
    settled(row) {
      if (pending.delete(row.rowOfRun)) settle(row);
      cancelWrite ??= clock.schedule(writeAfterMs, () => void write());
    },
    before: (journal) => ({
      ...journal,
      add(record) {
        journal.add(record);
        if (record.kind !== "intent") return;
        const { rowOfRun } = record;
        if (rowOfRun > noted) {
          const upTo = Math.min(handed, rowOfRun + concurrency);
          while (noted < upTo) {
            const row = pending.get(++noted);
            if (row !== undefined) leaving(row.orderingKey ?? "");
          }
        }
        mustSync ||= rowOfRun > synced;
      },
      async write() {
        const [isWritten, isJournaled] = await Promise.all([write(), journal.write()]);
        return isWritten && isJournaled;
      },
    }),
    async finish() {
      for (const row of [...pending.values()]) if (pending.delete(row.rowOfRun)) settle(row);
      await write();
    },
    /** Rows of the input that were left out, and events that are still to be sent. */
    get unchangedRows() {
      return unchangedRows;
    },
    get eventsLeft() {
      const { events = 0, gone = 0 } = found ?? {};
      return Math.max(0, events + gone - eventsTaken);
    },
    /** @throws DiskError */
    end: () => log.end(now()),
  } satisfies SendingNight & Record<string, unknown>;

  /** @returns whether the state is written */
  function write(): Promise<boolean> {
    cancelWrite?.();
    cancelWrite = undefined;
    writing = writing.then(writeNow);
    return writing;
  }

  async function writeNow(): Promise<boolean> {
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

function blocked({ index: event, id: eventId }: LoadEvent, row: number | undefined) {
  const why = `blocked, because row ${row} of the same ordering key is invalid: nothing of the key is sent`;
  return { ...unsent("blocked", "blocked", why), event, eventId };
}

/** What an event did to the service, as far as its outcome tells: it took effect, or surely not, or nobody knows. */
export function effectOf({
  status,
  attempts,
  unanswered,
  httpStatus,
}: Outcome): "succeeded" | "none" | "unknown" {
  if (status === "succeeded") return "succeeded";
  if (unanswered > 0) return "unknown";
  if (attempts === 0 || httpStatus === undefined) return "none"; // it was not sent
  // Of several attempts, only the last one's status is known; anything but a 4xx may have taken effect.
  const isRefused = attempts === 1 && httpStatus >= 400 && httpStatus < 500;
  return isRefused ? "none" : "unknown";
}
