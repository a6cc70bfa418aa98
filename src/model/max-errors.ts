/** How much may go wrong before a run stops. */
export type MaxErrors =
  /** So many. */
  | { readonly kind: "count"; readonly most: number }
  /** So large a part of the whole, from 0 to 1. */
  | { readonly kind: "share"; readonly most: number };

export type ParsedMaxErrors =
  | { readonly kind: "limit"; readonly limit: MaxErrors }
  | { readonly kind: "problem"; readonly message: string };

/** Reads `100` or `5%`. */
export function parseMaxErrors(text: string): ParsedMaxErrors {
  const [, digits = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  // The exponent goes into the reading, so that 29% is the number that 29 of 100 is.
  const limit: MaxErrors =
    percent === "%"
      ? { kind: "share", most: Number(`${digits}e-2`) }
      : { kind: "count", most: digits === "" ? Number.NaN : Number(digits) };
  return isMaxErrors(limit)
    ? { kind: "limit", limit }
    : {
        kind: "problem",
        message: `"${text}" is neither a whole number such as 100 nor a share such as 5%`,
      };
}

/** As it is written on a command line. */
export function maxErrorsText({ kind, most }: MaxErrors): string {
  return kind === "count" ? String(most) : `${Number((most * 100).toPrecision(12))}%`;
}

/** Whether it is one, whatever a program passed. */
export function isMaxErrors(value: MaxErrors): boolean {
  const { kind, most } = Object(value) as MaxErrors;
  switch (kind) {
    case "count":
      return Number.isSafeInteger(most) && most >= 0;
    case "share":
      return most >= 0 && most <= 1;
    default:
      kind satisfies never;
      return false;
  }
}

/** Whether so many errors of so many are more than allowed. */
export function isMoreThan({ kind, most }: MaxErrors, errors: number, of: number): boolean {
  return kind === "count" ? errors > most : of > 0 && errors / of > most;
}
