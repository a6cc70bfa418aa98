import type { ColumnUse } from "../model/column-use.ts";
import type {
  AcceptsLine,
  CellRule,
  CellRuleMaker,
  Finding,
  FindingKind,
} from "../model/finding.ts";
import type { Row } from "../model/row.ts";
import { dateOrder } from "./dates.ts";
import { doubleEncoding } from "./double-encoding.ts";
import { bitsOf, glance } from "./glance.ts";
import { droppedZeros, leadingZeros } from "./leading-zeros.ts";
import { nothingWords } from "./nothing-words.ts";
import { createRepeats } from "./repeats.ts";
import { spaces } from "./spaces.ts";
import { longNumbers, scientificNumbers, spreadsheetErrors } from "./spreadsheet-damage.ts";

/** What becomes of a row: one that is left out serves to compare others with. */
export type RowFate = "sent" | "invalid" | "left_out";

/** Collects what is odd in the rows of an input, as they pass. */
export interface Findings {
  see(row: Row, fate: RowFate, orderingKey?: string): void;
  found(): readonly Finding[];
}

/**
 * Looks at the cells of the columns that a mapping sends, and for rows that are there twice.
 *
 * @param accepts whether the mapping file may have a line that is to be suggested
 */
export function createFindings(uses: readonly ColumnUse[], accepts: AcceptsLine): Findings {
  const columns = createColumns(
    uses,
    [
      ...[scientificNumbers, longNumbers, spreadsheetErrors, doubleEncoding, spaces],
      ...[dateOrder, leadingZeros, droppedZeros, nothingWords],
    ],
    accepts,
  );
  const repeats = createRepeats();
  return {
    see(row, fate, orderingKey) {
      repeats.begin(row);
      columns.see(row, fate, repeats.add);
      if (fate === "sent") repeats.end(row, orderingKey);
    },
    found: () => [...columns.found(), ...repeats.found()],
  };
}

const damage: ReadonlySet<FindingKind> = new Set([
  "double_encoding",
  "dropped_leading_zeros",
  "long_numbers",
  "lost_leading_zeros",
  "mixed_date_forms",
  "mixed_date_order",
  "scientific_numbers",
]);

/** Looks only for what a spreadsheet program, or the mapping, does to cells without being asked. */
export function createDamageFindings(uses: readonly ColumnUse[]): Findings {
  const columns = createColumns(
    uses,
    [scientificNumbers, longNumbers, doubleEncoding, dateOrder, leadingZeros, droppedZeros],
    () => false,
  );
  return {
    see: (row, fate) => columns.see(row, fate, bitsOf),
    found: () => columns.found().filter(({ kind }) => damage.has(kind)),
  };
}

interface Columns {
  /** @param pass over each cell of the row, which returns the bits that any of its units has */
  see(row: Row, fate: RowFate, pass: (cell: string) => number): void;
  found(): readonly Finding[];
}

function createColumns(
  uses: readonly ColumnUse[],
  makers: readonly CellRuleMaker[],
  accepts: AcceptsLine,
): Columns {
  const watched = uses.map((use) => {
    const rules = makers
      .map((make) => make(use, accepts))
      .filter((rule): rule is CellRule => rule !== undefined);
    return { index: use.index, rules, signs: rules.reduce((all, { signs }) => all | signs, 0) };
  });
  const byPlace: ((typeof watched)[number] | undefined)[] = [];
  for (const one of watched) byPlace[one.index] = one;
  return {
    see(row, fate, pass) {
      const { cells } = row;
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at] as string;
        const bits = pass(cell);
        const here = byPlace[at];
        if (here === undefined) continue;
        const shown = glance(cell, bits) & here.signs;
        if (shown === 0) continue;
        for (const rule of here.rules) {
          if ((rule.signs & shown) !== 0) rule.see(cell, row, fate !== "left_out", shown);
        }
      }
    },
    found: () => watched.flatMap(({ rules }) => rules.flatMap((rule) => rule.found())),
  };
}
