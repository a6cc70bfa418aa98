import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { asWritten, openResultsFile } from "../input/open-results-file.ts";
import type { Source } from "../input/source.ts";
import {
  type AlteredCells,
  type AlteredColumn,
  createAlteredCells,
  describeAltered,
} from "../lint/altered-cells.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../model/errors.ts";
import { shellWord } from "../model/escape-text.ts";
import { isDone } from "../model/outcome.ts";
import { placeOf } from "../model/place.ts";
import { charsOf, type Row } from "../model/row.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";
import type { StopSignal } from "../model/stop.ts";
import { type ChangedColumn, countChangedCells } from "./changes-since.ts";
import type { PreparedInput, Watch } from "./prepare-input.ts";
import { resultsBeside } from "./refuse-no-results.ts";

type Compared = Pick<PreparedInput, "name" | "columns" | "columnsRead" | "mapRow">;

/** The lines of a results file beside the cells that the run wrote. */
export interface OriginalsBeside {
  /** Compares lines as they pass. */
  readonly watch: Watch;
  /** Why these lines must not be sent: a program has altered them. Undefined if none has. */
  refusal(): CannotStartError | undefined;
  /** The columns with changed cells; undefined if nothing was compared. */
  changed(): readonly ChangedColumn[] | undefined;
}

/** What a comparison needs of its surroundings. */
export interface Surroundings {
  /** Called if lines cannot be compared. */
  readonly warn: (message: string) => void;
  readonly stop?: StopSignal;
}

/**
 * Finds the original cells of a file to retry: in the results beside it, or in the failed
 * rows if the results themselves are retried.
 */
export async function findOriginals(
  path: string,
  input: Compared,
  around: Surroundings,
): Promise<OriginalsBeside> {
  const manifest = `${baseOfRun(path)}.run.json`;
  const { results, failed } = runFiles(await resultsBeside(manifest));
  const [here, there, failedRows] = await Promise.all(
    [path, results, failed].map((file) => stat(file).catch(() => undefined)),
  );
  const areResults = here?.ino === there?.ino && here?.dev === there?.dev;
  const [originals, found] = areResults ? [failed, failedRows] : [results, there];
  if (found === undefined) {
    const why = `there is no ${basename(originals)} to compare with`;
    return withoutOriginals(() => around.warn(`${why}: ${lookYourself}`));
  }
  // People edit the failed rows, rather than the results: if these are newer, the results are the originals.
  if (areResults && here !== undefined && found.mtimeMs > here.mtimeMs) return withoutOriginals();
  return compareWith(originals, input, around);
}

const lookYourself =
  "look whether a program has altered cells, such as leading zeros, dates and long numbers.";

/** @param tell called when a line is to be sent */
function withoutOriginals(tell?: () => void): OriginalsBeside {
  return {
    async *watch(batches) {
      let hasCalled = false;
      for await (const rows of batches) {
        if (!hasCalled && rows.some(isToBeSent)) {
          tell?.();
          hasCalled = true;
        }
        yield rows;
      }
    },
    refusal: () => undefined,
    changed: () => undefined,
  };
}

/** Whether a line may be sent, as far as is known without mapping it. */
function isToBeSent({ problem, earlier }: Row): boolean {
  const isSettled = earlier?.status !== undefined && isDone(earlier.status);
  return problem === undefined && !isSettled;
}

function compareWith(
  originals: string,
  { name, columns, columnsRead, mapRow }: Compared,
  around: Surroundings,
): OriginalsBeside {
  let found: () => readonly AlteredColumn[] = () => [];
  let changed: () => readonly ChangedColumn[] | undefined = () => undefined;
  return {
    async *watch(batches) {
      const opened = await openOriginals(originals, around);
      if (opened === undefined) {
        yield* batches;
        return;
      }
      const { source, left } = opened;
      const compared = [...new Set(columnsRead)].flatMap((column) => {
        const [index, indexBefore] = [columns.indexOf(column), source.columns.indexOf(column)];
        return index < 0 || indexBefore < 0 ? [] : [{ column, index, indexBefore }];
      });
      const cells = createAlteredCells(compared);
      const changedCells = countChangedCells(compared);
      found = cells.found;
      changed = changedCells.counted;
      const places = columns.map((column) => source.columns.indexOf(column));
      const see = (row: Row, before: Row) => {
        if (!areOfOneInput(row, before)) return;
        changedCells.see(row, before);
        compare(cells, row, before, places, mapRow);
      };
      const block = createBlock();
      try {
        for await (const rows of batches) {
          for (const row of rows) block.add(row);
          if (block.isFull()) await block.meet(left, see);
          yield rows;
        }
        await block.meet(left, see);
      } finally {
        await source.close();
      }
    },
    refusal() {
      const altered = found();
      if (altered.length === 0) return undefined;
      const { code, message } = cannotStart(
        "cells_altered",
        name,
        basename(originals),
        `Retry ${shellWord(originals)}`,
      );
      return new CannotStartError(code, message, altered.map(describeAltered));
    },
    changed: () => changed(),
  };
}

