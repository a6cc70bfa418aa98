import { basename } from "node:path";
import { oneLine } from "../../model/escape-text.ts";
import { count, duration, grouped, sum } from "../../model/quantities.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import { wrapWords } from "./lines.ts";

/**
 * A line of each account, with what to type next; more lines where the terminal is too narrow.
 *
 * @param maxRows rows that the screen has; where that is not enough, accounts with nothing left to do give way first
 */
export function renderRuns(
  accounts: readonly FoundAccount[],
  now: Date,
  columns: number | undefined,
  maxRows = Number.POSITIVE_INFINITY,
): string[] {
  const table = accounts.map((account) => [
    basename(account.results),
    stateText(account),
    account.rowsTotal === undefined
      ? count(account.rowsSettled, "row")
      : `${grouped(account.rowsSettled)} of ${count(account.rowsTotal, "row")}`,
    `${count(account.succeeded, "event")} succeeded`,
    `${count(account.open, "line")} open`,
    `${duration(Math.max(0, now.getTime() - account.wroteAt.getTime()))} ago`,
    ...(account.next === undefined ? [] : [account.next]),
  ]);
  const widths = table.reduce<number[]>(
    (widest, cells) => cells.map((cell, at) => Math.max(cell.length, widest[at] ?? 0)),
    [],
  );
  const isNarrow = columns !== undefined && sum(widths) + 2 * (widths.length - 1) > columns;
  const lines = table.map((cells) => {
    if (isNarrow) return wrapWords(cells.join("  "), columns);
    const padded = cells.map((cell, at) =>
      at < 2 || at === commandAt ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    return [padded.join("  ").trimEnd()];
  });
  const whole = lines.map((line, at) => {
    const { state, reason } = accounts[at] ?? {};
    if (state !== "damaged" || reason === undefined) return line;
    return [...line, ...wrapWords(reason, columns && columns - 2).map((text) => `  ${text}`)];
  });
  if (rowsOnScreen(whole.flat(), columns) <= maxRows) return whole.flat();
  if (rowsOnScreen(lines.flat(), columns) <= maxRows) return lines.flat();
  const shown: string[] = [];
  const inOrder = accounts.map((account, at) => ({ account, of: lines[at] ?? [] }));
  const unfinished = inOrder.filter(({ account }) => account.state !== "complete");
  let left = accounts.length;
  for (const { of } of unfinished.length === 0 ? inOrder : unfinished) {
    if (rowsOnScreen([...shown, ...of], columns) >= maxRows) break;
    shown.push(...of);
    left--;
  }
  const complete = count(accounts.length - unfinished.length, "complete import");
  return [...shown, `and ${count(left, "other import")}; ${complete} in all`];
}

const commandAt = 6;

/** The terminal breaks lines that are longer than it is wide. */
export function rowsOnScreen(lines: readonly string[], columns = Number.POSITIVE_INFINITY): number {
  return sum(lines.map((line) => Math.max(1, Math.ceil(oneLine(line).length / columns))));
}

function stateText({ state, reason, mergedFrom, mergedInto, parts }: FoundAccount): string {
  if (state === "damaged") return state;
  if (state !== "complete" && parts > 1) return `${state}, retry ${parts - 1}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  const merged = mergedFrom === undefined ? "" : `, merged from ${count(mergedFrom, "shard")}`;
  const into = mergedInto === undefined ? "" : `, merged into ${basename(mergedInto)}`;
  const retries = parts < 2 ? "" : `, ${parts === 2 ? "retried once" : `${parts - 1} retries`}`;
  return `${state}${why}${merged}${into}${retries}`;
}

export function runJson(account: FoundAccount): object {
  return {
    results: account.results,
    input: account.input ?? null,
    shard: account.shard ?? null,
    state: account.state,
    reason: account.reason ?? null,
    merged_from: account.mergedFrom ?? null,
    merged_into: account.mergedInto ?? null,
    parts: account.parts,
    since: account.since ?? null,
    rows_settled: account.rowsSettled,
    rows_total: account.rowsTotal ?? null,
    succeeded: account.succeeded,
    open: account.open,
    wrote_at: account.wroteAt.toISOString(),
    next: account.next ?? null,
  };
}
