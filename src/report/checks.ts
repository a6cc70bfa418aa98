import { grouped, sum } from "../model/quantities.ts";
import { notDoneOf, type Reported, ranToItsEnd } from "./reported-run.ts";

export interface Check {
  readonly name: "rows" | "written" | "lines" | "failed_rows";
  readonly what: string;
  readonly found: string;
  readonly holds: boolean;
}

export function checksOf({ run, failed }: Pick<Reported, "run" | "failed">): Check[] {
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = run.reconciliation;
  const compare = (name: Check["name"], what: string, one: number, other: number): Check => {
    const found = `${grouped(one)} ${one === other ? "=" : "≠"} ${grouped(other)}`;
    return { name, what, found, holds: one === other };
  };
  const all = sum(Object.values(run.counts));
  const settled = rows_settled + rows_not_settled;
  const rows = "Rows of the input = rows with an outcome and rows without";
  const first = compare("rows", rows, rows_read, settled);
  if (!ranToItsEnd(run)) return [first];
  const what = "Lines that are open = lines in the failed rows";
  return [
    first,
    compare("written", "Rows of the input = rows in the results", rows_read, rows_written),
    compare("lines", "All statuses together = lines in the results", all, lines),
    ...(failed === undefined
      ? []
      : [compare("failed_rows", what, notDoneOf(run.counts), failed.lines)]),
  ];
}
