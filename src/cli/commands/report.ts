import { flag } from "../../model/value-types.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { knownToReport, typedOptions } from "../options/next-commands.ts";
import { configOption, outputOptions, reportFile } from "../options/option-list.ts";
import { typedOutput } from "../options/option-types.ts";
import { say, writeLine } from "../terminal/lines.ts";

export const reportCommand: Command = {
  usage: "report <file>",
  summary: "Write an HTML report of a run",
  positional: { name: "file", describe: "The results file of a run" },
  options: {
    output: typedOutput("Where the report goes", reportFile, {
      short: "o",
      default: "people.report.html beside people.results.csv",
    }),
    "mask-cells": typedOutput(
      "Leave out cells, keys, ids and messages: a report for strangers",
      flag,
    ),
    text: typedOutput("Print the report in ten lines at most, for a mail", flag, {
      conflicts: ["json"],
    }),
    ...outputOptions,
    ...configOption,
  },
  examples: [
    ["report out/people.results.csv", "writes out/people.report.html"],
    ["report out/people.results.csv --mask-cells -o for-support.html", "without people's data"],
    ["report out/people.results.csv --text", "ten lines for a mail"],
  ],
  async run(args, host) {
    const { stdout } = host;
    const results = args.text("file") ?? "";
    const isQuiet = args.flag("quiet");
    const { readReport, writeReport } = await import("../../run/account/write-report.ts");
    const to = args.text("output");
    const options = {
      results,
      maskCells: args.flag("mask-cells"),
      typed: typedOptions(args, knownToReport),
      asTyped: (text: string) => asTyped(text, host),
      ...(to === undefined ? {} : { output: to }),
      onCells() {
        if (!isQuiet) say(host, holdsData);
      },
    };
    const isText = args.flag("text");
    const written = isText && to === undefined ? undefined : await writeReport(options);
    const { figures, text, missing } = written ?? (await readReport(options));
    if (isText) for (const line of text) writeLine(stdout, asTyped(line, host));
    else if (args.flag("json")) {
      const { output, bytes } = written ?? {};
      writeLine(stdout, JSON.stringify({ output, bytes, ...figures }));
    }
    if (!isQuiet && written !== undefined) say(host, `Report: ${written.output}`);
    if (missing.length === 0) return exitStatus.ok;
    const gone = `${missing.join(", ")} is not there any more: retry the results in its place, which have the same lines.`;
    say(host, `warning: ${gone}`);
    return exitStatus.someNotSucceeded;
  },
};

export const holdsData =
  "The report shows cells of rows that did not succeed, so it holds people's data. To give it to others, use eventload report --mask-cells.";
