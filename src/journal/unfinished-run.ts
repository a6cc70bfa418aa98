import { z } from "zod";
import type { Disk } from "../model/disk/disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../model/errors.ts";
import { amount, describeWrong } from "../model/members.ts";
import { noCounts, type StatusCounts } from "../model/outcome.ts";
import {
  type AccountEnd,
  type Checkpoint,
  checkpointSchema,
  type EventRecord,
  endSchema,
  eventRecordSchemas,
} from "../model/run-record.ts";
import { LogDamagedError, readLog } from "./log.ts";
import { journalVersion, type RunIdentity, runIdentitySchema } from "./run-identity.ts";

/** A line of a journal. */
export type JournalRecord =
  /** What run this is; it stands first. */
  | { readonly kind: "run"; readonly run: RunIdentity }
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly kind: "end"; readonly end: AccountEnd }
  /** The service asks the run to wait until then, in epoch milliseconds. */
  | { readonly kind: "wait"; readonly untilMs: number }
  | EventRecord;

const recordSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), run: runIdentitySchema }),
  z.object({ kind: z.literal("checkpoint"), checkpoint: checkpointSchema }),
  z.object({ kind: z.literal("end"), end: endSchema }),
  z.object({ kind: z.literal("wait"), untilMs: amount }),
  ...eventRecordSchemas,
]);

/** As it was written, because the seal covers that. @throws CannotStartError */
function parseRecord(record: unknown, path: string): JournalRecord {
  const { kind, run } = (record ?? {}) as Readonly<Record<"kind" | "run", unknown>>;
  const version = kind === "run" && (run as Partial<RunIdentity> | null)?.version;
  // What its other records mean may differ.
  if (typeof version === "number" && version !== journalVersion) {
    throw cannotStart("journal_outdated", path);
  }
  const { error } = recordSchema.safeParse(record);
  if (error !== undefined) throw cannotStart("journal_edited", path, describeWrong(error));
  return record as JournalRecord;
}

/** What a journal says about its run. */
export interface UnfinishedRun {
  readonly run: RunIdentity;
  readonly checkpoint: Checkpoint | undefined;
  /** The last record of each event that is not in the results, by row of the run. */
  readonly events: Map<number, EventRecord[]>;
  /** Until when the service asked the run to wait, in epoch milliseconds. */
  readonly waitUntil: number | undefined;
  /** What is left to be done, if every row has its outcome. */
  readonly end: AccountEnd | undefined;
}

/**
 * Reads the run of a journal; undefined if there is none, or if it was interrupted before the record of its run, and so
 * before it sent anything.
 *
 * @throws CannotStartError if the journal is damaged, so that nobody knows what was sent; if another version of
 *   eventload wrote it; or if it cannot be read
 */
export async function findUnfinishedRun(
  disk: Pick<Disk, "readChunks">,
  path: string,
): Promise<UnfinishedRun | undefined> {
  let run: RunIdentity | undefined;
  let checkpoint: Checkpoint | undefined;
  let waitUntil: number | undefined;
  let end: AccountEnd | undefined;
  const events = new Map<number, EventRecord[]>();
  const take = (record: JournalRecord) => {
    switch (record.kind) {
      case "run":
        run = record.run;
        break;
      case "checkpoint":
        checkpoint = record.checkpoint;
        break;
      case "end":
        end = record.end;
        break;
      case "wait":
        waitUntil = record.untilMs;
        break;
      default:
        addRecord(events, record);
    }
  };
  try {
    for await (const { lines } of readLog(disk.readChunks(path))) {
      for (const record of lines) take(parseRecord(record, path));
    }
  } catch (error) {
    if (error instanceof LogDamagedError) throw cannotStart("journal_damaged", path, error.offset);
    if (error instanceof CannotStartError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
  return run && { run, checkpoint, events, waitUntil, end };
}

/** What is on record of rows that are not in the results, row by row. */
export function* unwritten({ checkpoint, events }: UnfinishedRun): Generator<EventRecord[]> {
  for (const [row, ofRow] of events) if (row > (checkpoint?.rows ?? 0)) yield ofRow;
}

/**
 * How many events may have arrived and have no answer: the run was killed while they were in flight (there is an intent
 * and nothing after it), or an attempt was unanswered.
 */
export function countUnanswered({ events }: UnfinishedRun) {
  let [perhapsSent, inFlight] = [0, 0];
  for (const record of [...events.values()].flat()) {
    if (record.kind === "intent") inFlight++;
    if (record.kind === "intent" || (record.kind === "attempted" && record.unanswered > 0)) {
      perhapsSent++;
    }
  }
  return { perhapsSent, inFlight };
}

/** Whether the service has accepted or rejected an event. */
export function isServiceKnown(unfinished: UnfinishedRun): boolean {
  const { succeeded, rejected } = countsOnRecord(unfinished);
  return succeeded + rejected > 0;
}

/** How many rows have settled, in the results or in the journal. */
export function rowsSettled(unfinished: UnfinishedRun): number {
  let count = unfinished.checkpoint?.rows ?? 0;
  for (const ofRow of unwritten(unfinished)) {
    if (ofRow.every(({ kind }) => kind === "outcome")) count++;
  }
  return count;
}

/** The lines that have an outcome, in the results or in the journal. */
export function countsOnRecord(unfinished: UnfinishedRun): StatusCounts {
  const counts = { ...noCounts(), ...unfinished.checkpoint?.tally.counts };
  for (const ofRow of unwritten(unfinished)) {
    for (const record of ofRow) if (record.kind === "outcome") counts[record.outcome.status]++;
  }
  return counts;
}

/** Replaces an earlier record of the event. */
export function addRecord(events: Map<number, EventRecord[]>, record: EventRecord): void {
  const ofRow = events.get(record.rowOfRun) ?? [];
  const at = ofRow.findIndex((known) => eventOf(known) === eventOf(record));
  ofRow[at < 0 ? ofRow.length : at] = record;
  events.set(record.rowOfRun, ofRow);
}

/** Which of the mapping's events a record is about; 0 if the record does not say. */
export function eventOf(record: EventRecord): number {
  return record.kind === "outcome" ? (record.outcome.event ?? 0) : record.event;
}
