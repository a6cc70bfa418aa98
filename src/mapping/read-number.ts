/** How numbers are written in a file. */
export interface NumberForm {
  /** What stands before the fraction. */
  readonly decimalSeparator: "." | ",";
  /** What may stand between groups of three digits. */
  readonly thousandsSeparator?: "." | "," | " " | "'" | undefined;
}

/**
 * A function that takes what a file has between groups of three digits out of a number, and puts a
 * point before its fraction; nothing where the groups are not of three digits, so that `12.34` never
 * becomes 1234.
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

/** A zero in front is no group: `0,500` is a fraction. Spaces that do not break are spaces too, and typographers write ’ for '. */
const groupings = {
  space: /^[+-]?[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+$/,
  apostrophe: /^[+-]?[1-9]\d{0,2}(?:['\u2019]\d{3})+$/,
  ".": /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+$/,
  ",": /^[+-]?[1-9]\d{0,2}(?:,\d{3})+$/,
} as const;

/** `0012.50` as `12.50`: the number of a decimal text as JSON would write it, with every digit. */
export function canonicalDecimal(plain: string): string | undefined {
  const [, sign = "", whole = "", fraction] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(plain) ?? [];
  if (whole === "" && (fraction ?? "") === "") return undefined;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  const number = fraction ? `${digits}.${fraction}` : digits;
  return sign === "-" && /[1-9]/.test(number) ? `-${number}` : number;
}
