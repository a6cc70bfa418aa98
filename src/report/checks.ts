import { eventStatuses, isDone, wordOf } from "../model/outcome.ts";
import { grouped, sum } from "../model/quantities.ts";
import {
  hasLostPart,
  isComplete,
  type Reported,
  type ReportedRun,
  settledOf,
} from "./reported-run.ts";

/** Numbers from different sources that have to be the same. */
export interface Check {
  readonly name: "rows" | "written" | "lines" | "failed_rows" | "charts";
  readonly what: string;
  readonly found: string;
  /** Undefined if it is not known. */
  readonly holds: boolean | undefined;
}

/** Compares all numbers that have to be the same. */
export function checksOf({ run, failed }: Pick<Reported, "run" | "failed">): Check[] {
  return [
    ...checksOfRun(run),
    ...(failed === undefined || !isComplete(run) ? [] : [checkOfFailedRows(run, failed)]),
    ...checksOfCharts(run),
  ];
}

function checksOfRun(run: ReportedRun): Check[] {
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = run.reconciliation;
  const rows: Check = {
    name: "rows",
    what: "Rows of the input = rows with an outcome + rows without",
    found: `${grouped(rows_read)} = ${grouped(rows_settled)} + ${grouped(rows_not_settled)}`,
    holds: rows_read === rows_settled + rows_not_settled,
  };
  if (!isComplete(run)) return [rows];
  const all = sum(Object.values(run.counts));
  return [
    rows,
    {
      name: "written",
      what: "Rows of the input = rows in the results",
      found: compared(rows_read, rows_written),
      holds: rows_read === rows_written,
    },
    {
      name: "lines",
      what: "All statuses together = lines in the results",
      found: compared(all, lines),
      holds: all === lines,
    },
  ];
}

function checkOfFailedRows(run: ReportedRun, failed: NonNullable<Reported["failed"]>): Check {
  const differing = eventStatuses
    .filter((status) => !isDone(status) && failed.counts[status] !== (run.counts[status] ?? 0))
    .map((status) => {
      const [wrote, found] = [run.counts[status] ?? 0, failed.counts[status]];
      return `${wordOf(status)}: ${compared(wrote, found)}`;
    });
  const found = [...differing, ...(failed.problem === undefined ? [] : [failed.problem])];
  return {
    name: "failed_rows",
    what: "Each status that is open = the same in the failed rows",
    found: found.length === 0 ? "all the same" : found.join("; "),
    holds: found.length === 0,
  };
}

function checksOfCharts(run: ReportedRun): Check[] {
  // A line that is retried is in the figures of each part that sent it.
  const isRetried = run.parts.some(({ part }) => part > 1);
  if (run.figures === undefined || isRetried) return [];
  const { succeeded, not_succeeded, skipped } = run.figures.series;
  const charted = sum(succeeded) + sum(not_succeeded) + sum(skipped);
  const settled = settledOf(run.counts);
  const cannotTell = charted < settled && hasLostPart(run);
  return [
    {
      name: "charts",
      what: "Lines with a status = lines in the figures over time",
      found: cannotTell
        ? `${grouped(settled)} and ${grouped(charted)}: a part of the run left no figures`
        : compared(settled, charted),
      holds: cannotTell ? undefined : charted === settled,
    },
  ];
}

function compared(one: number, other: number): string {
  return `${grouped(one)} ${one === other ? "=" : "≠"} ${grouped(other)}`;
}
