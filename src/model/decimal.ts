/** A decimal number without an exponent, taken apart. */
export interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Without leading zeros. */
  readonly whole: string;
  /** Without trailing zeros. */
  readonly fraction: string;
}

/** Reads `-0012.50`; undefined if a text is no such number. */
export function readDecimal(text: string): Decimal | undefined {
  const [all, minus = "", zeros = "", whole = "", fraction = ""] =
    /^([+-]?)(0*)((?:[1-9]\d*)?)(?:\.(\d*))?$/.exec(text) ?? [];
  if (all === undefined || zeros + whole + fraction === "") return undefined;
  let end = fraction.length;
  while (fraction.charAt(end - 1) === "0") end--;
  const isZero = whole === "" && end === 0;
  return { sign: isZero ? 0 : minus === "-" ? -1 : 1, whole, fraction: fraction.slice(0, end) };
}

/** Equal numbers become equal texts: `+01.50` becomes `1.5`, `-0` becomes `0`. */
export function plainDecimal(text: string): string | undefined {
  const decimal = readDecimal(text);
  if (decimal === undefined) return undefined;
  const { sign, whole, fraction } = decimal;
  const digits = fraction === "" ? whole || "0" : `${whole || "0"}.${fraction}`;
  return sign < 0 ? `-${digits}` : digits;
}

/** A number without the exponent that JavaScript writes for large and small ones. */
export function withoutExponent(number: number): string {
  const [mantissa = "", exponent] = String(number).split("e");
  if (exponent === undefined) return mantissa;
  const sign = mantissa.startsWith("-") ? "-" : "";
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const power = Number(exponent);
  return power < 0
    ? `${sign}0.${"0".repeat(-power - 1)}${whole}${fraction}`
    : `${sign}${whole}${fraction.padEnd(power, "0")}`;
}
