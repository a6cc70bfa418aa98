import { plainDecimal, withoutExponent } from "../model/decimal.ts";
import type { Json } from "../model/event.ts";
import { count, listed } from "../model/quantities.ts";
import { quote } from "../model/row.ts";
import { type Coerce, isValue, Misfit, maxShownValues, toBoolean, toJson } from "./coerce.ts";
import { type Columns, isBlank, trimmed } from "./columns.ts";
import {
  canonicalDecimal,
  compareDecimals,
  compileScale,
  isExactNumber,
  isNumber,
  plainNumber,
} from "./numbers.ts";
import { compilePattern, tooLong } from "./pattern.ts";
import { toDate, toDatetime } from "./to-date.ts";
import { compileTransform } from "./transform.ts";
import type { ConversionSpec, TextFormat } from "./value-schema.ts";

/** Compiles a function from a text that is not blank to its value. */
export function compileConversion(spec: ConversionSpec, nulls: NullValues): Coerce {
  const convert = compileType(spec, nulls);
  const checks = compileChecks(spec);
  if (checks.length === 0) return convert;
  return (text) => {
    const converted = convert(text);
    if (!isValue(converted)) return converted;
    for (const check of checks) {
      const problem = check(converted);
      if (problem !== undefined) return problem;
    }
    return converted;
  };
}

/** Null values count as blank, so list items among them are left out. */
type NullValues = Pick<Columns, "unlessNull">;

function compileType(spec: ConversionSpec, nulls: NullValues): Coerce {
  const { type = "string", pivot_year: pivotYear } = spec;
  const formats = [spec.format ?? []].flat();
  switch (type) {
    case "string":
      return (text) => text;
    case "integer":
    case "number":
    case "decimal":
      return toNumber(spec);
    case "boolean":
      return toBoolean(spec.true_values, spec.false_values);
    case "date":
      return toDate(formats, pivotYear);
    case "datetime":
      return toDatetime(formats, spec.timezone ?? "UTC", pivotYear);
    case "list":
      return toList(spec, nulls);
    case "json":
      return toJson;
    default:
      return type satisfies never;
  }
}

/**
 * Converts numbers as the file writes them, multiplied by `scale` if there is one: `integer` and `number` to
 * numbers that JavaScript does not change, `decimal` to text with every digit.
 */
function toNumber(spec: ConversionSpec): Coerce {
  const { type, scale, thousands_separator: thousandsSeparator } = spec;
  // An integer needs no sign before a fraction, so a point can separate thousands.
  const isPointTaken = type === "integer" && thousandsSeparator === ".";
  const decimalSeparator = spec.decimal_separator ?? (isPointTaken ? "," : ".");
  const plain = plainNumber({ decimalSeparator, thousandsSeparator });
  const multiply = scale === undefined ? undefined : compileScale(scale);
  const mayBeComma = decimalSeparator === "." && thousandsSeparator !== ",";
  const form = formOfNumbers(decimalSeparator);
  const whyNot = (cell: string, noun: string) =>
    `is not a ${noun} (${form})${mayBeComma ? orComma(cell) : ""}`;

  /** What is no decimal is refused as it is. */
  const scaled = (digits: string): string => {
    if (multiply === undefined) return digits;
    const isWithExponent = type === "number" && /^[+-]?[\d.]+e[+-]?\d+$/i.test(digits);
    const decimal = canonicalDecimal(
      isWithExponent && isExactNumber(digits) ? withoutExponent(Number(digits)) : digits,
    );
    return decimal === undefined ? digits : multiply(decimal);
  };
  return (cell) => {
    const digits = scaled(plain(trimmed(cell)) ?? "");
    if (type === "decimal") {
      const decimal = canonicalDecimal(digits);
      return decimal === undefined
        ? new Misfit("not_a_decimal", whyNot(cell, "decimal number"))
        : decimal;
    }
    if (type === "number") {
      if (!isNumber(digits)) return new Misfit("not_a_number", whyNot(cell, "number"));
      return isExactNumber(digits)
        ? Number(digits)
        : new Misfit("not_a_number", `${inexact}: use type: decimal, or ${adviceText}`);
    }
    const whole = scale === undefined ? digits : digits.replace(/^([+-]?\d+)\.0+$/, "$1");
    if (/^[+-]?\d+$/.test(whole)) {
      return isExactNumber(whole)
        ? Number(whole)
        : new Misfit("not_an_integer", `${inexact}: ${adviceText}`);
    }
    if (scale === undefined) return new Misfit("not_an_integer", "is not a whole number");
    const isNone = canonicalDecimal(digits) === undefined;
    const why = `is not a whole number when multiplied by ${scale}`;
    return new Misfit("not_an_integer", isNone ? whyNot(cell, "number") : why);
  };
}

const inexact = "is too large, too small or too long for an exact number";
const adviceText = "map the column as text (type: string)";

/** The form of numbers, for messages. */
export function formOfNumbers(decimalSeparator: "." | ","): string {
  return decimalSeparator === ","
    ? "digits with a comma, such as 12,5"
    : "digits with a point, such as 12.5";
}

/** Half of the world writes a decimal comma. */
function orComma(cell: string): string {
  const isLikely = /^[+-]?[\d. ]*\d,\d+$/.test(cell.trim());
  return isLikely ? '; if the comma is the decimal one, add decimal_separator: ","' : "";
}

