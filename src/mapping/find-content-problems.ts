import { delimiterOf, whyNoDelimiter, whyNoEncoding } from "../model/reading.ts";
import { cutTo, quote, quoteWhole } from "../model/row.ts";
import { suggest } from "../model/suggest.ts";
import { isRecord, type YamlFinding, type YamlPath } from "../model/yaml-document.ts";
import { plainWord } from "./coerce.ts";
import { luxon } from "./compile-date-format.ts";
import { listOf, partsOf } from "./mapping-parts.ts";
import { canonicalDecimal } from "./numbers.ts";
import { compilePattern, compileReplace } from "./pattern.ts";
import type { Given } from "./schema-parts.ts";
import { toDate, toDatetime } from "./to-date.ts";

type Nulls = ReadonlySet<string>;

/**
 * Finds what a JSON Schema cannot express and needs no input to see: patterns that are invalid or could
 * hang, unknown time zones, values that never occur.
 */
export function findContentProblems(content: Given): YamlFinding[] {
  const nulls = textsOf(content.null_values).map((text) => text.trim());
  const nullValues = new Set(nulls.filter((text) => text !== ""));
  const inParts = partsOf(content).flatMap(({ kind, path, given }) => {
    if (!isRecord(given)) return [];
    switch (kind) {
      case "condition":
        return inPattern(given.matches, [...path, "matches"]);
      case "event":
        return [...inTransform(given, path), ...findNullValues(given, path, nullValues)];
      case "key_part":
        return inTransform(given, path);
      case "member":
        return inMember(given, path, nullValues);
      default:
        return kind satisfies never;
    }
  });
  return [...inParts, ...inInput(content)];
}

/** Encodings that are not known, and delimiters that cannot be one. */
function inInput({ input }: Given): YamlFinding[] {
  if (!isRecord(input)) return [];
  const { encoding, delimiter } = input;
  const problems = {
    encoding: isGiven(encoding) ? whyNoEncoding(encoding) : undefined,
    delimiter: isGiven(delimiter) ? whyNoDelimiter(delimiterOf(delimiter)) : undefined,
  };
  return Object.entries(problems).flatMap(([key, why]) =>
    why === undefined ? [] : [{ path: ["input", key], message: `: ${why}` }],
  );
}

