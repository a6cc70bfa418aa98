import type { z } from "zod";
import { quote } from "../model/row.ts";
import { describeUnknownKey, suggest } from "../model/suggest.ts";
import { isRecord, type YamlFinding } from "../model/yaml-document.ts";
import { transformNames } from "./value-schema.ts";

/** Describes what the schema found, with what to write instead. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  content: unknown,
  schema: z.core.$ZodType,
): YamlFinding[] {
  return issues.flatMap((issue) => describe(issue, content, schema));
}

function describe(
  issue: z.core.$ZodIssue,
  content: unknown,
  schema: z.core.$ZodType,
): YamlFinding[] {
  const { path } = issue;
  const given = valueAt(content, path);
  switch (issue.code) {
    case "unrecognized_keys":
      // readYaml reports __proto__ wherever it is.
      return issue.keys
        .filter((key) => key !== "__proto__")
        .map((key) => {
          const known = keysAt(schema, path).filter((name) => name !== key);
          const isOfBlock = path.length === 0 && ["event", "members"].includes(key);
          const message = isOfBlock
            ? "stands beside events: put it into a block of events, or remove events"
            : (formOfKey(key, given, known, path) ?? describeUnknownKey(key, known));
          return { path: [...path, key], part: "key" as const, message };
        });
    case "invalid_value": {
      const allowed = issue.values.map(String);
      if (given === undefined) return [{ path, message: `is missing: write ${list(allowed)}` }];
      if (typeof given === "string" && keysAt(schema, path).includes(given)) {
        return [{ path, message: `${quote(given)} is not complete: write { ${given}: … }` }];
      }
      const meant = typeof given === "string" ? suggest(given, allowed) : undefined;
      const hint = meant === undefined ? `use ${list(allowed)}` : `did you mean ${meant}?`;
      const isOfAnotherKind = typeof given === "object" && given !== null;
      const why = isOfAnotherKind
        ? `cannot be ${shown(given)}`
        : `${shown(given)} is not known here`;
      return [{ path, message: `${why}; ${hint}` }];
    }
    case "invalid_type":
      return [{ path, message: needs([issue.expected], given, keysAt(schema, path)) }];
    case "invalid_union": {
      // The branch that is meant takes this kind of value. The others only say that a text is not a
      // mapping, or the other way round.
      const isOfAnotherKind = ({ code, path: at }: z.core.$ZodIssue) =>
        at.length === 0 &&
        (code === "invalid_type" || (code === "invalid_value" && typeof given === "object"));
      const branch = issue.errors.find((issues) => !issues.some(isOfAnotherKind));
      if (branch === undefined) {
        return [{ path, message: needs(kindsOf(issue.errors), given, keysAt(schema, path)) }];
      }
      return branch.flatMap((inner) =>
        describe({ ...inner, path: [...path, ...inner.path] }, content, schema),
      );
    }
    case "custom":
      return [
        { path, message: issue.message, part: issue.params?.part === "key" ? "key" : undefined },
      ];
    default:
      return [{ path, message: issue.message }];
  }
}

/** The kinds of value that the branches of a union ask for. */
function kindsOf(branches: readonly (readonly z.core.$ZodIssue[])[]): string[] {
  return branches.flatMap((issues) =>
    issues.flatMap((issue) =>
      issue.code === "invalid_type" && issue.path.length === 0 ? [issue.expected] : [],
    ),
  );
}

/** @param keys those of a mapping that could stand there */
function needs(kinds: readonly string[], given: unknown, keys: readonly string[]): string {
  const words = kinds.map((kind) => kindWords[kind] ?? kind);
  if (given === undefined) return `is missing: it needs ${words.join(" or ")}`;
  // If nearly every kind is allowed, a list of them does not help.
  const meant = formOfValue(kinds, given, keys);
  if (words.length === 0 || words.length > 2) return `${shown(given)} cannot be used here${meant}`;
  const hint = given === null && kinds.includes("string") ? '; the word is written "null"' : "";
  return `needs ${words.join(" or ")}, not ${shown(given)}${hint}${meant}`;
}

