import type { z } from "zod";
import { quote } from "../model/row.ts";
import { describeUnknownKey, suggest } from "../model/suggest.ts";
import type { YamlFinding, YamlPath } from "../model/yaml-document.ts";

export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  content: unknown,
  schema: z.core.$ZodType,
): YamlFinding[] {
  return issues.flatMap((issue) => describeOne(issue, content, schema));
}

function describeOne(
  issue: z.core.$ZodIssue,
  content: unknown,
  schema: z.core.$ZodType,
): YamlFinding[] {
  const { path } = issue;
  const given = givenAt(content, path);
  switch (issue.code) {
    case "unrecognized_keys":
      // readYaml reports __proto__ wherever it is.
      return issue.keys
        .filter((key) => key !== "__proto__")
        .map((key) => {
          const message = describeKey(key, keysAt(schema, path), path);
          return { path: [...path, key], part: "key" as const, message };
        });
    case "invalid_value": {
      const allowed = issue.values.map(String);
      if (given === undefined) return [{ path, message: `is missing: write ${choices(allowed)}` }];
      if (typeof given === "string" && keysAt(schema, path).includes(given)) {
        return [{ path, message: `${quote(given)} is not complete: write { ${given}: … }` }];
      }
      const meant = typeof given === "string" ? suggest(given, allowed) : undefined;
      const hint = meant === undefined ? `use ${choices(allowed)}` : `did you mean ${meant}?`;
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
        describeOne({ ...inner, path: [...path, ...inner.path] }, content, schema),
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
  const meant = formMeant(kinds, given, keys);
  if (words.length === 0 || words.length > 2) return `${shown(given)} cannot be used here${meant}`;
  const hint = given === null && kinds.includes("string") ? '; the word is written "null"' : "";
  return `needs ${words.join(" or ")}, not ${shown(given)}${hint}${meant}`;
}

function describeKey(key: string, known: readonly string[], path: YamlPath): string {
  if (path.length === 0 && ["event", "members"].includes(key)) {
    return "stands beside events: put it into a block of events, or remove events";
  }
  // `{ Action: A }` is how people write a condition.
  const isOfCondition = known.includes("not_in") && suggest(key, known) === undefined;
  return isOfCondition
    ? "is no key of a condition: write { column: …, in: […] }, and { all: […] } for several"
    : describeUnknownKey(key, known);
}

/** The form that is meant with a value of another kind, to be added to a message. */
function formMeant(kinds: readonly string[], given: unknown, keys: readonly string[]): string {
  if (kinds.includes("array") && typeof given === "string") return `: write [${given}]`;
  if (keys.includes("not_in"))
    return ": write { column: …, in: […] }, and { all: […] } for several";
  return Array.isArray(given) && keys.includes("columns") ? ": write { columns: […] }" : "";
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

function givenAt(content: unknown, path: readonly PropertyKey[]): unknown {
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

function choices(allowed: readonly string[]): string {
  const words = allowed.map((word) => (/^[\w-]+$/.test(word) ? word : quote(word)));
  return words.length === 1 ? (words[0] ?? "") : `one of ${words.join(", ")}`;
}
