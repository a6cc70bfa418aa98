import type { Checkpoint, EventRecord } from "../model/run-record.ts";
import { checksum, type JournalRecord, readRecords, readSeal } from "./batch.ts";
import type { RunIdentity } from "./run-identity.ts";

/** What a journal says of an unfinished run. */
export type JournalContent =
  | {
      readonly kind: "run";
      readonly run: RunIdentity;
      readonly checkpoint: Checkpoint | undefined;
      /** What is known of events that are not in the results, by row of the run. */
      readonly events: KnownEvents;
      /** Until when the service has asked to be left alone, in epoch milliseconds. */
      readonly waitUntil: number | undefined;
    }
  /** It ended before the run was on record, and so before anything was sent. */
  | { readonly kind: "unborn" }
  /** Written by a version before 0.2, which kept a record a line. */
  | { readonly kind: "outdated" }
  | { readonly kind: "damaged"; readonly offset: number };

const lineFeed = 0x0a;

/**
 * Reads a journal. A batch at its end that is not whole was never acted upon, so it is dropped with what
 * follows it. The same further in, before bytes that are known to have reached the disk, is damage: what it
 * said cannot be known, so nothing is guessed.
 */
export async function readJournal(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<JournalContent> {
  let run: RunIdentity | undefined;
  let checkpoint: Checkpoint | undefined;
  let waitUntil: number | undefined;
  const events = createKnownEvents();
  const take = (record: JournalRecord) => {
    switch (record.kind) {
      case "run":
        run = record.run;
        break;
      case "checkpoint":
        checkpoint = record.checkpoint;
        break;
      case "wait":
        waitUntil = record.untilMs;
        break;
      default:
        events.add(record);
    }
  };

  let firstBroken: number | undefined;
  let synced = 0;
  let lines: Buffer[] = [];
  let batchAt = 0;
  for await (const { offset, line } of linesOf(chunks)) {
    if (offset === 0 && outdated.test(line.toString("latin1", 0, 40))) return { kind: "outdated" };
    const seal = line[0] === hash ? readSeal(line.toString("latin1")) : undefined;
    if (seal === undefined) {
      lines.push(line);
      continue;
    }
    const text = Buffer.concat(lines.flatMap((one) => [one, newLine]));
    const isWhole = checksum(text, seal.synced) === seal.checksum;
    // A seal of nothing, as a compacted journal ends with, speaks for itself, whatever was before it.
    const isAlone = checksum("", seal.synced) === seal.checksum;
    if (isWhole || isAlone) synced = Math.max(synced, seal.synced);
    if (!isWhole) firstBroken ??= batchAt;
    else if (firstBroken === undefined) {
      for (const one of lines) for (const record of readRecords(one.toString())) take(record);
    }
    lines = [];
    batchAt = offset + line.length + 1;
  }
  if (lines.length > 0) firstBroken ??= batchAt;
  if (firstBroken !== undefined && firstBroken < synced) {
    return { kind: "damaged", offset: firstBroken };
  }
  if (run === undefined) return { kind: "unborn" };
  return { kind: "run", run, checkpoint, events, waitUntil };
}

const hash = 0x23;
const newLine = Buffer.from("\n");
/** `<CRC-32> {"kind":"run",…}` */
const outdated = /^[\da-f]{8} \{"kind":"run"/;

async function* linesOf(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<{ offset: number; line: Buffer }> {
  /** Of a line whose end has not come. */
  let begun: Buffer[] = [];
  let offset = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end);
      const line = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      yield { offset, line };
      offset += line.length + 1;
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
  // Space that is allocated and not written yet is no line.
  const line = Buffer.concat(begun);
  if (line.some((byte) => byte !== 0)) yield { offset, line };
}

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
