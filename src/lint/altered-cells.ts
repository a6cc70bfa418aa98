import { describePlace, type Place } from "../model/place.ts";
import { grouped } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { type Alteration, alterationLikelyFor, alterationOf } from "./alteration.ts";

export interface AlteredColumn extends ComparedColumn {
  readonly alteration: Alteration;
  readonly count: number;
  readonly rows: number;
  readonly place: Place;
  readonly before: string;
  readonly after: string;
}

/** A column to compare, and its index in the lines of both files. */
export interface ComparedColumn {
  readonly column: string;
  readonly index: number;
  /** Whether an event may depend on it. Of any other column, what a program may have rewritten is put back always. */
  readonly isRead: boolean;
}

/** A line of a results file as it is and as it was. */
export interface ComparedRow {
  readonly place: Place;
  readonly cells: readonly string[];
  readonly cellsBefore: readonly string[];
  /** Whether the row was refused, so that a person is expected to fix it. */
  readonly isToBeFixed: boolean;
  wasWrong(column: string): boolean;
  /** Whether the row gives the same events with the cell that it had in this place before. */
  isSameWith(index: number): boolean;
}

/**
 * Compares cells with what they were, and distinguishes changes by a program from fixes by a person. A
 * person changes what a cell means. A program writes the same value in another way, in all cells of a
 * column that look like numbers or dates, or loses a part that nobody would remove by hand.
 *
 * @param isToRestore whether what may be a program's work is wanted back, even in one cell, or where the cell was wrong
 * @param clearValues what a person writes to remove a value, and may look like an error
 */
export function createAlteredCells(
  columns: readonly ComparedColumn[],
  isToRestore: boolean,
  clearValues: readonly string[] = [],
) {
  const clears = new Set(clearValues.map((value) => value.trim()));
  const compared = columns.map((column) => ({ ...column, tallies: new Map<Alteration, Cases>() }));
  let rows = 0;

  const tallyOf = ({ tallies }: (typeof compared)[number], alteration: Alteration) => {
    const tally = tallies.get(alteration) ?? { unaltered: 0, altered: 0, certain: 0, count: 0 };
    tallies.set(alteration, tally);
    return tally;
  };
  /** A program alters whole columns, so a few alterations among many unaltered cells are by hand. */
  const isByProgram = ({ isRead }: ComparedColumn, { altered, certain, unaltered }: Cases) => {
    if (!isRead) return true;
    if (!isToRestore && certain === 0 && altered < minByProgram) return false;
    return unaltered === 0 || (altered >= minByProgram && altered * 5 >= altered + unaltered);
  };
  /** What a program may have done to a changed cell. Nobody types an error, even where a cell was wrong. */
  const alterationIn = (row: ChangedRow, at: ComparedColumn) => {
    const cell = row.cells[at.index] ?? "";
    if (clears.has(cell.trim())) return undefined;
    const alteration = alterationOf(row.cellsBefore[at.index] ?? "", cell);
    const mayBeFix = !isToRestore && alteration !== "error" && row.wasWrong(at.column);
    return mayBeFix ? undefined : alteration;
  };

  return {
    see(row: ComparedRow): void {
      const { place, cells, cellsBefore, isToBeFixed, isSameWith } = row;
      rows++;
      const changed = compared.filter((at) => {
        const before = cellsBefore[at.index] ?? "";
        if ((cells[at.index] ?? "") !== before) return true;
        const likely = alterationLikelyFor(before);
        if (likely !== undefined) tallyOf(at, likely).unaltered++;
        return false;
      });
      for (const at of changed) {
        const alteration = alterationIn(row, at);
        if (alteration === undefined) continue;
        const tally = tallyOf(at, alteration);
        tally.altered++;
        const mayBeFix = isToBeFixed && changed.length === 1;
        if (!(mayBeFix && madeByHandToo.has(alteration))) tally.certain++;
        if (at.isRead && isSameWith(at.index)) continue;
        const [before, after] = [cellsBefore[at.index] ?? "", cells[at.index] ?? ""];
        tally.first ??= { place, before, after };
        tally.count++;
      }
    },
    /**
     * The cells of a row, with those of before in place of what a program rewrote. Where that is to be restored, it is
     * known once all rows are seen.
     */
    putBack(row: ChangedRow): readonly string[] {
      const cells = [...row.cells];
      for (const at of compared) {
        if (at.isRead && !isToRestore) continue;
        const alteration = alterationIn(row, at);
        if (alteration === undefined || !isByProgram(at, tallyOf(at, alteration))) continue;
        cells[at.index] = row.cellsBefore[at.index] ?? "";
      }
      return cells;
    },
    found(): readonly AlteredColumn[] {
      const found: AlteredColumn[] = [];
      for (const { tallies, ...at } of compared) {
        for (const [alteration, tally] of tallies) {
          const { count, first } = tally;
          if (first === undefined || !isByProgram(at, tally)) continue;
          found.push({ ...at, alteration, count, rows, ...first });
        }
      }
      return found;
    },
  };
}

type ChangedRow = Pick<ComparedRow, "cells" | "cellsBefore" | "wasWrong">;

/** Cells of a column that a program may have altered in one way, and those that it would have altered and did not. */
interface Cases {
  unaltered: number;
  altered: number;
  /** Altered cells, without those that may be the fix of a refused row, because nothing else in it has changed. */
  certain: number;
  /** How many altered cells make another event, and the first of them. */
  count: number;
  first?: Pick<AlteredColumn, "place" | "before" | "after">;
}

const madeByHandToo: ReadonlySet<Alteration> = new Set(["number", "date", "digits"]);

/** A person does not change so many cells in the same way. */
const minByProgram = 3;

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
export function describeAltered(altered: AlteredColumn): string {
  const { column, alteration, count, rows, place, before, after } = altered;
  const example = `${quote(before)} -> ${quote(after)} in ${describePlace(place)}`;
  return `column ${quote(column)}: ${descriptions[alteration]} in ${grouped(count)} of ${grouped(rows)} ${rows === 1 ? "row" : "rows"}, such as ${example}`;
}
