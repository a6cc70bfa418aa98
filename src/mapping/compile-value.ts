import type { Json, MemberExplanation, Step } from "../model/event.ts";
import { listed } from "../model/quantities.ts";
import { quote, type RowProblem } from "../model/row.ts";
import { Misfit, maxShownValues } from "./coerce.ts";
import { type Columns, isBlank, trimmed } from "./columns.ts";
import { type Condition, compileCondition } from "./compile-condition.ts";
import { compileConversion } from "./compile-conversion.ts";
import type { ValueTable } from "./compile-lookup.ts";
import { areTogether, compileSource } from "./compile-source.ts";
import { tooLong } from "./pattern.ts";
import type { EmptyPolicy, LookupSpec, MemberSpec } from "./schema.ts";
import { transformSteps } from "./transform.ts";
import { conversionKeys } from "./value-schema.ts";

/** A value that a mapping makes of the cells of a row: a member, the kind of event, or a part of the ordering key. */
export interface Value {
  /** The value, undefined if there is none; problems go to the list. */
  read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
  explain(name: string, cells: readonly string[]): MemberExplanation;
}

export interface ValueContext {
  readonly columns: Columns;
  readonly lookups: ReadonlyMap<LookupSpec, ValueTable<string>>;
  /** What a blank cell becomes; undefined where it is a text as any other. */
  readonly empty: EmptyPolicy | undefined;
}

/** The context of a text that nothing clears: the kind of event, or a part of the ordering key. */
export function ofTexts(context: ValueContext): ValueContext {
  return { ...context, columns: { ...context.columns, isClear: undefined }, empty: undefined };
}

/** A value is a list of these, which are taken in their order until one gives the value. */
interface ValueStep {
  /** The key of the mapping that it does, and what that says. */
  readonly by: string;
  readonly of?: string;
  /** The next text; the value if `isLast`. `pass` if it does nothing with this text, undefined if there is no value. */
  run(text: string, cells: readonly string[], problems: RowProblem[]): Json | undefined | Pass;
  readonly isLast?: true;
  /** What `check --row` says of the step, if that is more than its key and what it gives. */
  told?(cells: readonly string[]): readonly Step[];
}

const pass = Symbol("pass");
type Pass = typeof pass;
type Problem = Pick<RowProblem, "code" | "message">;

/** @param whyNoBlank the problem of a blank cell where the mapping does not say what that becomes */
export function compileValue(spec: MemberSpec, context: ValueContext, whyNoBlank?: Problem): Value {
  const { columns } = context;
  const when = spec.when === undefined ? [] : [whenStep(compileCondition(spec.when, columns))];
  if (spec.column === undefined && spec.columns === undefined && spec.template === undefined) {
    const value = (spec.value ?? null) as Json;
    return takenInTurn([...when, { by: "value", isLast: true, run: () => value }]);
  }
  const source = compileSource(spec, columns);
  const refuse = (cells: readonly string[], problems: RowProblem[], problem: Problem) => {
    const [column, value] = source.shown(cells);
    problems.push({
      code: problem.code,
      message: problem.message,
      column,
      ...(isBlank(value) ? {} : { value }),
    });
    return undefined;
  };
  const text: ValueStep[] = [
    {
      by: "column",
      run: (_, cells, problems) => source.read(cells) ?? refuse(cells, problems, tooLong),
      told: source.told,
    },
    ...transformSteps(areTogether(spec) ? undefined : spec.transform).map(({ of, apply }) => ({
      ...{ by: "transform", of },
      run: (given: string, cells: readonly string[], problems: RowProblem[]) =>
        apply(given) ?? refuse(cells, problems, tooLong),
    })),
  ];
  const clear = clearSteps(source.columns, columns, spec.required === true);
  return takenInTurn([...when, ...clear, ...text, ...lookedUp(), ...typed(), ...blank()]);

  /** What a text becomes that is in a `map` or a `lookup`, and before it, what one becomes that is not there. */
  function lookedUp(): ValueStep[] {
    const { map, lookup } = spec;
    if (map !== undefined) return found(compileMap(map), { by: "map", isLast: true });
    const table = lookup && context.lookups.get(lookup);
    return table === undefined ? [] : found(table, { by: "lookup", of: lookup?.file ?? "" });
  }

  function found({ find, notFound }: ValueTable<Json>, step: Omit<ValueStep, "run">): ValueStep[] {
    const otherwise = spec.otherwise as Json | undefined;
    const problem = { code: "unknown_value", message: notFound };
    return [
      {
        ...{ by: "otherwise", isLast: true },
        run(given, cells, problems) {
          if (find(given) !== undefined || isBlank(given)) return pass;
          return otherwise === undefined ? refuse(cells, problems, problem) : otherwise;
        },
      },
      {
        ...step,
        run(given) {
          const value = find(given);
          return value === undefined ? pass : value;
        },
      },
    ];
  }

  /** The value of a text that is not blank, or of a list that has items, unless it is the text itself. */
  function typed(): ValueStep[] {
    if (spec.map !== undefined || isPlainText(spec)) return [];
    const { type = "string" } = spec;
    const convert = compileConversion(spec, columns);
    return [
      {
        ...{ by: "type", of: type, isLast: true },
        run(given, cells, problems) {
          if (isBlank(given)) return pass;
          const coerced = convert(given);
          if (coerced === undefined) return pass;
          return coerced instanceof Misfit ? refuse(cells, problems, coerced) : coerced;
        },
        ...(type === "string" ? { told: () => [] } : {}),
      },
    ];
  }

  /** What a blank cell becomes; it is the last step unless the text is the value as it is. */
  function blank(): ValueStep[] {
    const { default: fallback, empty = context.empty } = spec;
    const problem = spec.required === true ? requiredProblem : whyNoBlank;
    const isBlankHere = isPlainText(spec) ? isBlank : () => true;
    const step = (by: string, run: ValueStep["run"], of?: string): ValueStep[] => [
      {
        ...{ by, isLast: true, ...(of !== undefined && { of }) },
        run: (given, cells, problems) => (isBlankHere(given) ? run(given, cells, problems) : pass),
      },
    ];
    if (fallback !== undefined) return step("default", () => fallback as Json);
    if (problem !== undefined) {
      return step("required", (_, cells, problems) => refuse(cells, problems, problem));
    }
    return empty === undefined ? [] : step("empty", becomesEmpty(empty), empty);
  }
}

