import { stringify } from "yaml";
import type { ColumnUse, Finding } from "../model/finding.ts";
import { grouped, listed, sum } from "../model/quantities.ts";
import { quote, type Row } from "../model/row.ts";
import { featuresOf, unitBitsOf } from "./cell-features.ts";
import { createDuplicates } from "./duplicates.ts";
import { type CellClass, type ColumnLint, cells, maxPlaces, Tally, together } from "./lint.ts";
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
 * Looks for suspicious cells in the columns that a mapping uses, and for rows that are duplicates.
 *
 * @param accepts whether the mapping file may have a suggested line
 * @param thisYear the year of the run, after which nobody is born
 */
export function createFindings(
  uses: readonly ColumnUse[],
  accepts: AcceptsLine,
  thisYear: number,
): Findings {
  const columns = createColumns(uses, accepts, thisYear);
  const duplicates = createDuplicates();
  return {
    see(row, fate, orderingKey) {
      duplicates.begin();
      columns.see(row, fate, duplicates.add);
      if (fate !== "sent") return;
      duplicates.end(row, orderingKey);
    },
    found: () => [...columns.found(), ...duplicates.found()],
  };
}

/** Looks only for damage by a spreadsheet program, a wrong encoding or the mapping. */
export function createDamageFindings(uses: readonly ColumnUse[]): Findings {
  const columns = createColumns(uses, () => false, undefined);
  return { see: (row, fate) => columns.see(row, fate, unitBitsOf), found: columns.found };
}

/** @param thisYear undefined if only damage is looked for */
function createColumns(uses: readonly ColumnUse[], accepts: AcceptsLine, thisYear?: number) {
  const onlyDamage = thisYear === undefined;
  const columns = uses.map((use) => {
    const watches = lints.flatMap((lint) => {
      const made = lint(use, thisYear ?? 0);
      if (made === undefined || (onlyDamage && !made.isDamage)) return [];
      return [createWatch(made, use, accepts, onlyDamage)];
    });
    const features = watches.reduce((all, watch) => all | watch.features, 0);
    return { use, watches, features, filled: 0 };
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
        if (column === undefined || cell.length === 0) continue;
        column.filled++;
        const features = featuresOf(cell, unitBits) & column.features;
        if (features === 0) continue;
        for (const watch of column.watches) {
          if ((watch.features & features) !== 0) watch.see(cell, row, fate);
        }
      }
    },
    found(): readonly Finding[] {
      const all = columns.flatMap(({ watches, filled }) =>
        watches.flatMap((watch) => watch.found(filled)),
      );
      const nulls = all.filter(({ nullWords }) => nullWords !== undefined);
      const others = all.filter(({ nullWords }) => nullWords === undefined);
      return [...others.map(({ finding }) => finding), ...nullFindings(nulls, accepts)];
    },
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
  return {
    features: lint.features,
    see(cell: string, row: Row, fate: RowFate) {
      const name = lint.classOf(cell);
      if (name === undefined) return;
      const tally = classes.get(name) ?? new Tally(name, cell.trim());
      if (tally.all++ === 0) classes.set(name, tally);
      if (fate !== "left_out") tally.add(row, cell);
    },
    found(filled: number): readonly Found[] {
      const all = together(classes.values());
      const verdict = lint.judge(all, classes, filled);
      if (verdict === undefined) return [];
      const { memberKeys, nullWords, message, ...found } = verdict;
      const { kind, isDamage, count, first } = {
        kind: lint.kind,
        isDamage: lint.isDamage,
        ...all,
        ...found,
      };
      if (count === 0 || (onlyDamage && !isDamage)) return [];
      const finding = { kind, column, count, first, message };
      if (nullWords !== undefined) return [{ finding, nullWords }];
      if (memberKeys === undefined || member === undefined) return [{ finding }];
      const suggestion = toLine({ [member.name]: { ...member.spec, ...memberKeys } });
      return [{ finding: accepts(suggestion, "member") ? { ...finding, suggestion } : finding }];
    },
  };
}

interface Found {
  readonly finding: Finding;
  readonly nullWords?: readonly string[];
}

/** What means no value in any column is cleared by one line of the mapping, so it is one finding. */
function nullFindings(found: readonly Found[], accepts: AcceptsLine): readonly Finding[] {
  const [one] = found;
  if (one === undefined) return [];
  const words = [...new Set(found.flatMap(({ nullWords = [] }) => nullWords))];
  const all = sum(found.map(({ finding }) => finding.count));
  const first = found.flatMap(({ finding }) => finding.first).toSorted((a, b) => a.row - b.row);
  const where = found.map(
    ({ finding }) => `${grouped(finding.count)} in ${quote(finding.column ?? "")}`,
  );
  const what = `${cells({ count: all, first }, "holds", "hold")} text that may mean a missing value (${words.join(", ")})`;
  const clear = `clear ${all === 1 ? "it" : "them"} if so`;
  const suggestion = toLine({ null_values: words });
  const finding = {
    ...{ kind: one.finding.kind, count: all, first: first.slice(0, maxPlaces) },
    ...(found.length === 1
      ? { column: one.finding.column ?? "", message: `${what}: ${clear}` }
      : { message: `${what}, ${listed(where)}: ${clear}` }),
  };
  return [accepts(suggestion, "file") ? { ...finding, suggestion } : finding];
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(keys: Readonly<Record<string, unknown>>): string {
  const flow = stringify(keys, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
