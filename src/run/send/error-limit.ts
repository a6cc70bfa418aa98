import { isMoreThan, type MaxErrors, parseMaxErrors } from "../../model/max-errors.ts";
import type { Outcome, StatusCounts } from "../../model/outcome.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { StopController } from "../../model/stop.ts";

/** A share of fewer lines says little. */
const minForShare = 100;

/** Whether a line went wrong. What is blocked follows from these; what is skipped was not tried. */
const errorStatuses = ["rejected", "failed", "unknown", "invalid"] as const;

/**
 * Ends a part of an account when more of it has gone wrong than may.
 *
 * @param before what the part had come to when it was interrupted
 */
export function createErrorLimit(
  maxErrors: MaxErrors | undefined,
  stop: StopController,
  before: StatusCounts,
) {
  const bound = parseMaxErrors(maxErrors);
  let errors = errorStatuses.reduce((sum, status) => sum + before[status], 0);
  let of = before.succeeded + errors;
  let rowsRead = 0;
  let rowsEnded = 0;
  /** Invalid rows whose turn has not come, and how many rows were before each. */
  const early: { readonly invalid: number; readonly rowsBefore: number }[] = [];

  const add = (lines: number) => {
    errors += lines;
    of += lines;
  };
  const judge = () => {
    if (bound === undefined || stop.signal.aborted) return;
    if (bound.kind === "share" && of < minForShare) return;
    if (!isMoreThan(bound, errors, of)) return;
    const found = `${grouped(errors)} of ${count(of, "line")} did not succeed`;
    const allowed = `more than --max-errors ${maxErrors} allows`;
    stop.abort({
      code: "too_many_errors",
      message: `${found}, ${allowed}. To continue, resume with a higher one.`,
    });
  };
  judge();

  return {
    /** A row has been read, and will end. */
    read() {
      rowsRead++;
    },
    /** An event has its outcome. */
    settled({ status }: Pick<Outcome, "status">) {
      if (errorStatuses.some((one) => one === status)) add(1);
      else if (status === "succeeded") of++;
      judge();
    },
    /** A row has ended; so many of its lines are invalid. */
    ended(invalid: number) {
      // A row is known to be invalid as soon as it is read, while those before it are still on their
      // way. In a share it counts when as many rows as were before it have ended: a reader that is
      // ahead would make it larger than it is.
      if (bound?.kind === "share" && invalid > 0) {
        early.push({ invalid, rowsBefore: rowsRead - 1 });
      } else {
        rowsEnded++;
        add(invalid);
      }
      for (let [next] = early; next !== undefined && next.rowsBefore <= rowsEnded; [next] = early) {
        early.shift();
        rowsEnded++;
        add(next.invalid);
      }
      judge();
    },
  };
}
