import { eventStatuses, isDone, wordOf } from "../model/outcome.ts";
import { grouped, sum } from "../model/quantities.ts";
import { isComplete, type Reported } from "./reported-run.ts";

/** Numbers from different sources that have to be the same. */
export interface Check {
  readonly name: "rows" | "written" | "lines" | "failed_rows";
  readonly what: string;
  readonly found: string;
  readonly holds: boolean;
}

export function checksOf({ run, failed }: Pick<Reported, "run" | "failed">): Check[] {
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = run.reconciliation;
  const compare = (name: Check["name"], what: string, one: number, other: number): Check => {
    return { name, what, found: compared(one, other), holds: one === other };
  };
  const all = sum(Object.values(run.counts));
  const rows = rows_settled + rows_not_settled;
  return [
    compare("rows", "Rows of the input = rows with an outcome and rows without", rows_read, rows),
    ...(isComplete(run)
      ? [
          compare("written", "Rows of the input = rows in the results", rows_read, rows_written),
          compare("lines", "All statuses together = lines in the results", all, lines),
          ...(failed === undefined ? [] : [checkOfFailedRows(run, failed)]),
        ]
      : []),
  ];
}

function checkOfFailedRows(run: Reported["run"], failed: NonNullable<Reported["failed"]>): Check {
  const found = [
    ...eventStatuses.flatMap((status) => {
      const [wrote, now] = [run.counts[status] ?? 0, failed.counts[status]];
      return isDone(status) || wrote === now ? [] : [`${wordOf(status)}: ${compared(wrote, now)}`];
    }),
    ...(failed.problem === undefined ? [] : [failed.problem]),
  ];
  return {
    name: "failed_rows",
    what: "Each status that is open = the same in the failed rows",
    found: found.length === 0 ? "all the same" : found.join("; "),
    holds: found.length === 0,
  };
}

function compared(one: number, other: number): string {
  return `${grouped(one)} ${one === other ? "=" : "≠"} ${grouped(other)}`;
}
