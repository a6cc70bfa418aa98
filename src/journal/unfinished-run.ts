import type { Disk } from "../model/disk/disk.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { noCounts, type StatusCounts } from "../model/outcome.ts";
import type { EventRecord } from "../model/run-record.ts";
import { type JournalContent, readJournal } from "./read-journal.ts";

export type UnfinishedRun = Extract<JournalContent, { kind: "run" }>;

/**
 * Reads the run of a journal; undefined if there is none.
 *
 * @throws CannotStartError if the journal is damaged: nobody knows what was sent
 */
export async function findUnfinishedRun(
  disk: Disk,
  path: string,
): Promise<UnfinishedRun | undefined> {
  let content: JournalContent;
  try {
    content = await readJournal(disk.readChunks(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
  switch (content.kind) {
    case "run":
      return content;
    case "damaged":
      throw cannotStart("journal_damaged", path, content.offset);
    case "other_version":
      throw cannotStart("journal_outdated", path);
    case "empty":
      // The run was interrupted before its first record, so it had sent nothing.
      return undefined;
  }
}

/** What is on record of rows that are not in the results, row by row. */
export function* unwritten({ checkpoint, events }: UnfinishedRun): Generator<EventRecord[]> {
  for (const [row, ofRow] of events) if (row > (checkpoint?.rows ?? 0)) yield ofRow;
}

/**
 * How many events may have arrived and have no answer: the run was killed while they were in flight, or an attempt was
 * unanswered.
 */
export function perhapsSent(unfinished: UnfinishedRun): number {
  return countRecords(
    unfinished,
    (record) => record.kind === "intent" || (record.kind === "attempted" && record.unanswered > 0),
  );
}

/** How many events were in flight when the run was interrupted: the journal has an intent and nothing after it. */
export function inFlight(unfinished: UnfinishedRun): number {
  return countRecords(unfinished, ({ kind }) => kind === "intent");
}

/** Whether the service has accepted or rejected an event. */
export function hasSucceeded(unfinished: UnfinishedRun): boolean {
  const { succeeded, rejected } = countsOnRecord(unfinished);
  return succeeded + rejected > 0;
}

function countRecords({ events }: UnfinishedRun, is: (record: EventRecord) => boolean): number {
  let count = 0;
  for (const [, ofRow] of events) count += ofRow.filter(is).length;
  return count;
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
