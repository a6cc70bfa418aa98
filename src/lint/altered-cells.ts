import { describePlace, type Place } from "../model/place.ts";
import { grouped } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { type Alteration, alterationLikelyFor, alterationOf } from "./alteration.ts";

/** A column whose cells a program seems to have altered. */
export interface AlteredColumn {
  readonly column: string;
  readonly alteration: Alteration;
  /** How many cells were altered. */
  readonly count: number;
  /** How many rows were compared. */
  readonly rows: number;
  /** Of the first of these cells. */
  readonly place: Place;
  readonly before: string;
  readonly after: string;
}

/** A column to compare, and its index in the lines of both files. */
export interface ComparedColumn {
  readonly column: string;
  readonly index: number;
}

/** A line of a results file as it is and as it was. */
export interface ComparedRow {
  readonly place: Place;
  readonly cells: readonly string[];
  readonly cellsBefore: readonly string[];
  /** Whether the row was refused, so that a person is expected to fix it. */
  readonly isToBeFixed: boolean;
  /** Whether the cell of this column was invalid before. */
  wasWrong(column: string): boolean;
  /** Whether the row gives the same events with the cell that it had in this place before. */
  isSameWith(index: number): boolean;
}

/**
 * Compares cells with what they were, and distinguishes changes by a program from fixes by a person. A
 * person changes what a cell means. A program writes the same value in another way, in all cells of a
 * column that look like numbers or dates, or loses a part that nobody would remove by hand.
 *
 * @param clearValues what a person writes to remove a value, and may look like an error
 */
export function createAlteredCells(
  columns: readonly ComparedColumn[],
  clearValues: readonly string[] = [],
) {
  const clears = new Set(clearValues.map((value) => value.trim()));
  const compared = columns.map((column) => ({
    ...column,
    altered: new Map<Alteration, Tally>(),
    /** Cells that have not changed although a program would have altered them. */
    unaltered: new Map<Alteration, number>(),
  }));
  let rows = 0;

  /** What a program may have done to a changed cell. Nobody types an error, even where a cell was wrong. */
  const alterationIn = (
    row: Pick<ComparedRow, "cells" | "cellsBefore" | "wasWrong">,
    at: ComparedColumn,
  ) => {
    const cell = row.cells[at.index] ?? "";
    if (clears.has(cell.trim())) return undefined;
    const alteration = alterationOf(row.cellsBefore[at.index] ?? "", cell);
    return alteration !== "error" && row.wasWrong(at.column) ? undefined : alteration;
  };

  return {
    see(row: ComparedRow): void {
      const { place, cells, cellsBefore, isToBeFixed, isSameWith } = row;
      rows++;
      const changed = compared.filter(({ index, unaltered }) => {
        const before = cellsBefore[index] ?? "";
        if ((cells[index] ?? "") !== before) return true;
        const likely = alterationLikelyFor(before);
        if (likely !== undefined) unaltered.set(likely, (unaltered.get(likely) ?? 0) + 1);
        return false;
      });
      for (const at of changed) {
        const { index, altered } = at;
        const [before, after] = [cellsBefore[index] ?? "", cells[index] ?? ""];
        const alteration = alterationIn(row, at);
        if (alteration === undefined) continue;
        const tally: Tally = altered.get(alteration) ?? { cells: 0, certain: 0, count: 0 };
        altered.set(alteration, tally);
        tally.cells++;
        if (!isSameWith(index)) {
          tally.first ??= { place, before, after };
          tally.count++;
        }
        const mayBeFix = isToBeFixed && changed.length === 1;
        if (!(mayBeFix && madeByHandToo.has(alteration))) tally.certain++;
      }
    },
    /** The cells of a row, with those of before in place of what a program rewrote. To be asked once all are seen. */
    putBack(row: Pick<ComparedRow, "cells" | "cellsBefore" | "wasWrong">): readonly string[] {
      const cells = [...row.cells];
      for (const at of compared) {
        const alteration = alterationIn(row, at);
        if (alteration === undefined || !isByProgram(at, alteration)) continue;
        cells[at.index] = row.cellsBefore[at.index] ?? "";
      }
      return cells;
    },
    found: (): readonly AlteredColumn[] =>
      compared.flatMap((at) =>
        [...at.altered].flatMap(([alteration, { count, first }]) =>
          first === undefined || !isByProgram(at, alteration)
            ? []
            : [{ column: at.column, alteration, count, rows, ...first }],
        ),
      ),
  };
}

interface Tally {
  cells: number;
  /** Without those that may be the fix of a refused row, because nothing else in it has changed. */
  certain: number;
  /** Those that make another event, and the first of them. */
  count: number;
  first?: Pick<AlteredColumn, "place" | "before" | "after">;
}

const madeByHandToo: ReadonlySet<Alteration> = new Set(["number", "date", "digits"]);

/** A person does not change so many cells in the same way. */
const minByProgram = 3;

interface Seen {
  readonly altered: ReadonlyMap<Alteration, Tally>;
  readonly unaltered: ReadonlyMap<Alteration, number>;
}

function isByProgram({ altered, unaltered }: Seen, alteration: Alteration): boolean {
  const { cells = 0, certain = 0 } = altered.get(alteration) ?? {};
  if (certain === 0 && cells < minByProgram) return false;
  // A program alters whole columns, so a few alterations among many unaltered cells are by hand.
  const others = unaltered.get(alteration) ?? 0;
  return others === 0 || (cells >= minByProgram && cells * 5 >= cells + others);
}

const descriptions: Record<Alteration, string> = {
  zeros: "leading zeros are lost",
  exponent: "numbers are cut to an exponent",
  digits: "digits of long numbers are lost",
  becameDate: "texts have become dates",
  letters: "letters are garbled",
  error: "texts have become errors",
  formula: "formulas have been computed",
  number: "values are written in another way",
  date: "dates are written in another way",
};

/** For people: what happened to a column, how often, and an example. */
export function describeAltered({
  column,
  alteration,
  count,
  rows,
  ...first
}: AlteredColumn): string {
  const example = `${quote(first.before)} -> ${quote(first.after)} in ${describePlace(first.place)}`;
  return `column ${quote(column)}: ${descriptions[alteration]} in ${grouped(count)} of ${grouped(rows)} ${rows === 1 ? "row" : "rows"}, such as ${example}`;
}
