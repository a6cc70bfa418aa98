/** A row near the top of a table, with the line on which it stands. */
export interface TopRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows after the header that are examined. */
export const topRows = 20;

/** Whether a first row is to be compared with those below: it may be a title, or a row itself. */
export function mayBeNoHeader(header: readonly string[], rows: readonly TopRow[]): boolean {
  const filled = rows.map(({ cells }) => cells).filter((cells) => countFilled(cells) > 0);
  const last = lastHalf(withoutFooter(filled));
  const longer = last.filter((cells) => cells.length > header.length).length;
  return holdsValues(header) || lacksNames(header) || longer * 2 > last.length;
}

/** Rows that no title of several lines reaches. */
function lastHalf<Row>(rows: readonly Row[]): readonly Row[] {
  return rows.slice(-Math.ceil(rows.length / 2));
}

/** Whether a header leaves a column without a name of its own. */
function lacksNames(header: readonly string[]): boolean {
  return namesIn(header).size < header.length;
}

/**
 * Finds the real header below a title or the names of groups: the first row that is mostly filled, with
 * words that all differ from each other and from what stands below them.
 *
 * @param rows those after the header; where they are longer than it, it lacks names too
 */
export function findHeaderBelow(
  first: readonly string[],
  rows: readonly TopRow[],
): TopRow | undefined {
  const filled = rows.slice(0, topRows).filter(({ cells }) => countFilled(cells) > 0);
  // Some programs write a delimiter at every end.
  const end = Math.max(0, ...filled.map(({ cells }) => lastFilled(cells) + 1));
  const near = filled.map((row) => ({ ...row, cells: row.cells.slice(0, end) }));
  const header = first.slice(0, Math.max(end, lastFilled(first) + 1));
  const width = Math.max(header.length, usualLength(lastHalf(near)));
  const at = near.findIndex(
    ({ cells }) =>
      lastFilled(cells) + 1 >= width && countFilled(cells) * 2 > width && !isAboveHeader(cells),
  );
  const found = near[at];
  if (found === undefined) return undefined;
  const names = found.cells.map((cell) => cell.trim());
  const title = namesIn(header);
  const isLoneTitle = title.size === 1 && names.length > 2;
  const areNames =
    names.every((name) => mayBeName(name, isLoneTitle) || isYear(name)) && !names.every(isYear);
  const distinct = namesIn(names).size;
  // Below a lone title, a few names may be there twice.
  const areDistinct = distinct === names.length || (isLoneTitle && distinct * 1.25 >= names.length);
  if (names.length < width || !areNames || !areDistinct) return undefined;
  if (title.size === names.length && !holdsValues(header)) return undefined;

  const below = withoutFooter(near.slice(at + 1).map(({ cells }) => cells));
  const areLonger = below.filter((cells) => cells.length > header.length).length;
  if (names.length > header.length && areLonger * 2 < Math.max(1, below.length)) return undefined;
  const columns = names.map((name, column) => ({
    name,
    cells: below.map((cells) => cells[column]?.trim() ?? "").filter((cell) => cell !== ""),
  }));
  if (columns.some(({ name, cells }) => cells.includes(name))) return undefined;
  const unlike = columns.filter(
    ({ name, cells }) =>
      cells.length > 0 &&
      cells.every(isNoWord) &&
      (isYear(name) ? !cells.some(isYear) : !/\d/.test(name)),
  ).length;
  const above = [header, ...near.slice(0, at).map(({ cells }) => cells)];
  const filling = below.filter((cells) => cells.length === names.length).length;
  // Shorter lines than the rows are no header, unless a comma of prose has made the rows longer.
  const areTitles =
    above.length > 1 &&
    above.every((cells) => lastFilled(cells) + 1 < names.length) &&
    filling >= Math.max(2, below.length * 0.9) &&
    !found.cells.some((cell) => cell.startsWith(" "));
  if (areTitles) return found;
  return unlike >= unlikeNeeded(header, title.size, names.length) ? found : undefined;
}

/** In how many columns the cells below have to look unlike their name; with a lone title, in none. */
function unlikeNeeded(header: readonly string[], titles: number, width: number): number {
  if (titles === 0) return 0;
  // An index that a program adds has no name, and stands first.
  if (header[0]?.trim() === "") return 2;
  const isFull = header.length === width && !holdsValues(header);
  if (isFull && titles * 2 > width) return 2;
  return titles === 1 && width > 2 ? 0 : 1;
}

/** Totals and notes at the end of a short table fill fewer cells than its rows. */
function withoutFooter(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const filled = rows.map(countFilled).toSorted((a, b) => a - b);
  const usual = filled[Math.floor(filled.length / 2)] ?? 0;
  return rows.slice(0, rows.findLastIndex((cells) => countFilled(cells) >= usual) + 1);
}

function namesIn(cells: readonly string[]): ReadonlySet<string> {
  return new Set(cells.map((cell) => cell.trim()).filter((cell) => cell !== ""));
}

function countFilled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== "").length;
}

/** Whether a row has what no column is called. */
function holdsValues(cells: readonly string[]): boolean {
  return isAboveHeader(cells) || cells.some((cell) => !mayBeName(cell.trim(), false));
}

/** A comment, or `Customer:` and what it is. */
function isAboveHeader([first = "", ...others]: readonly string[]): boolean {
  return /^\s*#./.test(first) || (/:\s*$/.test(first) && others.length > 0);
}

function lastFilled(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}

function isYear(text: string): boolean {
  return /^(?:19|20)\d\d$/.test(text);
}

/** How long most rows are. */
function usualLength(rows: readonly TopRow[]): number {
  const lengths = rows.map(({ cells }) => cells.length);
  const countOf = (length: number) => lengths.filter((one) => one === length).length;
  return lengths.reduce((best, one) => (countOf(one) > countOf(best) ? one : best), 0);
}

/**
 * Not a number, date, address, or word for a missing value. Below a lone title, a name may also begin
 * with a digit, such as `2nd line`.
 */
function mayBeName(text: string, isLoneTitle: boolean): boolean {
  const letters = isLoneTitle ? /\p{L}/u : /^\D*\p{L}/u;
  return (
    text.length <= longestName &&
    letters.test(text) &&
    !/@|:\/\//.test(text) &&
    !valueWords.has(text.toLowerCase())
  );
}

const longestName = 100;
const valueWords = new Set([
  "true",
  "false",
  "yes",
  "none",
  "null",
  "nan",
  "n/a",
  "nil",
  "unknown",
]);

function isNoWord(cell: string): boolean {
  return /[\d@]/.test(cell);
}
