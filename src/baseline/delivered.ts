import { hash } from "node:crypto";
import type { LoadEvent } from "../model/event.ts";
import { createKeyTable, type KeyEntry } from "./key-table.ts";

/** The part of an event that is compared: its `meta` members differ in every run. */
type EventData = Pick<LoadEvent, "resource" | "data">;

/** The input, row and event that a line of results is about; an invalid row has no event. */
export interface Origin {
  readonly input: string | undefined;
  readonly row: number;
  readonly event: number | undefined;
}

/**
 * What was delivered last, by ordering key. First come the lines of results files, the oldest file
 * first; then the events to deliver now; then `unchangedSince` says which of these need not be sent.
 */
export interface Delivered {
  /** How many entries are kept: a key each, or the data of an event without a key. */
  readonly size: number;
  readonly bytes: number;
  /** The following lines are from the next file, which may be the results of a retry. */
  beginFile(isRetry?: boolean): void;
  /**
   * Whether the older files no longer count for events without a key, although this file is of a retry:
   * it sent something that is not in them.
   */
  readonly hasLostOlder: boolean;
  /** Nothing from the files so far counts any more. */
  forget(): void;
  /** An event arrived in the run of this file, or did not need to be sent in it. */
  arrived(orderingKey: string | undefined, event: EventData, origin?: Origin): void;
  /** It is not known whether an event arrived, or with which data. */
  doubt(orderingKey: string | undefined, origin?: Origin): void;
  /** Nothing was sent for a row, as it is invalid. */
  notSent(orderingKey: string | undefined, origin: Origin): void;
  /**
   * An event arrived in an earlier run than that of this file.
   *
   * @returns whether that counts: with a key, only the file of that run says what came after it
   */
  arrivedBefore(orderingKey: string | undefined, event: EventData): boolean;
  /** The events of a row are to be delivered now. */
  plan(orderingKey: string | undefined, events: readonly EventData[]): void;
  /** The number of the file, from 1, since which the events of a row are unchanged, if they are. */
  unchangedSince(orderingKey: string | undefined, events: readonly EventData[]): number | undefined;
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
  const table = createKeyTable();
  let file = 0;
  let isRetry = false;
  /** The first file that counts for events without a key. */
  let first = 1;
  let hasLostOlder = false;

  const current = (key: number) => {
    const known = table.get(key);
    return known === undefined || known.file < first ? undefined : known;
  };
  const keep = (key: number, delivered: number) =>
    table.set(key, { delivered, planned: nothing, file });

  /** Keeps what a line says about an event without a key: the hash of its data, or `uncertain`. */
  const keepAlone = (data: number, origin: Origin | undefined) => {
    const key = origin === undefined ? undefined : keyOf(origin);
    if (isRetry && key !== undefined && origin !== undefined) {
      const before = current(key) ?? current(keyOf({ ...origin, event: undefined }));
      if (before === undefined && first < file) {
        first = file;
        hasLostOlder = true;
      } else if (before !== undefined && before.delivered !== data) {
        // Another row may have had the same data; then it is sent once more.
        if (before.delivered !== uncertain) keep(before.delivered, uncertain);
      }
      keep(key, data);
    } else if (key !== undefined && data === uncertain) keep(key, uncertain);
    if (data !== uncertain) keep(data, 1);
  };

  const arrived = (orderingKey: string | undefined, event: EventData, origin?: Origin) => {
    if (orderingKey === undefined) {
      keepAlone(alone(event), origin);
      return;
    }
    const key = hash48(orderingKey);
    const known = table.get(key);
    if (known?.file === file && known.delivered === uncertain) return;
    const before = known?.file === file ? known.delivered : nothing;
    table.set(key, { delivered: after(before, event), planned: nothing, file });
  };

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
    beginFile(isOfRetry = false) {
      file++;
      isRetry = isOfRetry;
      hasLostOlder = false;
      if (!isRetry) first = file;
    },
    forget() {
      table.clear();
      first = file + 1;
    },
    arrived,
    doubt(orderingKey, origin) {
      if (orderingKey === undefined) {
        keepAlone(uncertain, origin);
        return;
      }
      table.set(hash48(orderingKey), { delivered: uncertain, planned: nothing, file });
    },
    notSent(orderingKey, origin) {
      // For a retry the file before says it, or does not count any more.
      if (orderingKey === undefined && (!isRetry || file === first)) keep(keyOf(origin), uncertain);
    },
    arrivedBefore(orderingKey, event) {
      if (orderingKey !== undefined) return table.get(hash48(orderingKey)) !== undefined;
      // With files before it, those say so, and perhaps what came after it.
      if (file === 1) keep(alone(event), 1);
      return true;
    },
    plan(orderingKey, events) {
      if (orderingKey === undefined) return;
      const key = hash48(orderingKey);
      const known = table.get(key);
      if (known === undefined) return;
      table.set(key, { ...known, planned: events.reduce(after, known.planned) });
    },
    unchangedSince(orderingKey, events) {
      if (orderingKey === undefined) {
        const known = events.map((event) => current(alone(event)));
        const isSame = known.every((entry) => entry !== undefined && entry.delivered !== uncertain);
        return isSame ? Math.max(...known.map((entry) => entry?.file ?? 0)) : undefined;
      }
      const known = table.get(hash48(orderingKey));
      return known !== undefined && isRepeated(known) ? known.file : undefined;
    },
  };
}

const nothing = 0;
/** No sequence of events has this hash. */
const uncertain = 0;

function isRepeated({ delivered, planned }: KeyEntry): boolean {
  return delivered !== uncertain && delivered === planned;
}

/** The hash of a sequence that continues with an event. */
function after(before: number, event: EventData): number {
  return hash48(`${before}\n${event.resource}\n${event.data()}`);
}

/** The key of a row's event. It begins with a hexadecimal digit, and those of others do not. */
function keyOf({ input = "0", row, event }: Origin): number {
  return hash48(`${input} ${row} ${event ?? ""}`);
}

/** The key of an event without one. A key of a mapping begins with a bracket. */
function alone(event: EventData): number {
  return hash48(`${event.resource}\n${event.data()}`);
}

/**
 * 48 bits of a text's SHA-1, which a number holds exactly, and never 0. Among five million keys, the
 * chance that two collide, and count as one, is 1 in 22; for two bodies it is 1 in 2^48.
 */
function hash48(text: string): number {
  // A hex string, as a buffer would have memory of its own.
  return Number.parseInt(hash("sha1", text).slice(0, 12), 16) || 1;
}
