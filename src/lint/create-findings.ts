import { stringify } from "yaml";
import type { ColumnUse, Finding } from "../model/finding.ts";
import { grouped, listed } from "../model/quantities.ts";
import { quote, type Row } from "../model/row.ts";
import { featuresOf, unitBitsOf } from "./cell-features.ts";
import { createDuplicates } from "./duplicates.ts";
import {
  type CellClass,
  CellTally,
  exampleOf,
  type Lint,
  mergeSeen,
  type Notice,
  type Seen,
} from "./lint.ts";
import { lints, subjectsOf } from "./lints.ts";
import { damage, type FindingKind, worded } from "./words.ts";

/** What happens to a row. The cells of a row that is left out are only compared with others. */
export type RowFate = "sent" | "invalid" | "left_out";

export interface Findings {
  see(row: Row, fate: RowFate, orderingKey?: string): void;
  found(): readonly Finding[];
}

type AcceptsLine = (line: string, place: "member" | "file") => boolean;

/** Looks for suspicious cells in the columns that a mapping uses, and for rows that are duplicates. */
export function createFindings(
  uses: readonly ColumnUse[],
  accepts: AcceptsLine,
  thisYear: number,
): Findings {
  const columns = createLintColumns(uses, lints, thisYear);
  const duplicates = createDuplicates();
  return {
    see(row, fate, orderingKey) {
      duplicates.begin();
      columns.see(row, fate, duplicates.add);
      if (fate !== "sent") return;
      duplicates.end(row, orderingKey);
    },
    found: () => [...findingsOf(columns.found(), accepts), ...duplicates.found()],
  };
}

/** Looks only for damage by a spreadsheet program, a wrong encoding or the mapping. */
export function createDamageFindings(uses: readonly ColumnUse[]): Findings {
  const isDamage = ({ kind }: { readonly kind: FindingKind }) => damage.has(kind);
  const columns = createLintColumns(uses, lints.filter(isDamage), 0);
  return {
    see: (row, fate) => columns.see(row, fate, unitBitsOf),
    found: () => findingsOf(columns.found().filter(isDamage), () => false),
  };
}

interface ColumnNotice extends Seen, Omit<Notice, "kind" | "of"> {
  readonly kind: FindingKind;
  readonly use: ColumnUse;
}

function createLintColumns(uses: readonly ColumnUse[], chosen: readonly Lint[], thisYear: number) {
  const columns = uses.map((use) => {
    const column = { ...use, subjects: subjectsOf(use), thisYear };
    const watches = chosen
      .filter(({ suits }) => suits?.(column) ?? true)
      .map((lint) => ({ lint, classes: new Map<CellClass, CellTally>() }));
    const features = watches.reduce((all, { lint }) => all | lint.features, 0);
    return { column, watches, features, filled: 0 };
  });
  const byIndex: ((typeof columns)[number] | undefined)[] = [];
  for (const one of columns) byIndex[one.column.index] = one;
  return {
    /** @param readCell is called with each cell of the row; returns its code units, combined with OR */
    see(row: Row, fate: RowFate, readCell: (cell: string) => number): void {
      const { cells } = row;
      for (let at = 0; at < cells.length; at++) {
        const cell = cells[at] as string;
        const unitBits = readCell(cell);
        const here = byIndex[at];
        if (here === undefined || cell.length === 0) continue;
        here.filled++;
        const features = featuresOf(cell, unitBits) & here.features;
        if (features === 0) continue;
        for (const { lint, classes } of here.watches) {
          if ((lint.features & features) === 0) continue;
          const name = lint.classOf(cell, here.column);
          if (name === undefined) continue;
          const tally = classes.get(name) ?? new CellTally(name, cell.trim());
          if (tally.all++ === 0) classes.set(name, tally);
          if (fate !== "left_out") tally.add(row, cell);
        }
      }
    },
    found: (): readonly ColumnNotice[] =>
      columns.flatMap(({ column, watches, filled }) =>
        watches.flatMap(({ lint, classes }) => {
          const all = mergeSeen(classes.values());
          const verdict = lint.judge ? lint.judge({ ...all, classes, filled }, column) : {};
          const { count, first } = verdict?.of ?? all;
          if (verdict === undefined || (count === 0 && !verdict.hasOthers)) return [];
          return [{ kind: lint.kind, ...verdict, count, first, use: column }];
        }),
      ),
  };
}

/** Findings with the lines that help, if the mapping may have them. What means no value is one for all columns. */
function findingsOf(all: readonly ColumnNotice[], accepts: AcceptsLine): readonly Finding[] {
  const suggested = (keys: Readonly<Record<string, unknown>>, place: "member" | "file") => {
    const suggestion = toLine(keys);
    return accepts(suggestion, place) ? { suggestion } : {};
  };
  const found = all.flatMap(({ kind, count, first, values, memberKeys, nullWords, use }) => {
    if (nullWords !== undefined) return [];
    const { column, member } = use;
    const message = worded(kind, count, { example: exampleOf({ count, first }), ...values });
    const finding = { kind, column, count, first, message };
    if (memberKeys === undefined || member === undefined) return [finding];
    const keys = { [member.name]: { ...member.spec, ...memberKeys } };
    return [{ ...finding, ...suggested(keys, "member") }];
  });
  const nulls = all.filter(({ nullWords = [] }) => nullWords.length > 0);
  const [one, another] = nulls;
  if (one === undefined) return found;
  const seen = mergeSeen(nulls);
  const words = [...new Set(nulls.flatMap(({ nullWords = [] }) => nullWords))];
  const places = nulls.map(({ count, use }) => `${grouped(count)} in ${quote(use.column)}`);
  const where = another === undefined ? "" : `, ${listed(places)}`;
  const finding = {
    ...{ kind: one.kind, ...(another === undefined ? { column: one.use.column } : {}), ...seen },
    message: worded(one.kind, seen.count, { words: words.join(", "), where }),
  };
  if (all.some(({ hasOthers }) => hasOthers)) return [...found, finding];
  return [...found, { ...finding, ...suggested({ null_values: words }, "file") }];
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(keys: Readonly<Record<string, unknown>>): string {
  const flow = stringify(keys, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
