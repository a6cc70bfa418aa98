import type { Checkpoint, EventRecord } from "../model/run-record.ts";
import { checksum, type JournalRecord, readRecords, readSeal } from "./batch.ts";
import { journalVersion, type RunIdentity } from "./run-identity.ts";

/** What a journal says of an unfinished run. */
export type JournalContent =
  | {
      readonly kind: "run";
      readonly run: RunIdentity;
      readonly checkpoint: Checkpoint | undefined;
      /** What is known about events that are not in the results, by row of the run. */
      readonly events: KnownEvents;
      /** Until when the service asked the run to wait, in epoch milliseconds. */
      readonly waitUntil: number | undefined;
    }
  /** It ends before it names its run, and so before anything was sent. */
  | { readonly kind: "unborn" }
  /** Written by another version of eventload. */
  | { readonly kind: "outdated" }
  | { readonly kind: "damaged"; readonly offset: number };

const lineFeed = 0x0a;

/**
 * Reads a journal. An incomplete batch at its end was never acted on, so it is dropped with what
 * follows it. An incomplete batch further in, before bytes that are known to be on the disk, is damage: what
 * it said is unknown, so nothing is guessed.
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
    // A compacted journal ends with the seal of an empty batch, which is valid whatever comes before it.
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
  if (run.version !== journalVersion) return { kind: "outdated" };
  return { kind: "run", run, checkpoint, events, waitUntil };
}

const hash = 0x23;
const newLine = Buffer.from("\n");
/** `<CRC-32> {"kind":"run",…}`: the first version of all kept a record a line. */
const outdated = /^[\da-f]{8} \{"kind":"run"/;

async function* linesOf(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<{ offset: number; line: Buffer }> {
  /** The pieces of a line whose end has not come yet. */
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
  // Space that is allocated and not written yet is not a line.
  const line = Buffer.concat(begun);
  if (line.some((byte) => byte !== 0)) yield { offset, line };
}

/**
 * What is known about the events of rows, in half the memory that a map of objects takes: a resumed run
 * may have hundreds of thousands of them.
 */
export interface KnownEvents extends Iterable<[number, EventRecord[]]> {
  /** Rows about which something is known. */
  readonly size: number;
  /** Replaces what was known about the event. */
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

/** V8 keeps concatenated text in pieces, which take half as much memory again. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** Which of the mapping's events a record is about; 0 if it does not say. */
function eventOf(record: EventRecord): number {
  return record.kind === "outcome" ? (record.outcome.event ?? 0) : record.event;
}
