import type { LoadEvent } from "../domain/event.ts";
import { hash48 } from "./hash48.ts";
import { createKeyTable, type KeyEntry } from "./key-table.ts";

/** What of an event tells it from others: `meta` members are other ones in every run. */
type EventData = Pick<LoadEvent, "resource" | "data">;

/**
 * What was delivered last, by order key. First the lines of results files are told, the oldest file
 * first, then the events that are to be delivered now; after that it can be asked which of these need
 * not be sent.
 */
export interface Delivered {
  /** Events whose keys, or in want of a key whose data, are kept. */
  readonly size: number;
  readonly bytes: number;
  /** The lines from here on are of the next file. */
  beginFile(): void;
  /** What was told so far says nothing any more. */
  forget(): void;
  /** An event arrived in the run of that file, or needed not be sent in it. */
  arrived(orderKey: string | undefined, event: EventData): void;
  /** An event may have arrived or not, or with other data. */
  doubt(orderKey: string | undefined): void;
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
 * out, that need not be so. Without a key nothing tells which event took the place of which, so only
 * the last file counts, in which each row stands for itself.
 */
export function createDelivered(): Delivered {
  const table = createKeyTable();
  let file = 0;

  const arrived = (orderKey: string | undefined, event: EventData) => {
    if (orderKey === undefined) {
      table.set(alone(event), { delivered: 1, planned: 0, file });
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
    beginFile() {
      file++;
    },
    forget: table.clear,
    arrived,
    doubt(orderKey) {
      if (orderKey === undefined) return;
      table.set(hash48(orderKey), { delivered: uncertain, planned: nothing, file });
    },
    arrivedBefore(orderKey, event) {
      if (orderKey !== undefined) return table.get(hash48(orderKey)) !== undefined;
      arrived(orderKey, event);
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
        const isSame = events.every((event) => table.get(alone(event))?.file === file);
        return isSame ? file : undefined;
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

/** The key of an event without one. A key of a mapping begins with a bracket. */
function alone(event: EventData): number {
  return hash48(`${event.resource}\n${event.data()}`);
}
