import { sleep, systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { listenForInterrupts } from "../interrupts.ts";
import { statusOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";
import { renderRuns, rowsOnScreen, runJson } from "../terminal/render-runs.ts";

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
