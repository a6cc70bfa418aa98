import type { Disk } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import { isDone, type Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { resultsColumnsOf } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { Checkpoint, EventRecord, Tally } from "../model/run-record.ts";
import { resultLine } from "./result-line.ts";
import { openResultsFiles } from "./results-files.ts";
import { createRowQueue, type HeldRow, type QueuedRow } from "./row-queue.ts";
import { createTally } from "./tally.ts";
import { toCsv } from "./to-csv.ts";

export interface ResultsWriter {
  /** Adds a row; rows are added in input order. */
  add(row: PendingRow): void;
  /** A row has settled. It is written as soon as all rows before it are. */
  settled(row: PendingRow): void;
  /** Counts the events without an outcome when the run stops. */
  countUnsettled(): void;
  /** What has settled so far, written or not. */
  readonly tally: Required<Tally>;
  /** Rows that have settled, written or not. */
  readonly rowsSettled: number;
  /** Undefined as long as there are no failed rows. */
  readonly failedRowsFile: string | undefined;
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
  /** Deletes the files. */
  discard(): Promise<void>;
}

/** How much of the results is on the disk. */
export type WrittenResults = Omit<Checkpoint, "position" | "rowsBeforePosition" | "rowsLost">;

export interface ResultsSettings {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly columns: readonly string[];
  /** Whether there is a column for the file that a row is from. */
  readonly hasSources: boolean;
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
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

/** Writes results and failed rows in input order, whatever the order of the outcomes. */
export async function openResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { disk, files, inputId, hasSources, from } = settings;
  const header = [...settings.columns, ...resultsColumnsOf(hasSources)];
  const resultsFiles = await openResultsFiles(disk, files, header, from);

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
    ...resultsFiles.written(),
    tally: written.copy(),
  });

  const textOf = ({ row, rowOfRun, outcomes }: PendingRow): HeldRow => {
    let lines = "";
    let failedLines = "";
    for (const outcome of outcomes) {
      const line = toCsv([resultLine(row, outcome, inputId, hasSources)]);
      lines += line;
      if (!isDone(outcome.status)) failedLines += line;
    }
    return { rowOfRun, lines, failedLines, outcomes };
  };

  const hold = (row: PendingRow) => {
    const { rowOfRun, lines, failedLines, outcomes } = textOf(row);
    const held: HeldRow = {
      rowOfRun,
      lines: inOnePiece(lines),
      failedLines: inOnePiece(failedLines),
      // The ids are in the lines, and the journal does not need them.
      outcomes: outcomes.map(({ eventId: _, ...outcome }) => outcome),
    };
    queue.hold(row, held);
    settings.onHeld(row.row, held.lines.length + held.failedLines.length);
  };

  const abort = (error: unknown) => {
    if (failure !== undefined) return;
    failure = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(failure);
  };

  const write = async (rows: readonly QueuedRow[]) => {
    let lines = "";
    let failedLines = "";
    for (const row of rows) {
      const text = "lines" in row ? row : textOf(row);
      lines += text.lines;
      failedLines += text.failedLines;
    }
    await resultsFiles.append(lines, failedLines);
    rowsWritten += rows.length;
    for (const { outcomes } of rows) written.add(outcomes);
  };

  const writeReady = async () => {
    for (let isMore = queue.isReady; isMore; ) {
      const rows = queue.takeSettled(maxRowsPerWrite);
      settledSinceWrite = 0;
      if (failure === undefined) await write(rows).catch(abort);
      for (const row of rows) {
        if ("lines" in row) settings.onHeldWritten(row.lines.length + row.failedLines.length);
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
      await resultsFiles.sync();
      take(snapshotNow(), recordsOf(queue.rows()));
    });

  return {
    tally: settledTally.tally,
    get rowsSettled() {
      return rowsSettled;
    },
    get failedRowsFile() {
      return resultsFiles.failedRowsFile;
    },
    add: queue.add,
    settled(row) {
      settledTally.add(row.outcomes);
      rowsSettled++;
      settledSinceWrite++;
      waitingRows++;
      if (waitingRows > maxWaitingRows && !queue.isNext(row)) {
        waitingRows--;
        hold(row);
      }
      flushSoon();
    },
    countUnsettled() {
      for (const row of queue.rows()) {
        if ("lines" in row || row.isSettled) continue;
        settledTally.add(row.events.map((event, at) => row.outcomes[at] ?? event.unsettled()));
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
      await resultsFiles.close();
    },
    async discard() {
      cancelFlush?.();
      await busy;
      await resultsFiles.remove();
    },
  };
}

/** What a resume needs to know of rows that are not in the results. */
function* recordsOf(rows: Iterable<QueuedRow>): Generator<EventRecord> {
  for (const row of rows) {
    const { rowOfRun } = row;
    if ("lines" in row || row.isSettled) {
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
