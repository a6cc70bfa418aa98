import { copyOf, longestMessage } from "../model/groups.ts";
import {
  createOutcomeGroups,
  type EndedLine,
  isAboutCells,
  namedColumn,
  type OutcomeGroup,
  outcomeGroupOf,
} from "../model/outcome-groups.ts";

export interface FailedRow extends EndedLine {
  /** The cells of the input. */
  readonly cells: readonly string[];
}

export interface FailedGroup extends Omit<OutcomeGroup, "first"> {
  /** The first rows of the group, each with what it says itself. */
  readonly rows: readonly FailedRow[];
}

export interface FailedRows {
  readonly columns: readonly string[];
  readonly lines: number;
  /** Lines with several problems, each of which is in the group of each of them. */
  readonly severalProblems: number;
  readonly groups: readonly FailedGroup[];
  /** Problems without a group, as there were too many groups. */
  readonly ungrouped: number;
  /** Why the file could not be read, or not to its end. */
  readonly problem?: string;
  /** Whether somebody has changed the file since it was written. */
  readonly isEdited?: boolean;
}

const maxFailedGroups = 10_000;
const maxRowsEach = 200;
const maxFailedChars = 1_000_000;
const maxFailedCellChars = 1000;

/**
 * Groups the failed rows, and keeps as many as a page can hold. Memory does not grow with their number.
 *
 * @param columns of the input
 * @param columnOfMember what a service calls a cell: a member of an event, and the column that it is made from
 */
export function createFailedRows(
  columns: readonly string[],
  columnOfMember: ReadonlyMap<string, string> = new Map(),
) {
  const outcomes = createOutcomeGroups(columns, columnOfMember, maxFailedGroups);
  /** Rows that are kept, by their groups. */
  const kept = new Map<unknown, FailedRow[]>();
  let chars = 0;

  const keep = (row: FailedRow, said: string, rows: FailedRow[]) => {
    if (rows.length >= maxRowsEach || chars >= maxFailedChars) return;
    const cells = row.cells.map((cell) => copyOf(cell, maxFailedCellChars));
    const message = copyOf(said, longestMessage);
    chars += cells.reduce((all, cell) => all + cell.length + 8, 100 + message.length);
    rows.push({ ...row, cells, message });
  };

  return {
    add(row: FailedRow): void {
      for (const [{ message }, group] of outcomes.add(row)) {
        if (group === undefined) continue;
        const rows = kept.get(group) ?? [];
        kept.set(group, rows);
        keep(row, message, rows);
      }
    },
    groups(): FailedRows {
      const { lines, severalProblems, ungrouped } = outcomes;
      return {
        ...{ columns, lines, severalProblems, ungrouped },
        groups: outcomes.asAdded().map((added) => {
          const { first: _, ...group } = outcomeGroupOf(added);
          const rows = kept.get(added) ?? [];
          const [first] = rows;
          return {
            ...group,
            rows,
            column:
              group.column ??
              (first && isAboutCells(first) ? offendingColumns(first, columns)[0] : undefined),
          };
        }),
      };
    },
  };
}

/** The column whose cell is probably why a row did not succeed. */
export function refusedColumn(
  row: Pick<FailedRow, "code" | "message" | "cells"> & { readonly status: string },
  columns: readonly string[],
  columnOfMember: ReadonlyMap<string, string>,
): string | undefined {
  if (!isAboutCells(row)) return undefined;
  const named = row.status === "invalid" ? undefined : namedColumn(row.message, columnOfMember);
  return named ?? offendingColumns(row, columns)[0];
}

/**
 * The columns whose cells are probably why an event did not succeed: those that the message names, else those whose
 * cell it quotes.
 */
function offendingColumns(
  { message, cells }: Pick<FailedRow, "message" | "cells">,
  columns: readonly string[],
): string[] {
  const named = columns.filter((column) => message.includes(`column ${JSON.stringify(column)}`));
  if (named.length > 0) return named;
  const quoted = columns.filter((_, at) => {
    const cell = cells[at]?.trim() ?? "";
    return cell.length >= shortestQuoted && message.includes(cell);
  });
  return quoted;
}

/** A shorter cell is in many a message by chance. */
const shortestQuoted = 4;
