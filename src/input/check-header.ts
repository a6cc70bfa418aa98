import { cannotStart } from "../model/errors.ts";
import { listed } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { yesAndNo } from "../model/yes-no.ts";

export interface TopRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export const topRows = 20;

/** A column as the first rows show it: its name and its filled cells, without space around them. */
interface Column {
  readonly name: string;
  readonly cells: readonly string[];
}

function namedColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly Column[] {
  return header.map((name, at) => ({
    name: name.trim(),
    cells: rows.map((cells) => cells[at]?.trim() ?? "").filter((cell) => cell !== ""),
  }));
}

function lastHalf<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.slice(-Math.ceil(rows.length / 2));
}

/**
 * Compares the first row with those below it.
 *
 * @param doubt why the delimiter has to be given, unless the names are further down
 * @returns warnings, if it may be a row and may be a header
 * @throws CannotStartError if it is blank, a title above the header, or a row itself
 */
export function refuseNoHeader(
  name: string,
  first: TopRow,
  rows: readonly TopRow[],
  doubt?: string,
): string[] {
  const below = findHeaderBelowComments(first, rows) ?? findHeaderBelow(first.cells, rows);
  if (below === undefined && doubt !== undefined) {
    throw cannotStart("delimiter_unclear", name, doubt);
  }
  if (countFilled(first.cells) === 0) {
    const next = below ?? rows.find(({ cells }) => countFilled(cells) > 0);
    throw cannotStart("input_no_header", name, first.line, next?.line);
  }
  if (below !== undefined) {
    const more = doubt === undefined ? "" : " and --delimiter";
    throw cannotStart("header_further_down", name, first, below, more);
  }
  const filled = rows.filter(({ cells }) => countFilled(cells) > 0);
  const missing = findMissingHeader(first.cells, filled);
  if (missing === undefined) return [];
  if (missing.isSure) throw cannotStart("header_missing", name, first, missing.why);
  return [
    `${name}: line ${first.line} may be a row and not the column names, because ${missing.why}: if it is, give --no-header.`,
  ];
}

/** Finds the header below two comments or more. It may begin with a # too, and so may all rows. */
function findHeaderBelowComments(first: TopRow, rows: readonly TopRow[]): TopRow | undefined {
  const at = rows.findIndex(({ cells }) => !isComment(cells[0]));
  const [last, next] = [rows[at - 1], rows[at]];
  if (!comment.test(first.cells[0] ?? "") || last === undefined) return undefined;
  const { length } = last.cells;
  const isName = !comment.test(last.cells[0] ?? "") && length === next?.cells.length;
  return isName && length > 1 ? last : next;
}

