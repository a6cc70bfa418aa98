import { IANAZone } from "luxon";
import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { isRecord, type YamlFinding } from "../model/yaml-document.ts";
import { plainWord } from "./coerce.ts";
import { compileReplace } from "./match-pattern.ts";
import { isExactNumber } from "./numbers.ts";
import { parsePattern } from "./parse-pattern.ts";
import { describeTypeMismatch } from "./type-mismatch.ts";

type Nulls = ReadonlySet<string>;

type Given = Readonly<Record<string, unknown>>;

/**
 * What a JSON Schema has no words for, and yet can be known without an input: patterns that are none or
 * that could hang, time zones that there are not, bounds that nothing fits, values that never come.
 */
export function findContentProblems(content: unknown): YamlFinding[] {
  if (!isRecord(content)) return [];
  const nulls = textsOf(content.null_values).map((text) => text.trim());
  const nullValues = new Set(nulls.filter((text) => text !== ""));
  return [
    ...inOrder(textsOf(content.ordering_key)),
    ...inBlock(content, [], nullValues),
    ...listOf(content.events).flatMap((block, at) => inBlock(block, ["events", at], nullValues)),
  ];
}

function inOrder(columns: readonly string[]): YamlFinding[] {
  return columns.flatMap((column, at) =>
    columns.indexOf(column) === at
      ? []
      : [{ path: ["ordering_key", at], message: `${quote(column)} stands here twice: remove one` }],
  );
}

function inBlock(block: unknown, path: YamlFinding["path"], nullValues: Nulls): YamlFinding[] {
  if (!isRecord(block)) return [];
  const members = isRecord(block.members) ? Object.entries(block.members) : [];
  return [
    ...inCondition(block.when, [...path, "when"]),
    ...inTransform(block.event, [...path, "event"]),
    ...(isRecord(block.event) ? findUnmetValues(block.event, [...path, "event"], nullValues) : []),
    ...members.flatMap(([name, member]) =>
      inMember(member, [...path, "members", name], nullValues),
    ),
  ];
}

function inMember(member: unknown, path: YamlFinding["path"], nullValues: Nulls): YamlFinding[] {
  if (!isRecord(member)) return [];
  const wrong = (["default", "otherwise"] as const).flatMap((key) => {
    const message = describeTypeMismatch(member, member[key]);
    return message === undefined ? [] : [{ path: [...path, key], message }];
  });
  return [
    ...inValue(member, path, nullValues),
    ...(isRecord(member.items) ? inValue(member.items, [...path, "items"], nullValues) : []),
    ...wrong,
  ];
}

function inValue(
  spec: Record<string, unknown>,
  path: YamlFinding["path"],
  nullValues: Nulls,
): YamlFinding[] {
  return [
    ...inTransform(spec, path),
    ...inChecks(spec, path),
    ...findUnmetValues(spec, path, nullValues),
  ];
}

function inTransform(holder: unknown, path: YamlFinding["path"]): YamlFinding[] {
  if (!isRecord(holder)) return [];
  const { transform } = holder;
  const steps: [unknown, YamlFinding["path"]][] = Array.isArray(transform)
    ? transform.map((step, at) => [step, [...path, "transform", at]])
    : [[transform, [...path, "transform"]]];
  return steps.flatMap(([step, at]) =>
    isRecord(step) && isRecord(step.replace) ? inReplace(step.replace, [...at, "replace"]) : [],
  );
}

function inCondition(condition: unknown, path: YamlFinding["path"]): YamlFinding[] {
  if (!isRecord(condition)) return [];
  const several = ["all", "any"].flatMap((key) =>
    listOf(condition[key]).flatMap((one, at) => inCondition(one, [...path, key, at])),
  );
  return [
    ...inPattern(condition.matches, [...path, "matches"]),
    ...several,
    ...inCondition(condition.not, [...path, "not"]),
  ];
}

function inReplace(replace: Record<string, unknown>, path: YamlFinding["path"]): YamlFinding[] {
  const { pattern, with: replacement } = replace;
  if (typeof pattern !== "string") return [];
  const parsed = parsePattern(pattern);
  if (parsed.kind === "problem") return [{ path: [...path, "pattern"], message: parsed.message }];
  if (typeof replacement !== "string") return [];
  const compiled = compileReplace(pattern, replacement);
  return compiled.kind === "problem"
    ? [{ path: [...path, "with"], message: compiled.message }]
    : [];
}

function inPattern(pattern: unknown, path: YamlFinding["path"]): YamlFinding[] {
  const parsed = typeof pattern === "string" ? parsePattern(pattern) : undefined;
  return parsed?.kind === "problem" ? [{ path, message: parsed.message }] : [];
}

