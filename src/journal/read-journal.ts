import type { AccountEnd, Checkpoint, EventRecord } from "../model/run-record.ts";
import { checksum, type JournalRecord, readChecksumLine, readRecords } from "./batch.ts";
import { journalVersion, type RunIdentity } from "./run-identity.ts";

/** What a journal says about its run. */
export type JournalContent =
  | {
      readonly kind: "run";
      readonly run: RunIdentity;
      readonly checkpoint: Checkpoint | undefined;
      /** The last record of each event that is not in the results. */
      readonly events: EventRecords;
      /** Until when the service asked the run to wait, in epoch milliseconds. */
      readonly waitUntil: number | undefined;
      /** What is left to be done, if every row has its outcome. */
      readonly end: AccountEnd | undefined;
    }
  /** It ends before the record of its run, and so before anything was sent. */
  | { readonly kind: "empty" }
  /** Written by another version of eventload. */
  | { readonly kind: "other_version" }
  | { readonly kind: "damaged"; readonly offset: number };

const lineFeed = 0x0a;

/**
 * Reads a journal. An incomplete batch at its end was never acted on, so it is dropped with what
 * follows it. An incomplete batch before bytes that are known to have reached the disk is damage: nobody knows what
 * it said, so nothing is guessed.
 */
export async function readJournal(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<JournalContent> {
  let run: RunIdentity | undefined;
  let checkpoint: Checkpoint | undefined;
  let waitUntil: number | undefined;
  let accountEnd: AccountEnd | undefined;
  const events = createEventRecords();
  const take = (record: JournalRecord) => {
    switch (record.kind) {
      case "run":
        run = record.run;
        break;
      case "checkpoint":
        checkpoint = record.checkpoint;
        break;
      case "end":
        accountEnd = record.end;
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
    if (offset === 0 && outdated.test(line.toString("latin1", 0, 40)))
      return { kind: "other_version" };
    const end = line[0] === hash ? readChecksumLine(line.toString("latin1")) : undefined;
    if (end === undefined) {
      lines.push(line);
      continue;
    }
    const text = Buffer.concat(lines.flatMap((one) => [one, newLine]));
    const isWhole = checksum(text, end.synced) === end.checksum;
    // A compacted journal ends with the checksum of an empty batch, which is valid whatever comes before it.
    const isAlone = checksum("", end.synced) === end.checksum;
    if (isWhole || isAlone) synced = Math.max(synced, end.synced);
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
  if (run === undefined) return { kind: "empty" };
  if (run.version !== journalVersion) return { kind: "other_version" };
  return { kind: "run", run, checkpoint, events, waitUntil, end: accountEnd };
}

const hash = 0x23;
const newLine = Buffer.from("\n");
/** `<CRC-32> {"kind":"run",…}`: the first version had a record per line. */
const outdated = /^[\da-f]{8} \{"kind":"run"/;

async function* linesOf(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): AsyncGenerator<{ offset: number; line: Buffer }> {
  /** The pieces of a line whose end has not been read yet. */
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
  // Space that is allocated but not written is not a line.
  const line = Buffer.concat(begun);
  if (line.some((byte) => byte !== 0)) yield { offset, line };
}

/**
 * The last record of each event, by row of the run, in half the memory of a map of objects: a resumed run may have
 * hundreds of thousands of them.
 */
export interface EventRecords extends Iterable<[number, EventRecord[]]> {
  /** Replaces an earlier record of the event. */
  add(record: EventRecord): void;
  get(rowOfRun: number): EventRecord[] | undefined;
  delete(rowOfRun: number): void;
}

export function createEventRecords(): EventRecords {
  const texts = new Map<number, string>();
  const parse = (text: string) => JSON.parse(text) as EventRecord[];
  return {
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
    *[Symbol.iterator]() {
      for (const [rowOfRun, text] of texts) yield [rowOfRun, parse(text)];
    },
  };
}

/** V8 keeps concatenated text in pieces, which take half as much memory again. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** Which of the mapping's events a record is about; 0 if the record does not say. */
function eventOf(record: EventRecord): number {
  return record.kind === "outcome" ? (record.outcome.event ?? 0) : record.event;
}
