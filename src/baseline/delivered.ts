import { digestOf } from "../model/digest.ts";
import type { LoadEvent } from "../model/event.ts";
import { createHashTable } from "../model/hash-table.ts";

/** The part of an event that is compared: its `meta` members differ in every run. */
type EventData = Pick<LoadEvent, "resource" | "data">;

/** The input, row and event that a line of results is about; an invalid row has no event. */
export interface Origin {
  readonly input: string | undefined;
  readonly row: number;
  readonly event: number | undefined;
  /** The line of the results file. */
  readonly line?: number;
  /** Whether the input of the last import did not have the key. */
  readonly wasGone?: boolean;
}

/** `gone` is the file of the keys that had nothing in the input of an import. */
export type BaselineKind = "import" | "retry" | "gone";

/** How the rows of an input differ from what was delivered. */
export interface Comparison {
  /** Rows whose key is not known; without keys, changed rows too. */
  readonly newRows: number;
  /** Undefined without keys: what a row was before is not known then. */
  readonly changedRows: number | undefined;
  readonly unchangedRows: number;
  /** Keys of the last import that the input does not have; undefined without keys. */
  readonly gone: number | undefined;
  /** Keys of the last import. */
  readonly keys: number;
}

/**
 * What was delivered last, by ordering key. First come the lines of results files, the oldest file
 * first; then the rows of the input; then `unchangedSince` says which of these need not be sent, and
 * `isGone` which keys the input does not have.
 */
export interface Delivered {
  /** How many entries are kept: a key each, or the data of an event without a key. */
  readonly size: number;
  readonly bytes: number;
  /**
   * The following lines are from the next file.
   *
   * @param overlaps the number of the first file whose run was not over when that of this file began: which
   *   of them sent the later event of a key is not known
   */
  beginFile(kind?: BaselineKind, overlaps?: number): void;
  /**
   * Whether the older files no longer count for events without a key, although this file is of a retry:
   * it sent something that is not in them.
   */
  readonly hasLostOlder: boolean;
  /** Another mapping made this file: what was delivered until then counts no more, but the keys are known. */
  forget(): void;
  /** An event arrived in the run of this file, or did not need to be sent in it. */
  arrived(orderingKey: string | undefined, event: EventData, origin?: Origin): void;
  /** An event went without an answer, and at-most-once does not send it again: it stays unknown. */
  unanswered(orderingKey: string | undefined, event: EventData, origin?: Origin): void;
  /** An event may have arrived, or arrived with other data. */
  mayHaveArrived(orderingKey: string | undefined, origin?: Origin): void;
  /** Nothing was sent for a row, as it is invalid. */
  notSent(orderingKey: string | undefined, origin: Origin): void;
  /**
   * An event arrived in an earlier run than that of this file.
   *
   * @returns whether that counts: with a key, only the file of that run says what came after it
   */
  arrivedBefore(orderingKey: string | undefined, event: EventData): boolean;
  /** The service knows that the key is gone: it is a new one if it comes back. */
  removed(orderingKey: string, origin?: Origin): void;
  /** The event of a gone key went without an answer, and at-most-once does not send it again. */
  removalUnanswered(orderingKey: string, origin?: Origin): void;
  /** A row of the input, and its events: none if it is invalid or left out. */
  plan(orderingKey: string | undefined, events: readonly EventData[]): void;
  /** The number of the file, from 1, since which the events of a row are unchanged, if they are. */
  unchangedSince(orderingKey: string | undefined, events: readonly EventData[]): number | undefined;
  /** Whether events that are unchanged went without an answer. */
  isUnknown(orderingKey: string | undefined, events: readonly EventData[]): boolean;
  /** The number of the file in which the event of a gone key went without an answer, if it did. */
  removalUnknownSince(orderingKey: string | undefined): number | undefined;
  /** The last line of a key that was delivered, or perhaps was, and that the input does not have. */
  lastOfGone(orderingKey: string): { readonly file: number; readonly line: number } | undefined;
  /** The number of the last file with a key of which nothing is planned; undefined for any other key. */
  lastFileOfUnplanned(orderingKey: string): number | undefined;
  /** @param isMirror whether keys that were gone before the last import count too */
  comparison(isMirror?: boolean): Comparison;
}