/** Whether a line begins as comments do; one column may be called `#` or `//`. */
function isComment(line = ""): boolean {
  return /^\s*(#|\/\/|--)/.test(line);
}

/**
 * Finds the real header below a title or the names of groups: the first row that is mostly filled, with
 * words that all differ from each other and from what stands below them.
 *
 * @param rows those after the header; where they are longer than it, it lacks names too
 */
function findHeaderBelow(first: readonly string[], rows: readonly TopRow[]): TopRow | undefined {
  const filled = rows.slice(0, topRows).filter(({ cells }) => countFilled(cells) > 0);
  // Some programs write a delimiter at every end.
  const end = Math.max(0, ...filled.map(({ cells }) => lastFilled(cells) + 1));
  const near = filled.map((row) => ({ ...row, cells: row.cells.slice(0, end) }));
  const header = first.slice(0, Math.max(end, lastFilled(first) + 1));
  const usualWidth = medianOf(lastHalf(near).map(({ cells }) => cells.length));
  const width = Math.max(header.length, usualWidth);
  const at = near.findIndex(
    ({ cells }) => lastFilled(cells) + 1 >= width && countFilled(cells) * 2 > width,
  );
  const found = near[at];
  if (found === undefined) return undefined;
  const names = found.cells.map((cell) => cell.trim());
  const title = namesIn(header);
  const isLoneTitle = title.size === 1 && names.length > 2;
  const areNames = names.every((name) => mayBeName(name, isLoneTitle));
  const distinct = namesIn(names).size;
  // Below a lone title, a few names may be there twice.
  const areDistinct = distinct === names.length || (isLoneTitle && distinct * 1.25 >= names.length);
  if (names.length < width || !areNames || !areDistinct) return undefined;
  if (title.size === names.length && !holdsValues(header)) return undefined;

  const below = withoutFooter(near.slice(at + 1).map(({ cells }) => cells));
  const areLonger = below.filter((cells) => cells.length > header.length).length;
  if (names.length > header.length && areLonger * 2 < Math.max(1, below.length)) return undefined;
  const columns = namedColumns(names, below);
  if (columns.some(({ name, cells }) => cells.includes(name))) return undefined;
  const unlike = columns.filter(isNamed).length;
  const above = [header, ...near.slice(0, at).map(({ cells }) => cells)];
  // Shorter lines than the rows are no header, unless a comma of prose has made the rows longer.
  const areTitles =
    above.every((cells) => lastFilled(cells) + 1 < names.length) &&
    !found.cells.some((cell) => cell.startsWith(" "));
  if (above.length > 1 && areTitles) return found;
  return unlike >= unlikeNeeded(header, title.size, names.length) ? found : undefined;
}

/** In how many columns the cells below have to look unlike their name; with a lone title, in none. */
function unlikeNeeded(header: readonly string[], titles: number, width: number): number {
  const isFull = header.length === width && !holdsValues(header);
  if (isFull && titles * 2 > width) return 2;
  return titles === 1 && width > 2 ? 0 : 1;
}

/** Totals and notes at the end of a short table fill fewer cells than its rows. */
function withoutFooter(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const usual = medianOf(rows.map(countFilled));
  return rows.slice(0, rows.findLastIndex((cells) => countFilled(cells) >= usual) + 1);
}

function namesIn(cells: readonly string[]): ReadonlySet<string> {
  return new Set(cells.map((cell) => cell.trim()).filter((cell) => cell !== ""));
}

function countFilled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

function holdsValues(cells: readonly string[]): boolean {
  return isAboveHeader(cells) || cells.some((cell) => !mayBeName(cell.trim(), false));
}

/** A comment, or `Customer:` and what it is. */
function isAboveHeader([first = "", ...others]: readonly string[]): boolean {
  // A column may be called "--- id".
  return /^\s*#./.test(first) || (/:\s*$/.test(first) && others.length > 0);
}

/** The place of the last cell that is not blank; below 0 if none is. */
export function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/**
 * Not a number, date, address, or word for a missing value. Below a lone title, a name may also be `#`, or begin
 * with a digit, such as `2nd line`.
 */
function mayBeName(text: string, isLoneTitle: boolean): boolean {
  const letters = isLoneTitle ? /\p{L}|^#$/u : /^\D*\p{L}/u;
  return (
    text.length <= longestName &&
    letters.test(text) &&
    !/@|:\/\//.test(text) &&
    !valueWords.has(text.toLowerCase())
  );
}

const longestName = 100;
const valueWords = new Set("true false yes none null nan n/a nil unknown".split(" "));

/** The sign that the first row is no header, the middle of a sentence, and whether nothing else is likely. */
function findMissingHeader(
  header: readonly string[],
  rows: readonly TopRow[],
): { readonly why: string; readonly isSure: boolean } | undefined {
  const filled = rows.map(({ cells }) => cells).filter(({ length }) => length === header.length);
  const columns = namedColumns(header, filled);
  const names = columns.map(({ name }) => name);
  const twice = columns.find(({ name }, at) => name !== "" && names.indexOf(name) < at);
  if (twice !== undefined && filled.length >= minRowsBelow) {
    const alike = columns.filter(({ name }) => name === twice.name);
    if (alike.every(({ name, cells }) => [name, ...cells].every(isYesOrNo))) {
      return {
        why: `${quote(twice.name)} stands in it twice, like the cells below it`,
        isSure: true,
      };
    }
  }
  if (columns.some(isNamed)) return undefined;
  if (filled.length < minRowsBelow && rows.length >= minRowsBelow) return undefined;
  // A row alone, or above one other, is no header either if it has what no column is called.
  const least = Math.min(rows.length, minRowsBelow);
  const asBelow = least === 0 ? "" : ", like the cells below it";
  // Files that were put together have their header again.
  if (filled.some((cells) => cells.every((cell, at) => cell === header[at]))) return undefined;
  for (const [form, called] of sureForms) {
    const found = columns.find(
      ({ name, cells }) =>
        form.test(name) && cells.length >= least && cells.every((cell) => form.test(cell)),
    );
    if (found === undefined) continue;
    return { why: `${quote(found.name)} is ${called}${asBelow}`, isSure: true };
  }
  const repeated = columns.filter(({ name, cells }) => name !== "" && cells.includes(name));
  const [known] = repeated.filter(({ name }) => /\p{L}/u.test(name));
  const [one] = columns.filter(
    ({ name, cells }) =>
      numberCell.test(name) &&
      (least === 0 || cells.length > 0) &&
      cells.every((cell) => numberCell.test(cell)),
  );
  if (known !== undefined && (one !== undefined || repeated.length >= someRepeated)) {
    const isSure = one !== undefined || repeated.length >= manyRepeated;
    return { why: `${quote(known.name)} is also a cell below it`, isSure };
  }
  if (one === undefined) return undefined;
  const isDecimal = columns.some(({ name }) => /^-?\d+\.\d+$/.test(name));
  return { why: `${quote(one.name)} is a number${asBelow}`, isSure: isDecimal };
}

function isYesOrNo(cell: string): boolean {
  return yesAndNo.some((pair) => pair.includes(cell.toLowerCase()));
}

const minRowsBelow = 2;
const manyRepeated = 3;
const someRepeated = 2;

/** A name may begin like a comment, but with no space then. */
const comment = /^(?:#|\/\/|--)\s/;

const sureForms: readonly (readonly [RegExp, string])[] = [
  [/^[^\s@,;]+@[^\s@,;]+\.[a-z]{2,}$/i, "an address"],
  [/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?\S*)?$/, "a date"],
  [/^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/, "a date"],
  [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "a UUID"],
  [comment, "a comment"],
];

const numberCell = /^-?\d+(?:[.,]\d+)?$/;

/** A word above cells that are all numbers, dates or addresses names them. */
function isNamed({ name, cells }: Column): boolean {
  const isWord = /\p{L}/u.test(name) && !/[\d@]/.test(name);
  return isWord && cells.length > 0 && cells.every((cell) => /[\d@]/.test(cell));
}

/** Finds delimiters after which there is no column, at the end of the header or of each of the first rows. */
export function findTrailingDelimiters(
  header: readonly string[],
  rows: readonly TopRow[],
): "none" | "header" | "rows" {
  const isEnded = header.length > 1 && header.at(-1) === "";
  const names = isEnded ? header.slice(0, -1) : header;
  const filled = rows.map(({ cells }) => cells).filter((cells) => countFilled(cells) > 0);
  if (names.at(-1)?.trim() === "") return "none";
  if (isEnded && filled.every(({ length }) => length === names.length)) return "header";
  const longer = filled.filter((cells) => cells.length === names.length + 1);
  if (longer.length * 2 < Math.max(1, filled.length)) return "none";
  // A comma of prose that is not in quotes makes a row longer, too.
  const isProse = longer.some((cells) => cells.some((cell) => /^ \S/.test(cell)));
  const areEnded = longer.every((cells) => cells.at(-1) === "");
  return areEnded && (isEnded || (longer.length >= minRowsBelow && !isProse)) ? "rows" : "none";
}

export function warnOfNames(name: string, columns: readonly string[]): string[] {
  const places = new Map<string, number[]>();
  for (const [at, column] of columns.entries()) {
    if (column.trim() === "") continue;
    const known = places.get(column);
    // A copy for each would take the square of the columns.
    if (known === undefined) places.set(column, [at + 1]);
    else known.push(at + 1);
  }
  const doubled = [...places].filter(([, { length }]) => length > 1);
  if (doubled.length === 0) return [];
  const shown = doubled.map(([column, at]) => `${quote(column)} (columns ${listed(at)})`);
  return [
    `${name}: several columns have the same name, ${listed(shown)}: rename those that the mapping needs.`,
  ];
}
