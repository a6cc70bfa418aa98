import { basename } from "node:path";
import { count } from "../../model/quantities.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { resultsReadingOf } from "../options/input.ts";
import { exportOptions } from "../options/option-list.ts";
import { say, writeLine } from "../terminal/lines.ts";

export const exportCommand: Command = {
  usage: "export <file>",
  summary: "Write a copy of results that is safe to open in a spreadsheet program",
  positional: { name: "file", describe: "A results or failed-rows file" },
  options: exportOptions,
  examples: [["export out/people.results.csv", "writes out/people.results.excel.csv"]],
  async run(args, host) {
    const results = args.text("file") ?? "";
    // While an import is unfinished, there is no file of that name.
    const { readAccount, unfinishedError } = await import("../../run/account/read-account.ts");
    const account = await readAccount(results);
    if (account.kind === "unfinished") throw unfinishedError(account);
    const { exportForSpreadsheet } = await import("../../run/check/export.ts");
    const to = args.text("output");
    const { output, lines, defusedCells } = await exportForSpreadsheet({
      results,
      reading: resultsReadingOf(args),
      ...(to === undefined ? {} : { output: to }),
    });
    if (args.flag("json")) {
      writeLine(host.stdout, JSON.stringify({ output, lines, defused_cells: defusedCells }));
    }
    const written = `${output}: ${count(lines, "line")}, ${count(defusedCells, "cell")} with an apostrophe added in front.`;
    const use = `Only look at this copy: to retry, give ${basename(results)}.`;
    if (!args.flag("quiet")) say(host, `${written} ${use}`);
    return exitStatus.ok;
  },
};
