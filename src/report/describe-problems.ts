import { count, grouped, sum } from "../model/quantities.ts";
import type { ReportedRun, ResultsAccount } from "./reported-run.ts";
import { notSucceeded } from "./verdict.ts";

/** How much there is of what did not succeed, and of which lines that is said. */
export function describeProblems(run: ReportedRun, found: ResultsAccount): string {
  const { groups, ungrouped } = found.problems;
  const listed = sum(groups.map((group) => group.count)) + ungrouped;
  const counted = notSucceeded(run);
  const isComplete = run.exit_reason === "complete";
  if (listed === 0) return isComplete ? nothing(counted, found) : nothingSoFar(run, counted);
  const later = isComplete || counted <= listed ? "" : ` ${stillToCome(counted - listed, "more")}`;
  const places =
    run.kind === "retry"
      ? " Rows and lines are those of the original input, as in the columns import_row and import_line."
      : "";
  return `Lines of the results file, those that say the same together; in what differs from one to the next, # stands for a number and ‹…› for an id or the like.${places}${later}`;
}

function nothing(counted: number, { problem }: ResultsAccount): string {
  if (counted > 0) {
    return `Nothing in the results file as it is now, but ${grouped(counted)} when the run ended.`;
  }
  return problem === undefined
    ? "Nothing: every line of the results file succeeded or was skipped."
    : "Nothing in what could be read of the results file.";
}

function nothingSoFar({ counts }: ReportedRun, counted: number): string {
  if (counted > 0) {
    return `Nothing in the results file so far. ${stillToCome(counted, "that did not succeed")}`;
  }
  const { not_sent: notSent = 0 } = counts;
  if (notSent === 0) return "Nothing so far.";
  return `Nothing so far; ${grouped(notSent)} ${notSent === 1 ? "was" : "were"} not reached.`;
}

/** Lines come in input order, so one that ended early waits for those before it. */
function stillToCome(lines: number, which: string): string {
  return `${count(lines, "line")} ${which} ${lines === 1 ? "waits" : "wait"} for others before ${lines === 1 ? "it" : "them"}, and will be in the results file when the run has gone on.`;
}
