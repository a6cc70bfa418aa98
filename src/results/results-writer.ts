import { DiskError, reasonOf } from "../domain/errors.ts";
import { type EndingCounts, isDone, noEndings, type Outcome } from "../domain/outcome.ts";
import { resultsColumns } from "../domain/results-columns.ts";
import type { Row } from "../domain/row.ts";
import { createLineFiles } from "./line-files.ts";
import { resultLine } from "./result-line.ts";
import type { RunFiles } from "./run-files.ts";

/** Where a row will stand in the results, once all its events have ended. */
export interface ResultsPlace {
  settle(outcomes: readonly Outcome[]): void;
}

/** What stands in the results. */
export interface ResultsTally {
  /** Lines by how they ended. */
  readonly counts: EndingCounts;
  /** Lines that stand for an event; the others stand for a row that gave none. */
  readonly events: number;
  /** Rows that stand in the file. */
  readonly rowsWritten: number;
  /** Rows of which every line has an outcome. */
  readonly rowsSettled: number;
  /** Lines that stand in the file. */
  readonly linesWritten: number;
  /** Outcomes that could not be written down. */
  readonly linesLost: number;
  readonly failedRowsFile: string | undefined;
}

export interface ResultsWriter {
  /** Keeps a place for a row; places are taken in input order. */
  place(row: Row): ResultsPlace;
  /** Lines so far by how they ended; more current than what has reached the disk. */
  readonly counts: Readonly<EndingCounts>;
  /** Rows that have ended, also those that still wait for their turn to be written. */
  readonly rowsEnded: number;
  /** Writes the rest and makes sure that it is on the disk. Every place has to be settled. */
  finish(): Promise<ResultsTally>;
  /** Takes the files away again. */
  discard(): Promise<void>;
}

export interface ResultsSettings {
  readonly files: RunFiles;
  readonly columns: readonly string[];
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
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
  isReleased: boolean;
}

const flushRows = 512;
const flushAfterMs = 100;

/**
 * Writes results and failed rows in input order, whatever order the outcomes come in.
 *
 * Rows that were never tried, at the end of a run that stopped, are left out: the results end with
 * the last row of which something is to be told.
 */
export async function createResultsWriter(settings: ResultsSettings): Promise<ResultsWriter> {
  const { files, inputId, onWritten } = settings;
  const lineFiles = await createLineFiles(files, [...settings.columns, ...resultsColumns]);

  const counts = noEndings();
  let events = 0;
  let rowsEnded = 0;
  let rowsWritten = 0;
  let rowsSettled = 0;
  let linesWritten = 0;
  let linesDue = 0;
  let broken: DiskError | undefined;

  let waiting: Entry[] = [];
  let head = 0;
  let untried: Entry[] = [];
  const ready: Entry[] = [];
  let flushing: Promise<void> | undefined;
  let callOffFlush: (() => void) | undefined;

  const release = (entry: Entry) => {
    if (!entry.isReleased) onWritten(entry.row);
    entry.isReleased = true;
  };

  /** Moves the rows at the head that have ended to where they are written from. */
  const advance = () => {
    for (let entry = waiting[head]; entry?.outcomes !== undefined; entry = waiting[head]) {
      head++;
      if (isUntried(entry.outcomes)) {
        untried.push(entry);
        continue;
      }
      if (untried.length > 0) ready.push(...untried.splice(0));
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
    linesDue += lines.length;
    if (broken !== undefined) return;
    await lineFiles.appendResults(lines);
    linesWritten += lines.length;
    rowsWritten += entries.length;
    rowsSettled += entries.filter(({ outcomes = [] }) => !outcomes.some(isNotSent)).length;
    await lineFiles.appendFailed(failedLines);
  };

  const breakOff = (error: unknown) => {
    if (broken !== undefined) return;
    broken = error instanceof DiskError ? error : new DiskError(reasonOf(error), { cause: error });
    settings.onDiskError(broken);
  };

  const flush = async () => {
    while (ready.length > 0) {
      const entries = ready.splice(0);
      await write(entries).catch(breakOff);
      entries.forEach(release);
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
    counts,
    get rowsEnded() {
      return rowsEnded;
    },
    place(row) {
      const entry: Entry = { row, outcomes: undefined, isReleased: false };
      waiting.push(entry);
      return {
        settle(outcomes) {
          entry.outcomes = outcomes;
          rowsEnded++;
          for (const { ending, event } of outcomes) {
            counts[ending]++;
            if (event !== undefined) events++;
          }
          advance();
          if (isUntried(outcomes)) release(entry);
          flushSoon();
        },
      };
    },
    async finish() {
      while (ready.length > 0 || flushing !== undefined) await startFlush();
      untried = [];
      callOffFlush?.();
      await lineFiles.close().catch(breakOff);
      const linesLost = linesDue - linesWritten;
      const { failedRowsFile } = lineFiles;
      return { counts, events, rowsWritten, rowsSettled, linesWritten, linesLost, failedRowsFile };
    },
    async discard() {
      callOffFlush?.();
      await flushing;
      await lineFiles.remove();
    },
  };
}

function isNotSent({ ending }: Outcome): boolean {
  return ending === "not_sent";
}

function isUntried(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ ending, attempts }) => ending === "not_sent" && attempts === 0);
}
