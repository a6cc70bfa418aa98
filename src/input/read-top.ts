import { cannotStart } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import {
  findTrailingDelimiters,
  lastFilled,
  refuseNoHeader,
  topRows,
  warnOfNames,
} from "./check-header.ts";
import { firstOf, lookAhead } from "./look-ahead.ts";
import { type FoundRow, holdsText } from "./make-rows.ts";

export interface TableTop<Found> {
  readonly columns: readonly string[];
  readonly batches: AsyncIterable<readonly Found[]>;
  /** The line after which that begins. */
  readonly line: number;
  readonly areRowsEnded: boolean;
  readonly warnings: string[];
}

interface Kind<Found> {
  /** A sheet gives no blank cells at the end of a row. */
  readonly isSheet: boolean;
  readonly doubt?: string | undefined;
  refuse?(header: Found): void;
}

const maxRowsOfTop = 200;
/** Blank lines are kept in memory until a row comes: these are some 100,000. */
const maxBlankBatches = 1000;

/**
 * The first row names the columns. Without a header they are numbered: as many as the first line with a filled cell
 * has, or of a sheet the longest of its first rows.
 *
 * @throws CannotStartError if there is no such row, or it seems to be a title above the names, or a row itself
 */
export async function readTop<Found extends FoundRow>(
  name: string,
  given: AsyncGenerator<readonly Found[]>,
  { header = true, skipLines }: Reading,
  { isSheet, doubt, refuse }: Kind<Found>,
): Promise<TableTop<Found>> {
  const ahead = lookAhead(given);
  const isFilled = ({ cells }: Found) => holdsText(cells);
  const hasWidth = (read: readonly (readonly Found[])[]) =>
    header || isSheet || read.length >= maxBlankBatches || read.at(-1)?.some(isFilled) === true;
  await ahead.until((read) => hasWidth(read) && firstOf(read, maxRowsOfTop) !== undefined);
  // Of the same rows, however many come at once.
  const sample = firstOf(ahead.items, maxRowsOfTop) ?? ahead.items.flat();
  const [first, ...rows] = sample;
  if (first === undefined) {
    if (ahead.broken !== undefined) throw ahead.broken.error;
    throw cannotStart("input_empty", name);
  }
  const batches = ahead.all();
  if (!header) {
    const filled = ahead.items.flat().find(isFilled) ?? first;
    const width = Math.max(...(isSheet ? sample : [filled]).map(({ cells }) => cells.length));
    const columns = Array.from({ length: width }, (_, at) => String(at + 1));
    if (doubt !== undefined) throw cannotStart("delimiter_unclear", name, doubt);
    return { columns, batches, line: skipLines ?? 0, areRowsEnded: false, warnings: [] };
  }

  refuse?.(first);
  const mayBeTitle = skipLines === undefined;
  if (!mayBeTitle && doubt !== undefined) throw cannotStart("delimiter_unclear", name, doubt);
  if (!mayBeTitle && !holdsText(first.cells)) {
    throw cannotStart("input_no_header", name, first.line);
  }
  ahead.items = [ahead.items.flat().slice(1)];
  const near = rows.slice(0, topRows);
  const { line } = first;
  const cells = isSheet ? first.cells.slice(0, lastFilled(first.cells) + 1) : first.cells;
  const warnings = mayBeTitle ? refuseNoHeader(name, { line, cells }, near, doubt) : [];
  const trailing = isSheet ? "none" : findTrailingDelimiters(cells, near);
  const hasEnd = trailing !== "none" && cells.length > 1 && cells.at(-1) === "";
  const columns = hasEnd ? cells.slice(0, -1) : cells;
  warnings.push(...warnOfNames(name, columns));
  if (trailing !== "none") {
    const ends = trailing === "rows" ? "the rows end" : "the header ends";
    warnings.push(`${name}: ${ends} with a delimiter, which makes no further column.`);
  }
  return { columns, batches, line, areRowsEnded: trailing === "rows", warnings };
}
