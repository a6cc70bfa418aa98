/** Whether one decimal number, written out with every digit, is less, the same or more than another. */
export function compareDecimals(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  if (a.sign !== b.sign) return a.sign - b.sign;
  return a.sign * compareDigits(a, b);
}

/** The same number always as the same text: `1.50` as `1.5`, `-0` as `0`. */
export function plainDecimal(decimal: string): string {
  const { sign, whole, fraction } = partsOf(decimal);
  const digits = fraction === "" ? whole || "0" : `${whole || "0"}.${fraction}`;
  return sign < 0 ? `-${digits}` : digits;
}

/** A number without the exponent that JavaScript writes for large and small ones. */
export function writtenOut(number: number): string {
  const [mantissa = "", exponent] = String(number).split("e");
  if (exponent === undefined) return mantissa;
  const { sign, whole, fraction } = partsOf(mantissa);
  const point = whole.length + Number(exponent);
  const digits = "0".repeat(Math.max(0, -point)) + whole + fraction;
  const at = Math.max(0, point);
  const padded = digits.padEnd(at, "0");
  return `${sign < 0 ? "-" : ""}${padded.slice(0, at) || "0"}.${padded.slice(at) || "0"}`;
}

interface Parts {
  /** Of zero, 0. */
  readonly sign: -1 | 0 | 1;
  /** Without zeros at its beginning. */
  readonly whole: string;
  /** Without zeros at its end. */
  readonly fraction: string;
}

function partsOf(decimal: string): Parts {
  const [, minus = "", whole = "", fraction = ""] =
    /^([+-]?)0*((?:[1-9]\d*)?)(?:\.(\d*))?$/.exec(decimal) ?? [];
  let end = fraction.length;
  while (fraction.charAt(end - 1) === "0") end--;
  const isZero = whole === "" && end === 0;
  return { sign: isZero ? 0 : minus === "-" ? -1 : 1, whole, fraction: fraction.slice(0, end) };
}

function compareDigits(a: Parts, b: Parts): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length;
  if (a.whole !== b.whole) return a.whole < b.whole ? -1 : 1;
  return a.fraction === b.fraction ? 0 : a.fraction < b.fraction ? -1 : 1;
}