/** The form of a condition or a transform that is meant with a key; undefined if none is likely. */
function formOfKey(
  key: string,
  given: unknown,
  known: readonly string[],
  path: readonly PropertyKey[],
): string | undefined {
  if (path.at(-1) === "event" && ["method", "resource", "when"].includes(key)) {
    return "stands beside event, not in it: move it out";
  }
  if (known.includes("strip_prefix") && transformNames.some((name) => name === key)) {
    return `takes no argument: write ${key} without braces`;
  }
  if (!isOfConditions(known) || !isRecord(given)) return undefined;
  const { column = key, [key]: value, ...others } = given;
  const names = Object.keys(others);
  if (suggest(key, known) !== undefined) return undefined;
  if (names.length > 0) {
    // `{ Action: A, Plan: P }` is how people write that both have to be true.
    const isOfColumns = !names.some((name) => known.includes(name));
    return isOfColumns
      ? "is no key of a condition: write { all: [{ column: …, in: […] }, …] }"
      : undefined;
  }
  // `{ Action: { in: [A] } }`, `{ Action: A }`, or `{ column: Action, value: A }`.
  if (isRecord(value)) {
    const tests = Object.entries(value).filter(([name]) => known.includes(name));
    const keys = tests.map(([name, one]) => {
      return `${name}: ${Array.isArray(one) ? `[${flow(one)}]` : flow(one)}`;
    });
    const written = keys.length === 0 ? "in: […]" : keys.join(", ");
    return `is no key of a condition: write { column: ${flow(key)}, ${written} }`;
  }
  return `is no key of a condition: write { column: ${flow(column)}, in: [${flow(value)}] }`;
}

/** The form that is meant with a value of another kind, to be added to a message. */
function formOfValue(kinds: readonly string[], given: unknown, keys: readonly string[]): string {
  const isList = Array.isArray(given);
  if (!isList && typeof given !== "string") return "";
  if (kinds.includes("array") && !isList) return `: write [${flow(given)}]`;
  if (isOfConditions(keys)) {
    return isList ? ": combine conditions with { all: […] }" : ": write { column: …, in: […] }";
  }
  if (isList && keys.includes("columns")) return `: write { columns: [${flow(given)}] }`;
  return keys.includes("file") ? `: write { file: ${flow(given)}, key: …, value: … }` : "";
}

function isOfConditions(keys: readonly string[]): boolean {
  return keys.includes("not_in");
}

/** A value in YAML on one line; a list without its brackets. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return value.map(flow).join(", ");
  const text = String(value);
  return /^[\p{L}\p{N}_.-][\p{L}\p{N}_. -]*$/u.test(text) ? text : JSON.stringify(value);
}

const kindWords: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "a mapping of keys to values",
  record: "a mapping of names to values",
  string: "text",
};

/** The keys that a place of the file may have. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...rest] = path;
  switch (def.type) {
    case "optional":
      return keysAt(def.innerType, path);
    case "union":
      return [...new Set(def.options.flatMap((option) => keysAt(option, path)))];
    case "array":
      return key === undefined ? [] : keysAt(def.element, rest);
    case "record":
      return key === undefined ? [] : keysAt(def.valueType, rest);
    case "object": {
      if (key === undefined) return Object.keys(def.shape);
      const inner = Object.hasOwn(def.shape, key) ? def.shape[String(key)] : undefined;
      return inner === undefined ? [] : keysAt(inner, rest);
    }
    default:
      return [];
  }
}

function valueAt(content: unknown, path: readonly PropertyKey[]): unknown {
  let value = content;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function shown(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  return value === null ? "nothing" : String(value);
}

function list(allowed: readonly string[]): string {
  const words = allowed.map((word) => (/^[\w-]+$/.test(word) ? word : quote(word)));
  return words.length === 1 ? (words[0] ?? "") : `one of ${words.join(", ")}`;
}
