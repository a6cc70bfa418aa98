import { basename } from "node:path";
import { sleep, systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { count, duration, grouped } from "../../model/quantities.ts";
import type { FoundAccount } from "../../run/account/find-accounts.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { statusOptions } from "../options/option-list.ts";
import { wrapWords, writeLine } from "../terminal/lines.ts";

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
    ["status out", "of each import in out: its state, rows, events, and the next command"],
    ["status out --watch", "the same again every two seconds, until Ctrl-C"],
  ],
  async run(args, { stdout, onInterrupt }) {
    const path = args.text("path") ?? ".";
    const { findAccounts } = await import("../../run/account/find-accounts.ts");
    if (args.flag("json")) {
      if (args.flag("watch")) {
        throw cannotStart("option_invalid", "--watch", "--json prints one object; leave one out");
      }
      const accounts = await findAccounts(path, systemClock.date());
      writeLine(stdout, JSON.stringify({ accounts: accounts.map(accountJson) }));
      return exitStatus.ok;
    }
    const show = async (before = "") => {
      const now = systemClock.date();
      const accounts = await findAccounts(path, now);
      const none = [`No import was found in ${path}.`];
      const lines = accounts.length === 0 ? none : renderAccounts(accounts, now, stdout.columns);
      stdout.write(before);
      for (const line of lines) writeLine(stdout, line);
    };
    if (!args.flag("watch")) {
      await show();
      return exitStatus.ok;
    }
    const stop = new AbortController();
    const stopListening = onInterrupt(() => stop.abort());
    try {
      while (!stop.signal.aborted) {
        await show(stdout.isTTY === true ? clearScreen : "\n");
        await sleep(systemClock, refreshEveryMs, stop.signal);
      }
    } finally {
      stopListening();
    }
    return exitStatus.ok;
  },
};

/** A line of each account, with what to type next; more lines where the terminal is too narrow. */
function renderAccounts(accounts: readonly FoundAccount[], now: Date, columns?: number): string[] {
  const table = accounts.map((account) => [
    basename(account.results),
    stateText(account),
    account.rowsTotal === undefined
      ? count(account.rowsSettled, "row")
      : `${grouped(account.rowsSettled)} of ${count(account.rowsTotal, "row")}`,
    `${count(account.succeeded, "event")} succeeded`,
    `${count(account.open, "line")} open`,
    `${duration(Math.max(0, now.getTime() - account.wroteAt.getTime()))} ago`,
    account.next ?? "",
  ]);
  const widths = [0, 1, 2, 3, 4, 5].map((at) =>
    Math.max(...table.map((cells) => cells[at]?.length ?? 0)),
  );
  return table.flatMap((cells, row) => {
    const padded = cells.map((cell, at) =>
      at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    const line = padded.join("  ").trimEnd();
    const isNarrow = columns !== undefined && line.length > columns;
    const { state, reason } = accounts[row] ?? {};
    const damage = state === "damaged" ? wrapWords(`  ${reason}`, columns) : [];
    return [...(isNarrow ? wrapWords(cells.join("  "), columns) : [line]), ...damage];
  });
}

function stateText(account: FoundAccount): string {
  const { state, reason, mergedFrom, mergedInto, parts, superseded } = account;
  if (state === "damaged") return state;
  if (state !== "complete" && parts > 1) return `${state}, retry ${parts - 1}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  const merged = mergedFrom === undefined ? "" : `, merged from ${count(mergedFrom, "shard")}`;
  const into = mergedInto === undefined ? "" : `, merged into ${basename(mergedInto)}`;
  const retries = parts < 2 ? "" : `, ${parts === 2 ? "retried once" : `${parts - 1} retries`}`;
  const late = superseded === 0 ? "" : `, ${superseded} superseded: skip or import them`;
  return `${state}${why}${merged}${into}${retries}${late}`;
}

/** As `--json` prints it: what is not known is null. */
function accountJson(account: FoundAccount): object {
  const { results, input, shard, state, reason, parts, since, succeeded, open, next } = account;
  const { mergedFrom, mergedInto, rowsSettled, rowsTotal, superseded } = account;
  return {
    ...{ results, input: input ?? null, shard: shard ?? null, state, reason: reason ?? null },
    ...{ merged_from: mergedFrom ?? null, merged_into: mergedInto ?? null },
    ...{ parts, since: since ?? null, rows_settled: rowsSettled, rows_total: rowsTotal ?? null },
    ...{ succeeded, open, superseded },
    ...{ wrote_at: account.wroteAt.toISOString(), next: next ?? null },
  };
}
