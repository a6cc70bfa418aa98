import { basename } from "node:path";
import { grouped } from "../../model/quantities.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { outputOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";

export const statusCommand: Command = {
  usage: "status [path]",
  summary: "Show the state of imports, and the next command",
  positional: {
    name: "path",
    describe: "A folder with results, or the results of one import (default: this folder)",
    isOptional: true,
  },
  options: { json: outputOptions.json },
  examples: [
    ["status out", "for each import in out: its state, rows, events, and the next command"],
  ],
  async run(args, { stdout }) {
    const { findAccounts } = await import("../../run/account/find-accounts.ts");
    const accounts = await findAccounts(args.text("path") ?? ".");
    if (args.flag("json")) writeLine(stdout, JSON.stringify({ accounts }));
    else for (const line of render(accounts)) writeLine(stdout, line);
    return exitStatus.ok;
  },
};

/** A line of each account, with what to type next. */
function render(accounts: readonly FoundAccount[]): string[] {
  if (accounts.length === 0) return ["No import was found."];
  const table = accounts.map(cellsOf);
  const widths = [0, 1, 2, 3, 4].map((at) => Math.max(...table.map((cells) => cells[at]!.length)));
  return table.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function cellsOf({ results, state, reason, part, next, ...counts }: FoundAccount): string[] {
  if (part === null) return [basename(results), state, "", "", "", reason ?? ""];
  const { rows_settled: settled, rows_total: total, succeeded, open } = counts;
  const ofAll = total === null ? "" : ` of ${grouped(total)}`;
  const retries = part === 1 ? "" : `, retry ${part - 1}`;
  const why = reason === null ? "" : ` (${reason})`;
  return [
    basename(results),
    `${state}${retries}${why}`,
    `${grouped(settled ?? 0)}${ofAll} rows`,
    `${grouped(succeeded ?? 0)} succeeded`,
    `${grouped(open ?? 0)} open`,
    next ?? "",
  ];
}
