import { basename } from "node:path";
import { createArrivals } from "../../journal/arrivals.ts";
import { createDoneRows } from "../../journal/done-rows.ts";
import {
  type JournalRecord,
  journalNumbers,
  readJournal,
  readLastBegin,
} from "../../journal/read-journal.ts";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { createUnsettledEvents } from "../../journal/unsettled-events.ts";
import { createBlockedKeys } from "../../model/blocked-keys.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import type { ManifestPart } from "../../model/manifest.ts";
import { isDone, type Outcome } from "../../model/outcome.ts";
import type { OutcomeGroups } from "../../model/outcome-groups.ts";
import type { AccountEnd, LineRecord, Writable } from "../../model/run-record.ts";
import type { FoundLimits } from "../../model/sending-state.ts";
import { endedLineOf, type OwnCells, ownCellsReader } from "../../results/result-line.ts";
import { createTally } from "../../results/tally.ts";
import { createRunMeter } from "../../stats/run-meter.ts";
import { outcomeGroupsOf } from "./column-of-member.ts";

/** What a line says, where it is at hand as more than a text. */
export type Settled = Pick<OwnCells, "outcome" | "place">;

/** What a process of a part did: its rows are those that it completed. */
export type ProcessRecord = Pick<
  ManifestPart,
  "rows" | "attempts" | "unanswered" | "finished_at" | "exit_reason"
> & { readonly counts: Partial<Record<Outcome["status"], number>> };

/** What single records say. */
export interface Said {
  /** Which part the record is of; undefined before its first record. */
  run?: RunIdentity;
  meter: ReturnType<typeof createRunMeter>;
  /** Until when the service asked the run to wait, in epoch milliseconds. */
  waitUntil?: number;
  /** What the service took last, as far as that was found. */
  found?: FoundLimits;
  /** Of a retry: how many rows were selected; undefined before all of them were. */
  selectedRows?: number;
  /** How many rows the input had; undefined before its end. */
  rowsAtEnd?: number;
  /** How many events were in flight when the last process was over. */
  lost: number;
  /** What is left to be done, if every row has its outcome. */
  end?: AccountEnd;
}

/**
 * What is on record of a part: a fold over the records of its journal. The process that writes them feeds it, and so
 * does whoever reads them, so both say the same.
 */
export type PartRecord = ReturnType<typeof createPartRecord>;

