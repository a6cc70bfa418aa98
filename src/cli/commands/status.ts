import { basename } from "node:path";
import { sleep, systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { count, duration, grouped } from "../../model/quantities.ts";
import type { FoundRun } from "../../run/runs-in-folder.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { statusOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";
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
    const show = async (linesBefore: number) => {
      const now = systemClock.date();
      const runs = await findRuns(folder, now);
      const lines = runs.length === 0 ? [`No run was found in ${folder}.`] : renderRuns(runs, now);
      // Back to the first line, and clear what is below.
      if (linesBefore > 0)
        stdout.write(stdout.isTTY === true ? `\x1b[${linesBefore}A\x1b[J` : "\n");
      for (const line of lines) writeLine(stdout, line);
      return lines.length;
    };
    if (!args.flag("watch")) {
      await show(0);
      return exitStatus.ok;
    }
    const stop = new AbortController();
    const interrupts = listenForInterrupts(host, { first: () => stop.abort(), second() {} });
    try {
      for (let lines = 0; !stop.signal.aborted; ) {
        lines = await show(lines);
        await sleep(systemClock, refreshEveryMs, stop.signal);
      }
    } finally {
      interrupts.end();
    }
    return exitStatus.ok;
  },
};

/** A table; of each run a line. */
function renderRuns(runs: readonly FoundRun[], now: Date): string[] {
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
  return table.map((cells) =>
    cells
      .map((cell, at) => (at < 3 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  "),
  );
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
