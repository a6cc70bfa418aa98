import { grouped } from "../../model/quantities.ts";
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

/** The same for a program. */
export function comparisonJson(compared: ComparedRows): object {
  const { newRows, changedRows = null, unchangedRows, gone = null } = compared;
  return {
    new_rows: newRows,
    changed_rows: changedRows,
    unchanged_rows: unchangedRows,
    gone_keys: gone,
  };
}