function toList({ separator = "", items = {} }: ConversionSpec, nulls: NullValues): Coerce {
  const transform = compileTransform(items.transform);
  const convert = compileConversion(items, nulls);
  return (cell) => {
    const list: Json[] = [];
    for (const part of splitList(cell, separator)) {
      const written = nulls.unlessNull(part.trim());
      const item = transform === undefined ? written : transform(written);
      if (item === undefined) return tooLong;
      if (isBlank(item)) continue;
      const converted = convert(item);
      if (converted instanceof Misfit) {
        return new Misfit(converted.code, `holds ${quote(item)}, which ${converted.message}`);
      }
      if (converted !== undefined) list.push(converted);
    }
    return list.length === 0 ? undefined : list;
  };
}

/**
 * Splits a cell into list items. An item in quotes may contain the separator, and a doubled quote stands
 * for one (RFC 4180). A cell whose quotes do not fit that is split at every separator.
 */
export function splitList(cell: string, separator: string): string[] {
  if (!cell.includes('"') || separator.includes('"')) return cell.split(separator);
  const items: string[] = [];
  let at = 0;
  for (;;) {
    const start = skipSpace(cell, at, separator);
    if (cell[start] !== '"') {
      const end = cell.indexOf(separator, at);
      items.push(cell.slice(at, end < 0 ? undefined : end));
      if (end < 0) return items;
      at = end + separator.length;
      continue;
    }
    const close = closingQuote(cell, start + 1);
    if (close < 0) return cell.split(separator);
    items.push(cell.slice(start + 1, close).replaceAll('""', '"'));
    const after = skipSpace(cell, close + 1, separator);
    if (after === cell.length) return items;
    if (!cell.startsWith(separator, after)) return cell.split(separator);
    at = after + separator.length;
  }
}

function skipSpace(cell: string, from: number, separator: string): number {
  let at = from;
  while (at < cell.length && !cell.startsWith(separator, at) && /\s/.test(cell[at] ?? "")) at++;
  return at;
}

function closingQuote(cell: string, from: number): number {
  let at = cell.indexOf('"', from);
  while (at >= 0 && cell[at + 1] === '"') at = cell.indexOf('"', at + 2);
  return at;
}

type ValueCheck = (value: Json) => Misfit | undefined;

function compileChecks(spec: ConversionSpec): ValueCheck[] {
  const checks: ValueCheck[] = [];
  const add = (code: string, find: (value: Json) => string | undefined) => {
    checks.push((value) => {
      const message = find(value);
      return message === undefined ? undefined : new Misfit(code, message);
    });
  };
  const { format, pattern, min, max, enum: allowed } = spec;
  const { min_length: minLength = 0, max_length: maxLength = Number.POSITIVE_INFINITY } = spec;
  if ((spec.type ?? "string") === "string" && format !== undefined) {
    const find = checkText[format as TextFormat];
    add("wrong_format", (value) => find(String(value)));
  }
  if (pattern !== undefined) {
    const compiled = compilePattern(pattern);
    // The loader refuses invalid patterns.
    if (compiled.kind === "problem") throw new Error(compiled.message);
    const message = `does not match the pattern ${pattern}`;
    checks.push((value) => {
      const matches = compiled.test(String(value));
      if (matches === true) return undefined;
      return matches === false ? new Misfit("wrong_format", message) : tooLong;
    });
  }
  if (minLength > 0 || maxLength < Number.POSITIVE_INFINITY) {
    add("wrong_length", (value) => {
      // An emoji is one character, not two.
      const length = [...String(value)].length;
      if (length < minLength) return `has ${count(length, "character")}, fewer than ${minLength}`;
      return length > maxLength
        ? `has ${count(length, "character")}, more than ${maxLength}`
        : undefined;
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
      type === "string" ? text : (plainDecimal(writtenOutText(text)) ?? text);
    const known = new Set(allowed.map(comparable));
    const shown = listed(allowed, maxShownValues, quote);
    add("unknown_value", (value) =>
      known.has(comparable(String(value))) ? undefined : `is not one of ${shown}`,
    );
  }
  return checks;
}

/** Negative if a value is less than the bound. Decimals are text, and every digit counts. */
function comparisonWith(bound: number): (value: Json) => number {
  const exact = withoutExponent(bound);
  return (value) =>
    typeof value === "string" ? compareDecimals(value, exact) : Number(value) - bound;
}

/** Writes `1.5e3` as `1500`, and leaves a number without an exponent as it is. */
function writtenOutText(number: string): string {
  return /e/i.test(number) ? withoutExponent(Number(number)) : number;
}

/** What is wrong with a text in a format; undefined if nothing is. */
const checkText = {
  email: (text: string) =>
    text.length <= maxAddressLength && /^[^\s@<>()[\],;:"\\]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text)
      ? undefined
      : "is not an email address",
  url: (text: string) =>
    urlForm.test(text) && !/\s/.test(text) && URL.canParse(text)
      ? undefined
      : "is not a URL that begins with https:// or http://",
} satisfies Record<TextFormat, (text: string) => string | undefined>;

/** Limits the host name: URL.canParse is slow for one of 100 kB that is not ASCII. */
const urlForm = /^https?:\/\/[\\/]*[^\\/?#]{0,1000}(?:[\\/?#]|$)/i;

/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const maxAddressLength = 254;