/** The rows of a file that are still to be read. */
interface RowsLeft {
  /** The next row of those that were read, without a promise for each. */
  next(): Row | undefined;
  /** Reads on if `next` returns none; false if there are no more. */
  more(): Promise<boolean>;
}

/** Warns if the file cannot be read, which ends the rows. */
async function openOriginals(
  path: string,
  { warn, stop }: Surroundings,
): Promise<{ readonly source: Source; readonly left: RowsLeft } | undefined> {
  const name = basename(path);
  const tell = (why: string) =>
    warn(`${name} cannot be compared with (${why.replace(/\.$/, "")}): ${lookYourself}`);
  const source = await openResultsFile({ kind: "file", path, name }, asWritten).catch(
    (error: unknown) => {
      if (!(error instanceof CannotStartError)) throw error;
      tell(error.message);
    },
  );
  if (source === undefined) return undefined;
  const batches = source.batches[Symbol.asyncIterator]();
  let rows: readonly Row[] = [];
  let at = 0;
  const left: RowsLeft = {
    next: () => rows[at++],
    async more() {
      // The rows that are needed may be far apart.
      if (stop?.aborted === true) return false;
      const batch = await batches.next().catch((error: unknown) => {
        if (!(error instanceof InputDamagedError)) throw error;
        tell(error.message);
      });
      [rows, at] = [batch?.value ?? [], 0];
      return batch !== undefined && batch.done !== true;
    },
  };
  return { source, left };
}

const maxRows = 10_000;
const maxChars = 4 * 1024 * 1024;

/**
 * Lines that wait for their originals. Both files are in the order of the first input, so the originals
 * are read only once, and up to those of the last line that waits. If somebody has sorted a file,
 * this still finds the originals of as many rows as may wait: plenty to see what a program did to a column.
 */
function createBlock() {
  const waiting = new Map<number, Row[]>();
  let size = 0;
  let chars = 0;
  return {
    add(row: Row): void {
      if (row.earlier?.row === undefined || !isToBeSent(row)) return;
      waiting.set(row.row, [...(waiting.get(row.row) ?? []), row]);
      size++;
      chars += charsOf(row);
    },
    isFull: () => size >= maxRows || chars >= maxChars,
    async meet(left: RowsLeft, see: (row: Row, before: Row) => void): Promise<void> {
      while (waiting.size > 0) {
        const before = left.next();
        if (before === undefined) {
          if (await left.more()) continue;
          break;
        }
        for (const row of waiting.get(before.row) ?? []) see(row, before);
        waiting.delete(before.row);
      }
      waiting.clear();
      size = 0;
      chars = 0;
    },
  };
}

function areOfOneInput(row: Row, before: Row): boolean {
  const [input, inputBefore] = [row.earlier?.input, before.earlier?.input];
  return input === undefined || inputBefore === undefined || input === inputBefore;
}

/** Compares a line with one of the same row, whose cells are the same whichever event it is for. */
function compare(
  cells: AlteredCells,
  row: Row,
  before: Row,
  places: readonly number[],
  mapRow: Compared["mapRow"],
): void {
  const status = row.earlier?.status;
  let wrong: readonly string[] | undefined;
  const problemsBefore = () => {
    const mapped = mapRow({ ...row, cells: places.map((at) => before.cells[at] ?? "") });
    return mapped.kind === "invalid" ? mapped.problems.map(({ column = "" }) => column) : [];
  };
  cells.see({
    place: placeOf(row),
    cells: row.cells,
    cellsBefore: before.cells,
    isToBeFixed: status === "rejected" || status === "invalid",
    wasWrong(column) {
      if (status !== "invalid") return false;
      wrong ??= problemsBefore();
      // A problem of a template names all its columns.
      return wrong.some((one) => one === column || one.split(", ").includes(column));
    },
  });
}
