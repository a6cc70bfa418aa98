import { basename } from "node:path";
import { cannotStart } from "../../model/errors.ts";
import { count } from "../../model/quantities.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { resultsReadingOf } from "../options/input.ts";
import { exportOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";

export const exportCommand: Command = {
  usage: "export <file>",
  summary: "Write a copy of results that is safe to open in a spreadsheet program",
  positional: { name: "file", describe: "A results or failed-rows file" },
  options: exportOptions,
  examples: [["export out/people.results.csv", "writes out/people.results.excel.csv"]],
  async run(args, host) {
    const { stdout, stderr } = host;
    const results = args.text("file") ?? "";
    if (results === "-") {
      throw cannotStart("option_invalid", "export", "standard input has no name; give a file");
    }
    const { exportForSpreadsheet } = await import("../../run/account/export.ts");
    const to = args.text("output");
    const { output, lines, defusedCells, damage } = await exportForSpreadsheet({
      results,
      reading: resultsReadingOf(args),
      ...(to === undefined ? {} : { output: to }),
    });
    if (damage !== undefined) writeLine(stderr, asTyped(`warning: ${damage}`, host));
    if (args.flag("json")) {
      writeLine(stdout, JSON.stringify({ output, lines, defused_cells: defusedCells }));
    }
    const written = `${output}: ${count(lines, "line")}, ${count(defusedCells, "cell")} with an apostrophe in front.`;
    const use = `It is for looking at: retry takes ${basename(results)}.`;
    if (!args.flag("quiet")) writeLine(stderr, `${written} ${use}`);
    return exitStatus.ok;
  },
};