/**
 * The events of a key are compared as one sequence. If the same sequence would be sent again, it can be
 * left out as a whole, however its events depend on each other; a part of it could not.
 *
 * Without a key it is not known which event replaced which, so only the last import counts, row by row,
 * together with its retries. For the retries, an entry for each row says what was not delivered, or what
 * a retry delivered instead. A retry that sent anything else counts as another import.
 */
export function createDelivered(): Delivered {
  const table = createHashTable(valueWords);
  let file = 0;
  let kind: BaselineKind = "import";
  /** The first file that counts for events without a key. */
  let first = 1;
  let lastImport = 1;
  let hasLostOlder = false;
  let overlaps = Number.POSITIVE_INFINITY;
  let hasKeys = false;
  let newRows = 0;
  let unchangedWithoutKey = 0;

  /** The entry of a text; undefined if there is none, or the service knows that it is gone. */
  const get = (text: string) => {
    const { high, low } = digestOf(text);
    const entry = table.get(high, low);
    return entry === undefined || (flagsOf(entry) & removed) !== 0 ? undefined : entry;
  };
  const keep = (text: string, delivered: number, flags: number, line = 0) => {
    const { high, low } = digestOf(text);
    const entry = table.entry(high, low);
    entry.fill(0);
    write(entry, deliveredAt, delivered);
    entry[fileAndFlagsAt] = file * 2 ** flagBits + flags;
    entry[rowsOrLineAt] = line;
  };
  const current = (text: string) => {
    const entry = get(text);
    return entry === undefined || fileOf(entry) < first ? undefined : entry;
  };
  const keepKey = (
    orderingKey: string,
    delivered: number,
    { line, wasGone = false }: Partial<Origin> = {},
    flags = 0,
  ) => {
    hasKeys = true;
    keep(orderingKey, delivered, flags | (wasGone ? goneBefore : 0), line);
  };
  /** Whether another run that was not over yet sent something of the key too. */
  const isOverlapped = (orderingKey: string) => {
    const known = get(orderingKey);
    return known !== undefined && fileOf(known) < file && fileOf(known) >= overlaps;
  };
  /** Continues the sequence of a key. */
  const append = (
    orderingKey: string,
    event: EventData,
    origin: Origin | undefined,
    flags: number,
  ) => {
    const known = get(orderingKey);
    const isOfFile = known !== undefined && fileOf(known) === file;
    const before = isOfFile ? read(known, deliveredAt) : nothing;
    if (isOfFile && before === uncertain) {
      known[rowsOrLineAt] = origin?.line ?? 0;
    } else if (!isOfFile && known !== undefined && fileOf(known) >= overlaps) {
      keepKey(orderingKey, uncertain, origin);
    } else {
      const kept = isOfFile ? flagsOf(known) & unknown : 0;
      keepKey(orderingKey, after(before, event), origin, flags | kept);
    }
  };

  /** Keeps what a line says about an event without a key: its data, or that it is uncertain. */
  const keepAlone = (event: EventData | undefined, origin: Origin | undefined, known = certain) => {
    const place = origin === undefined ? undefined : placeOf(origin);
    const data = event === undefined ? undefined : alone(event);
    const hash = data === undefined ? uncertain : hash48(data);
    if (kind === "retry" && place !== undefined && origin !== undefined) {
      const before = current(place) ?? current(placeOf({ ...origin, event: undefined }));
      if (before === undefined && first < file) {
        first = file;
        hasLostOlder = true;
      } else if (before !== undefined && read(before, deliveredAt) !== hash) {
        // Another row may have had the same data; then it is sent once more.
        const replaced = read(before, deliveredAt);
        if (replaced !== uncertain) keepData(replaced, uncertain);
      }
      keep(place, hash, withoutKey);
    } else if (place !== undefined && data === undefined) keep(place, uncertain, withoutKey);
    if (data !== undefined) keepData(hash, known);
  };
  /** The data of an event without a key are found by their hash, which is all that its place keeps. */
  const keepData = (hash: number, delivered: number) => keep(dataKey(hash), delivered, withoutKey);
  const currentData = (event: EventData) => current(dataKey(hash48(alone(event))));

  return {
    get size() {
      return table.size;
    },
    get bytes() {
      return table.bytes;
    },
    get hasLostOlder() {
      return hasLostOlder;
    },
    beginFile(of = "import", from = Number.POSITIVE_INFINITY) {
      file++;
      // The gone keys of an import are read before its results.
      if (of === "gone" || (of === "import" && kind !== "gone")) lastImport = file;
      kind = of;
      overlaps = from;
      hasLostOlder = false;
      if (kind !== "retry") first = file;
    },
    forget() {
      first = file + 1;
      if (!hasKeys) table.clear();
      table.forEach((entry) => {
        if ((flagsOf(entry) & (removed | withoutKey)) !== 0) return;
        write(entry, deliveredAt, uncertain);
        entry[fileAndFlagsAt] = ((entry[fileAndFlagsAt] ?? 0) & ~unknown) >>> 0;
      });
    },
    arrived(orderingKey, event, origin) {
      if (orderingKey === undefined) keepAlone(event, origin);
      else append(orderingKey, event, origin, 0);
    },
    unanswered(orderingKey, event, origin) {
      if (orderingKey === undefined) keepAlone(event, origin, withoutAnswer);
      else append(orderingKey, event, origin, unknown);
    },
    mayHaveArrived(orderingKey, origin) {
      if (orderingKey === undefined) keepAlone(undefined, origin);
      else keepKey(orderingKey, uncertain, origin);
    },
    notSent(orderingKey, origin) {
      // For a retry the file before says it, or does not count any more.
      if (orderingKey === undefined && (kind !== "retry" || file === first)) {
        keep(placeOf(origin), uncertain, withoutKey);
      }
    },
    arrivedBefore(orderingKey, event) {
      if (orderingKey !== undefined) return get(orderingKey) !== undefined;
      // With files before it, those say so, and perhaps what came after it.
      if (file === 1) keepData(hash48(alone(event)), certain);
      return true;
    },
    removed(orderingKey, origin) {
      if (isOverlapped(orderingKey)) keepKey(orderingKey, uncertain, origin);
      else keep(orderingKey, nothing, removed);
    },
    removalUnanswered(orderingKey, origin) {
      keepKey(orderingKey, uncertain, origin, isOverlapped(orderingKey) ? 0 : unknown);
    },
    plan(orderingKey, events) {
      if (orderingKey === undefined) {
        if (events.length === 0) return;
        if (isKnown(events)) unchangedWithoutKey++;
        else newRows++;
        return;
      }
      hasKeys = true;
      const known = get(orderingKey);
      if (known === undefined) {
        if (events.length > 0) newRows++;
        return;
      }
      if ((flagsOf(known) & present) === 0) {
        known[fileAndFlagsAt] = (known[fileAndFlagsAt] ?? 0) | present;
        known[rowsOrLineAt] = 0;
      }
      if (events.length === 0) return;
      write(known, plannedAt, events.reduce(after, read(known, plannedAt)));
      known[rowsOrLineAt] = (known[rowsOrLineAt] ?? 0) + 1;
    },
    unchangedSince(orderingKey, events) {
      if (orderingKey === undefined) {
        if (!isKnown(events)) return undefined;
        return Math.max(...events.map((event) => fileOf(currentData(event) ?? [])));
      }
      const known = get(orderingKey);
      return known !== undefined && isRepeated(known) ? fileOf(known) : undefined;
    },
    isUnknown(orderingKey, events) {
      if (orderingKey === undefined) {
        return events.some(
          (event) => read(currentData(event) ?? [], deliveredAt) === withoutAnswer,
        );
      }
      const known = get(orderingKey);
      return known !== undefined && (flagsOf(known) & unknown) !== 0;
    },
    removalUnknownSince(orderingKey) {
      const known = orderingKey === undefined ? undefined : get(orderingKey);
      if (known === undefined || read(known, deliveredAt) !== uncertain) return undefined;
      return (flagsOf(known) & unknown) === 0 ? undefined : fileOf(known);
    },
    lastOfGone(orderingKey) {
      const known = get(orderingKey);
      if (known === undefined || (flagsOf(known) & present) !== 0) return undefined;
      return { file: fileOf(known), line: known[rowsOrLineAt] ?? 0 };
    },
    lastFileOfUnplanned(orderingKey) {
      const known = get(orderingKey);
      if (known === undefined) return undefined;
      return rowsOf(known) === 0 ? fileOf(known) : undefined;
    },
    comparison(isMirror = false) {
      let [changedRows, unchangedRows, gone, keys] = [0, unchangedWithoutKey, 0, 0];
      table.forEach((entry) => {
        const flags = flagsOf(entry);
        if ((flags & (removed | withoutKey)) !== 0) return;
        const rows = rowsOf(entry);
        if (isRepeated(entry)) unchangedRows += rows;
        else changedRows += rows;
        const isOfLast = (flags & goneBefore) === 0 && fileOf(entry) >= lastImport;
        if (!isOfLast && !isMirror) return;
        keys++;
        if ((flags & present) === 0) gone++;
      });
      if (!hasKeys) {
        return { newRows, changedRows: undefined, unchangedRows, gone: undefined, keys };
      }
      return { newRows, changedRows, unchangedRows, gone, keys };
    },
  };

  /** Whether all events of a row without a key were delivered. */
  function isKnown(events: readonly EventData[]): boolean {
    return events.every((event) => {
      const known = currentData(event);
      return known !== undefined && read(known, deliveredAt) !== uncertain;
    });
  }
}

