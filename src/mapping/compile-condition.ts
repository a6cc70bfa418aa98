import { quote } from "../domain/row.ts";
import type { ColumnLookup } from "./columns.ts";
import { isBlank } from "./compile-cell.ts";
import type { ConditionSpec } from "./schema.ts";

export type CompiledCondition =
  | {
      readonly kind: "condition";
      holds(cells: readonly string[]): boolean;
      /** Why a row for which it does not hold is left out. */
      readonly whyNot: string;
    }
  | { readonly kind: "problem"; readonly message: string };

/** Compiles `only_when`. Cells are compared as text, after space around them is left out. */
export function compileCondition(
  spec: ConditionSpec,
  column: (name: string) => ColumnLookup,
): CompiledCondition {
  const found = column(spec.column);
  if (found.kind === "problem") return found;
  const { index } = found;
  const name = quote(spec.column);
  if (spec.blank !== undefined) {
    const wanted = spec.blank;
    return {
      kind: "condition",
      holds: (cells) => isBlank(cells[index] ?? "") === wanted,
      whyNot: `only_when wants column ${name} ${wanted ? "blank" : "not blank"}`,
    };
  }
  const values = new Set((spec.in ?? spec.not_in ?? []).map((value) => value.trim()));
  const wanted = spec.in !== undefined;
  const list = [...values].slice(0, 10).map(quote).join(", ");
  return {
    kind: "condition",
    holds: (cells) => values.has((cells[index] ?? "").trim()) === wanted,
    whyNot: `only_when wants column ${name} ${wanted ? "among" : "not among"} ${list}`,
  };
}
