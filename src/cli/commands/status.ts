import { basename } from "node:path";
import { sleep, systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { grouped } from "../../model/quantities.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { statusOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";

const refreshEveryMs = 2000;
const clearScreen = "\x1b[H\x1b[2J";

export const statusCommand: Command = {
  usage: "status [path]",
  summary: "Show the state of imports, and the next command",
  positional: {
    name: "path",
    describe: "A folder with results, or the results of one import (default: this folder)",
    isOptional: true,
  },
  options: statusOptions,
  examples: [
    ["status out", "for each import in out: its state, rows, events, and the next command"],
    ["status out --watch", "show it again every two seconds, until Ctrl-C"],
  ],
  async run(args, { stdout, onInterrupt }) {
    const { findAccounts } = await import("../../run/account/find-accounts.ts");
    const path = args.text("path") ?? ".";
    const [isWatched, isJson] = [args.flag("watch"), args.flag("json")];
    if (isWatched && isJson) {
      throw cannotStart("option_invalid", "--watch", "--json prints one object; leave one out");
    }
    const stop = new AbortController();
    const stopListening = onInterrupt(() => stop.abort());
    try {
      do {
        const accounts = await findAccounts(path);
        if (isWatched && stdout.isTTY === true) stdout.write(clearScreen);
        if (isJson) writeLine(stdout, JSON.stringify({ accounts }));
        else for (const line of render(accounts)) writeLine(stdout, line);
        if (isWatched) await sleep(systemClock, refreshEveryMs, stop.signal);
      } while (isWatched && !stop.signal.aborted);
    } finally {
      stopListening();
    }
    return exitStatus.ok;
  },
};

/** A line of each account, with what to type next. */
function render(accounts: readonly FoundAccount[]): string[] {
  if (accounts.length === 0) return ["No import was found."];
  const table = accounts.map(({ results, state, reason, part, next, ...counts }) => {
    const { rows_settled: settled, rows_total: total, succeeded, open } = counts;
    const rows =
      total === null ? grouped(settled ?? 0) : `${grouped(settled ?? 0)} of ${grouped(total)}`;
    const retries = part === null || part === 1 ? "" : `, retry ${part - 1}`;
    const why = reason === null ? "" : ` (${reason})`;
    return [
      ...[basename(results), `${state}${retries}${why}`],
      ...(part === null
        ? []
        : [`${rows} rows`, `${grouped(succeeded ?? 0)} succeeded`, `${grouped(open ?? 0)} open`]),
      next ?? "",
    ];
  });
  const widths = [0, 1, 2, 3, 4].map((at) =>
    Math.max(...table.map((cells) => (cells.length < 6 ? 0 : (cells[at]?.length ?? 0)))),
  );
  return table.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
