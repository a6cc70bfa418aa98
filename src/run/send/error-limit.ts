import { type ErrorBound, isMoreThan, maxErrorsText } from "../../model/max-errors.ts";
import type { Outcome, OutcomeStatus, StatusCounts } from "../../model/outcome.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { StopController } from "../../model/stop.ts";

/** Ends a part of an account when more of it has gone wrong than may. */
export interface ErrorLimit {
  /** A row has been read, and will end. */
  read(): void;
  /** An event has its outcome. */
  settled(outcome: Outcome): void;
  /** A row has ended; these of its lines are invalid. */
  ended(invalid: readonly Outcome[]): void;
}

/** @param before what the part had come to when it was interrupted; undefined if it begins */
export function createErrorLimit(
  maxErrors: ErrorBound | undefined,
  stop: StopController,
  before: StatusCounts | undefined,
): ErrorLimit {
  if (maxErrors === undefined) return { read() {}, settled() {}, ended() {} };
  let { errors, of } = before === undefined ? { errors: 0, of: 0 } : errorsIn(before);
  const codes = new Map<string, number>();
  let rowsRead = 0;
  let rowsEnded = 0;
  /** Invalid rows whose turn has not come, and how many rows were before each. */
  const early: { readonly invalid: readonly Outcome[]; readonly rowsBefore: number }[] = [];

  const add = ({ status, errorCode = status }: Outcome) => {
    if (isError(status)) {
      errors++;
      codes.set(errorCode, (codes.get(errorCode) ?? 0) + 1);
    } else if (status !== "succeeded") return;
    of++;
  };
  const judge = () => {
    if (stop.signal.aborted || !isTooMany(maxErrors, errors, of)) return;
    const found = `${grouped(errors)} of ${count(of, "line")} did not succeed`;
    const allowed = `more than --max-errors ${maxErrorsText(maxErrors)} allows`;
    const [most] = [...codes].toSorted((one, other) => other[1] - one[1]);
    const since = before === undefined ? "" : " since it was resumed";
    const often = most === undefined ? "" : `; most often${since} ${most[0]} (${grouped(most[1])})`;
    stop.abort({
      code: "too_many_errors",
      message: `${found}, ${allowed}${often}. To continue, give a higher --max-errors.`,
    });
  };
  judge();

  return {
    read() {
      rowsRead++;
    },
    settled(outcome) {
      add(outcome);
      judge();
    },
    ended(invalid) {
      // A row is known to be invalid as soon as it is read, while those before it are still on their
      // way. In a share it counts when as many rows as were before it have ended: a reader that is
      // ahead would make it larger than it is.
      if (maxErrors.kind === "share" && invalid.length > 0) {
        early.push({ invalid, rowsBefore: rowsRead - 1 });
      } else {
        rowsEnded++;
        invalid.forEach(add);
      }
      for (let [next] = early; next !== undefined && next.rowsBefore <= rowsEnded; [next] = early) {
        early.shift();
        rowsEnded++;
        next.invalid.forEach(add);
      }
      judge();
    },
  };
}

/** A share of fewer lines says little. */
const minForShare = 100;

/** Whether a part that sends has so many errors that it stops. */
function isTooMany(bound: ErrorBound, errors: number, of: number): boolean {
  return (bound.kind === "count" || of >= minForShare) && isMoreThan(bound, errors, of);
}

/** Whether a line went wrong. What is blocked follows from these; what is skipped was not tried. */
function isError(status: OutcomeStatus): boolean {
  return ["rejected", "failed", "unknown", "invalid"].includes(status);
}

/** How many lines went wrong, of those that were tried. */
function errorsIn({ succeeded, rejected, failed, unknown, invalid }: StatusCounts) {
  const errors = rejected + failed + unknown + invalid;
  return { errors, of: succeeded + errors };
}
