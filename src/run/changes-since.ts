import type { ComparedColumn } from "../lint/altered-cells.ts";
import { type Place, placeOf } from "../model/place.ts";
import { count, grouped } from "../model/quantities.ts";
import { cutTo, quote, type Row } from "../model/row.ts";
import { isEventId, type PlannedRow } from "./plan-row.ts";

/** How the lines of a results file differ from what the run before made of them. */
export interface ChangesSince {
  /** Events to be sent that can be compared, as their ids are known. */
  readonly compared: number;
  /** Those whose data are not what they were. */
  readonly changed: number;
  /** The columns with changed cells, the most changed first; undefined without originals to compare with. */
  readonly columns?: readonly ChangedColumn[] | undefined;
}

/** A column whose cells are not what the earlier run read. */
export interface ChangedColumn {
  readonly column: string;
  /** In how many rows. */
  readonly rows: number;
  /** The first of them; long cells are cut. */
  readonly first: readonly ChangedCell[];
}

export interface ChangedCell {
  readonly place: Place;
  readonly before: string;
  readonly after: string;
}

/** Counts changed events. An event id is a hash of the data: another id means other data. */
export function countChanges() {
  let compared = 0;
  let changed = 0;
  return {
    see({ earlier }: Row, planned: PlannedRow): void {
      if (planned.kind !== "send" || !isEventId(earlier?.eventId ?? "")) return;
      const [event, another] = planned.events;
      if (event === undefined || another !== undefined) return;
      compared++;
      if (event.id !== earlier?.eventId.toLowerCase()) changed++;
    },
    counted: (): ChangesSince => ({ compared, changed }),
  };
}

const maxExamples = 2;
const maxCellChars = 200;

/** Counts changed cells by column, and keeps a few of each. */
export function countChangedCells(columns: readonly ComparedColumn[]) {
  const counted = columns.map((one) => ({
    ...one,
    rows: 0,
    lastRow: undefined as number | undefined,
    first: [] as ChangedCell[],
  }));
  return {
    see(row: Row, original: Row): void {
      for (const one of counted) {
        const before = original.cells[one.indexBefore] ?? "";
        const after = row.cells[one.index] ?? "";
        // A row has a line for each of its events, one below the other.
        if (before === after || one.lastRow === row.row) continue;
        one.lastRow = row.row;
        one.rows++;
        if (one.first.length === maxExamples) continue;
        one.first.push({
          place: placeOf(row),
          before: cutTo(maxCellChars, before),
          after: cutTo(maxCellChars, after),
        });
      }
    },
    counted: (): readonly ChangedColumn[] =>
      counted
        .filter(({ rows }) => rows > 0)
        .map(({ column, rows, first }) => ({ column, rows, first }))
        .toSorted((one, other) => other.rows - one.rows),
  };
}

/** The changes for people, a sentence each. */
export function describeChanges({ compared, changed, columns = [] }: ChangesSince): string[] {
  return [
    ...(changed === 0 ? [] : [describeEvents(compared, changed)]),
    ...(columns.length === 0 ? [] : [describeCells(columns)]),
  ];
}

function describeEvents(compared: number, changed: number): string {
  return changed === 1
    ? `1 of ${count(compared, "event")} differs from what it was then, and gets a new id.`
    : `${grouped(changed)} of ${count(compared, "event")} differ from what they were then, and get new ids.`;
}

const maxColumnsShown = 3;
const maxCharsShown = 40;

function describeCells(columns: readonly ChangedColumn[]): string {
  const shown = columns.slice(0, maxColumnsShown);
  const examples = shown.length === 1 ? maxExamples : 1;
  const parts = shown.map(({ column, rows, first }) => {
    const cells = first
      .slice(0, examples)
      .map(
        ({ place, before, after }) => `row ${place.row}: ${short(before)} is now ${short(after)}`,
      );
    return `column ${short(column)} in ${count(rows, "row")} (${cells.join("; ")})`;
  });
  const more = columns.length - shown.length;
  if (more > 0) parts.push(`and ${count(more, "more column")}`);
  return `Changed since then: ${parts.join(", ")}.`;
}

function short(cell: string): string {
  return quote(cutTo(maxCharsShown, cell));
}
