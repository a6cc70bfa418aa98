import { withoutExponent } from "../model/decimal.ts";
import { quote, type RowProblem } from "../model/row.ts";
import { Misfit } from "./coerce.ts";
import { type Columns, isBlank, trimmed } from "./columns.ts";
import { formOfNumbers } from "./compile-conversion.ts";
import type { ConditionSpec } from "./condition-schema.ts";
import { canonicalDecimal, compareDecimals, plainNumber } from "./numbers.ts";
import { compilePattern, tooLong } from "./pattern.ts";
import { toDate } from "./to-date.ts";

export interface Condition {
  /** The problem of a cell that cannot be compared goes to the list; then the result means nothing. */
  holds(cells: readonly string[], problems: RowProblem[]): boolean;
  /** What the condition requires of a row, for the message if the row is left out. */
  readonly wants: string;
}

/** Cells are compared as text, without space around them. */
export function compileCondition(spec: ConditionSpec, columns: Columns): Condition {
  if (spec.not !== undefined) {
    const inner = compileCondition(spec.not, columns);
    return {
      holds: (cells, problems) => !inner.holds(cells, problems),
      wants: `not (${inner.wants})`,
    };
  }
  const key = spec.all === undefined ? "any" : "all";
  const inner = (spec.all ?? spec.any)?.map((one) => compileCondition(one, columns));
  return inner === undefined ? compileTest(spec, columns) : combined(key, inner);
}

export function whyLeftOut({ wants }: Condition): string {
  return `when requires ${wants}`;
}

function combined(key: "all" | "any", conditions: readonly Condition[]): Condition {
  // The first condition that is true decides any, and the first that is false decides all.
  const decides = key === "any";
  const wants = conditions.map((one) => one.wants);
  return {
    holds(cells, problems) {
      const problemsBefore = problems.length;
      for (const { holds } of conditions) {
        if (holds(cells, problems) === decides) return decides;
        if (problems.length > problemsBefore) return false;
      }
      return !decides;
    },
    wants:
      wants.length === 1
        ? (wants[0] ?? "")
        : wants.map((one) => `(${one})`).join(key === "all" ? " and " : " or "),
  };
}

function compileTest(spec: ConditionSpec, columns: Columns): Condition {
  const index = columns.indexOf(spec.column ?? "");
  const name = `column ${quote(spec.column ?? "")}`;
  // A condition can also ask for a null value, as the text that the file has.
  const read = (cells: readonly string[]) => cells[index] ?? "";
  const condition = (wants: string, holds: Condition["holds"]): Condition => ({
    holds,
    wants: `${name} ${wants}`,
  });
  const report = (cells: readonly string[], problems: RowProblem[], problem: Misfit) => {
    problems.push({ ...problem, column: spec.column ?? "", value: read(cells) });
    return false;
  };
  const { blank, equals, matches } = spec;
  if (blank !== undefined) {
    return condition(
      blank ? "blank" : "not blank",
      (cells) => isBlank(columns.unlessNull(read(cells))) === blank,
    );
  }
  if (typeof equals === "object") {
    const other = columns.indexOf(equals.column);
    return condition(
      `equal to column ${quote(equals.column)}`,
      (cells) => trimmed(read(cells)) === trimmed(cells[other] ?? ""),
    );
  }
  if (equals !== undefined) {
    const value = equals.trim();
    return condition(`equal to ${quote(value)}`, (cells) => trimmed(read(cells)) === value);
  }
  if (matches !== undefined) {
    const pattern = compilePattern(matches);
    // The loader refuses invalid patterns.
    if (pattern.kind === "problem") throw new Error(pattern.message);
    return condition(
      `to match ${matches}`,
      (cells, problems) => pattern.test(trimmed(read(cells))) ?? report(cells, problems, tooLong),
    );
  }
  if (spec.above !== undefined || spec.below !== undefined) {
    const bound = spec.above ?? spec.below ?? 0;
    const sign = spec.above !== undefined ? 1 : -1;
    const compare =
      typeof bound === "number" ? comparisonWithNumber(bound, spec) : comparisonWithDay(bound);
    return condition(`${sign > 0 ? "above" : "below"} ${bound}`, (cells, problems) => {
      const cell = columns.unlessNull(read(cells));
      if (isBlank(cell)) return false;
      const compared = compare(cell);
      if (typeof compared === "number") return compared * sign > 0;
      const { code, message } = compared;
      const why = `${message}, and when compares it with ${bound}`;
      return report(cells, problems, new Misfit(code, why));
    });
  }
  const values = new Set((spec.in ?? spec.not_in ?? []).map((value) => value.trim()));
  const wanted = spec.in !== undefined;
  const list = [...values].slice(0, 10).map(quote).join(", ");
  return condition(
    `${wanted ? "among" : "not among"} ${list}`,
    (cells) => values.has(trimmed(read(cells))) === wanted,
  );
}

/** Positive if a cell is more than the bound; the problem of a cell that cannot be compared. */
type CellComparison = (cell: string) => number | Misfit;

function comparisonWithNumber(bound: number, spec: ConditionSpec): CellComparison {
  const { decimal_separator: decimalSeparator = "." } = spec;
  const exact = withoutExponent(bound);
  const plain = plainNumber({ decimalSeparator });
  const message = `is not a number (${formOfNumbers(decimalSeparator)})`;
  return (cell) => {
    const decimal = canonicalDecimal(plain(trimmed(cell)) ?? "");
    return decimal === undefined
      ? new Misfit("not_a_number", message)
      : compareDecimals(decimal, exact);
  };
}

/** A time beside the date of a cell does not count. */
function comparisonWithDay(bound: string): CellComparison {
  const convert = toDate([]);
  return (cell) => {
    const converted = convert(cell);
    if (converted instanceof Misfit) return converted;
    const day = String(converted);
    return day === bound ? 0 : day > bound ? 1 : -1;
  };
}
