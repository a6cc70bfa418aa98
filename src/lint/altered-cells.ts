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
}

/**
 * Compares cells with what they were, and distinguishes changes by a program from fixes by a person. A
 * person changes what a cell means. A program writes the same value in another way, in all cells of a
 * column that look like numbers or dates, or loses a part that nobody would remove by hand.
 */
export function createAlteredCells(columns: readonly ComparedColumn[]) {
  const compared = columns.map((column) => ({
    ...column,
    altered: new Map<Alteration, Tally>(),
    /** Cells that have not changed although a program would have altered them. */
    unaltered: new Map<Alteration, number>(),
  }));
  let rows = 0;

  return {
    see({ place, cells, cellsBefore, isToBeFixed, wasWrong }: ComparedRow): void {
      rows++;
      const changed = compared.filter(({ index, unaltered }) => {
        const before = cellsBefore[index] ?? "";
        if ((cells[index] ?? "") !== before) return true;
        const likely = alterationLikelyFor(before);
        if (likely !== undefined) unaltered.set(likely, (unaltered.get(likely) ?? 0) + 1);
        return false;
      });
      for (const { column, index, altered } of changed) {
        const [before, after] = [cellsBefore[index] ?? "", cells[index] ?? ""];
        const alteration = alterationOf(before, after);
        if (alteration === undefined || wasWrong(column)) continue;
        const tally = altered.get(alteration) ?? { count: 0, certain: 0, place, before, after };
        altered.set(alteration, tally);
        tally.count++;
        const mayBeFix = isToBeFixed && changed.length === 1;
        if (!(mayBeFix && madeByHandToo.has(alteration))) tally.certain++;
      }
    },
    found: (): readonly AlteredColumn[] =>
      compared.flatMap(({ column, altered, unaltered }) =>
        [...altered]
          .filter(([alteration, tally]) => isByProgram(tally, unaltered.get(alteration) ?? 0))
          .map(([alteration, { certain: _, ...tally }]) => ({
            column,
            alteration,
            rows,
            ...tally,
          })),
      ),
  };
}

interface Tally extends Pick<AlteredColumn, "place" | "before" | "after"> {
  count: number;
  /** Without those that may be the fix of a refused row, because nothing else in it has changed. */
  certain: number;
}

const madeByHandToo: ReadonlySet<Alteration> = new Set(["number", "date", "digits"]);

/** A person does not change so many cells in the same way. */
const minByProgram = 3;

function isByProgram({ count, certain }: Tally, unaltered: number): boolean {
  if (certain === 0 && count < minByProgram) return false;
  // A program alters whole columns, so a few alterations among many unaltered cells are by hand.
  return unaltered === 0 || (count >= minByProgram && count * 5 >= count + unaltered);
}

const descriptions: Record<Alteration, string> = {
  zeros: "leading zeros are lost",
  exponent: "numbers are cut to an exponent",
  digits: "digits of long numbers are lost",
  becameDate: "texts have become dates",
  letters: "letters are garbled",
  error: "texts have become errors",
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
