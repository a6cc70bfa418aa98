import type { Json } from "../model/json.ts";
import { quote } from "../model/row.ts";
import { isBlank } from "./blank.ts";
import { checkText } from "./check-text.ts";
import {
  type Coerce,
  type Coerced,
  firstOf,
  refused,
  toBoolean,
  toDecimal,
  toInteger,
  toJson,
  toNumber,
  valued,
  whyInexact,
} from "./coerce.ts";
import type { Columns } from "./columns.ts";
import { compareDecimals, plainDecimal, writtenOut } from "./compare-decimals.ts";
import { isExactNumber } from "./exact-number.ts";
import { compilePattern } from "./match-pattern.ts";
import { plainNumber } from "./read-number.ts";
import { toDate, toDatetime } from "./to-date.ts";
import { compileTransform, tooManySteps } from "./transform.ts";
import type { TextFormat } from "./value-rules.ts";
import type { ConversionSpec } from "./value-schema.ts";

/**
 * One function from a text that is not blank to the value that a mapping makes of it.
 *
 * @param lastDay what no year of two digits makes later
 */
export function compileConversion(
  spec: ConversionSpec,
  nulls: NullValues,
  lastDay?: string,
): Coerce {
  const convert = compileType(spec, nulls, lastDay);
  const checks = compileChecks(spec);
  if (checks.length === 0) return convert;
  return (text) => {
    const converted = convert(text);
    if (converted.kind !== "value") return converted;
    for (const check of checks) {
      const problem = check(converted.value);
      if (problem !== undefined) return problem;
    }
    return converted;
  };
}

/** What counts as blank: also an item of a list that is among it is left out. */
type NullValues = Pick<Columns, "unlessNull">;

function compileType(spec: ConversionSpec, nulls: NullValues, lastDay: string | undefined): Coerce {
  const { type = "string", decimal_separator: decimalSeparator = "." } = spec;
  const form = { decimalSeparator, thousandsSeparator: spec.thousands_separator };
  const such =
    decimalSeparator === ","
      ? "digits with a comma, such as 12,5"
      : "digits with a point, such as 12.5";
  const formats = [spec.format ?? []].flat();
  switch (type) {
    case "string":
      return valued;
    case "integer":
      // Without a fraction, a point may stand between thousands.
      return toInteger(
        plainNumber({ ...form, decimalSeparator: spec.thousands_separator === "." ? "," : "." }),
      );
    case "number":
      return toNumber(plainNumber(form), such);
    case "decimal": {
      const toText = toDecimal(plainNumber(form), such);
      return spec.as === "number" ? asNumber(toText) : toText;
    }
    case "boolean":
      return toBoolean(spec.true_values, spec.false_values);
    case "date":
      return toDate(formats, lastDay);
    case "datetime":
      return toDatetime(formats, spec.timezone ?? "UTC", lastDay);
    case "list":
      return toList(spec, nulls, lastDay);
    case "json":
      return toJson;
    default:
      return type satisfies never;
  }
}

function asNumber(toText: Coerce): Coerce {
  return (cell) => {
    const decimal = toText(cell);
    if (decimal.kind !== "value") return decimal;
    const text = String(decimal.value);
    return isExactNumber(text)
      ? valued(Number(text))
      : refused("not_a_decimal", `${whyInexact(text)}: use as: text`);
  };
}

function toList(
  { separator = "", items = {} }: ConversionSpec,
  nulls: NullValues,
  lastDay: string | undefined,
): Coerce {
  const transform = compileTransform(items.transform);
  const convert = compileConversion(items, nulls, lastDay);
  return (cell) => {
    const list: Json[] = [];
    for (const part of cell.split(separator)) {
      const written = nulls.unlessNull(part.trim());
      const item = transform === undefined ? written : transform(written);
      if (item === undefined) return refused(tooManySteps.code, tooManySteps.message);
      if (isBlank(item)) continue;
      const converted = convert(item);
      if (converted.kind === "problem") {
        return refused(converted.code, `holds ${quote(item)}, which ${converted.message}`);
      }
      if (converted.kind === "value") list.push(converted.value);
    }
    return list.length === 0 ? { kind: "blank" } : valued(list);
  };
}

type Check = (value: Json) => Extract<Coerced, { kind: "problem" }> | undefined;

function compileChecks(spec: ConversionSpec): Check[] {
  const checks: Check[] = [];
  const add = (code: ProblemKind["code"], find: (value: Json) => string | undefined) => {
    checks.push((value) => {
      const message = find(value);
      return message === undefined ? undefined : { kind: "problem", code, message };
    });
  };
  const { format, pattern, min, max, one_of: allowed } = spec;
  const { min_length: shortest = 0, max_length: longest = Number.POSITIVE_INFINITY } = spec;
  if ((spec.type ?? "string") === "string" && format !== undefined) {
    const find = checkText[format as TextFormat];
    add("wrong_format", (value) => find(String(value)));
  }
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    // The loader has refused every other pattern.
    if (compiled.kind === "problem") throw new Error(compiled.message);
    const message = `does not match the pattern ${pattern}`;
    add("wrong_format", (value) => (compiled.test(String(value)) ? undefined : message));
  }
  if (shortest > 0 || longest < Number.POSITIVE_INFINITY) {
    add("wrong_length", (value) => {
      const length = lengthOf(String(value));
      if (length < shortest) return `has ${characters(length)}, fewer than ${shortest}`;
      return length > longest ? `has ${characters(length)}, more than ${longest}` : undefined;
    });
  }
  if (min !== undefined) {
    const compare = comparisonWith(min);
    add("out_of_range", (value) => (compare(value) < 0 ? `is less than ${min}` : undefined));
  }
  if (max !== undefined) {
    const compare = comparisonWith(max);
    add("out_of_range", (value) => (compare(value) > 0 ? `is more than ${max}` : undefined));
  }
  if (allowed !== undefined) {
    const { type = "string" } = spec;
    const comparable = (text: string) =>
      type === "string" ? text : plainDecimal(writtenOutText(text));
    const known = new Set(allowed.map(comparable));
    const shown = firstOf(allowed);
    add("unknown_value", (value) =>
      known.has(comparable(String(value))) ? undefined : `is not one of ${shown}`,
    );
  }
  return checks;
}

/** Less than 0 where a value is less than a bound; decimals are texts, of which every digit counts. */
function comparisonWith(bound: number): (value: Json) => number {
  const exact = writtenOut(bound);
  return (value) =>
    typeof value === "string" ? compareDecimals(value, exact) : Number(value) - bound;
}

/** `1.5e3` as `1500`; a decimal, which has no exponent, as it is. */
function writtenOutText(number: string): string {
  return /e/i.test(number) ? writtenOut(Number(number)) : number;
}

type ProblemKind = Extract<Coerced, { kind: "problem" }>;

/** Characters as people count most of them: an emoji is one, and not two. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function characters(count: number): string {
  return count === 1 ? "1 character" : `${count} characters`;
}
