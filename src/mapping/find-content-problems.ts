import { IANAZone } from "luxon";
import { quote } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { plainWord } from "./coerce.ts";
import { findDefaultProblem } from "./find-default-problem.ts";
import { findUnmetValues } from "./find-unmet-values.ts";
import { compileReplace } from "./match-pattern.ts";
import { parsePattern } from "./parse-pattern.ts";

type Nulls = ReadonlySet<string>;

interface Finding {
  readonly path: readonly (string | number)[];
  readonly part?: "key";
  readonly message: string;
}

/**
 * What a JSON Schema has no words for, and yet can be known without an input: patterns that are none or
 * that could hang, time zones that there are not, bounds that nothing fits, values that never come.
 */
export function findContentProblems(content: unknown): Finding[] {
  if (!isRecord(content)) return [];
  const nulls = textsOf(content.null_values).map((text) => text.trim());
  const nullValues = new Set(nulls.filter((text) => text !== ""));
  return [
    ...inOrder(textsOf(content.order_by)),
    ...inBlock(content, [], nullValues),
    ...listOf(content.events).flatMap((block, at) => inBlock(block, ["events", at], nullValues)),
  ];
}

function inOrder(columns: readonly string[]): Finding[] {
  return columns.flatMap((column, at) =>
    columns.indexOf(column) === at
      ? []
      : [{ path: ["order_by", at], message: `${quote(column)} stands here twice: remove one` }],
  );
}

function inBlock(block: unknown, path: Finding["path"], nullValues: Nulls): Finding[] {
  if (!isRecord(block)) return [];
  const members = isRecord(block.members) ? Object.entries(block.members) : [];
  return [
    ...inCondition(block.only_when, [...path, "only_when"]),
    ...inTransform(block.event, [...path, "event"]),
    ...(isRecord(block.event) ? findUnmetValues(block.event, [...path, "event"], nullValues) : []),
    ...members.flatMap(([name, member]) =>
      inMember(member, [...path, "members", name], nullValues),
    ),
  ];
}

function inMember(member: unknown, path: Finding["path"], nullValues: Nulls): Finding[] {
  if (!isRecord(member)) return [];
  const wrongDefault = findDefaultProblem(member);
  return [
    ...inValue(member, path, nullValues),
    ...(isRecord(member.items) ? inValue(member.items, [...path, "items"], nullValues) : []),
    ...(wrongDefault === undefined ? [] : [{ path: [...path, "default"], message: wrongDefault }]),
  ];
}

function inValue(
  spec: Record<string, unknown>,
  path: Finding["path"],
  nullValues: Nulls,
): Finding[] {
  return [
    ...inTransform(spec, path),
    ...inChecks(spec, path),
    ...findUnmetValues(spec, path, nullValues),
  ];
}

function inTransform(holder: unknown, path: Finding["path"]): Finding[] {
  if (!isRecord(holder)) return [];
  const { transform } = holder;
  const steps: [unknown, Finding["path"]][] = Array.isArray(transform)
    ? transform.map((step, at) => [step, [...path, "transform", at]])
    : [[transform, [...path, "transform"]]];
  return steps.flatMap(([step, at]) =>
    isRecord(step) && isRecord(step.replace) ? inReplace(step.replace, [...at, "replace"]) : [],
  );
}

function inCondition(condition: unknown, path: Finding["path"]): Finding[] {
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

function inReplace(replace: Record<string, unknown>, path: Finding["path"]): Finding[] {
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

function inPattern(pattern: unknown, path: Finding["path"]): Finding[] {
  const parsed = typeof pattern === "string" ? parsePattern(pattern) : undefined;
  return parsed?.kind === "problem" ? [{ path, message: parsed.message }] : [];
}

function inChecks(spec: Record<string, unknown>, path: Finding["path"]): Finding[] {
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
  path: Finding["path"],
): Finding[] {
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

function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
