import type { Disk } from "../model/disk/disk.ts";
import { cannotStart, DiskError, reasonOf } from "../model/errors.ts";
import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { resultsColumnsOf } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { Checkpoint, EventRecord, Tally } from "../model/run-record.ts";
import { type CsvFile, createCsvFile, reopenCsvFile } from "./csv-file.ts";
import { type LinesOfPart, resultLine } from "./result-line.ts";
import { createRowQueue, type HeldRow, type QueuedRow } from "./row-queue.ts";
import { createTally, type RunningTally } from "./tally.ts";
import { toCsv } from "./to-csv.ts";

export interface ResultsWriter {
  /** Adds a row; rows are added in input order. */
  add(row: PendingRow): void;
  /** A row has settled. It is written as soon as all rows before it are. */
  settled(row: PendingRow): void;
  /** Gives all events without an outcome one, where nobody can read their rows again. */
  settleRest(finishedAt: string): void;
  /**
   * Counts the events that have an outcome, of rows that had not settled when the run stopped; and the attempts of
   * those that have none.
   *
   * @param unread what is on record of rows that were not read again
   */
  countUnsettled(unread: Iterable<readonly EventRecord[]>): void;
  /** What is written. */
  readonly written: WrittenResults;
  /** What has settled so far, written or not. */
  readonly tally: Tally;
  /** Rows that have settled, written or not. */
  readonly rowsSettled: number;
  /**
   * Syncs what is written to the disk. Before anything more is written, `take` gets how much that is, and
   * the records of the events of all rows after it.
   *
   * @throws DiskError
   */
  snapshot(take: (written: WrittenResults, records: Iterable<EventRecord>) => void): Promise<void>;
  /** The same without the records. @throws DiskError */
  checkpoint(): Promise<WrittenResults>;
  /** Writes nothing more. */
  abort(error: DiskError): void;
  /** Writes all settled rows at the head. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Deletes the file. */
  discard(): Promise<void>;
}

/** How much of the results is on the disk. */
export type WrittenResults = Omit<Checkpoint, "position" | "rowsBeforePosition">;

export interface ResultsSettings extends LinesOfPart {
  readonly disk: Disk;
  /** The file of the part. */
  readonly path: string;
  readonly columns: readonly string[];
  /** How much an interrupted run has written. */
  readonly from?: WrittenResults | undefined;
  /** Runs a function later; returns a function that cancels it. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  /** A row that was not held has left memory. */
  readonly onWritten: (row: Row) => void;
  /** Of a row only the text of its lines is left in memory. */
  readonly onHeld: (row: Row, chars: number) => void;
  /** A row that was held has left memory. */
  readonly onHeldWritten: (chars: number) => void;
  /** A write failed; nothing more is written. */
  readonly onDiskError: (error: DiskError) => void;
}

const minRowsPerFlush = 256;
const flushAfterMs = 100;
const maxRowsPerWrite = 1024;
/** Of further rows that wait for an earlier row, only the text of their lines is kept. */
const maxWaitingRows = 1000;