function isGiven(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function inMember(member: Given, path: YamlPath, nullValues: Nulls): YamlFinding[] {
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

const day = toDate(["yyyy-MM-dd"]);
const instant = toDatetime(["iso"], "UTC");

/** What each type gives, in words, and whether a value is it. What is not here can be any JSON. */
const kinds: Readonly<Record<string, { readonly wanted: string; is(given: unknown): boolean }>> = {
  string: { wanted: "text in quotes", is: (given) => typeof given === "string" },
  integer: { wanted: "a whole number", is: Number.isInteger },
  number: { wanted: "a number", is: (given) => typeof given === "number" },
  decimal: {
    wanted: 'a decimal number in quotes, such as "0.50"',
    is: (given) => typeof given === "string" && canonicalDecimal(given) === given,
  },
  boolean: { wanted: "true or false", is: (given) => typeof given === "boolean" },
  date: { wanted: "a day such as 2024-05-31", is: (given) => staysSame(day, given) },
  datetime: {
    wanted: "a time such as 2024-05-31T12:30:00.000Z",
    is: (given) => staysSame(instant, given),
  },
  list: { wanted: "a list", is: Array.isArray },
};

function staysSame(convert: ReturnType<typeof toDate>, given: unknown): boolean {
  const converted = typeof given === "string" ? convert(given) : undefined;
  return converted?.kind === "value" && converted.value === given;
}

/**
 * What is wrong with a `default` or `otherwise` that is not of the `type` of its member; undefined if it is,
 * or if there is no type. It may be out of bounds, as it can stand for an unknown value.
 */
function describeTypeMismatch({ type }: Given, given: unknown): string | undefined {
  const kind = Object.hasOwn(kinds, String(type)) ? kinds[String(type)] : undefined;
  if (given === undefined || given === null || kind === undefined || kind.is(given)) {
    return undefined;
  }
  const shown = cutTo(maxShownCharacters, quoteWhole(given as string | object));
  return `${shown} is not what type: ${type} gives: write ${kind.wanted}, or null`;
}

const maxShownCharacters = 200;

function inValue(spec: Given, path: YamlPath, nullValues: Nulls): YamlFinding[] {
  return [
    ...inTransform(spec, path),
    ...inChecks(spec, path),
    ...findNullValues(spec, path, nullValues),
  ];
}

function inTransform({ transform }: Given, path: YamlPath): YamlFinding[] {
  const ofStep = (at: number) => (Array.isArray(transform) ? [at] : []);
  return [transform].flat().flatMap((step: unknown, at) => {
    const replace = isRecord(step) && isRecord(step.replace) ? step.replace : {};
    const { pattern, with: replacement } = replace;
    if (typeof pattern !== "string") return [];
    const compiled = compileReplace(pattern, typeof replacement === "string" ? replacement : "");
    if (compiled.kind !== "problem") return [];
    const place = [...path, "transform", ...ofStep(at), "replace", compiled.at];
    return [{ path: place, message: compiled.message }];
  });
}

function inPattern(pattern: unknown, path: YamlPath): YamlFinding[] {
  const compiled = typeof pattern === "string" ? compilePattern(pattern) : undefined;
  return compiled?.kind === "problem" ? [{ path, message: compiled.message }] : [];
}

function inChecks(spec: Given, path: YamlPath): YamlFinding[] {
  const { timezone, true_values: trueValues, false_values: falseValues } = spec;
  const words = new Set(textsOf(trueValues).map(plainWord));
  const both = textsOf(falseValues).find((word) => words.has(plainWord(word)));
  const finding = (key: string, message: string) => [{ path: [...path, key], message }];
  return [
    ...inPattern(spec.pattern, [...path, "pattern"]),
    ...(both === undefined
      ? []
      : finding("false_values", `has ${JSON.stringify(both)}, which is among true_values too`)),
    ...(typeof timezone !== "string" || timezone === "" || isZone(timezone)
      ? []
      : finding("timezone", `${JSON.stringify(timezone)} is no time zone; ${zoneHint(timezone)}`)),
  ];
}

/** Only by name: an offset such as +02:00 can be wrong for half of the year. */
function isZone(name: string): boolean {
  return name === "UTC" || (/^[A-Z][A-Za-z]+\//.test(name) && luxon().IANAZone.isValidZone(name));
}

function zoneHint(name: string): string {
  const known = ["UTC", ...Intl.supportedValuesOf("timeZone")];
  const meant = suggest(name, known);
  return meant === undefined
    ? "use a name such as Europe/Amsterdam, or UTC"
    : `did you mean ${meant}?`;
}

/** Finds values that no cell ever equals, as they are null values: of a member, the kind of event, or list items. */
function findNullValues(spec: Given, path: YamlPath, nullValues: Nulls): YamlFinding[] {
  if (!isComparedAsIs(spec)) return [];
  const names = Object.keys(isRecord(spec.map) ? spec.map : {});
  const isText = (spec.type ?? "string") === "string";
  const lists = ["true_values", "false_values", ...(isText ? ["enum"] : [])];
  const compared = [
    ...names.map((text) => ({ text, at: ["map", text] })),
    ...lists.flatMap((key) => textsOf(spec[key]).map((text, at) => ({ text, at: [key, at] }))),
  ];
  return compared
    .filter(({ text }) => nullValues.has(text.trim()))
    .map(({ text, at }) => ({
      path: [...path, ...at],
      part: "key" as const,
      message: `never comes: ${quote(text.trim())} is among null_values, so a cell of it is blank; remove it there, or say here with default what a blank cell becomes`,
    }));
}

/** Whether a cell is compared as it is, apart from space around it. */
function isComparedAsIs({ transform, lookup, template }: Given): boolean {
  const steps = [transform ?? []].flat();
  return lookup === undefined && template === undefined && steps.every((step) => step === "trim");
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}
