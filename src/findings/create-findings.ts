import type { ColumnUse } from "../domain/column-use.ts";
import type { Row } from "../domain/row.ts";
import { dateOrder } from "./date-order.ts";
import type { AcceptsLine, CellRule, CellRuleMaker, Finding, FindingKind } from "./finding.ts";
import { glance } from "./glance.ts";
import { leadingZeros } from "./leading-zeros.ts";
import { longNumbers } from "./long-numbers.ts";
import { nothingWords } from "./nothing-words.ts";
import { createRepeats } from "./repeats.ts";
import { scientificNumbers } from "./scientific-numbers.ts";
import { spaces } from "./spaces.ts";
import { spreadsheetErrors } from "./spreadsheet-errors.ts";

/** What becomes of a row: one that is left out serves to compare others with. */
export type RowFate = "sent" | "invalid" | "left_out";

/** Collects what is odd in the rows of an input, as they pass. */
export interface Findings {
  see(row: Row, fate: RowFate, orderKey?: string): void;
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
      ...[scientificNumbers, longNumbers, spreadsheetErrors, spaces],
      ...[dateOrder, leadingZeros, nothingWords],
    ],
    accepts,
  );
  const repeats = createRepeats();
  return {
    see(row, fate, orderKey) {
      columns.see(row, fate);
      if (fate === "sent") repeats.see(row, orderKey);
    },
    found: () => [...columns.found(), ...repeats.found()],
  };
}

const bent: ReadonlySet<FindingKind> = new Set([
  "long_numbers",
  "lost_leading_zeros",
  "mixed_date_forms",
  "mixed_date_order",
  "scientific_numbers",
]);

/** Looks only for what a spreadsheet program does to cells without being asked. */
export function createBentFindings(uses: readonly ColumnUse[]): Findings {
  const columns = createColumns(
    uses,
    [scientificNumbers, longNumbers, dateOrder, leadingZeros],
    () => false,
  );
  return { ...columns, found: () => columns.found().filter(({ kind }) => bent.has(kind)) };
}

function createColumns(
  uses: readonly ColumnUse[],
  makers: readonly CellRuleMaker[],
  accepts: AcceptsLine,
): Findings {
  const watched = uses.map((use) => {
    const rules = makers
      .map((make) => make(use, accepts))
      .filter((rule): rule is CellRule => rule !== undefined);
    return { index: use.index, rules, signs: rules.reduce((all, { signs }) => all | signs, 0) };
  });
  return {
    see(row, fate) {
      for (const { index, rules, signs } of watched) {
        const cell = row.cells[index] ?? "";
        const shown = glance(cell) & signs;
        if (shown === 0) continue;
        for (const rule of rules) {
          if ((rule.signs & shown) !== 0) rule.see(cell, row, fate !== "left_out", shown);
        }
      }
    },
    found: () => watched.flatMap(({ rules }) => rules.flatMap((rule) => rule.found())),
  };
}