/** Writes the lines of a part in input order, whatever the order of the outcomes. */
export async function openResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { from } = settings;
  const file = await openPart(settings);

  const settledTally = createTally(from?.tally);
  const written = createTally(from?.tally);
  let rowsWritten = from?.rows ?? 0;
  let rowsSettled = rowsWritten;
  let failure: DiskError | undefined;
  /** Settled rows, not held, that wait for an earlier row. */
  let waitingRows = 0;
  /** Rows that have settled since the last write. */
  let settledSinceWrite = 0;

  const queue = createRowQueue();
  /** Flushes and snapshots run one at a time. */
  let busy: Promise<void> = Promise.resolve();
  let isFlushing = false;
  let cancelFlush: (() => void) | undefined;

  const snapshotNow = (): WrittenResults => ({
    rows: rowsWritten,
    resultsBytes: file.bytes,
    tally: written.copy(),
  });

  const hold = (row: PendingRow) => {
    const { outcomes, settledBefore } = outcomesOf(row);
    const held: HeldRow = {
      rowOfRun: row.rowOfRun,
      text: inOnePiece(textOf(row, settings)),
      // The ids are in the text, and the journal does not need them.
      outcomes: outcomes.map(({ eventId: _, ...outcome }) => outcome),
      settledBefore: settledBefore.map(({ eventId: _, ...outcome }) => outcome),
      kept: keptLines(row),
    };
    queue.hold(row, held);
    settings.onHeld(row.row, held.text.length);
  };

  const abort = (error: unknown) => {
    if (failure !== undefined) return;
    failure = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(failure);
  };

  const write = async (rows: readonly QueuedRow[]) => {
    let text = "";
    for (const row of rows) text += "text" in row ? row.text : textOf(row, settings);
    await file.append(text);
    rowsWritten += rows.length;
    for (const row of rows) count(written, row);
  };

  const writeReady = async () => {
    for (let isMore = queue.isReady; isMore; ) {
      const rows = queue.takeSettled(maxRowsPerWrite);
      settledSinceWrite = 0;
      if (failure === undefined) await write(rows).catch(abort);
      for (const row of rows) {
        if ("text" in row) settings.onHeldWritten(row.text.length);
        else {
          waitingRows = Math.max(0, waitingRows - 1);
          settings.onWritten(row.row);
        }
      }
      // Rows that settled meanwhile wait until there are enough again.
      isMore =
        queue.isReady && (rows.length === maxRowsPerWrite || settledSinceWrite >= minRowsPerFlush);
    }
  };

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = busy.then(work);
    busy = done.catch(() => {});
    return done;
  };

  const startFlush = () => {
    if (isFlushing) return;
    isFlushing = true;
    void inTurn(writeReady).finally(() => {
      isFlushing = false;
      // Rows may have settled after the last check of the queue.
      flushSoon();
    });
  };

  const flushSoon = () => {
    if (!queue.isReady || isFlushing) return;
    if (settledSinceWrite >= minRowsPerFlush) startFlush();
    else {
      cancelFlush ??= settings.schedule(flushAfterMs, () => {
        cancelFlush = undefined;
        startFlush();
      });
    }
  };

  const snapshot: ResultsWriter["snapshot"] = (take) =>
    inTurn(async () => {
      if (failure !== undefined) throw failure;
      await file.sync();
      await settings.disk.syncFolder(settings.path);
      take(snapshotNow(), recordsOf(queue.rows()));
    });

  return {
    get written() {
      return snapshotNow();
    },
    tally: settledTally.tally,
    get rowsSettled() {
      return rowsSettled;
    },
    add: queue.add,
    settled(row) {
      count(settledTally, row);
      rowsSettled++;
      settledSinceWrite++;
      waitingRows++;
      if (waitingRows > maxWaitingRows && !queue.isNext(row)) {
        waitingRows--;
        hold(row);
      }
      flushSoon();
    },
    settleRest(finishedAt) {
      for (const row of queue.rows()) {
        if ("text" in row || row.isSettled) continue;
        row.outcomes = row.events.map((event, at) => {
          const outcome = row.outcomes[at] ?? event.unsettled();
          if (outcome.status !== "not_sent") return outcome;
          const error = "not settled before the run stopped, whose input cannot be read again";
          const status = outcome.unanswered > 0 ? "unknown" : "failed";
          return { errorCode: "interrupted", error, ...outcome, status, finishedAt };
        });
        row.isSettled = true;
        count(settledTally, row);
        rowsSettled++;
      }
    },
    countUnsettled(unread) {
      for (const records of unread) {
        const outcomes = records.flatMap((one) => (one.kind === "outcome" ? [one.outcome] : []));
        settledTally.add(outcomes);
        if (outcomes.length === records.length) rowsSettled++;
      }
      for (const row of queue.rows()) {
        if ("text" in row || row.isSettled) continue;
        for (const [at, event] of row.events.entries()) {
          const outcome = row.outcomes[at];
          if (outcome !== undefined) settledTally.add([outcome]);
          else settledTally.addAttempts(event.unsettled());
        }
      }
    },
    snapshot,
    async checkpoint() {
      let reached: WrittenResults | undefined;
      await snapshot((now) => {
        reached = now;
      });
      return reached as WrittenResults;
    },
    abort,
    async flush() {
      cancelFlush?.();
      cancelFlush = undefined;
      do await inTurn(writeReady);
      while (queue.isReady);
    },
    async close() {
      cancelFlush?.();
      await busy;
      await file.close();
    },
    async discard() {
      cancelFlush?.();
      await busy;
      await file.remove();
    },
  };
}

