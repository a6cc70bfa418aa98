import { createHash } from "node:crypto";
import { grouped } from "../model/quantities.ts";
import type { Reading } from "../model/reading.ts";
import { quoteWhole, type Row, type RowProblem } from "../model/row.ts";

/** A record of CSV, or a row of a sheet: it may be no row of the input. */
export interface FoundRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly breaks?: number;
  /** Cells that are something, though they may have no text. */
  readonly flaws?: readonly unknown[];
  readonly isHidden?: boolean;
}

interface RowTable<Found> {
  readonly name: string;
  readonly columns: readonly string[];
  readonly reading: Reading;
  /** Whether each row ends with a delimiter, after which there is no column. */
  readonly areRowsEnded?: boolean;
  /** Of a sheet, which gives no blank cells at the end of a row, and no blank rows: the row after which its rows begin. */
  readonly sheetBegin?: number;
  problemOf(found: Found, cells: readonly string[]): RowProblem | undefined;
  whyRagged?(found: Found): string | undefined;
}

const maxCellsAtOnce = 256 * 1024;

export interface BlankLines {
  readonly all: number;
  /** Blank lines with a row before and behind them: they may have been rows, and have lost their cells. */
  readonly between: number;
}

interface Lines {
  count: number;
  first: number;
}

/**
 * Numbers the rows of a table, from 1. What is no row has no number: lines without a filled cell, the header once
 * more, and hidden rows where these are left out.
 */
export function createRowMaker<Found extends FoundRow>(table: RowTable<Found>, warnings: string[]) {
  const { name, columns, areRowsEnded = false, sheetBegin } = table;
  const { header, hiddenRows, shortRows } = table.reading;
  const isPadded = shortRows === "pad" || sheetBegin !== undefined;
  const names = header === false ? undefined : columns.map((column) => column.trim());
  const atOnce = Math.max(1, Math.floor(maxCellsAtOnce / columns.length));
  const [blank, headers, hidden] = [noLines(), noLines(), noLines()];
  let row = 0;
  let lastLine = sheetBegin ?? 0;
  let between = 0;
  /** Blank lines since the last row. */
  let since = 0;
  /** Whether a blank line is more than an empty one at the end, as many files have. */
  let isOdd = false;

  const seeBlank = (line: number, count: number) => {
    see(blank, line, count);
    since += count;
  };
  const isHeader = (cells: readonly string[]) =>
    names !== undefined &&
    cells.length === names.length &&
    cells.every((cell, at) => (at === 0 ? cell.replace(endMarks, "") : cell).trim() === names[at]);

  const toRow = (found: Found, given: readonly string[]): Row => {
    const { line, breaks = 0 } = found;
    const { length } = columns;
    const isShort = given.length < length && isPadded;
    if (given.length !== length && !isShort) {
      return raggedRow(row, line, given, length, line + breaks, table.whyRagged?.(found));
    }
    const cells = isShort ? padded(given, length) : given;
    const problem = table.problemOf(found, cells);
    return problem === undefined ? { row, line, cells } : { row, line, cells, problem };
  };

  return {
    /** In parts that are limited by their cells, as a short row is filled up to the width of the header. */
    *make(found: readonly Found[]): Generator<readonly Row[]> {
      let rows: Row[] = [];
      for (const one of found) {
        if (rows.length >= atOnce) {
          yield rows;
          rows = [];
        }
        const { line, cells, flaws = [], isHidden = false } = one;
        const gap = line - lastLine - 1;
        if (sheetBegin !== undefined && gap > 0) seeBlank(lastLine + 1, gap);
        lastLine = line;
        const isEnded = areRowsEnded && cells.length > 1 && cells.at(-1) === "";
        const given = isEnded ? cells.slice(0, -1) : cells;
        if (flaws.length === 0 && !holdsText(given)) {
          seeBlank(line, 1);
          isOdd ||= given.length > 1 || given[0] !== "";
          continue;
        }
        if (isHeader(given)) {
          see(headers, line);
          continue;
        }
        if (isHidden) {
          see(hidden, line);
          if (hiddenRows === "skip") continue;
        }
        if (row > 0) between += since;
        since = 0;
        row++;
        rows.push(toRow(one, given));
      }
      if (rows.length > 0) yield rows;
    },
    blankLines: (): BlankLines => ({ all: blank.count, between }),
    end(): void {
      if (isOdd || between > 0) sayLeftOut(blank, "has no filled cell", "have no filled cell");
      sayLeftOut(headers, "repeats the header", "repeat the header");
      if (hidden.count === 0) return;
      const what = `${grouped(hidden.count)} ${hidden.count === 1 ? "row is" : "rows are"} hidden or filtered out in the sheet, first row ${hidden.first}`;
      warnings.push(
        hiddenRows === "skip"
          ? `${name}: ${what}: left out.`
          : `${name}: ${what}, and read all the same: if they are not meant, give --hidden-rows skip.`,
      );
    },
  };

  function sayLeftOut({ count, first }: Lines, one: string, several: string) {
    if (count === 0) return;
    warnings.push(
      count === 1
        ? `${name}: line ${first} ${one}: it is no row.`
        : `${name}: ${grouped(count)} lines ${several}, first line ${first}: they are no rows.`,
    );
  }
}

function noLines(): Lines {
  return { count: 0, first: 0 };
}

function see(lines: Lines, line: number, count = 1): void {
  if (lines.count === 0) lines.first = line;
  lines.count += count;
}

/** Whether a cell holds more than white space, end-of-file marks of DOS, and what nobody sees, such as U+200B. */
export function holdsText(cells: readonly string[]): boolean {
  for (const cell of cells) if (cell !== "" && visibleCharacter.test(cell)) return true;
  return false;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the mark
const visibleCharacter = /[^\s\u001a\p{Default_Ignorable_Code_Point}]/u;
/** Where files were joined, they stand before a header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the mark
const endMarks = /^\u001a+/;

function padded(cells: readonly string[], length: number): string[] {
  return Array.from({ length }, (_, at) => cells[at] ?? "");
}

/**
 * A row with more or fewer cells than the header is not sent, as it is not known which column a cell
 * belongs to. Its cells are kept; those without a column stand in full in the message, which goes into
 * the results.
 */
function raggedRow(
  row: number,
  line: number,
  cells: readonly string[],
  columnCount: number,
  lastLine: number,
  why: string | undefined,
): Row {
  const kept = padded(cells, columnCount);
  const surplus = cells.slice(columnCount).map(quoteWhole).join(", ");
  const lines = lastLine === line ? "" : ` and goes on to line ${lastLine}`;
  const because = why === undefined ? "" : `; ${why}`;
  const count = `has ${cells.length} ${cells.length === 1 ? "cell" : "cells"} where the header has ${columnCount}${lines}${because}`;
  const found = surplus === "" ? count : `${count}; without a column: ${surplus}`;
  const problem: RowProblem = cells.some((cell) => cell.includes("\0"))
    ? { code: "nul_character", message: `${nul}; it ${found}`, mark: raggedMark(kept) }
    : { code: "ragged_row", message: found, mark: raggedMark(kept) };
  return { row, line, cells: kept, problem };
}

const nul =
  "holds NUL characters, as a power cut or a broken copy leaves them: get the file again, or remove them";

/** A digest of the cells of a ragged row: as long as it is the same, the row in the results was not fixed. */
export function raggedMark(cells: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(cells)).digest("hex");
  return `cells-${digest.slice(0, 16)}`;
}