export function createPartRecord(problems: OutcomeGroups) {
  const rows = createDoneRows();
  const unsettled = createUnsettledEvents();
  const tally = createTally();
  const allLines = createTally();
  /** The keys of lines that hold them back. */
  const blockedKeys = createBlockedKeys();
  const arrivals = createArrivals();
  const processes: Writable<ProcessRecord>[] = [];
  const said: Said = { meter: createRunMeter(), lost: 0 };
  let readOwn = ownCellsReader([]);

  const begin = (record: Extract<JournalRecord, { kind: "run" }>) => {
    if (said.run === undefined) said.meter = createRunMeter(record.figures);
    lose();
    said.run = record.run;
    readOwn = ownCellsReader(said.run.columns);
    const nothing = { rows: 0, attempts: 0, unanswered: 0, finished_at: null, exit_reason: null };
    processes.push({ ...nothing, counts: {} });
    said.meter.began(said.run.parts.at(-1)?.startedAt ?? "");
  };
  const lose = () => {
    const lost = unsettled.processOver();
    if (lost.length > 0) {
      said.meter.lost(lost);
      countAttempts(lost.length, lost.length);
    }
    said.lost = lost.length;
  };
  const countAttempts = (attempts: number, unanswered: number) => {
    const current = processes.at(-1);
    if (current === undefined) return;
    current.attempts += attempts;
    current.unanswered += unanswered;
  };
  const tried = ({ tried: attempt }: Pick<LineRecord, "tried">) => {
    if (attempt === undefined) return;
    said.meter.tried(attempt);
    countAttempts(1, attempt.kind === "unanswered" ? 1 : 0);
  };
  const unsettledEvents = () =>
    [...unsettled.rows()].flatMap(({ events }) =>
      events.filter(({ outcome }) => outcome === undefined),
    );
  /** @returns false if no part of ours has such a line */
  const line = (record: LineRecord, settled: Settled | undefined): boolean => {
    const { rowOfRun, at, atMs, isLast = false, isKept, holdsBack } = record;
    if (!rows.isWithin(rowOfRun)) return false;
    if (!rows.line(rowOfRun, at, record.text.length, isLast)) return true;
    tried(record);
    const current = processes.at(-1);
    if (isLast) {
      unsettled.rowDone(rowOfRun);
      if (current !== undefined) current.rows++;
    }
    const known = settled ?? readOwn(record.text.slice(record.ownAt));
    if (known === undefined) return false;
    const { outcome, place } = known;
    const { status, event } = outcome;
    if (status === "not_sent") return false;
    allLines.add(outcome);
    if (isKept) return true;
    if (!isLast && event !== undefined) unsettled.outcome(rowOfRun, place.row, event, outcome);
    tally.add(outcome);
    if (current !== undefined) current.counts[status] = (current.counts[status] ?? 0) + 1;
    said.meter.settled(status, atMs, record.tried?.event);
    if (holdsBack !== undefined) blockedKeys.blockDigest(holdsBack, place.row);
    if (!isDone(status)) problems.add(endedLineOf(known));
    return true;
  };

  return Object.assign(said as Readonly<Said>, {
    rows,
    unsettled,
    problems,
    blockedKeys,
    arrivals,
    processes: processes as readonly ProcessRecord[],
    tally: tally.tally,
    /** The tally with the lines that stay as an earlier part wrote them. */
    allLines: allLines.tally,
    allLinesWithUnsettled: () => allLines.withUnsettled(unsettledEvents()),
    /** The lines so far, and the attempts of events that have none. */
    tallyWithUnsettled: () => tally.withUnsettled(unsettledEvents()),
    /** The process is over: what was in flight has no answer. */
    lose,
    /**
     * Takes the next record.
     *
     * @param settled what the record of a line says, if that is at hand
     * @returns false if no part of ours has such a record at this place
     */
    take(record: JournalRecord, settled?: Settled): boolean {
      if (said.run === undefined && record.kind !== "run") return false;
      switch (record.kind) {
        case "run":
          begin(record);
          return true;
        case "row":
        case "key":
          return true;
        case "arrived":
          arrivals.take(record);
          return true;
        case "selected":
          said.selectedRows = record.rows;
          return true;
        case "intent":
          if (!rows.isDone(record.rowOfRun)) unsettled.intent(record);
          return true;
        case "attempt":
          tried(record);
          if (!rows.isDone(record.rowOfRun)) unsettled.attempt(record);
          return true;
        case "line":
          return line(record, settled);
        case "hold":
          said.meter.held(record.atMs, record.reason, record.message);
          return true;
        case "wait":
          said.waitUntil = Math.max(said.waitUntil ?? 0, record.untilMs);
          return true;
        case "limit":
          said.found = record;
          said.meter.allowed(record.atMs, record.allowed);
          return true;
        case "over":
          said.rowsAtEnd = record.rows;
          return true;
        case "stop": {
          said.meter.advance(record.atMs);
          const current = processes.at(-1);
          if (current === undefined) return false;
          current.finished_at = record.finishedAt;
          current.exit_reason = record.exitReason;
          return true;
        }
        case "end":
          said.end = record.end;
          return true;
        default:
          return record satisfies never;
      }
    },
  });
}

export type PartOnRecord = Awaited<ReturnType<typeof readPartRecord>> & object;

/**
 * Reads the journal of a part; undefined if there is none, or if it was interrupted before the record of its run, and so
 * before it sent anything.
 *
 * @param see sees each record
 * @throws CannotStartError if it is damaged, of another version, or cannot be read
 */
export async function readPartRecord(
  disk: Pick<Disk, "readChunks" | "namesBeside">,
  path: string,
  see: (record: JournalRecord) => void = () => {},
) {
  const record = createPartRecord(await outcomeGroupsOf(await readLastBegin(disk, path)));
  /** How much was read of the file of each process. */
  const read: Record<string, number> = {};
  for (const number of await journalNumbers(disk, path)) read[number] = 0;
  for await (const { number, records, end } of readJournal(disk, path)) {
    for (const one of records) {
      see(one);
      if (record.take(one)) continue;
      throw cannotStart(
        "journal_edited",
        path,
        `a record of ${basename(path)}.${number} does not fit`,
      );
    }
    read[number] = end;
  }
  const { run } = record;
  return run && { record, run, read };
}
