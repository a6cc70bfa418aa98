import { quote } from "../model/row.ts";
import { type Columns, isBlank, trimmed } from "./columns.ts";
import type { PartProblem } from "./compile-cell.ts";
import type { ConditionSpec } from "./condition-schema.ts";
import { compilePattern } from "./match-pattern.ts";

export interface Condition {
  readonly kind: "condition";
  holds(cells: readonly string[]): boolean;
  /** What it requires of a row, for the message if the row is left out. */
  readonly wants: string;
}

export type CompiledCondition =
  | Condition
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

/** Compiles `when`. Cells are compared as text, without space around them. */
export function compileCondition(spec: ConditionSpec, columns: Columns): CompiledCondition {
  if (spec.not !== undefined) {
    const inner = compileCondition(spec.not, columns);
    if (inner.kind === "problems") return below(["not"], inner.problems);
    return {
      kind: "condition",
      holds: (cells) => !inner.holds(cells),
      wants: `not (${inner.wants})`,
    };
  }
  if (spec.all !== undefined) return compileList("all", spec.all, columns);
  if (spec.any !== undefined) return compileList("any", spec.any, columns);
  return compileTest(spec, columns);
}

/** Why a row is left out if the condition is false. */
export function whyLeftOut({ wants }: Condition): string {
  return `when requires ${wants}`;
}

function compileList(
  key: "all" | "any",
  specs: readonly ConditionSpec[],
  columns: Columns,
): CompiledCondition {
  const compiled = specs.map((spec) => compileCondition(spec, columns));
  const problems = compiled.flatMap((one, at) =>
    one.kind === "problems" ? below([key, at], one.problems).problems : [],
  );
  if (problems.length > 0) return { kind: "problems", problems };
  const conditions = compiled.filter((one) => one.kind === "condition");
  const wants = conditions.map((one) => one.wants);
  return {
    kind: "condition",
    holds:
      key === "all"
        ? (cells) => conditions.every(({ holds }) => holds(cells))
        : (cells) => conditions.some(({ holds }) => holds(cells)),
    wants:
      wants.length === 1
        ? (wants[0] ?? "")
        : wants.map((one) => `(${one})`).join(key === "all" ? " and " : " or "),
  };
}

function compileTest(spec: ConditionSpec, columns: Columns): CompiledCondition {
  const found = columns.find(spec.column ?? "");
  if (found.kind === "problem") {
    return { kind: "problems", problems: [{ at: ["column"], message: found.message }] };
  }
  const { index } = found;
  // A condition can also ask for a null value, as the text that the file has.
  const read = (cells: readonly string[]) => cells[index] ?? "";
  const name = `column ${quote(spec.column ?? "")}`;
  if (spec.blank !== undefined) {
    const wanted = spec.blank;
    return {
      kind: "condition",
      holds: (cells) => isBlank(columns.unlessNull(read(cells))) === wanted,
      wants: `${name} ${wanted ? "blank" : "not blank"}`,
    };
  }
  if (spec.equals !== undefined) {
    const value = spec.equals.trim();
    return {
      kind: "condition",
      holds: (cells) => trimmed(read(cells)) === value,
      wants: `${name} equal to ${quote(value)}`,
    };
  }
  if (spec.matches !== undefined) {
    const pattern = compilePattern(spec.matches);
    // The loader refuses invalid patterns.
    if (pattern.kind === "problem") throw new Error(pattern.message);
    return {
      kind: "condition",
      holds: (cells) => pattern.test(trimmed(read(cells))),
      wants: `${name} to match ${spec.matches}`,
    };
  }
  const values = new Set((spec.in ?? spec.not_in ?? []).map((value) => value.trim()));
  const wanted = spec.in !== undefined;
  const list = [...values].slice(0, 10).map(quote).join(", ");
  return {
    kind: "condition",
    holds: (cells) => values.has(trimmed(read(cells))) === wanted,
    wants: `${name} ${wanted ? "among" : "not among"} ${list}`,
  };
}

function below(path: readonly (string | number)[], problems: readonly PartProblem[]) {
  return {
    kind: "problems" as const,
    problems: problems.map(({ at, message }) => ({ at: [...path, ...at], message })),
  };
}
