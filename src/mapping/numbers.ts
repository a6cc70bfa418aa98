import { type Decimal, readDecimal, withoutExponent } from "../model/decimal.ts";

export interface NumberForm {
  readonly decimalSeparator: "." | ",";
  readonly thousandsSeparator?: "." | "," | " " | "'" | undefined;
}

/**
 * A function that removes thousands separators from a number and writes a decimal point. It returns
 * undefined if a group has not three digits, so that `12.34` never becomes 1234.
 */
export function plainNumber(form: NumberForm): (text: string) => string | undefined {
  const { decimalSeparator, thousandsSeparator: between } = form;
  if (between === undefined && decimalSeparator === ".") return (text) => text;
  const grouping =
    between === undefined
      ? undefined
      : groupings[between === " " ? "space" : between === "'" ? "apostrophe" : between];
  return (text) => {
    const [, digits = "", exponent = ""] = /^(.*?)(e[+-]?\d+)?$/is.exec(text) ?? [];
    const at = digits.lastIndexOf(decimalSeparator);
    const whole = at < 0 ? digits : digits.slice(0, at);
    const fraction = at < 0 ? "" : `.${digits.slice(at + 1)}`;
    if (/^[+-]?\d*$/.test(whole)) return whole + fraction + exponent;
    if (grouping?.test(whole) !== true) return undefined;
    return whole.replaceAll(/[^\d+-]/g, "") + fraction + exponent;
  };
}

/** `0,500` is a fraction: no group begins with 0. Non-breaking spaces are spaces too, and ’ is an apostrophe. */
const groupings = {
  space: /^[+-]?[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+$/,
  apostrophe: /^[+-]?[1-9]\d{0,2}(?:['\u2019]\d{3})+$/,
  ".": /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$/,
  ",": /^[+-]?[1-9]\d{0,2}(?:,\d{3})+$/,
} as const;

/** Whether a text is a number with a point, perhaps with an exponent. */
export function isNumber(plain: string): boolean {
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain);
}

/** Writes a decimal as JSON does, with every digit: `0012.50` becomes `12.50`. */
export function canonicalDecimal(plain: string): string | undefined {
  const [, sign = "", whole = "", fraction] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(plain) ?? [];
  if (whole === "" && (fraction ?? "") === "") return undefined;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const number = fraction ? `${digits}.${fraction}` : digits;
  return sign === "-" && /[1-9]/.test(number) ? `-${number}` : number;
}

/** A function that multiplies a decimal without an exponent by a factor, exactly. */
export function compileScale(scale: number): (decimal: string) => string {
  const { sign, whole, fraction } = decimalOf(withoutExponent(scale));
  const digits = whole + fraction;
  const significant = digits.replace(/0+$/, "");
  const factor = BigInt(significant);
  // The factor of 0.05 is 5, which moves the point two places to the left.
  const places = digits.length - significant.length - fraction.length;
  return (decimal) => {
    const isNegative = decimal.startsWith("-") !== sign < 0;
    const [, before = "", after = ""] = /^[+-]?(\d*)\.?(\d*)$/.exec(decimal) ?? [];
    const product = String(BigInt(before + after) * factor);
    const decimals = after.length - places;
    const padded = product.padStart(decimals + 1, "0") + "0".repeat(Math.max(0, -decimals));
    const point = padded.length - Math.max(0, decimals);
    const number = `${padded.slice(0, point)}.${padded.slice(point)}`;
    return canonicalDecimal(isNegative ? `-${number}` : number) ?? "";
  };
}

/**
 * Whether JavaScript reads a decimal literal as exactly that number. A number has about 17 digits: a
 * literal with more, or with a digit that the number cannot have, becomes another one. The 17 digits
 * that programs write for a binary fraction count as exact.
 */
export function isExactNumber(literal: string): boolean {
  // So few digits are always exact, and most numbers have no more.
  if (literal.length < 16 && !/e/i.test(literal)) return true;
  const number = Number(literal);
  if (!Number.isFinite(number)) return false;
  // Beyond 2^53, neighbouring integers coincide.
  if (!/e/i.test(literal) && Math.abs(number) > Number.MAX_SAFE_INTEGER) return false;
  const wanted = digitsOf(literal);
  if (number === 0) return wanted === "";
  if (wanted.length > maxDigits) return false;
  return (
    digitsOf(String(number)) === wanted ||
    digitsOf(number.toPrecision(Math.max(1, wanted.length))) === wanted
  );
}

const maxDigits = 17;

function digitsOf(literal: string): string {
  const [mantissa = ""] = literal.toLowerCase().split("e");
  return mantissa
    .replace(/[^\d]/g, "")
    .replace(/^0+/, "")
    .replace(/(?<!0)0+$/, "");
}

const zero: Decimal = { sign: 0, whole: "", fraction: "" };

function decimalOf(text: string): Decimal {
  return readDecimal(text) ?? zero;
}

/** Compares two decimals without exponents, as a sort does. */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  return a.sign * compareDigits(a, b);
}

function compareDigits(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1;
  return a.fraction === b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1;
}
