import type { PendingEvent, PendingRow } from "../../delivery/pending-event.ts";
import type { LoadEvent } from "../../model/event.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Row } from "../../model/row.ts";
import type { Differences } from "../../model/run-events.ts";
import type { KeyRecord } from "../../model/run-record.ts";
import { onAbort, type StopController } from "../../model/stop.ts";
import { planRow, settled, unsent } from "../prepare/plan-row.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import type { PartRows } from "../send/send-rows.ts";
import { compareInput } from "./compare.ts";
import {
  addEvents,
  eventsLeft,
  fateOf,
  flags,
  hasFlag,
  isOnly,
  isSent,
  type KeyEntry,
  type KeyState,
  knownOf,
  setFlag,
  setKnown,
  takeEvents,
  takenDigest,
} from "./known-keys.ts";
import { type ChangedMembers, memberHashes, openChangedMembers } from "./member-hashes.ts";
import type { StateFile } from "./state-file.ts";
import type { KnownKey } from "./state-text.ts";

/** An import that sends only what differs from what the service has. */
export type Night = ReturnType<typeof createNight>;

export function createNight(state: StateFile, input: PreparedInput, stop: StopController) {
  const { keys } = state;
  const comparison = compareInput(keys, input, state.lastNight);
  let found: Differences | undefined;
  let changed: ChangedMembers | undefined;
  let unchangedRows = 0;
  let eventsTaken = 0;
  /** Rows that were handed to delivery and have not settled, by their number in the run; and how many of each key. */
  const pending = new Map<number, PendingRow>();
  const pendingOf = new Map<string, number>();
  /** The key of the row that was read last, if that is gone. */
  let goneKey: string | undefined;
  let wake: (() => void) | undefined;
  const compared = () => {
    found ??= comparison.differences();
    return found;
  };

  const eventsToSend = () => {
    const { events = 0, gone = 0 } = found ?? {};
    return Math.max(0, events + gone - eventsTaken);
  };

  const known = (key: string, what: KeyState): KeyRecord => {
    const entry = keys.entry(key);
    setFlag(entry, flags.isUnsure, false);
    setKnown(entry, what);
    return { kind: "key", key, ...what };
  };

  /** The events of a row have their outcomes, or get none in this run; the rows of a key in their order. */
  const settle = ({ row, events, outcomes, orderingKey: key = "" }: PendingRow) => {
    const entry = keys.entry(key);
    let isGone: KeyRecord | undefined;
    for (const [at, sent] of events.entries()) {
      const effect = effectOf(outcomes[at] ?? sent.outcome("not_sent"));
      if (row.isGone) {
        if (effect === "succeeded") isGone = known(key, { gone: true });
        if (effect === "none") isGone = known(key, knownOf(entry));
        continue;
      }
      if (effect === "succeeded") addEvents(entry, [sent.event]);
      else setFlag(entry, flags.hasFailed);
      if (effect !== "none") setFlag(entry, flags.hasArrived);
    }
    const left = (pendingOf.get(key) ?? 0) - 1;
    if (left > 0) pendingOf.set(key, left);
    else pendingOf.delete(key);
    if (pending.size === 0) wake?.();
    return left > 0 || row.isGone ? isGone : settleKey(key, entry, events);
  };

  /** No event of the key is pending. */
  const settleKey = (key: string, entry: KeyEntry, last: readonly PendingEvent[]) => {
    if (!hasFlag(entry, flags.hasFailed)) {
      if (eventsLeft(entry) > 0) return undefined;
      const [only] = last;
      const m = only && isOnly(entry, only.event) ? memberHashes(only.event) : undefined;
      return known(key, { d: takenDigest(entry), ...(m === undefined ? {} : { m }) });
    }
    const isAsBefore = hasFlag(entry, flags.isUnsure) && !hasFlag(entry, flags.hasArrived);
    return isAsBefore ? known(key, knownOf(entry)) : undefined;
  };

  const allSettled = async () => {
    if (pending.size === 0 || stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
      onAbort(stop.signal, resolve);
    });
    wake = undefined;
  };

  /** Rows of the input, then rows for the keys that are gone, once all others have settled. */
  async function* withGone(
    batches: AsyncIterable<readonly Row[]>,
    isSameInput: () => Promise<boolean>,
  ): AsyncGenerator<readonly Row[]> {
    if (compared().changed > 0) changed = await openChangedMembers(state, comparison);
    yield* batches;
    if (compared().gone === 0) return;
    await allSettled();
    if (stop.signal.aborted || !(await isSameInput())) return;
    let number = comparison.rows;
    for await (const lines of state.keyLines()) {
      for (const { key } of lines as KnownKey[]) {
        if (fateOf(keys.entry(key)) !== "missing") continue;
        goneKey = key;
        yield [{ row: ++number, line: 0, cells: input.cellsOfKey(key), isGone: true }];
      }
    }
  }

  return {
    comparison,
    compared,
    /** The differences, with what the events that are sent tell of them. */
    differences: (): Differences => ({ ...compared(), changedBy: changed?.counts() ?? [] }),
    noteAway() {
      keys.forEach((entry) => {
        setFlag(entry, flags.isAway, fateOf(entry) === "missing");
      });
    },
    /** Tells of a key whether the state may say something else of it than before the night; undefined if of all. */
    get mayChange() {
      const all = comparison.listedKeys();
      return all === undefined || compared().gone > 0 ? undefined : (key: string) => all.has(key);
    },
    async beginPass(isSameInput) {
      const source = await comparison.again();
      unchangedRows = source.rowsPassedOver;
      return { ...source, batches: withGone(source.batches, isSameInput) };
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
    plan(row) {
      const planned = planRow(row, input);
      const { events } = planned;
      const key = row.isGone ? goneKey : planned.orderingKey;
      if (row.isGone) eventsTaken++;
      if (events.length === 0 || key === undefined) return planned;
      const entry = keys.get(key);
      const fate = entry && fateOf(entry);
      if (fate === "invalid") {
        const invalid = comparison.invalidKeys.rowOf(key);
        const lines = events.map((one) => settled(row, blocked(one, invalid)));
        return { ...planned, events: [], lines };
      }
      if (!row.isGone) {
        if (entry === undefined || !isSent(fate)) return undefined;
        const [only] = eventsLeft(entry) === 1 ? events : [];
        if (only !== undefined && !hasFlag(entry, flags.isTaken)) changed?.see(key, only);
        if (!takeEvents(entry, events.length)) return undefined;
        eventsTaken += events.length;
      }
      return { ...planned, orderingKey: key };
    },
    send(row, events) {
      const { rowOfRun, orderingKey: key = "" } = row;
      pending.set(rowOfRun, row);
      pendingOf.set(key, (pendingOf.get(key) ?? 0) + 1);
      if (!hasFlag(keys.entry(key), flags.isNotKnown)) return [];
      const before = { attempts: 1, unanswered: 1, importedAt: "" };
      return events.map(({ index: event }) => ({ event, ...before }));
    },
    leaving(intent) {
      const key = pending.get(intent.rowOfRun)?.orderingKey;
      const entry = key === undefined ? undefined : keys.entry(key);
      if (key === undefined || entry === undefined) return intent;
      if (hasFlag(entry, flags.isUnsure) || hasFlag(entry, flags.isNotKnown)) return intent;
      setFlag(entry, flags.isUnsure);
      return { ...intent, key };
    },
    settled: (row) => (pending.delete(row.rowOfRun) ? settle(row) : undefined),
    finish() {
      const left = [...pending.values()];
      pending.clear();
      return left.flatMap((row) => settle(row) ?? []);
    },
    get unchangedRows() {
      return unchangedRows;
    },
    get eventsToSend() {
      return eventsToSend();
    },
    /** Rows of the results with those of gone keys, once all were compared; undefined if that is not known. */
    get rowsTotal() {
      const { rowsListed } = comparison;
      return rowsListed === undefined ? undefined : rowsListed + compared().gone;
    },
    /** At least so many rows have events that are still to be sent. */
    get rowsLeft() {
      return Math.ceil(eventsToSend() / comparison.mostEvents);
    },
  } satisfies PartRows & Record<string, unknown>;
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
