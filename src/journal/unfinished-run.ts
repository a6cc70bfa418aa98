import type { Disk } from "../model/disk/disk.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
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

/** The records of all events. It can be iterated several times. */
export function eventsOf({ events }: UnfinishedRun): Iterable<EventRecord> {
  return {
    *[Symbol.iterator]() {
      for (const ofRow of events.values()) yield* ofRow;
    },
  };
}

/**
 * How many events may have arrived and have no answer: the run was killed while they were in flight, or an attempt was
 * unanswered.
 */
export function perhapsSent({ events }: UnfinishedRun): number {
  let count = 0;
  for (const ofRow of events.values()) {
    count += ofRow.filter(isPerhapsSent).length;
  }
  return count;
}

function isPerhapsSent(record: EventRecord): boolean {
  switch (record.kind) {
    case "intent":
      return true;
    case "attempted":
      return record.unanswered > 0;
    case "outcome":
      return false;
  }
}

/** How many events were in flight when the run was interrupted: the journal has an intent and nothing after it. */
export function inFlight({ events }: UnfinishedRun): number {
  let count = 0;
  for (const ofRow of events.values()) {
    count += ofRow.filter(({ kind }) => kind === "intent").length;
  }
  return count;
}

/** Whether the service has accepted or rejected an event. */
export function hasSucceeded({ checkpoint, events }: UnfinishedRun): boolean {
  const { succeeded = 0, rejected = 0 } = checkpoint?.tally.counts ?? {};
  if (succeeded + rejected > 0) return true;
  for (const ofRow of events.values()) {
    const isAnswered = ofRow.some(
      (record) =>
        record.kind === "outcome" && ["succeeded", "rejected"].includes(record.outcome.status),
    );
    if (isAnswered) return true;
  }
  return false;
}

/** How many rows have an outcome, in the results or in the journal. */
export function rowsSettled({ checkpoint, events }: UnfinishedRun): number {
  const written = checkpoint?.rows ?? 0;
  let count = written;
  for (const [row, ofRow] of events) {
    if (row > written && ofRow.every(({ kind }) => kind === "outcome")) count++;
  }
  return count;
}

/** How many lines have an outcome, in the results or in the journal. */
export function linesOnRecord({ checkpoint, events }: UnfinishedRun): number {
  let count = checkpoint?.tally.lines ?? 0;
  for (const [row, ofRow] of events) {
    if (row <= (checkpoint?.rows ?? 0)) continue;
    count += ofRow.filter(({ kind }) => kind === "outcome").length;
  }
  return count;
}
