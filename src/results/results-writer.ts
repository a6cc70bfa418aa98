import type { Disk } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import { isDone, type Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import { resultsColumnsOf } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { Checkpoint, EventRecord, Tally } from "../model/run-record.ts";
import { resultLine } from "./result-line.ts";
import { openLineFiles } from "./results-and-failed-files.ts";
import { createRowQueue, type HeldRow, type QueuedRow } from "./row-queue.ts";
import { createTally } from "./tally.ts";
import { toCsv } from "./to-csv.ts";

export interface ResultsWriter {
  /** Keeps a place for a row; rows are added in input order. */
  add(row: PendingRow): void;
  /** A row that was added has settled: it is written when all before it are. */
  settled(row: PendingRow): void;
  /** The run stops: counts the events that have no outcome. */
  countUnsettled(): void;
  /** What has settled so far, in the file or on its way to it. */
  readonly tally: Required<Tally>;
  /** Rows that have settled, also those that still wait for their turn to be written. */
  readonly rowsSettled: number;
  /** Absent as long as nothing has failed. */
  readonly failedRowsFile: string | undefined;
  /**
   * Brings what is written to the disk. Before anything more is written, `take` is called with how far that
   * goes and what is known of the events of all rows after it.
   *
   * @throws DiskError
   */
  snapshot(take: (written: WrittenResults, records: Iterable<EventRecord>) => void): Promise<void>;
  /** The same without the records. @throws DiskError */
  checkpoint(): Promise<WrittenResults>;
  /** Writes nothing more, as after an error of the disk. */
  breakOff(error: DiskError): void;
  /** Writes what can be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Takes the files away again. */
  discard(): Promise<void>;
}

/** How far the results are on the disk. */
export type WrittenResults = Omit<Checkpoint, "position" | "rowsBeforePosition" | "rowsLost">;

export interface ResultsSettings {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly columns: readonly string[];
  /** Whether a column tells which file a row is from. */
  readonly hasSources: boolean;
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
  /** How far an interrupted run had come. */
  readonly from?: WrittenResults | undefined;
  /** Runs a function after some milliseconds; the result calls it off. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  /** A row that has not been held has left memory. */
  readonly onWritten: (row: Row) => void;
  /** Of a row in memory only its lines are left, of so many characters. */
  readonly onHeld: (row: Row, chars: number) => void;
  /** A row that was held has left memory. */
  readonly onHeldWritten: (chars: number) => void;
  /** Writing failed; nothing more is written. */
  readonly onDiskError: (error: DiskError) => void;
}

const flushRows = 256;
const flushAfterMs = 100;
/** Rows that are written at once at most. */
const mostAtOnce = 1024;
/** So many rows that wait for their turn are left as they are: their turn comes soon. */
const leastHeld = 1000;

/** Writes results and failed rows in input order, whatever order the outcomes come in. */
export async function openResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { disk, files, inputId, hasSources, from } = settings;
  const header = [...settings.columns, ...resultsColumnsOf(hasSources)];
  const lineFiles = await openLineFiles(disk, files, header, from);

  const settledTally = createTally(from?.tally);
  const written = createTally(from?.tally);
  let rowsWritten = from?.rows ?? 0;
  let rowsSettled = rowsWritten;
  let broken: DiskError | undefined;
  /** Rows that settled and wait, as a whole, for one before them. */
  let waiting = 0;
  let readyRows = 0;

  const queue = createRowQueue();
  /** One thing at a time: a flush, or a snapshot. */
  let busy: Promise<void> = Promise.resolve();
  let isFlushing = false;
  let cancelFlush: (() => void) | undefined;

  const snapshotNow = (): WrittenResults => ({
    rows: rowsWritten,
    ...lineFiles.written(),
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
      // Their ids are in the lines, and the journal needs none.
      outcomes: outcomes.map(({ eventId: _, ...outcome }) => outcome),
    };
    queue.hold(row, held);
    settings.onHeld(row.row, held.lines.length + held.failedLines.length);
  };

  const breakOff = (error: unknown) => {
    if (broken !== undefined) return;
    broken = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(broken);
  };

  const write = async (rows: readonly QueuedRow[]) => {
    let lines = "";
    let failedLines = "";
    for (const row of rows) {
      const text = "lines" in row ? row : textOf(row);
      lines += text.lines;
      failedLines += text.failedLines;
    }
    await lineFiles.append(lines, failedLines);
    rowsWritten += rows.length;
    for (const { outcomes } of rows) written.add(outcomes);
  };

  const writeReady = async () => {
    for (let isMore = queue.isReady; isMore; ) {
      const rows = queue.takeSettled(mostAtOnce);
      readyRows = 0;
      if (broken === undefined) await write(rows).catch(breakOff);
      for (const row of rows) {
        if ("lines" in row) settings.onHeldWritten(row.lines.length + row.failedLines.length);
        else {
          waiting = Math.max(0, waiting - 1);
          settings.onWritten(row.row);
        }
      }
      // What became ready meanwhile waits until there is enough of it again.
      isMore = queue.isReady && (rows.length === mostAtOnce || readyRows >= flushRows);
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
      // What became ready after the last look has nobody else to write it.
      flushSoon();
    });
  };

  const flushSoon = () => {
    if (!queue.isReady || isFlushing) return;
    if (readyRows >= flushRows) startFlush();
    else {
      cancelFlush ??= settings.schedule(flushAfterMs, () => {
        cancelFlush = undefined;
        startFlush();
      });
    }
  };

  const snapshot: ResultsWriter["snapshot"] = (take) =>
    inTurn(async () => {
      if (broken !== undefined) throw broken;
      await lineFiles.sync();
      take(snapshotNow(), recordsOf(queue.rows()));
    });

  return {
    tally: settledTally.tally,
    get rowsSettled() {
      return rowsSettled;
    },
    get failedRowsFile() {
      return lineFiles.failedRowsFile;
    },
    add: queue.add,
    settled(row) {
      settledTally.add(row.outcomes);
      rowsSettled++;
      readyRows++;
      waiting++;
      if (waiting > leastHeld && !queue.isNext(row)) {
        waiting--;
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
    breakOff,
    async flush() {
      cancelFlush?.();
      cancelFlush = undefined;
      do await inTurn(writeReady);
      while (queue.isReady);
    },
    async close() {
      cancelFlush?.();
      await busy;
      await lineFiles.close();
    },
    async discard() {
      cancelFlush?.();
      await busy;
      await lineFiles.remove();
    },
  };
}

/** What a resume has to know of rows that are not in the results. */
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

/** What was not to be sent comes to the same when the row is mapped again. */
function isSent({ event, status }: Outcome): boolean {
  return (
    event !== undefined && status !== "skipped" && status !== "blocked" && status !== "invalid"
  );
}

/** V8 leaves what was put together in pieces, which keep the texts that they were cut from in memory. */
function inOnePiece(text: string): string {
  return text === "" ? "" : Buffer.from(text).toString();
}
