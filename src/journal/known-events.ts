import type { EventRecord } from "../model/run-record.ts";

/**
 * What is known of the events of rows, in half the memory that a map of objects takes: a run that goes
 * on may have hundreds of thousands of them.
 */
export interface KnownEvents extends Iterable<[number, EventRecord[]]> {
  /** Rows of which something is known. */
  readonly size: number;
  /** Takes the place of what was known of the event. */
  add(record: EventRecord): void;
  get(rowOfRun: number): EventRecord[] | undefined;
  delete(rowOfRun: number): void;
  values(): Iterable<EventRecord[]>;
}

export function createKnownEvents(): KnownEvents {
  const texts = new Map<number, string>();
  const parse = (text: string) => JSON.parse(text) as EventRecord[];
  return {
    get size() {
      return texts.size;
    },
    add(record) {
      const text = texts.get(record.rowOfRun);
      const ofRow = text === undefined ? [] : parse(text);
      const at = ofRow.findIndex((known) => eventOf(known) === eventOf(record));
      ofRow[at < 0 ? ofRow.length : at] = record;
      texts.set(record.rowOfRun, inOnePiece(JSON.stringify(ofRow)));
    },
    get(rowOfRun) {
      const text = texts.get(rowOfRun);
      return text === undefined ? undefined : parse(text);
    },
    delete(rowOfRun) {
      texts.delete(rowOfRun);
    },
    *values() {
      for (const text of texts.values()) yield parse(text);
    },
    *[Symbol.iterator]() {
      for (const [rowOfRun, text] of texts) yield [rowOfRun, parse(text)];
    },
  };
}

/** V8 leaves what it has put together in pieces, which take half as much again. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** Which of the mapping's events a record is about; 0 where it does not say. */
function eventOf(record: EventRecord): number {
  return record.kind === "outcome" ? (record.outcome.event ?? 0) : record.event;
}
