import type { RowProblem } from "../model/row.ts";
import { isBlank } from "./blank.ts";
import type { Columns } from "./columns.ts";
import { compileCell, type PartProblem } from "./compile-cell.ts";
import { compileValues } from "./compile-values.ts";
import type { EventNameSpec } from "./member-schema.ts";

export interface EventNamer {
  readonly kind: "namer";
  /** The kind of event of a row; nothing where a problem was added to the list. */
  name(cells: readonly string[], problems: RowProblem[]): string | undefined;
}

export type CompiledEventName =
  | EventNamer
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

/** Compiles the `event` of a mapping: a fixed name, or one that a column decides. */
export function compileEventName(
  given: string | EventNameSpec,
  columns: Columns,
): CompiledEventName {
  if (typeof given === "string") {
    if (columns.find(given).kind === "found") {
      const message = `is also a column: write { column: ${given} } for its cells, or { value: ${given} } for the word itself`;
      return { kind: "problems", problems: [{ at: [], message }] };
    }
    return { kind: "namer", name: () => given };
  }
  const { value, values: renamed, default: fallback } = given;
  if (value !== undefined) return { kind: "namer", name: () => value };

  const cell = compileCell(given, columns);
  if (cell.kind === "problems") return cell;
  const values = renamed === undefined ? undefined : compileValues(renamed);
  return {
    kind: "namer",
    name(cells, problems) {
      const text = cell.read(cells);
      if (text === undefined) {
        problems.push(cell.untransformed(cells));
        return undefined;
      }
      const name = values === undefined ? text : values.find(text);
      if (name !== undefined && !isBlank(name)) return name;
      if (fallback !== undefined) return fallback;
      problems.push(
        isBlank(text)
          ? cell.problem(cells, "missing_event", "is blank, and it decides the kind of event")
          : cell.problem(cells, "unknown_value", values?.notAmong ?? ""),
      );
      return undefined;
    },
  };
}
