import { quote, type RowProblem } from "../domain/row.ts";
import { coerce, type Json } from "./coerce.ts";
import type { ColumnLookup } from "./columns.ts";
import { compileCell, isBlank } from "./compile-cell.ts";
import type { EmptyPolicy, MemberSpec, MetaName } from "./schema.ts";

/** How a member of the body comes about. */
export type CompiledMember =
  | {
      readonly kind: "cells";
      /** The value, nothing where the member is left out; problems go to the list. */
      read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
    }
  | { readonly kind: "meta"; readonly meta: MetaName }
  | { readonly kind: "problem"; readonly at?: string; readonly message: string };

/** Compiles one member of a mapping, short form or long, against the columns of an input. */
export function compileMember(
  given: string | MemberSpec,
  column: (name: string) => ColumnLookup,
  emptyOfFile: EmptyPolicy,
): CompiledMember {
  const spec: MemberSpec = typeof given === "string" ? { column: given } : given;
  if (spec.meta !== undefined) return { kind: "meta", meta: spec.meta };
  if (spec.column === undefined && spec.template === undefined) {
    const value = (spec.value ?? null) as Json;
    return { kind: "cells", read: () => value };
  }

  const cell = compileCell(spec, column);
  if (cell.kind === "problem") {
    return typeof given === "string" ? { kind: "problem", message: cell.message } : cell;
  }
  const convert = coerce[spec.type ?? "string"];
  const values = spec.values === undefined ? undefined : new Map(Object.entries(spec.values));
  const fallback = spec.default as Json | undefined;
  const empty = spec.empty ?? emptyOfFile;

  const ofBlank = (text: string): Json | undefined => {
    switch (empty) {
      case "omit":
        return undefined;
      case "null":
        return null;
      case "keep":
        return text;
    }
  };

  return {
    kind: "cells",
    read(cells, problems) {
      const text = cell.read(cells);
      if (values !== undefined) {
        const value = values.get(text);
        if (value !== undefined) return value;
      }
      if (isBlank(text)) {
        if (fallback !== undefined) return fallback;
        if (spec.required !== true) return ofBlank(text);
        problems.push(
          cell.problem(cells, "missing_value", "is blank, and the mapping requires it"),
        );
        return undefined;
      }
      if (values !== undefined) {
        if (fallback !== undefined) return fallback;
        problems.push(cell.problem(cells, "unknown_value", notAmong([...values.keys()])));
        return undefined;
      }
      const coerced = convert(text);
      if (coerced.kind === "value") return coerced.value;
      problems.push(cell.problem(cells, coerced.code, coerced.message));
      return undefined;
    },
  };
}

/** Says which values a mapping knows; of many, the first ones. */
export function notAmong(known: readonly string[]): string {
  const shown = known.slice(0, 10).map(quote).join(", ");
  return `is not among the mapping's values (${shown}${known.length > 10 ? ", …" : ""})`;
}
