import type { DoneRows } from "../../journal/done-rows.ts";
import { isMoreThan, type MaxErrors, parseMaxErrors } from "../../model/max-errors.ts";
import type { StatusCounts } from "../../model/outcome.ts";
import { count, grouped, sum } from "../../model/quantities.ts";
import type { StopController } from "../../model/stop.ts";

/** A share of fewer lines says little. */
const minForShare = 100;

/** Whether a line went wrong. What is blocked follows from these; what is skipped was not tried. */
const errorStatuses = ["rejected", "failed", "unknown", "invalid"] as const;

/** Ends a part of an account when more of its lines have gone wrong than may. @param counts its lines so far */
export function createErrorLimit(
  maxErrors: MaxErrors | undefined,
  stop: StopController,
  counts: Readonly<StatusCounts>,
  done: Pick<DoneRows, "upTo">,
) {
  const bound = parseMaxErrors(maxErrors);
  /**
   * The rows of invalid lines that do not count yet. A row is known to be invalid as soon as it is read, while those
   * before it are still on their way: in a share, a reader that is ahead would make it larger than it is.
   */
  const early: number[] = [];

  const judge = () => {
    if (bound === undefined || stop.signal.aborted) return;
    while (early.length > 0 && (early[0] ?? 0) <= done.upTo) early.shift();
    const errors = sum(errorStatuses.map((status) => counts[status])) - early.length;
    const of = counts.succeeded + errors;
    if (bound.kind === "share" && of < minForShare) return;
    if (!isMoreThan(bound, errors, of)) return;
    const found = `${grouped(errors)} of ${count(of, "line")} did not succeed`;
    const allowed = `more than --max-errors ${maxErrors} allows`;
    stop.abort({ code: "too_many_errors", message: `${found}, ${allowed}.` });
  };
  judge();

  return {
    /** Lines were added to the counts. */
    judge,
    /** A line of a row that was just read is invalid. */
    invalid(rowOfRun: number) {
      if (bound?.kind === "share") early.push(rowOfRun);
    },
  };
}
