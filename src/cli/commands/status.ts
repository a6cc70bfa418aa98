import { basename } from "node:path";
import { sleep, systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { oneLine } from "../../model/escape-text.ts";
import { count, duration, grouped, sum } from "../../model/quantities.ts";
import type { FoundRun } from "../../run/runs-in-folder.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { statusOptions } from "../options/option-list.ts";
import { wrapWords, writeLine } from "../terminal/lines.ts";
import { rateText } from "../terminal/rate-text.ts";

const refreshEveryMs = 2000;

export const statusCommand: Command = {
  usage: "status [folder]",
  summary: "Show how far the runs in a folder have come, a line each",
  positional: {
    name: "folder",
    describe: "Where the results are (default: this folder)",
    isOptional: true,
  },
  options: statusOptions,
  examples: [
    ["status out", "of each run: its input, state, rows, outcomes and rate"],
    ["status out --watch", "the same again every two seconds, until Ctrl-C"],
  ],
  async run(args, host) {
    const { stdout } = host;
    const folder = args.text("folder") ?? ".";
    const { findRuns } = await import("../../run/runs-in-folder.ts");
    if (args.flag("json")) {
      if (args.flag("watch")) {
        throw cannotStart("option_invalid", "--watch", "--json prints one object; leave one out");
      }
      const runs = await findRuns(folder, systemClock.date());
      writeLine(stdout, JSON.stringify({ runs: runs.map(runJson) }));
      return exitStatus.ok;
    }
    const render = async (maxRows?: number) => {
      const now = systemClock.date();
      const runs = await findRuns(folder, now);
      if (runs.length === 0) return [`No run was found in ${folder}.`];
      return renderRuns(runs, now, stdout.columns, maxRows);
    };
    if (!args.flag("watch")) {
      for (const line of await render()) writeLine(stdout, line);
      return exitStatus.ok;
    }
    const stop = new AbortController();
    const interrupts = listenForInterrupts(host, { first: () => stop.abort(), second() {} });
    try {
      let before: readonly string[] = [];
      while (!stop.signal.aborted) {
        const { rows } = stdout;
        // The cursor stands below the last line, and cannot go back to what has left the screen.
        const lines = await render(rows === undefined ? undefined : rows - 1);
        if (before.length > 0) {
          const upBy = rowsOnScreen(before, stdout.columns);
          stdout.write(stdout.isTTY === true ? `\x1b[${upBy}A\x1b[J` : "\n");
        }
        for (const line of lines) writeLine(stdout, line);
        before = lines;
        await sleep(systemClock, refreshEveryMs, stop.signal);
      }
    } finally {
      interrupts.end();
    }
    return exitStatus.ok;
  },
};

/**
 * A table: a line of each run, or several where the terminal is too narrow.
 *
 * @param maxRows rows that the screen has for it; where that is not enough, runs that are complete give way first
 */
function renderRuns(
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
function rowsOnScreen(lines: readonly string[], columns = Number.POSITIVE_INFINITY): number {
  return sum(lines.map((line) => Math.max(1, Math.ceil(oneLine(line).length / columns))));
}

function stateText({ state, reason, mergedFrom, retriedBy }: FoundRun): string {
  const why = reason === undefined ? "" : ` (${reason})`;
  const merged = mergedFrom === undefined ? "" : `, merged from ${count(mergedFrom, "shard")}`;
  const retried = retriedBy.length === 0 ? "" : `, retried by ${retriedBy.join(", ")}`;
  return `${state}${why}${merged}${retried}`;
}

function runJson(run: FoundRun): object {
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