/** Creates the file of the part, or continues that of an interrupted one. */
async function openPart({
  disk,
  path,
  columns,
  hasSources,
  from,
}: ResultsSettings): Promise<CsvFile> {
  const header = [...columns, ...resultsColumnsOf(hasSources)];
  if (from !== undefined && from.resultsBytes > 0) {
    return reopenCsvFile(disk, path, header, from.resultsBytes);
  }
  // A file that an interrupted part created after its last checkpoint is created again.
  if (from !== undefined) {
    await disk.remove(path).catch((error: unknown) => {
      throw cannotStart("output_not_writable", path, reasonOf(error));
    });
  }
  return createCsvFile(disk, path, header);
}

/** The lines of a row, as CSV. */
function textOf({ row, lines, outcomes }: PendingRow, part: LinesOfPart): string {
  if (lines === undefined) {
    return toCsv(outcomes.map((outcome) => resultLine(row, row.cells, outcome, part)));
  }
  let text = "";
  for (const line of lines) {
    if (line.kind === "kept") {
      text += line.text;
      continue;
    }
    const outcome =
      line.kind === "settled" ? line.outcome : outcomes.find(({ event }) => event === line.event);
    if (outcome !== undefined) text += toCsv([resultLine(row, line.cells, outcome, part)]);
  }
  return text;
}

/** The outcomes of the events that were sent, and those that were known without. */
function outcomesOf({ outcomes, lines }: PendingRow) {
  const settled = lines?.flatMap((line) => (line.kind === "settled" ? [line.outcome] : []));
  return { outcomes, settledBefore: settled ?? [] };
}

function keptLines({ lines }: PendingRow): number {
  return lines?.filter(({ kind }) => kind === "kept").length ?? 0;
}

function count(tally: RunningTally, row: QueuedRow): void {
  const { outcomes, settledBefore } = "text" in row ? row : outcomesOf(row);
  tally.add(outcomes);
  if (settledBefore.length > 0) tally.add(settledBefore);
  const kept = "text" in row ? row.kept : row.lines === undefined ? 0 : keptLines(row);
  if (kept > 0) tally.keep(kept);
}

/** What a resume needs to know of rows that are not in the results. */
function* recordsOf(rows: Iterable<QueuedRow>): Generator<EventRecord> {
  for (const row of rows) {
    const { rowOfRun } = row;
    if ("text" in row || row.isSettled) {
      for (const outcome of row.outcomes)
        if (isSent(outcome)) yield { kind: "outcome", rowOfRun, outcome };
      continue;
    }
    for (const [at, event] of row.events.entries()) {
      const outcome = row.outcomes[at];
      const record: EventRecord | undefined =
        outcome === undefined
          ? event.record()
          : isSent(outcome)
            ? { kind: "outcome", rowOfRun, outcome }
            : undefined;
      if (record !== undefined) yield record;
    }
  }
}

/** What was not sent has the same outcome when the row is mapped again. */
function isSent({ event, status }: Outcome): boolean {
  return (
    event !== undefined && status !== "skipped" && status !== "blocked" && status !== "invalid"
  );
}

/** V8 keeps a joined text as its parts, and a part keeps the larger text that it was cut from in memory. */
function inOnePiece(text: string): string {
  return text === "" ? "" : Buffer.from(text).toString();
}
