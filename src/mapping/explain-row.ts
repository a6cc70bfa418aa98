import type { LoadEvent } from "../model/event.ts";
import type { EventExplanation, MemberExplanation, Step } from "../model/explanation.ts";
import type { Json } from "../model/json.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { type Columns, createColumns, isBlank } from "./columns.ts";
import { compileTemplate } from "./compile-cell.ts";
import { compileCondition, whyNot } from "./compile-condition.ts";
import { compileConversion } from "./compile-conversion.ts";
import { compileEventName } from "./compile-event.ts";
import { compileLookup, type LookupTables } from "./compile-lookup.ts";
import { compileMember, compileValues, lastDayOf, type MemberContext } from "./compile-member.ts";
import { type InputIdentity, metaValues } from "./mapped-event.ts";
import type { EventNameSpec, MappingSpec, MemberSpec, MetaName } from "./schema.ts";
import { compileTransform } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

/**
 * Tells how the members of a row's events come about.
 *
 * @param events those that the mapping makes of the row
 * @param importedAt the instant that the body would have
 */
export type ExplainRow = (
  row: Row,
  events: readonly LoadEvent[],
  importedAt: string,
) => readonly EventExplanation[];

/** Binds a mapping to the columns of an input: one without problems, that has been compiled. */
export function compileExplanation(
  spec: MappingSpec,
  columnNames: readonly string[],
  input: InputIdentity,
  lookups: LookupTables,
  runDay?: string,
): ExplainRow {
  const columns = createColumns(columnNames, spec.nullValues);
  const context = { columns, lookups, empty: spec.empty, runDay };
  return (row, events, importedAt) => {
    const { cells } = row;
    const only = row.earlier?.event;
    return spec.events.flatMap(({ resource, event, onlyWhen, members }, at): EventExplanation[] => {
      const index = at + 1;
      if (only !== undefined && only !== index) return [];
      for (const given of [spec.onlyWhen, onlyWhen]) {
        const condition = given === undefined ? undefined : compileCondition(given, columns);
        if (condition?.kind === "condition" && !condition.holds(cells)) {
          return [{ index, resource, leftOut: whyNot(condition), members: [] }];
        }
      }
      const made = events.find((one) => one.index === index);
      const meta = (name: string, of: MetaName): MemberExplanation => {
        const value = made && metaValues(row, made.id, importedAt, input)[of];
        const given = value === undefined ? {} : { gives: value };
        const step = { by: "meta", of, ...given };
        return { name, steps: [step], ...(value === undefined ? {} : { value }) };
      };
      const explained = Object.entries(members).map(([name, member]) =>
        typeof member === "object" && member.meta !== undefined
          ? meta(name, member.meta)
          : explainMember(name, member, cells, context),
      );
      return [
        { index, resource, members: [explainEventName(event, cells, columns), ...explained] },
      ];
    });
  };
}

/** Explains a member, but for one of `meta`; its value is what the compiled mapping makes of the row. */
function explainMember(
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
function explainEventName(
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

interface TextSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
}

/** The steps from the cells of a row to the text of a member, and that text, if they get there. */
function explainText(
  spec: TextSpec,
  cells: readonly string[],
  columns: Columns,
): { readonly steps: Step[]; readonly text: string | undefined } {
  const steps: Step[] = [];
  let text = "";
  const take = (name: string): string => {
    const found = columns.find(name);
    if (found.kind === "problem") return "";
    const cell = cells[found.index] ?? "";
    steps.push({ by: "column", of: name, gives: cell });
    const counted = columns.cell(found.index)(cells);
    if (counted !== cell) steps.push({ by: "null_values", gives: counted });
    return counted;
  };

  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, columns);
    if (template.kind === "compiled") {
      for (const name of new Set(template.columns)) take(name);
      text = template.fill(cells);
    }
    steps.push({ by: "template", of: spec.template, gives: text });
  } else {
    for (const name of spec.columns ?? [spec.column ?? ""]) {
      text = take(name);
      if (!isBlank(text)) break;
      // Where all are blank, there is nothing, whatever the last one has of white space.
      if (spec.columns !== undefined) text = "";
    }
  }
  for (const step of spec.transform === undefined ? [] : [spec.transform].flat()) {
    const transformed = compileTransform(step)?.(text);
    if (transformed === undefined) return { steps, text: undefined };
    text = transformed;
    const of = typeof step === "string" ? step : JSON.stringify(step);
    steps.push({ by: "transform", of, gives: text });
  }
  return { steps, text };
}
