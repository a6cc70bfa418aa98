import type { Checkpoint } from "../domain/run-record.ts";
import { createKnownEvents, type KnownEvents } from "./known-events.ts";
import { decodeRecord } from "./record.ts";
import type { RunIdentity } from "./run-identity.ts";

/** What a journal says of a run that has not ended. */
export type JournalContent =
  | {
      readonly kind: "run";
      readonly run: RunIdentity;
      readonly checkpoint: Checkpoint | undefined;
      /** What is known of events that are not in the results, by row of the run. */
      readonly events: KnownEvents;
    }
  /** It ended before the run was on record, and so before anything was sent. */
  | { readonly kind: "unborn" }
  | { readonly kind: "damaged"; readonly offset: number };

const lineFeed = 0x0a;

/**
 * Reads a journal. A record at its end that is not whole was never acted upon, so it is dropped with
 * what follows it. The same further in, before bytes that are known to have reached the disk, is
 * damage: what it said cannot be known, so nothing is guessed.
 */
export async function readJournal(
  chunks: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<JournalContent> {
  let run: RunIdentity | undefined;
  let checkpoint: Checkpoint | undefined;
  const events = createKnownEvents();
  let firstBroken: number | undefined;
  let synced = 0;

  for await (const { offset, line } of linesOf(chunks)) {
    const record = decodeRecord(line);
    if (record === undefined) {
      firstBroken ??= offset;
      continue;
    }
    if (record.kind === "synced") {
      synced = Math.max(synced, record.offset);
      continue;
    }
    if (firstBroken !== undefined) continue;
    switch (record.kind) {
      case "run":
        run = record.run;
        break;
      case "checkpoint":
        checkpoint = record.checkpoint;
        break;
      default:
        events.add(record);
    }
  }
  if (firstBroken !== undefined && firstBroken < synced) {
    return { kind: "damaged", offset: firstBroken };
  }
  if (run === undefined) return { kind: "unborn" };
  return { kind: "run", run, checkpoint, events };
}

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
  // Space set aside and not written yet is no line.
  const line = Buffer.concat(begun);
  if (line.some((byte) => byte !== 0)) yield { offset, line };
}
