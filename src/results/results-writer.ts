import type { Disk } from "../domain/disk.ts";
import { DiskError, reasonOf } from "../domain/errors.ts";
import { isDone, type Outcome } from "../domain/outcome.ts";
import { resultsColumnsOf } from "../domain/results-columns.ts";
import type { Row } from "../domain/row.ts";
import type { Checkpoint, Tally } from "../domain/run-record.ts";
import { createTally } from "../domain/tally.ts";
import { openLineFiles } from "./line-files.ts";
import { resultLine } from "./result-line.ts";
import { createRowQueue, type QueuedRow, type RowsAside } from "./row-queue.ts";
import type { RunFiles } from "./run-files.ts";
import { createSpill } from "./spill.ts";

/** Where a row will stand in the results, once all its events have ended. */
export interface ResultsPlace {
  /** With an event that has not ended, neither this row nor those after it are written. */
  settle(outcomes: readonly Outcome[]): void;
}

export interface ResultsWriter {
  /** Keeps a place for a row; places are taken in input order. */
  place(row: Row): ResultsPlace;
  /** What has ended so far, in the file or on its way to it. */
  readonly tally: Required<Tally>;
  /** Rows that have ended, also those that still wait for their turn to be written. */
  readonly rowsEnded: number;
  /** Absent as long as nothing has failed. */
  readonly failedRowsFile: string | undefined;
  /**
   * Brings what is written to the disk, and tells how far that goes.
   *
   * @throws DiskError
   */
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
  /** From which amount on the rows that wait for their turn are set aside on the disk. */
  readonly spillBeyond: SpillBeyond;
  /** A row has left memory for the results. */
  readonly onWritten: (row: Row) => void;
  /** A row has left memory and waits for its turn on the disk, where it takes so many bytes. */
  readonly onSpilled: (row: Row, bytes: number) => void;
  /** Such rows have come to the results. */
  readonly onRestored: (rows: number, bytes: number) => void;
  /** Writing failed; nothing more is written. */
  readonly onDiskError: (error: DiskError) => void;
}

export interface SpillBeyond {
  readonly rows: number;
  /** Of their cells. */
  readonly chars: number;
}

const flushRows = 128;
const flushAfterMs = 100;

/** Writes results and failed rows in input order, whatever order the outcomes come in. */
export async function openResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { disk, files, inputId, hasSources, from, spillBeyond } = settings;
  const header = [...settings.columns, ...resultsColumnsOf(hasSources)];
  const lineFiles = await openLineFiles(disk, files, header, from);

  const ended = createTally(from?.tally);
  const written = createTally(from?.tally);
  const rowsBefore = from?.rows ?? 0;
  let rowsWritten = rowsBefore;
  let rowsEnded = rowsWritten;
  let broken: DiskError | undefined;
  /** As of the last moment at which both files held the same rows. */
  let consistent: WrittenResults = snapshot();

  const queue = createRowQueue();
  const spill = createSpill(disk, files.spill);
  let flushing: Promise<void> | undefined;
  let callOffFlush: (() => void) | undefined;

  function snapshot(): WrittenResults {
    return { rows: rowsWritten, ...lineFiles.written(), tally: written.copy() };
  }

  const linesOf = ({ row }: QueuedRow, outcomes: readonly Outcome[]) =>
    outcomes.map((outcome) => resultLine(row, outcome, inputId, hasSources));

  const write = async (rows: readonly QueuedRow[]) => {
    const lines: string[][] = [];
    const failedLines: string[][] = [];
    for (const row of rows) {
      const { outcomes = [] } = row;
      for (const [at, line] of linesOf(row, outcomes).entries()) {
        lines.push(line);
        if (!isDone(outcomes[at]?.ending ?? "not_sent")) failedLines.push(line);
      }
    }
    await lineFiles.appendResults(lines);
    await lineFiles.appendFailed(failedLines);
    rowsWritten += rows.length;
    for (const { outcomes = [] } of rows) written.add(outcomes);
    consistent = snapshot();
  };

  /** Copies what was set aside to where its turn has come. */
  const writeAside = async ({ first, count }: RowsAside) => {
    for (let done = 0; done < count; ) {
      const { lines, failedLines, outcomes } = await spill.restore(first + done, count - done);
      await lineFiles.appendRecords(lines, failedLines);
      rowsWritten += outcomes.length;
      for (const ofRow of outcomes) written.add(ofRow);
      consistent = snapshot();
      settings.onRestored(outcomes.length, lines.length);
      done += outcomes.length;
    }
  };

  const setHeldAside = () =>
    spill.store(rowsWritten - rowsBefore, queue.heldRows(), linesOf, (row, bytes) => {
      if (!queue.setAside(row)) return false;
      settings.onSpilled(row.row, bytes);
      return true;
    });

  const isSpillDue = () =>
    broken === undefined &&
    (queue.held.rows > spillBeyond.rows || queue.held.chars > spillBeyond.chars);

  const breakOff = (error: unknown) => {
    if (broken !== undefined) return;
    broken = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(broken);
  };

  const flush = async () => {
    while (queue.ready > 0 || isSpillDue()) {
      for (const part of queue.takeReady()) {
        if (part.kind === "aside") {
          if (broken === undefined) await writeAside(part).catch(breakOff);
          continue;
        }
        if (broken === undefined) await write(part.rows).catch(breakOff);
        for (const { row } of part.rows) settings.onWritten(row);
      }
      if (isSpillDue()) await setHeldAside().catch(breakOff);
    }
  };

  const startFlush = () => {
    flushing ??= flush().finally(() => {
      flushing = undefined;
      // What became ready after the last look at it has nobody else to write it.
      flushSoon();
    });
    return flushing;
  };

  const flushSoon = () => {
    if (queue.ready >= flushRows || isSpillDue()) void startFlush();
    else if (queue.ready > 0) {
      callOffFlush ??= settings.schedule(flushAfterMs, () => {
        callOffFlush = undefined;
        void startFlush();
      });
    }
  };

  return {
    tally: ended.tally,
    get rowsEnded() {
      return rowsEnded;
    },
    get failedRowsFile() {
      return lineFiles.failedRowsFile;
    },
    place(row) {
      const queued = queue.add(row);
      return {
        settle(outcomes) {
          ended.add(outcomes);
          if (outcomes.some(({ ending }) => ending === "not_sent")) return;
          rowsEnded++;
          queue.end(queued, outcomes);
          flushSoon();
        },
      };
    },
    async checkpoint() {
      const reached = consistent;
      if (broken !== undefined) throw broken;
      await lineFiles.sync();
      return reached;
    },
    breakOff,
    async flush() {
      while (queue.ready > 0 || flushing !== undefined) await startFlush();
      callOffFlush?.();
    },
    async close() {
      await spill.close();
      await lineFiles.close();
    },
    async discard() {
      callOffFlush?.();
      await flushing;
      await spill.close();
      await lineFiles.remove();
    },
  };
}
