import { basename } from "node:path";
import { count } from "../../model/quantities.ts";
import { baseOfRun } from "../../model/run-files.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import { pathEnding } from "../../model/value-types.ts";
import type { Command } from "../command.ts";
import { exitStatus } from "../host.ts";
import { resultsReadingOf } from "../options/input.ts";
import { configOption, outputOptions, resultsReadingOptions } from "../options/option-list.ts";
import { typedOutput } from "../options/option-types.ts";
import { say, writeLine } from "../terminal/lines.ts";

export const exportCommand: Command = {
  usage: "export <file>",
  summary: "Write failed rows or results as a workbook, to be fixed in a spreadsheet program",
  positional: { name: "file", describe: "Failed rows, or results" },
  options: {
    output: typedOutput("Where the workbook goes", pathEnding("export writes", [".xlsx"]), {
      short: "o",
      default: "people.failed.xlsx beside people.failed.csv",
    }),
    ...resultsReadingOptions,
    ...outputOptions,
    ...configOption,
  },
  examples: [["export out/people.failed.csv", "writes out/people.failed.xlsx, which retry takes"]],
  async run(args, host) {
    const results = args.text("file") ?? "";
    // While an import is unfinished, there is no file of that name.
    const { readAccount, unfinishedError } = await import("../../run/account/read-account.ts");
    const account = await readAccount(results);
    if (account.kind === "unfinished") throw unfinishedError(account);
    const { exportForSpreadsheet } = await import("../../run/account/export-for-spreadsheet.ts");
    const to = args.text("output");
    const report = await exportForSpreadsheet({
      results,
      reading: resultsReadingOf(args),
      ...(to === undefined ? {} : { output: to }),
    });
    const { output, lines, marked } = report;
    if (args.flag("json")) writeLine(host.stdout, JSON.stringify(report));
    if (args.flag("quiet")) return exitStatus.ok;
    const cells = marked === 0 ? "" : `; the cell that is probably why is marked in ${marked}`;
    say(host, `${output}: ${count(lines, "line")}${cells}.`);
    const { kind, files } = account;
    // Results are looked at; failed rows are fixed.
    if (kind !== "complete" || basename(results) === basename(files.results)) return exitStatus.ok;
    const isBeside = baseOfRun(output) === baseOfRun(results);
    const named = isBeside ? [] : ["--results", fileWord(files.results)];
    const retry = tellCommand("eventload", "retry", fileWord(output), ...named);
    say(host, `Next: fix it there and save it, then run: ${retry}`);
    return exitStatus.ok;
  },
};
