import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine, Finding, FindingKind } from "../model/finding.ts";
import type { Row } from "../model/row.ts";
import { type CellRule, type CellRuleMaker, featuresOf, unitBitsOf } from "./cell-rule.ts";
import { dates } from "./dates.ts";
import { doubleEncoding } from "./double-encoding.ts";
import { createDuplicates } from "./duplicates.ts";
import { droppedLeadingZeros, lostLeadingZeros } from "./leading-zeros.ts";
import { nullValues } from "./null-values.ts";
import { ambiguousThousands, mixedNotations } from "./number-notation.ts";
import { spaces } from "./spaces.ts";
import { longNumbers, scientificNumbers, spreadsheetErrors } from "./spreadsheet-damage.ts";

/** What happens to a row. The cells of a row that is left out are only compared with others. */
export type RowFate = "sent" | "invalid" | "left_out";

/** Collects what looks wrong in the rows of an input. */
export interface Findings {
  see(row: Row, fate: RowFate, orderingKey?: string): void;
  found(): readonly Finding[];
}

/**
 * Looks for suspicious cells in the columns that a mapping uses, and for duplicate rows.
 *
 * @param accepts whether the mapping file may have a suggested line
 */
export function createFindings(uses: readonly ColumnUse[], accepts: AcceptsLine): Findings {
  const columns = createColumns(
    uses,
    [
      ...[scientificNumbers, longNumbers, spreadsheetErrors, doubleEncoding, spaces],
      ...[dates, lostLeadingZeros, droppedLeadingZeros, nullValues],
      ...[mixedNotations, ambiguousThousands],
    ],
    accepts,
  );
  const duplicates = createDuplicates();
  return {
    see(row, fate, orderingKey) {
      duplicates.begin(row);
      columns.see(row, fate, duplicates.add);
      if (fate === "sent") duplicates.end(row, orderingKey);
    },
    found: () => [...columns.found(), ...duplicates.found()],
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

/** Looks only for damage by a spreadsheet program, a wrong encoding or the mapping. */
export function createDamageFindings(uses: readonly ColumnUse[]): Findings {
  const columns = createColumns(
    uses,
    [scientificNumbers, longNumbers, doubleEncoding, dates, lostLeadingZeros, droppedLeadingZeros],
    () => false,
  );
  return {
    see: (row, fate) => columns.see(row, fate, unitBitsOf),
    found: () => columns.found().filter(({ kind }) => damage.has(kind)),
  };
}

interface Columns {
  /** @param readCell is called with each cell of the row; returns its code units, combined with OR */
  see(row: Row, fate: RowFate, readCell: (cell: string) => number): void;
  found(): readonly Finding[];
}

function createColumns(
  uses: readonly ColumnUse[],
  makers: readonly CellRuleMaker[],
  accepts: AcceptsLine,
): Columns {
  const columns = uses.map((use) => {
    const rules = makers
      .map((make) => make(use, accepts))
      .filter((rule): rule is CellRule => rule !== undefined);
    const features = rules.reduce((all, rule) => all | rule.features, 0);
    return { index: use.index, rules, features };
  });
  const byIndex: ((typeof columns)[number] | undefined)[] = [];
  for (const column of columns) byIndex[column.index] = column;
  return {
    see(row, fate, readCell) {
      const { cells } = row;
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at] as string;
        const unitBits = readCell(cell);
        const column = byIndex[at];
        if (column === undefined) continue;
        const features = featuresOf(cell, unitBits) & column.features;
        if (features === 0) continue;
        for (const rule of column.rules) {
          if ((rule.features & features) !== 0) rule.see(cell, row, fate !== "left_out", features);
        }
      }
    },
    found: () => columns.flatMap(({ rules }) => rules.flatMap((rule) => rule.found())),
  };
}
