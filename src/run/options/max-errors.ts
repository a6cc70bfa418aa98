import type { OutcomeStatus, StatusCounts } from "../../model/outcome.ts";

/** How much may go wrong before a run stops: so many lines, or a share of the whole such as `5%`. */
export type MaxErrors = number | `${number}%`;

export interface ErrorBound {
  readonly kind: "count" | "share";
  /** A share is from 0 to 1. */
  readonly most: number;
}

/** Reads `100` or `5%`; undefined if it is neither. */
export function parseMaxErrors(given: MaxErrors | string): ErrorBound | undefined {
  const [, digits = "", percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(String(given).trim()) ?? [];
  if (digits === "") return undefined;
  // The exponent goes into the reading, so that 29% is the number that 29 of 100 is.
  if (percent === "%") {
    const most = Number(`${digits}e-2`);
    return most <= 1 ? { kind: "share", most } : undefined;
  }
  const most = Number(digits);
  return Number.isSafeInteger(most) ? { kind: "count", most } : undefined;
}

/** As it is written on a command line. */
export function maxErrorsText({ kind, most }: ErrorBound): string {
  return kind === "count" ? String(most) : `${Number((most * 100).toPrecision(12))}%`;
}

/** Whether so many errors of so many are more than allowed. */
export function isMoreThan({ kind, most }: ErrorBound, errors: number, of: number): boolean {
  return kind === "count" ? errors > most : of > 0 && errors / of > most;
}

/** A share of fewer lines says little. */
const minForShare = 100;

/** The same of a part that sends. */
export function isTooMany(bound: ErrorBound, errors: number, of: number): boolean {
  return (bound.kind === "count" || of >= minForShare) && isMoreThan(bound, errors, of);
}

/** Whether a line went wrong. What is blocked follows from these; what is skipped was not tried. */
export function isError(status: OutcomeStatus): boolean {
  return ["rejected", "failed", "unknown", "invalid"].includes(status);
}

/** How many lines went wrong, of those that were tried. */
export function errorsIn({ succeeded, rejected, failed, unknown, invalid }: StatusCounts) {
  const errors = rejected + failed + unknown + invalid;
  return { errors, of: succeeded + errors };
}

/**
 * What to give as `--max-errors` so that a part which is resumed does not stop at once.
 *
 * @param counts what the part has come to
 * @returns undefined if it need not be given
 */
export function higherLimit(
  bound: ErrorBound | undefined,
  counts: StatusCounts,
): string | undefined {
  const { errors, of } = errorsIn(counts);
  if (bound === undefined || !isTooMany(bound, errors, of)) return undefined;
  if (bound.kind === "count") return String(2 * errors);
  return `${Math.min(100, Math.ceil((200 * errors) / of))}%`;
}
