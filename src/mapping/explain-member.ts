import type { MemberExplanation, Step } from "../model/explanation.ts";
import type { Json } from "../model/json.ts";
import type { RowProblem } from "../model/row.ts";
import { isBlank } from "./blank.ts";
import type { Columns } from "./columns.ts";
import { compileConversion } from "./compile-conversion.ts";
import { compileEventName } from "./compile-event-name.ts";
import { compileLookup } from "./compile-lookup.ts";
import { compileMember, lastDayOf, type MemberContext } from "./compile-member.ts";
import { compileValues } from "./compile-values.ts";
import { explainText } from "./explain-text.ts";
import type { EventNameSpec, MemberSpec } from "./member-schema.ts";

/** Explains a member, but for one of `meta`; its value is what the compiled mapping makes of the row. */
export function explainMember(
  name: string,
  given: string | MemberSpec,
  cells: readonly string[],
  context: MemberContext,
): MemberExplanation {
  const problems: RowProblem[] = [];
  const compiled = compileMember(name, given, context);
  const value = compiled.kind === "cells" ? compiled.read(cells, problems) : undefined;
  const spec = typeof given === "string" ? { column: given } : given;
  return explained(name, stepsOf(name, spec, cells, context), value, problems);
}

/** Explains the `event` member. */
export function explainEventName(
  given: string | EventNameSpec,
  cells: readonly string[],
  columns: Columns,
): MemberExplanation {
  const problems: RowProblem[] = [];
  const compiled = compileEventName(given, columns);
  const value = compiled.kind === "namer" ? compiled.name(cells, problems) : undefined;
  const fixed = typeof given === "string" ? given : given.value;
  if (typeof given === "string" || given.value !== undefined) {
    return explained("event", [{ by: "value", gives: fixed ?? "" }], value, problems);
  }
  const { steps, text } = explainText(given, cells, columns);
  if (text === undefined) return explained("event", steps, value, problems);
  const found = compileValues(given.values ?? {}).find(text);
  if (found !== undefined) steps.push({ by: "values", gives: found });
  const named = given.values === undefined ? text : found;
  if ((named === undefined || isBlank(named)) && given.default !== undefined) {
    steps.push({ by: "default", gives: given.default });
  }
  return explained("event", steps, value, problems);
}

function explained(
  name: string,
  steps: readonly Step[],
  value: Json | undefined,
  [problem]: readonly RowProblem[],
): MemberExplanation {
  return {
    name,
    steps,
    ...(value === undefined || problem !== undefined ? {} : { value }),
    ...(problem === undefined ? {} : { problem }),
  };
}

function stepsOf(
  name: string,
  spec: MemberSpec,
  cells: readonly string[],
  context: MemberContext,
): Step[] {
  if (spec.column === undefined && spec.columns === undefined && spec.template === undefined) {
    return [{ by: "value", gives: (spec.value ?? null) as Json }];
  }
  const { steps, text } = explainText(spec, cells, context.columns);
  if (text === undefined) return steps;
  const fallback = spec.default as Json | undefined;
  const byDefault: Step[] = fallback === undefined ? [] : [{ by: "default", gives: fallback }];
  const ofBlank = (blank: string): Step[] => {
    if (byDefault.length > 0 || spec.required === true) return byDefault;
    const policy = spec.empty ?? context.empty;
    const given = policy === "omit" ? {} : { gives: policy === "null" ? null : blank };
    return [{ by: "empty", of: policy, ...given }];
  };

  if (spec.values !== undefined) {
    const value = compileValues(spec.values).find(text);
    if (value !== undefined) return [...steps, { by: "values", gives: value }];
    return [...steps, ...(isBlank(text) ? ofBlank(text) : byDefault)];
  }
  if (isBlank(text)) return [...steps, ...ofBlank(text)];
  const convert = compileConversion(spec, context.columns, lastDayOf(name, spec, context));
  const conversionOf = (unconverted: string): Step[] => {
    const converted = convert(unconverted);
    const { type = "string" } = spec;
    switch (converted.kind) {
      case "value":
        return type === "string" ? [] : [{ by: "type", of: type, gives: converted.value }];
      case "blank":
        return ofBlank(unconverted);
      case "problem":
        return [];
      default:
        return converted satisfies never;
    }
  };
  if (spec.lookup === undefined) return [...steps, ...conversionOf(text)];

  const lookup = compileLookup(spec.lookup, context.lookups);
  const found = lookup.kind === "lookup" ? lookup.find(text) : undefined;
  if (found === undefined) return [...steps, ...byDefault];
  steps.push({ by: "lookup", of: spec.lookup.file, gives: found });
  return [...steps, ...(isBlank(found) ? ofBlank(found) : conversionOf(found))];
}
