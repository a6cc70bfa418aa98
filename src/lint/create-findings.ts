import { stringify } from "yaml";
import type { ColumnUse, Finding } from "../model/finding.ts";
import type { Row } from "../model/row.ts";
import { featuresOf, unitBitsOf } from "./cell-features.ts";
import { createDuplicates } from "./duplicates.ts";
import { createEmptyRows } from "./empty-rows.ts";
import { type CellClass, type ColumnLint, Tally, together } from "./lint.ts";
import { lints } from "./lints.ts";

/** What happens to a row. The cells of a row that is left out are only compared with others. */
export type RowFate = "sent" | "invalid" | "left_out";

/** Collects what looks wrong in the rows of an input. */
export interface Findings {
  see(row: Row, fate: RowFate, orderingKey?: string): void;
  found(): readonly Finding[];
}

/** Whether the mapping file may have this line. */
type AcceptsLine = (line: string, place: "member" | "file") => boolean;

/**
 * Looks for suspicious cells in the columns that a mapping uses, and for rows that are duplicates or hold no data.
 *
 * @param accepts whether the mapping file may have a suggested line
 * @param header the names of all columns; none if there is no header
 */
export function createFindings(
  uses: readonly ColumnUse[],
  accepts: AcceptsLine,
  header: readonly string[],
): Findings {
  const columns = createColumns(uses, accepts);
  const duplicates = createDuplicates();
  const empty = createEmptyRows(header);
  return {
    see(row, fate, orderingKey) {
      duplicates.begin();
      columns.see(row, fate, duplicates.add);
      if (fate !== "sent") return;
      duplicates.end(row, orderingKey);
      empty.see(row);
    },
    found: () => [...columns.found(), ...duplicates.found(), ...empty.found()],
  };
}

/** Looks only for damage by a spreadsheet program, a wrong encoding or the mapping. */
export function createDamageFindings(uses: readonly ColumnUse[]): Findings {
  const columns = createColumns(uses, () => false, true);
  return { see: (row, fate) => columns.see(row, fate, unitBitsOf), found: columns.found };
}

function createColumns(uses: readonly ColumnUse[], accepts: AcceptsLine, onlyDamage = false) {
  const columns = uses.map((use) => {
    const watches = lints.flatMap((lint) => {
      const made = lint(use);
      if (made === undefined || (onlyDamage && !made.isDamage)) return [];
      return [createWatch(made, use, accepts, onlyDamage)];
    });
    const features = watches.reduce((all, watch) => all | watch.features, 0);
    return { use, watches, features };
  });
  const byIndex: ((typeof columns)[number] | undefined)[] = [];
  for (const column of columns) byIndex[column.use.index] = column;
  return {
    /** @param readCell is called with each cell of the row; returns its code units, combined with OR */
    see(row: Row, fate: RowFate, readCell: (cell: string) => number): void {
      const { cells } = row;
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at] as string;
        const unitBits = readCell(cell);
        const column = byIndex[at];
        if (column === undefined) continue;
        const features = featuresOf(cell, unitBits) & column.features;
        if (features === 0) continue;
        for (const watch of column.watches) {
          if ((watch.features & features) !== 0) watch.see(cell, row, fate, features);
        }
      }
    },
    found: () => columns.flatMap(({ watches }) => watches.flatMap((watch) => watch.found())),
  };
}

/** One lint at work on one column. */
function createWatch(
  lint: ColumnLint,
  { column, member }: ColumnUse,
  accepts: AcceptsLine,
  onlyDamage: boolean,
) {
  const classes = new Map<CellClass, Tally>();
  let last: Tally | undefined;
  return {
    features: lint.features,
    see(cell: string, row: Row, fate: RowFate, features: number) {
      const name = lint.classOf(cell, features);
      if (name === undefined) return;
      // Most cells are of the class of the one before.
      if (last?.name !== name) {
        last = classes.get(name) ?? new Tally(name, cell.trim());
        classes.set(name, last);
      }
      last.all++;
      if (fate !== "left_out") last.add(row, cell);
    },
    found(): readonly Finding[] {
      const all = together(classes.values());
      const verdict = lint.judge(all, classes);
      if (verdict === undefined) return [];
      const { memberKeys, mappingKeys, message, ...found } = verdict;
      const { kind, isDamage, count, first } = {
        kind: lint.kind,
        isDamage: lint.isDamage,
        ...all,
        ...found,
      };
      if (count === 0 || (onlyDamage && !isDamage)) return [];
      const finding = { kind, column, count, first, message };
      const line =
        memberKeys !== undefined && member !== undefined
          ? toLine({ [member.name]: { ...member.spec, ...memberKeys } })
          : mappingKeys && toLine(mappingKeys);
      const isAccepted = line !== undefined && accepts(line, memberKeys ? "member" : "file");
      return [isAccepted ? { ...finding, suggestion: line } : finding];
    },
  };
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(keys: Readonly<Record<string, unknown>>): string {
  const flow = stringify(keys, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
