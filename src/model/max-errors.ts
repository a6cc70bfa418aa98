/** How much may go wrong before a run stops: so many lines, or a share of the whole such as `5%`. */
export type MaxErrors = number | `${number}%`;

export interface ErrorBound {
  readonly kind: "count" | "share";
  /** A share is from 0 to 1. */
  readonly most: number;
}

/** Reads `100` or `5%`; undefined if it is neither. */
export function parseMaxErrors(given: MaxErrors | string | undefined): ErrorBound | undefined {
  const [, digits = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(String(given).trim()) ?? [];
  if (digits === "") return undefined;
  // The exponent goes into the reading, so that 29% is the number that 29 of 100 is.
  if (percent === "%") {
    const most = Number(`${digits}e-2`);
    // However few there are, 0% of them is none.
    return most <= 1 ? { kind: most === 0 ? "count" : "share", most } : undefined;
  }
  const most = Number(digits);
  return Number.isSafeInteger(most) ? { kind: "count", most } : undefined;
}

export function isMoreThan({ kind, most }: ErrorBound, errors: number, of: number): boolean {
  return kind === "count" ? errors > most : of > 0 && errors / of > most;
}
