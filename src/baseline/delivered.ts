import { hash } from "node:crypto";
import type { LoadEvent } from "../model/event.ts";
import { createKeyTable, type KeyEntry } from "./key-table.ts";

/** What of an event tells it from others: `meta` members are other ones in every run. */
type EventData = Pick<LoadEvent, "resource" | "data">;

/** Which event of which row of which input a line tells of; an invalid row has given none. */
export interface Origin {
  readonly input: string | undefined;
  readonly row: number;
  readonly event: number | undefined;
}

/**
 * What was delivered last, by order key. First the lines of results files are told, the oldest file
 * first, then the events that are to be delivered now; after that it can be asked which of these need
 * not be sent.
 */
export interface Delivered {
  /** Events whose keys, or in want of a key whose data, are kept. */
  readonly size: number;
  readonly bytes: number;
  /** The lines from here on are of the next file, which may be the results of a retry. */
  beginFile(isRetry?: boolean): void;
  /**
   * Whether what older files tell of events without a key says nothing any more, though the file is of a
   * retry: it has sent what is not known from them.
   */
  readonly hasLostOlder: boolean;
  /** What was told so far says nothing any more. */
  forget(): void;
  /** An event arrived in the run of that file, or needed not be sent in it. */
  arrived(orderKey: string | undefined, event: EventData, origin?: Origin): void;
  /** An event may have arrived or not, or with other data. */
  doubt(orderKey: string | undefined, origin?: Origin): void;
  /** Nothing was sent of a row, as it is invalid. */
  notSent(orderKey: string | undefined, origin: Origin): void;
  /**
   * An event arrived in a run before that of the file.
   *
   * @returns whether that says anything: with a key, only the file of that run tells what came after
   */
  arrivedBefore(orderKey: string | undefined, event: EventData): boolean;
  /** The events of a row are to be delivered now. */
  plan(orderKey: string | undefined, events: readonly EventData[]): void;
  /** The number of the file, from 1, since which the events of a row are unchanged, if they are. */
  unchangedSince(orderKey: string | undefined, events: readonly EventData[]): number | undefined;
}

/**
 * Of a key the events are compared as one sequence. What was delivered last has left its mark however
 * its events depend on each other, if the same sequence would be sent again; with any part of it left
 * out, that need not be so.
 *
 * Without a key nothing tells which event took the place of which, so only the last import counts, in
 * which each row stands for itself, with the retries of what it did not deliver. For these it is kept by
 * row what was not delivered, and what a retry delivered instead: an entry for each line of a file that
 * has none by its data. A retry that sent anything else is as good as another import.
 */
export function createDelivered(): Delivered {
  const table = createKeyTable();
  let file = 0;
  let isRetry = false;
  /** The file from which on those tell of events without a key. */
  let first = 1;
  let hasLostOlder = false;

  const current = (key: number) => {
    const known = table.get(key);
    return known === undefined || known.file < first ? undefined : known;
  };
  const keep = (key: number, delivered: number) =>
    table.set(key, { delivered, planned: nothing, file });

  /** What a line tells of an event without a key: its data by their hash, or that they are in doubt. */
  const tellAlone = (data: number, origin: Origin | undefined) => {
    const key = origin === undefined ? undefined : keyOf(origin);
    if (isRetry && key !== undefined && origin !== undefined) {
      const before = current(key) ?? current(keyOf({ ...origin, event: undefined }));
      if (before === undefined && first < file) {
        first = file;
        hasLostOlder = true;
      } else if (before !== undefined && before.delivered !== data) {
        // Another row may have had the same data; then that is sent once more.
        if (before.delivered !== uncertain) keep(before.delivered, uncertain);
      }
      keep(key, data);
    } else if (key !== undefined && data === uncertain) keep(key, uncertain);
    if (data !== uncertain) keep(data, 1);
  };

  const arrived = (orderKey: string | undefined, event: EventData, origin?: Origin) => {
    if (orderKey === undefined) {
      tellAlone(alone(event), origin);
      return;
    }
    const key = hash48(orderKey);
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
    doubt(orderKey, origin) {
      if (orderKey === undefined) {
        tellAlone(uncertain, origin);
        return;
      }
      table.set(hash48(orderKey), { delivered: uncertain, planned: nothing, file });
    },
    notSent(orderKey, origin) {
      // Of a retry it is known from the file before, or what was delivered before is not.
      if (orderKey === undefined && (!isRetry || file === first)) keep(keyOf(origin), uncertain);
    },
    arrivedBefore(orderKey, event) {
      if (orderKey !== undefined) return table.get(hash48(orderKey)) !== undefined;
      // With files before it these tell, and perhaps of what came after it.
      if (file === 1) keep(alone(event), 1);
      return true;
    },
    plan(orderKey, events) {
      if (orderKey === undefined) return;
      const key = hash48(orderKey);
      const known = table.get(key);
      if (known === undefined) return;
      table.set(key, { ...known, planned: events.reduce(after, known.planned) });
    },
    unchangedSince(orderKey, events) {
      if (orderKey === undefined) {
        const known = events.map((event) => current(alone(event)));
        const isSame = known.every((entry) => entry !== undefined && entry.delivered !== uncertain);
        return isSame ? Math.max(...known.map((entry) => entry?.file ?? 0)) : undefined;
      }
      const known = table.get(hash48(orderKey));
      return known !== undefined && isRepeated(known) ? known.file : undefined;
    },
  };
}

const nothing = 0;
/** No sequence of events has it. */
const uncertain = 0;

function isRepeated({ delivered, planned }: KeyEntry): boolean {
  return delivered !== uncertain && delivered === planned;
}

/** What stands for a sequence that goes on with an event. */
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
 * 48 bits of a text's SHA-1, which a number holds exactly, and never 0. Two of five million keys are
 * the same with a chance of 1 to 22, and then count as one; two bodies with one of 1 to 2^48.
 */
function hash48(text: string): number {
  // A text, as a buffer would have memory of its own.
  return Number.parseInt(hash("sha1", text).slice(0, 12), 16) || 1;
}
