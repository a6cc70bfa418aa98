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
  usage: "status [path]",
  summary: "Show how far imports have come, and what to type next",
  positional: {
    name: "path",
    describe: "A folder with results, or the results of one import (default: this folder)",
    isOptional: true,
  },
  options: statusOptions,
  examples: [
    ["status out", "of each import in out: its state, rows, events, and the next command"],
    ["status out --watch", "the same again every two seconds, until Ctrl-C"],
  ],
  async run(args, host) {
    const { stdout } = host;
    const path = args.text("path") ?? ".";
    const { findAccounts } = await import("../../run/account/find-accounts.ts");
    if (args.flag("json")) {
      if (args.flag("watch")) {
        throw cannotStart("option_invalid", "--watch", "--json prints one object; leave one out");
      }
      const accounts = await findAccounts(path, systemClock.date());
      writeLine(stdout, JSON.stringify({ accounts: accounts.map(runJson) }));
      return exitStatus.ok;
    }
    const render = async (maxRows?: number) => {
      const now = systemClock.date();
      const accounts = await findAccounts(path, now);
      if (accounts.length === 0) return [`No import was found in ${path}.`];
      return renderRuns(accounts, now, stdout.columns, maxRows);
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
