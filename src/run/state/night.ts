import type { PendingEvent } from "../../delivery/pending-event.ts";
import type { Clock } from "../../model/clock.ts";
import { cannotStart, reasonOf, stopForDisk } from "../../model/errors.ts";
import type { LoadEvent } from "../../model/event.ts";
import type { PendingRow } from "../../model/pending-row.ts";
import { onAbort, type StopController } from "../../model/stop.ts";
import type { Differences } from "../options/run-events.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { SendingNight } from "../send/send-rows.ts";
import { type Comparison, compareInput, isOver } from "./compare.ts";
import { fateOf, isSent } from "./known-keys.ts";
import { createNightWriter, effectOf, type NightWriter } from "./night-writer.ts";
import type { Night as NightLine } from "./state-lines.ts";
import type { StateLog } from "./state-log.ts";

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
      const hasMore = !isOver(differences);
      const { missing } = differences;
      const known = { ...(after && { after }), ...(missing > 0 && { missing }) };
      await log.begin({ ...night, ...known }, hasMore);
      writer = createNightWriter(log, differences);
      if (hasMore) return;
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
      intend(intent) {
        if (intent.rowOfRun > noted) {
          const upTo = Math.min(handed, intent.rowOfRun + concurrency);
          while (noted < upTo) {
            const row = pending.get(++noted);
            if (row !== undefined) writer?.leaving(row.orderingKey ?? "");
          }
        }
        mustSync ||= intent.rowOfRun > synced;
        journal.intend(intent);
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