function inChecks(spec: Record<string, unknown>, path: YamlFinding["path"]): YamlFinding[] {
  const { timezone, true_values: trueValues, false_values: falseValues } = spec;
  const words = new Set(textsOf(trueValues).map(plainWord));
  const both = textsOf(falseValues).find((word) => words.has(plainWord(word)));
  return [
    ...inPattern(spec.pattern, [...path, "pattern"]),
    ...inBounds(spec, "min", "max", path),
    ...inBounds(spec, "min_length", "max_length", path),
    ...(both === undefined
      ? []
      : [
          {
            path: [...path, "false_values"],
            message: `has ${JSON.stringify(both)}, which is among true_values too`,
          },
        ]),
    ...(typeof timezone === "string" && timezone !== "" && !isZone(timezone)
      ? [
          {
            path: [...path, "timezone"],
            message: `${JSON.stringify(timezone)} is no time zone; ${zoneHint(timezone)}`,
          },
        ]
      : []),
  ];
}

function inBounds(
  spec: Record<string, unknown>,
  least: string,
  most: string,
  path: YamlFinding["path"],
): YamlFinding[] {
  const [from, to] = [spec[least], spec[most]];
  if (typeof from !== "number" || typeof to !== "number" || from <= to) return [];
  return [{ path: [...path, most], message: `is ${to}, less than ${least} ${from}: nothing fits` }];
}

/** By its name: what an offset such as +02:00 means changes twice a year. */
function isZone(name: string): boolean {
  return name === "UTC" || (/^[A-Z][A-Za-z]+\//.test(name) && IANAZone.isValidZone(name));
}

function zoneHint(name: string): string {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const meant = suggest(name, known);
  return meant === undefined
    ? "use a name such as Europe/Amsterdam, or UTC"
    : `did you mean ${meant}?`;
}

/**
 * Values that a mapping waits for and that can never come: those that are or count as blank, those that stand
 * there twice but for space around them, and words where numbers are compared.
 *
 * @param spec a member, the kind of event, or the items of a list
 * @param nullValues cells that count as blank
 */
function findUnmetValues(
  spec: Given,
  path: YamlFinding["path"],
  nullValues: ReadonlySet<string>,
): YamlFinding[] {
  const names = isRecord(spec.map) ? Object.keys(spec.map) : [];
  const written = new Map<string, string>();
  return [
    ...names.flatMap((name) => {
      const twin = written.get(name.trim());
      if (twin === undefined) {
        written.set(name.trim(), name);
        return [];
      }
      const message = `is ${quote(twin)} but for space around it, which says nothing: remove one`;
      return [{ path: [...path, "map", name], part: "key" as const, message }];
    }),
    ...(comesAsWritten(spec) ? amongNulls(spec, names, path, nullValues) : []),
    ...blanks(spec, path),
    ...noNumbers(spec, path),
  ];
}

/** Whether nothing stands between a cell and what it is compared with. */
function comesAsWritten({ transform, lookup, template }: Given): boolean {
  const steps = [transform ?? []].flat();
  return lookup === undefined && template === undefined && steps.every((step) => step === "trim");
}

function amongNulls(
  spec: Given,
  names: readonly string[],
  path: YamlFinding["path"],
  nullValues: ReadonlySet<string>,
): YamlFinding[] {
  const { type = "string" } = spec;
  const lists = ["true_values", "false_values", ...(type === "string" ? ["enum"] : [])];
  const waitsFor: [string, (string | number)[]][] = [
    ...names.map((name): [string, (string | number)[]] => [name, ["map", name]]),
    ...lists.flatMap((key) =>
      textsOf(spec[key]).map((text, at): [string, (string | number)[]] => [text, [key, at]]),
    ),
  ];
  return waitsFor
    .filter(([text]) => nullValues.has(text.trim()))
    .map(([text, at]) => ({
      path: [...path, ...at],
      part: "key" as const,
      message: `never comes: ${quote(text.trim())} is among null_values, so a cell of it is blank; remove it there, or say here with default what a blank cell becomes`,
    }));
}

/** A blank cell is never compared: it is blank, whatever a list says. */
function blanks(spec: Given, path: YamlFinding["path"]): YamlFinding[] {
  const { type = "string" } = spec;
  const lists = ["true_values", "false_values", ...(type === "string" ? ["enum"] : [])];
  return lists.flatMap((key) =>
    textsOf(spec[key]).flatMap((text, at) => {
      if (text.trim() !== "") return [];
      const message = `never comes: ${quote(text)} is a blank cell, which is not compared; remove it, or say with default what a blank cell becomes`;
      return [{ path: [...path, key, at], message }];
    }),
  );
}

function noNumbers({ type, enum: allowed }: Given, path: YamlFinding["path"]): YamlFinding[] {
  if (type !== "integer" && type !== "number" && type !== "decimal") return [];
  return textsOf(allowed).flatMap((text, at) => {
    if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && mayBeCompared(text))
      return [];
    const message = `${quote(text)} is no number, and nothing of type: ${type} is it: write it with a point, such as 12.5`;
    return [{ path: [...path, "enum", at], message }];
  });
}

/** With an exponent, a number is compared as JavaScript has it. */
function mayBeCompared(text: string): boolean {
  return !/e/i.test(text) || isExactNumber(text);
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
