import type { Disk } from "../domain/disk.ts";
import { DiskError, reasonOf } from "../domain/errors.ts";
import { isDone, type Outcome } from "../domain/outcome.ts";
import { resultsColumns } from "../domain/results-columns.ts";
import type { Row } from "../domain/row.ts";
import type { Checkpoint, Tally } from "../domain/run-record.ts";
import { createTally } from "../domain/tally.ts";
import { openLineFiles } from "./line-files.ts";
import { resultLine } from "./result-line.ts";
import type { RunFiles } from "./run-files.ts";

/** Where a row will stand in the results, once all its events have ended. */
export interface ResultsPlace {
  /** With an event that has not ended, neither this row nor those after it are written. */
  settle(outcomes: readonly Outcome[]): void;
}

export interface ResultsWriter {
  /** Keeps a place for a row; places are taken in input order. */
  place(row: Row): ResultsPlace;
  /** What has ended so far, in the file or on its way to it. */
  readonly tally: Tally;
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
  /** Writes what can be written. */
  flush(): Promise<void>;
  close(): Promise<void>;
  /** Takes the files away again. */
  discard(): Promise<void>;
}

/** How far the results are on the disk. */
export type WrittenResults = Omit<Checkpoint, "position" | "rowsBeforePosition">;

export interface ResultsSettings {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly columns: readonly string[];
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
  /** How far an interrupted run had come. */
  readonly from?: WrittenResults | undefined;
  /** Runs a function after some milliseconds; the result calls it off. */
  readonly schedule: (delayMs: number, run: () => void) => () => void;
  /** A row has left memory for the disk. */
  readonly onWritten: (row: Row) => void;
  /** Writing failed; nothing more is written. */
  readonly onDiskError: (error: DiskError) => void;
}

interface Entry {
  readonly row: Row;
  outcomes: readonly Outcome[] | undefined;
}

const flushRows = 128;
const flushAfterMs = 100;

/** Writes results and failed rows in input order, whatever order the outcomes come in. */
export async function openResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { disk, files, inputId, from, onWritten } = settings;
  const header = [...settings.columns, ...resultsColumns];
  const lineFiles = await openLineFiles(disk, files, header, from);

  const ended = createTally(from?.tally);
  const written = createTally(from?.tally);
  let rowsWritten = from?.rows ?? 0;
  let rowsEnded = rowsWritten;
  let broken: DiskError | undefined;
  /** As of the last moment at which both files held the same rows. */
  let consistent: WrittenResults = snapshot();

  let waiting: Entry[] = [];
  let head = 0;
  const ready: Entry[] = [];
  let flushing: Promise<void> | undefined;
  let callOffFlush: (() => void) | undefined;

  function snapshot(): WrittenResults {
    return { rows: rowsWritten, ...lineFiles.written(), tally: written.copy() };
  }

  /** Moves the rows at the head that have ended to where they are written from. */
  const advance = () => {
    for (let entry = waiting[head]; entry !== undefined && hasEnded(entry); entry = waiting[head]) {
      head++;
      ready.push(entry);
    }
    if (head > 1024 && head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      head = 0;
    }
  };

  const write = async (entries: readonly Entry[]) => {
    const lines: string[][] = [];
    const failedLines: string[][] = [];
    for (const { row, outcomes = [] } of entries) {
      for (const outcome of outcomes) {
        const line = resultLine(row, outcome, inputId);
        lines.push(line);
        if (!isDone(outcome.ending)) failedLines.push(line);
      }
    }
    await lineFiles.appendResults(lines);
    await lineFiles.appendFailed(failedLines);
    rowsWritten += entries.length;
    for (const { outcomes = [] } of entries) written.add(outcomes);
    consistent = snapshot();
  };

  const breakOff = (error: unknown) => {
    if (broken !== undefined) return;
    broken = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(broken);
  };

  const flush = async () => {
    while (ready.length > 0) {
      const entries = ready.splice(0);
      if (broken === undefined) await write(entries).catch(breakOff);
      for (const { row } of entries) onWritten(row);
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
    if (ready.length >= flushRows) void startFlush();
    else if (ready.length > 0) {
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
      const entry: Entry = { row, outcomes: undefined };
      waiting.push(entry);
      return {
        settle(outcomes) {
          entry.outcomes = outcomes;
          ended.add(outcomes);
          if (hasEnded(entry)) rowsEnded++;
          advance();
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
    async flush() {
      while (ready.length > 0 || flushing !== undefined) await startFlush();
      callOffFlush?.();
    },
    close: lineFiles.close,
    async discard() {
      callOffFlush?.();
      await flushing;
      await lineFiles.remove();
    },
  };
}

function hasEnded({ outcomes }: Entry): boolean {
  return outcomes?.every(({ ending }) => ending !== "not_sent") ?? false;
}
