import { basename } from "node:path";
import { oneLine } from "../../model/escape-text.ts";
import { count, duration, grouped, sum } from "../../model/quantities.ts";
import type { FoundRun } from "../../run/runs-in-folder.ts";
import { wrapWords } from "./lines.ts";
import { rateText } from "./rate-text.ts";

/**
 * A table: a line of each run, or several where the terminal is too narrow.
 *
 * @param maxRows rows that the screen has for it; where that is not enough, runs that are complete give way first
 */
export function renderRuns(
  runs: readonly FoundRun[],
  now: Date,
  columns: number | undefined,
  maxRows = Number.POSITIVE_INFINITY,
): string[] {
  const table = runs.map((run) => [
    basename(run.base),
    run.input ?? "–",
    stateText(run),
    run.rowsTotal === undefined
      ? count(run.rowsSettled, "row")
      : `${grouped(run.rowsSettled)} of ${count(run.rowsTotal, "row")}`,
    `${grouped(run.succeeded)} succeeded`,
    `${grouped(run.notSucceeded)} not`,
    run.perSecond === undefined ? "–" : rateText(run.perSecond),
    `${duration(Math.max(0, now.getTime() - run.wroteAt.getTime()))} ago`,
  ]);
  const widths = table.reduce<number[]>(
    (widest, cells) => cells.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  const isNarrow = columns !== undefined && sum(widths) + 2 * (widths.length - 1) > columns;
  const lines = table.map((cells) => {
    if (isNarrow) return wrapWords(cells.join("  "), columns);
    const padded = cells.map((cell, at) =>
      at < 3 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    return [padded.join("  ")];
  });
  if (rowsOnScreen(lines.flat(), columns) <= maxRows) return lines.flat();
  const shown: string[] = [];
  const inOrder = runs.map((run, at) => ({ run, of: lines[at] ?? [] }));
  const unfinished = inOrder.filter(({ run }) => run.state !== "complete");
  let left = runs.length;
  for (const { of } of unfinished.length === 0 ? inOrder : unfinished) {
    if (rowsOnScreen([...shown, ...of], columns) >= maxRows) break;
    shown.push(...of);
    left--;
  }
  const complete = count(runs.length - unfinished.length, "complete run");
  return [...shown, `and ${count(left, "other run")}; ${complete} in all`];
}

/** The terminal breaks lines that are longer than it is wide. */
export function rowsOnScreen(lines: readonly string[], columns = Number.POSITIVE_INFINITY): number {
  return sum(lines.map((line) => Math.max(1, Math.ceil(oneLine(line).length / columns))));
}

function stateText({ state, reason, mergedFrom, retriedBy }: FoundRun): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  const merged = mergedFrom === undefined ? "" : `, merged from ${count(mergedFrom, "shard")}`;
  const retried = retriedBy.length === 0 ? "" : `, retried by ${retriedBy.join(", ")}`;
  return `${state}${why}${merged}${retried}`;
}

export function runJson(run: FoundRun): object {
  return {
    run: run.base,
    input: run.input ?? null,
    shard: run.shard ?? null,
    state: run.state,
    reason: run.reason ?? null,
    retried_by: run.retriedBy,
    merged_from: run.mergedFrom ?? null,
    rows_settled: run.rowsSettled,
    rows_total: run.rowsTotal ?? null,
    succeeded: run.succeeded,
    not_succeeded: run.notSucceeded,
    per_second: run.perSecond === undefined ? null : Math.round(run.perSecond * 10) / 10,
    wrote_at: run.wroteAt.toISOString(),
  };
}
