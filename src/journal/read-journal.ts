import type { Checkpoint, EventRecord } from "../domain/run-record.ts";
import { decodeRecord } from "./record.ts";
import type { RunIdentity } from "./run-identity.ts";

/** What a journal says of a run that has not ended. */
export type JournalContent =
  | {
      readonly kind: "run";
      readonly run: RunIdentity;
      readonly checkpoint: Checkpoint | undefined;
      /** What is known of events that are not in the results, by row of the run. */
      readonly events: ReadonlyMap<number, readonly EventRecord[]>;
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
export function readJournal(bytes: Buffer): JournalContent {
  let run: RunIdentity | undefined;
  let checkpoint: Checkpoint | undefined;
  const events = new Map<number, Map<number, EventRecord>>();
  let firstBroken: number | undefined;
  let synced = 0;

  for (const { offset, line } of linesOf(bytes)) {
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
      default: {
        const ofRow = events.get(record.rowOfRun) ?? new Map<number, EventRecord>();
        events.set(record.rowOfRun, ofRow);
        const event = record.kind === "outcome" ? (record.outcome.event ?? 0) : record.event;
        ofRow.set(event, record);
      }
    }
  }
  if (firstBroken !== undefined && firstBroken < synced) {
    return { kind: "damaged", offset: firstBroken };
  }
  if (run === undefined) return { kind: "unborn" };
  return {
    kind: "run",
    run,
    checkpoint,
    events: new Map([...events].map(([row, ofRow]) => [row, [...ofRow.values()]])),
  };
}

function* linesOf(bytes: Buffer): Generator<{ offset: number; line: Buffer }> {
  let offset = 0;
  while (offset < bytes.length) {
    const end = bytes.indexOf(lineFeed, offset);
    const stop = end < 0 ? bytes.length : end;
    const line = bytes.subarray(offset, stop);
    // Space set aside and not written yet is no line.
    if (end >= 0 || line.some((byte) => byte !== 0)) yield { offset, line };
    offset = stop + 1;
  }
}