const nothing = 0;
/** No sequence of events has this hash. */
const uncertain = 0;
const certain = 1;
const withoutAnswer = 2;

/**
 * An entry: two hashes of 48 bits, the number of the file with flags, and the rows of the input; until there is
 * one, the last line in the file.
 */
const valueWords = 5;
const deliveredAt = 0;
const plannedAt = 1;
/** The upper 16 bits of both hashes. */
const upperAt = 2;
const fileAndFlagsAt = 3;
const rowsOrLineAt = 4;

const flagBits = 5;
/** The input has a row of the key. */
const present = 1;
/** The input of the last import did not have it either. */
const goneBefore = 2;
const removed = 4;
/** It is of an event without a key. */
const withoutKey = 8;
/** An event of it went without an answer. */
const unknown = 16;

type Entry = { [word: number]: number };

function read(entry: Entry, at: 0 | 1): number {
  return (((entry[upperAt] ?? 0) >>> (16 * at)) & 0xffff) * 2 ** 32 + (entry[at] ?? 0);
}

function write(entry: Entry, at: 0 | 1, hash: number): void {
  entry[at] = hash % 2 ** 32;
  const other = (entry[upperAt] ?? 0) & (at === 0 ? 0xffff0000 : 0xffff);
  entry[upperAt] = (other | (Math.floor(hash / 2 ** 32) << (16 * at))) >>> 0;
}

