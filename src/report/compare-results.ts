import { type Ending, endingOrder, wordOf } from "../model/outcome.ts";
import { count, grouped } from "../model/quantities.ts";
import type { ReportedRun, ResultsAccount, UnreadResults } from "./reported-run.ts";

/** In what the results file differs from what the run wrote, each as a part of a sentence; nothing where it is the same. */
export function compareResults(run: ReportedRun, found: ResultsAccount | UnreadResults): string[] {
  if ("isMissing" in found) return [found.isMissing ? "it is not there" : found.problem];
  const { lines } = run.reconciliation;
  return [
    ...(found.problem === undefined ? [] : [found.problem]),
    ...(found.lines === lines
      ? []
      : [`${count(found.lines, "line")} instead of ${grouped(lines)}`]),
    ...differingEndings(run, found).map(
      (ending) =>
        `${grouped(found.counts[ending])} ${wordOf(ending)} instead of ${grouped(run.counts[ending] ?? 0)}`,
    ),
    ...(found.unreadable === 0
      ? []
      : [`${count(found.unreadable, "line")} of which the status cannot be made out`]),
  ];
}

/** Statuses of which the file has more or fewer; of a run that stopped that cannot be told, as not all are in it yet. */
export function differingEndings(run: ReportedRun, { counts }: ResultsAccount): Ending[] {
  if (run.exit_reason !== "complete") return [];
  return endingOrder.filter(
    (ending) => ending !== "not_sent" && counts[ending] !== (run.counts[ending] ?? 0),
  );
}