const requiredProblem: Problem = {
  code: "missing_value",
  message: "is blank, and the mapping requires it",
};

function takenInTurn(steps: readonly ValueStep[]): Value {
  // Plain arrays, as there are steps for every cell.
  const runs = steps.map(({ run }) => run);
  const areLast = steps.map(({ isLast = false }) => isLast);
  return {
    read(cells, problems) {
      let text = "";
      for (let at = 0; at < runs.length; at++) {
        const made = runs[at]!(text, cells, problems);
        if (made === pass) continue;
        if (areLast[at] || made === undefined) return made;
        text = made as string;
      }
      return text;
    },
    explain(name, cells) {
      const told: Step[] = [];
      const problems: RowProblem[] = [];
      let value: Json | undefined = "";
      for (const step of steps) {
        const made = step.run(value as string, cells, problems);
        if (made === pass) continue;
        value = made;
        if (step.told !== undefined) told.push(...step.told(cells));
        else if (problems.length === 0) {
          const { by, of } = step;
          told.push({
            by,
            ...(of !== undefined && { of }),
            ...(made !== undefined && { gives: made }),
          });
        }
        if (step.isLast || made === undefined) break;
      }
      const [problem] = problems;
      const end = problem !== undefined ? { problem } : value === undefined ? {} : { value };
      return { name, steps: told, ...end };
    },
  };
}

function whenStep({ holds, wants }: Condition): ValueStep {
  return {
    ...{ by: "when", of: wants, isLast: true },
    run(_, cells, problems) {
      const before = problems.length;
      return holds(cells, problems) && problems.length === before ? pass : undefined;
    },
  };
}

/** A cell that clears the member: all that are read are blank or such. */
function clearSteps(
  names: readonly string[],
  { isClear, indexOf, unlessNull }: Columns,
  isRequired: boolean,
): ValueStep[] {
  if (isClear === undefined) return [];
  const indexes = names.map(indexOf);
  const cellOf = (cells: readonly string[]) => {
    const at = indexes.findIndex((index) => isClear(cells[index] ?? ""));
    return { column: names[at] ?? "", value: cells[indexes[at] ?? -1] ?? "" };
  };
  const message = "is in clear_values, and the mapping requires a value";
  return [
    {
      ...{ by: "clear_values", isLast: true },
      run(_, cells, problems) {
        const { column, value } = cellOf(cells);
        const areAll = indexes.every((index) => isBlank(unlessNull(cells[index] ?? "")));
        if (value === "" || !areAll) return pass;
        if (!isRequired) return null;
        problems.push({ code: "missing_value", column, value, message });
        return undefined;
      },
      told(cells) {
        const { column, value } = cellOf(cells);
        const cleared = isRequired ? [] : [{ by: "clear_values", gives: null }];
        return [{ by: "column", of: column, gives: value }, ...cleared];
      },
    },
  ];
}

/** Whether a cell is at most transformed, as for most members. */
function isPlainText(spec: MemberSpec): boolean {
  const shapes = ["map", "lookup", ...conversionKeys.filter((key) => key !== "type")];
  return (spec.type ?? "string") === "string" && !shapes.some((key) => Object.hasOwn(spec, key));
}

function becomesEmpty(empty: EmptyPolicy): (text: string) => Json | undefined {
  switch (empty) {
    case "omit":
      return () => undefined;
    case "null":
      return () => null;
    case "keep":
      return (text) => text;
    default:
      return empty satisfies never;
  }
}

/** The `map` of a value. Space around a text does not matter, as in conditions and lookups. */
function compileMap<Found>(values: Readonly<Record<string, Found>>): ValueTable<Found> {
  const byText = new Map(Object.entries(values).map(([text, value]) => [text.trim(), value]));
  const shown = listed([...byText.keys()], maxShownValues, quote);
  return {
    find: (text) => byText.get(trimmed(text)),
    notFound: `is none of the cells that the mapping knows (${shown})`,
  };
}
