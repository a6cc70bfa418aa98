import type { CsvRecord } from "./csv-record.ts";

/** Rows that seem to have become one, as a quote is missing or one too many. */
export interface SwallowedRows {
  /** Lines within one cell that look like rows. */
  readonly rows: number;
  /** Which cell, from 0. */
  readonly cell: number;
  /** Whether that is next to certain. */
  readonly isSure: boolean;
}

/** So many rows in one cell are not there by chance. */
const manyRows = 20;

/**
 * So many lines are needed where a row has one delimiter only, as half of all prose has, and they do
 * not all begin with an address or a code of the same form.
 */
const manyPairs = 10;

/**
 * Finds the rows in the cells of a record: most of its lines have as many delimiters as the header.
 * Text of several lines, such as an address, seldom has. A table that is meant to stand in a cell has
 * too, but what stands before and after it on its first and last line comes on top of that.
 *
 * @param record with line ends in its cells
 */
export function findSwallowedRows(
  { cells }: Pick<CsvRecord, "cells">,
  delimiter: string,
  columnCount: number,
): SwallowedRows | undefined {
  if (columnCount < 2) return undefined;
  const isRow = columnCount === 2 ? isPair : hasCells;
  const most = columnCount === 2 ? 0.9 : 0.75;
  const lines = linesOf(cells.join(delimiter));
  const alike = lines.filter(isRow).length;
  if (alike < most * lines.length) return undefined;
  if (columnCount === 2 && alike < manyPairs && !beginAlike(lines)) return undefined;

  const { cell, rows } = cells
    .map((text, index) => ({ cell: index, rows: linesOf(text).slice(1, -1).filter(isRow).length }))
    .reduce((one, other) => (other.rows > one.rows ? other : one));
  const isRagged = cells.length !== columnCount;
  const opensInRow = cell > 0 && isRow(lines[0] ?? "");
  const closesInRow = cell < cells.length - 1 && isRow(lines.at(-1) ?? "");
  return { rows, cell, isSure: rows >= manyRows && (isRagged || opensInRow || closesInRow) };

  function hasCells(line: string): boolean {
    return line.split(delimiter).length === columnCount;
  }

  /** Of two cells, neither blank, and not as a comma stands in prose. */
  function isPair(line: string): boolean {
    const [one = "", other = "", ...more] = line.split(delimiter);
    return more.length === 0 && one.trim() !== "" && /^\S/.test(other);
  }

  function beginAlike(lines: readonly string[]): boolean {
    const forms = new Set(lines.map((line) => (isPair(line) ? formOf(line) : "")));
    return lines.length > 1 && forms.size === 1 && !forms.has("");
  }

  /** The form of the first cell, where no prose begins like that. */
  function formOf(line: string): string {
    const [one = "", other = ""] = line.split(delimiter);
    if (isAddress(one)) return "@";
    if (!/^[\p{L}._/-]*\d[\p{L}\d._/-]*$/u.test(one)) return "";
    // It may be one number with a comma.
    if (/^\d+$/.test(one) && /^\d/.test(other)) return "";
    return one.replaceAll(/\p{L}+/gu, "a").replaceAll(/\d+/g, "9");
  }
}

/** Something before an @, and a dot with something around it behind. */
function isAddress(text: string): boolean {
  const at = text.indexOf("@", 1);
  return at > 0 && text.lastIndexOf(".", text.length - 2) > at + 1 && !/\s/.test(text);
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "");
}
