import { quote } from "../model/row.ts";
import { isExactNumber } from "./exact-number.ts";

interface Finding {
  readonly path: readonly (string | number)[];
  readonly part?: "key";
  readonly message: string;
}

type Given = Readonly<Record<string, unknown>>;

/**
 * Values that a mapping waits for and that can never come: those that are or count as blank, those that stand
 * there twice but for space around them, and words where numbers are compared.
 *
 * @param spec a member, the kind of event, or the items of a list
 * @param nullValues cells that count as blank
 */
export function findUnmetValues(
  spec: Given,
  path: Finding["path"],
  nullValues: ReadonlySet<string>,
): Finding[] {
  const names = isRecord(spec.values) ? Object.keys(spec.values) : [];
  const written = new Map<string, string>();
  return [
    ...names.flatMap((name) => {
      const twin = written.get(name.trim());
      if (twin === undefined) {
        written.set(name.trim(), name);
        return [];
      }
      const message = `is ${quote(twin)} but for space around it, which says nothing: remove one`;
      return [{ path: [...path, "values", name], part: "key" as const, message }];
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
  path: Finding["path"],
  nullValues: ReadonlySet<string>,
): Finding[] {
  const { type = "string" } = spec;
  const lists = ["true_values", "false_values", ...(type === "string" ? ["one_of"] : [])];
  const waitsFor: [string, (string | number)[]][] = [
    ...names.map((name): [string, (string | number)[]] => [name, ["values", name]]),
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
function blanks(spec: Given, path: Finding["path"]): Finding[] {
  const { type = "string" } = spec;
  const lists = ["true_values", "false_values", ...(type === "string" ? ["one_of"] : [])];
  return lists.flatMap((key) =>
    textsOf(spec[key]).flatMap((text, at) => {
      if (text.trim() !== "") return [];
      const message = `never comes: ${quote(text)} is a blank cell, which is not compared; remove it, or say with default what a blank cell becomes`;
      return [{ path: [...path, key, at], message }];
    }),
  );
}

function noNumbers({ type, one_of: allowed }: Given, path: Finding["path"]): Finding[] {
  if (type !== "integer" && type !== "number" && type !== "decimal") return [];
  return textsOf(allowed).flatMap((text, at) => {
    if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) && mayBeCompared(text))
      return [];
    const message = `${quote(text)} is no number, and nothing of type: ${type} is it: write it with a point, such as 12.5`;
    return [{ path: [...path, "one_of", at], message }];
  });
}

/** With an exponent, a number is compared as JavaScript has it. */
function mayBeCompared(text: string): boolean {
  return !/e/i.test(text) || isExactNumber(text);
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function isRecord(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
