import { InputDamagedError } from "../model/errors.ts";
import { grouped } from "../model/quantities.ts";
import type { CsvDialect, CsvRecord } from "./csv-record.ts";
import { quoteDamage } from "./quote-faults.ts";

interface Watched {
  readonly name: string;
  readonly csv: CsvDialect;
  readonly columnCount: number;
  readonly rowsInCells: boolean;
}

/** Watches records for what deserves a warning, and for rows that a stray quote swallowed. */
export function watchRecords({ name, csv, columnCount, rowsInCells }: Watched, warnings: string[]) {
  const asText = { rows: 0, line: 0, cell: 0 };
  const swallowing = { rows: 0, lines: "" };
  /** @returns why the input cannot be read from this record on */
  const look = (record: CsvRecord) => {
    const { line, breaks, cells, quoteFault } = record;
    if (breaks === 0 && quoteFault === undefined) return undefined;
    if (quoteFault?.kind === "text" && cells.length === columnCount && asText.rows++ === 0) {
      Object.assign(asText, { line, cell: quoteFault.cell });
    }
    const isUndecided = quoteFault !== undefined && quoteFault.kind !== "text";
    if (isUndecided && breaks > 0 && !rowsInCells && swallowsRow(cells)) {
      return quoteDamage(quoteFault, csv, line);
    }
    const found = breaks === 0 ? undefined : findSwallowedRows(record, csv.delimiter, columnCount);
    if (found?.isSure && !rowsInCells) {
      return new InputDamagedError(
        line,
        `a quote (${csv.quote}) opens cell ${found.cell} of the row on the lines ${line} to ${line + breaks}, and the ${found.rows} lines in it that look like rows would be its text. Remove the extra quotes, or add the missing ones (quote: none in eventload.yaml, if quotes mean nothing in this file); if it is one cell, rows_in_cells: true in eventload.yaml lets it through.`,
      );
    }
    if (found !== undefined && swallowing.rows++ === 0) {
      swallowing.lines = `${line} to ${line + breaks}`;
    }
    return undefined;
  };
  /** Whether a line after the first one of a record looks like a row. */
  const swallowsRow = (cells: readonly string[]) =>
    nonBlankLines(cells.join(csv.delimiter))
      .slice(1)
      .some((text) => text.split(csv.delimiter).length === columnCount);
  return {
    look,
    end(): void {
      if (asText.rows > 0) {
        const have = asText.rows === 1 ? "1 row has" : `${grouped(asText.rows)} rows have`;
        warnings.push(
          `${name}: ${have} a quote (${csv.quote}) within a cell that is not in quotes, first in cell ${asText.cell} on line ${asText.line}. It is read as text.`,
        );
      }
      if (swallowing.rows > 0) {
        const looks =
          swallowing.rows === 1 ? "1 row looks" : `${grouped(swallowing.rows)} rows look`;
        warnings.push(
          `${name}: ${looks} like several, as a quote is opened and closed some lines further on, first on the lines ${swallowing.lines}: is a quote missing there, or one too many?`,
        );
      }
    },
  };
}

/** Rows that seem to have become one because a quote is missing or one too many. */
interface SwallowedRows {
  readonly rows: number;
  readonly cell: number;
  readonly isSure: boolean;
}

/** This many rows in one cell are no coincidence. */
const manyRows = 20;
const mostLines = 0.75;

/**
 * Finds the rows in the cells of a record: most of its lines have as many delimiters as the header.
 * Text of several lines, such as an address, seldom does. A table that belongs in a cell does
 * too, but its first and last line also hold the cells before and after it.
 */
function findSwallowedRows(
  { cells }: Pick<CsvRecord, "cells">,
  delimiter: string,
  columnCount: number,
): SwallowedRows | undefined {
  if (columnCount < 2) return undefined;
  const lines = nonBlankLines(cells.join(delimiter));
  if (lines.filter(isRow).length < mostLines * lines.length) return undefined;

  const { cell, rows } = cells
    .map((text, index) => ({
      cell: index + 1,
      rows: nonBlankLines(text).slice(1, -1).filter(isRow).length,
    }))
    .reduce((one, other) => (other.rows > one.rows ? other : one));
  const isRagged = cells.length !== columnCount;
  const opensInRow = cell > 1 && isRow(lines[0] ?? "");
  const closesInRow = cell < cells.length && isRow(lines.at(-1) ?? "");
  return { rows, cell, isSure: rows >= manyRows && (isRagged || opensInRow || closesInRow) };

  /** Whether a line has as many cells as the header; the one comma of two is not that of prose. */
  function isRow(line: string): boolean {
    const found = line.split(delimiter);
    return found.length === columnCount && (columnCount > 2 || /^\S/.test(found[1] ?? ""));
  }
}

function nonBlankLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
}
