import { quote } from "../model/row.ts";
import type { TopRow } from "./find-header-below.ts";

/** Signs that the first row is a row like the others, and not the names of the columns. */
export interface MissingHeader {
  /** The sign: the middle of a sentence. */
  readonly why: string;
  /** Whether nothing else is likely. */
  readonly isSure: boolean;
}

/**
 * Compares the first row with those below it: a name differs from the values of its column, and the cells
 * of a row do not.
 */
export function findMissingHeader(
  header: readonly string[],
  rows: readonly TopRow[],
): MissingHeader | undefined {
  const filled = rows.filter(({ cells }) => cells.length === header.length);
  const columns = header.map((cell, at) => ({
    name: cell.trim(),
    cells: filled.map(({ cells }) => cells[at]?.trim() ?? "").filter((value) => value !== ""),
  }));
  if (columns.some(isNamed)) return undefined;
  if (filled.length < minRows) return rows.length < minRows ? findAddress(columns) : undefined;
  // Files that were put together have their header again.
  if (filled.some(({ cells }) => cells.every((cell, at) => cell === header[at]))) return undefined;
  for (const [form, called] of sureForms) {
    const found = columns.find(
      ({ name, cells }) =>
        form.test(name) && cells.length >= minRows && cells.every((cell) => form.test(cell)),
    );
    if (found === undefined) continue;
    return { why: `${quote(found.name)} is ${called}, as what is below it`, isSure: true };
  }
  const repeated = columns.filter(({ name, cells }) => name !== "" && cells.includes(name));
  const [known] = repeated.filter(({ name }) => /\p{L}/u.test(name));
  const again = (column: Column) => `${quote(column.name)} is also a cell below it`;
  if (known !== undefined && repeated.length >= manyRepeated) {
    return { why: again(known), isSure: true };
  }
  const numbers = columns.filter(({ name }) => number.test(name));
  const [one] = numbers.filter(({ cells }) => cells.length > 0 && cells.every(isNumber));
  // A program that has no names writes an index instead.
  if (one === undefined || (header.length === 1 && one.name === "0")) return undefined;
  if (known !== undefined) return { why: again(known), isSure: true };
  if (
    areMarks(
      numbers.map(({ name }) => Number(name)),
      numbers.length === header.length,
    )
  ) {
    return undefined;
  }
  const why = `${quote(one.name)} is a number, as what is below it`;
  return { why, isSure: numbers.some(({ name }) => /^-?\d+\.\d+$/.test(name)) };
}

/** Few rows show little, but no column is called like an address. */
function findAddress(columns: readonly Column[]): MissingHeader | undefined {
  const found = columns.find(
    ({ name, cells }) => address.test(name) && cells.every((cell) => address.test(cell)),
  );
  return found === undefined
    ? undefined
    : { why: `${quote(found.name)} is an address`, isSure: true };
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

const minRows = 2;
/** Columns whose first cell occurs again below it: of names, only few do. */
const manyRepeated = 3;

const address = /^[^\s@,;]+@[^\s@,;]+\.[a-z]{2,}$/i;

const sureForms: readonly (readonly [RegExp, string])[] = [
  [address, "an address"],
  [/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?\S*)?$/, "a date"],
  [/^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/, "a date"],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "a UUID"],
];

const number = /^-?\d+(?:[.,]\d+)?$/;

function isNumber(cell: string): boolean {
  return number.test(cell);
}

/** A word above cells that are all numbers, dates or addresses names them. */
function isNamed({ name, cells }: Column): boolean {
  const isWord = /\p{L}/u.test(name) && !/[\d@]/.test(name);
  return isWord && cells.length > 0 && cells.every((cell) => /[\d@]/.test(cell));
}

/**
 * Years, indexes and classes are numbers that name columns: they only increase, or only decrease. If no
 * column has a word, that can be chance, unless they are many or equally far apart.
 */
function areMarks(values: readonly number[], areAll: boolean): boolean {
  if (values.every((value) => value >= 1900 && value <= 2100)) return true;
  const steps = values.slice(1).map((value, at) => value - (values[at] ?? 0));
  const isOneWay = steps.every((step) => step > 0) || steps.every((step) => step < 0);
  if (steps.length === 0 || !isOneWay) return false;
  return !areAll || values.length >= manyMarks || new Set(steps).size === 1;
}

const manyMarks = 5;