function fileOf(entry: Entry): number {
  return (entry[fileAndFlagsAt] ?? 0) >>> flagBits;
}

function flagsOf(entry: Entry): number {
  return (entry[fileAndFlagsAt] ?? 0) & (2 ** flagBits - 1);
}

/** How many rows of the input have events of the key. */
function rowsOf(entry: Entry): number {
  return (flagsOf(entry) & present) === 0 ? 0 : (entry[rowsOrLineAt] ?? 0);
}

function isRepeated(entry: Entry): boolean {
  const delivered = read(entry, deliveredAt);
  return delivered !== uncertain && delivered === read(entry, plannedAt);
}

/** The hash of a sequence that continues with an event. */
function after(before: number, event: EventData): number {
  return hash48(`${before}\n${event.resource}\n${event.data()}`);
}

/** The key of a row's event. It begins with a hexadecimal digit, and that of a mapping with a bracket. */
function placeOf({ input = "0", row, event }: Origin): string {
  return `${input} ${row} ${event ?? ""}`;
}

function alone(event: EventData): string {
  return `${event.resource}\n${event.data()}`;
}

function dataKey(hash: number): string {
  return `=${hash}`;
}

/**
 * 48 bits of a text's SHA-1, which a number holds exactly, and never 0. The chance that two bodies have the
 * same is 1 in 2^48.
 */
function hash48(text: string): number {
  const { high, low } = digestOf(text);
  return high * 2 ** 16 + Math.floor(low / 2 ** 16) || 1;
}
