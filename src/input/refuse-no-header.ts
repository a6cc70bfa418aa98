import { cannotStart } from "../model/errors.ts";
import { findHeaderBelow, type TopRow } from "./find-header-below.ts";
import { findMissingHeader } from "./find-missing-header.ts";

/**
 * Compares the first row with those below it.
 *
 * @returns warnings, if it may be a row and may be a header
 * @throws CannotStartError if it is blank, a title above the header, or a row itself
 */
export function refuseNoHeader(name: string, first: TopRow, rows: readonly TopRow[]): string[] {
  const below = findHeaderBelow(first.cells, rows);
  const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === "");
  if (isBlank(first.cells)) {
    const next = below ?? rows.find(({ cells }) => !isBlank(cells));
    throw cannotStart("input_no_header", name, first.line, next?.line);
  }
  if (below !== undefined) throw cannotStart("header_further_down", name, first, below);
  const missing = findMissingHeader(first.cells, rows);
  if (missing === undefined) return [];
  if (missing.isSure) throw cannotStart("header_missing", name, first, missing.why);
  return [
    `${name}: line ${first.line} may be a row and not the names of the columns, as ${missing.why}: if it is, give --no-header.`,
  ];
}
