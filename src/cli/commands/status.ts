import { basename } from "node:path";
import { count, grouped } from "../../model/quantities.ts";
import { tellCommand } from "../../model/typed-command.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { asStarted } from "../options/next-commands.ts";
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
  async run(args, host) {
    const { stdout } = host;
    const { findAccounts } = await import("../../run/account/find-accounts.ts");
    const found = await findAccounts(args.text("path") ?? ".");
    const accounts = found.map((one) => ({ ...one, next: asStarted(one.next, host) }));
    if (args.flag("json")) {
      const { printedStatus } = await import("../terminal/printed.ts");
      writeLine(stdout, JSON.stringify(printedStatus(accounts)));
      return exitStatus.ok;
    }
    if (accounts.length === 0) writeLine(stdout, "No import was found.");
    const lines = tableOf(accounts.map(accountCells));
    for (const [at, { part, reason, next }] of accounts.entries()) {
      writeLine(stdout, lines[at] ?? "");
      const below = part === null ? reason : next && tellCommand(...next);
      if (below) writeLine(stdout, `  ${asTyped(below, host)}`);
    }
    return exitStatus.ok;
  },
};

/** What a line says of an account; below it stands what to type next, or what is damaged. */
function accountCells(account: FoundAccount): string[] {
  const { results, state, reason, part, rows_total: total, rows_settled: settled } = account;
  if (part === null) return [basename(results), state];
  const retries = part === 1 ? "" : `, retry ${part - 1}`;
  const isWhole = total === null || total === settled;
  return [
    basename(results),
    `${state}${retries}${reason === null ? "" : ` (${reason})`}`,
    isWhole ? count(settled, "row") : `${grouped(settled)} of ${count(total, "row")}`,
    `${grouped(account.succeeded)} succeeded`,
    `${grouped(account.open)} open`,
  ];
}

function tableOf(rows: readonly string[][]): string[] {
  const widthOf = (at: number) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0));
  return rows.map((cells) =>
    cells.map((cell, at) => cell.padEnd(at + 1 < cells.length ? widthOf(at) : 0)).join("  "),
  );
}
