import { count, grouped } from "../../model/quantities.ts";
import type { ComparedRows } from "../../run/check-report.ts";

/** `Against the baseline: 3 new, 1 changed, 50,000 unchanged, 2 gone` */
export function renderComparison(compared: ComparedRows): string {
  const { newRows, changedRows, unchangedRows, gone } = compared;
  const parts = [
    changedRows === undefined ? `${grouped(newRows)} new or changed` : `${grouped(newRows)} new`,
    ...(changedRows === undefined ? [] : [`${grouped(changedRows)} changed`]),
    `${grouped(unchangedRows)} unchanged`,
    ...(gone === undefined ? [] : [`${grouped(gone)} gone`]),
  ];
  return `Against the baseline: ${parts.join(", ")}`;
}

/** `1,280 rows`; rows that the input does not have are named: `1,280 rows and 3 gone`. */
export function renderRows(rows: number, compared: ComparedRows | undefined): string {
  const { goneEvents = 0 } = compared ?? {};
  const ofInput = count(rows - goneEvents, "row");
  return goneEvents === 0 ? ofInput : `${ofInput} and ${grouped(goneEvents)} gone`;
}
