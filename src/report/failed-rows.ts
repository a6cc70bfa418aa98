import { copyOf, longestMessage, messageTemplate } from "../model/groups.ts";
import { type EventStatus, noCounts } from "../model/outcome.ts";
import type { EndedLine, OutcomeGroup } from "../model/outcome-groups.ts";

export interface FailedRow extends EndedLine {
  /** Those of the input. */
  readonly cells: readonly string[];
}

/** Lines that ended in the same way and say the same. */
export interface FailedGroup extends Omit<OutcomeGroup, "first"> {
  readonly isAlike: boolean;
  /** Those that are kept; the first is the example. */
  readonly rows: readonly FailedRow[];
  /** The columns whose cells, in the example, are probably why. */
  readonly columns: readonly string[];
}

/** What the failed rows add up to. */
export interface FailedRows {
  readonly columns: readonly string[];
  readonly lines: number;
  readonly counts: Readonly<Record<EventStatus, number>>;
  /** The largest first. */
  readonly groups: readonly FailedGroup[];
  /** Lines without a group, as there were too many groups. */
  readonly ungrouped: number;
  /** Why the file could not be read, or not to its end. */
  readonly problem?: string;
  /** Whether somebody has changed the file since it was written. */
  readonly isEdited?: boolean;
}

const maxGroups = 10_000;
const maxRowsEach = 200;
/** The first row of each group is kept beyond what the others may take. */
const maxChars = 1_000_000;
const maxCharsWithFirst = 3_000_000;
const maxCellChars = 1000;
/** Of further groups the page says only how many there are. */
export const maxGroupsShown = 24;

type Group = { -readonly [name in keyof FailedGroup]: FailedGroup[name] } & { rows: FailedRow[] };

/** Groups the failed rows, and keeps as many as a page can hold. Memory does not grow with their number. */
export function createFailedRows() {
  const counts = noCounts();
  const groups = new Map<string, Group>();
  // The same message comes again and again, and its template takes time.
  const known = new Map<string, string>();
  let [lines, ungrouped, chars] = [0, 0, 0];

  const keep = (row: FailedRow, { rows }: Group) => {
    const most = rows.length === 0 ? maxCharsWithFirst : maxChars;
    if (rows.length >= maxRowsEach || chars >= most) return;
    const cells = row.cells.map((cell) => copyOf(cell, maxCellChars));
    const message = copyOf(row.message, longestMessage);
    chars += cells.reduce((all, cell) => all + cell.length + 8, 100 + message.length);
    rows.push({ ...row, cells, message });
  };

  return {
    add(row: FailedRow): void {
      const { status, code, message } = row;
      lines++;
      counts[status]++;
      const exactly = `${status} ${code} ${message}`;
      const key = known.get(exactly) ?? `${status} ${code} ${messageTemplate(message)}`;
      let group = groups.get(key);
      if (known.size < maxGroups) known.set(exactly, key);
      if (group === undefined) {
        if (groups.size >= maxGroups) {
          ungrouped++;
          return;
        }
        const kept = copyOf(message, longestMessage);
        group = { status, code, message: kept, isAlike: true, count: 0, rows: [], columns: [] };
        groups.set(key, group);
      }
      group.count++;
      group.isAlike &&= group.message === message.slice(0, longestMessage);
      keep(row, group);
    },
    groups(columns: readonly string[]): FailedRows {
      const largestFirst = [...groups.values()].toSorted((one, other) => other.count - one.count);
      return {
        columns,
        lines,
        counts,
        ungrouped,
        groups: largestFirst.map((group, at) => {
          const [first] = group.rows;
          const message = group.isAlike ? group.message : messageTemplate(group.message);
          const isShown = at < maxGroupsShown && first !== undefined;
          return { ...group, message, columns: isShown ? offendingColumns(first, columns) : [] };
        }),
      };
    },
  };
}

/**
 * The columns whose cells are probably why an event did not succeed: those that the message names, else those whose
 * cell it quotes, else those that are called like a field of which it speaks (`zip: is not a postal code`).
 */
export function offendingColumns(
  { message, cells }: Pick<FailedRow, "message" | "cells">,
  columns: readonly string[],
): string[] {
  const named = columns.filter((column) => message.includes(`column ${JSON.stringify(column)}`));
  if (named.length > 0) return named;
  const quoted = columns.filter((_, at) => {
    const cell = cells[at]?.trim() ?? "";
    return cell.length >= shortestQuoted && message.includes(cell);
  });
  if (quoted.length > 0) return quoted;
  const words = [...new Set(message.split(/[^\p{L}\p{N}_-]+/u).map(foldName))];
  return words.flatMap((word) => columns.filter((one) => word !== "" && foldName(one) === word));
}

function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** A shorter cell is in many a message by chance. */
const shortestQuoted = 4;
