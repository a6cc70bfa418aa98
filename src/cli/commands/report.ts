import { cannotStart } from "../../model/errors.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { knownToReport, typedOptions } from "../options/next-commands.ts";
import { reportOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";

export const reportCommand: Command = {
  usage: "report <file>",
  summary: "Write an HTML report of a run",
  positional: { name: "file", describe: "The results file of a run" },
  options: reportOptions,
  examples: [
    ["report out/people.results.csv", "writes out/people.report.html"],
    ["report out/people.results.csv --output people.html", "the same somewhere else"],
  ],
  async run(args, host) {
    const { stdout, stderr } = host;
    const results = args.text("file") ?? "";
    if (results === "-") {
      const why = "a report is made from the files of a run; give its results file";
      throw cannotStart("option_invalid", "report", why);
    }
    const { writeReport } = await import("../../run/account/write-report.ts");
    const to = args.text("output");
    const { output, bytes, differences, missing, damage } = await writeReport({
      results,
      typed: typedOptions(args, knownToReport),
      ...(to === undefined ? {} : { output: to }),
    });
    if (args.flag("json"))
      writeLine(stdout, JSON.stringify({ output, bytes, differences, missing }));
    if (!args.flag("quiet")) writeLine(stderr, `Report: ${output}`);
    const changed = `the results have changed since eventload wrote them: ${differences.join("; ")}. Put them back from a copy: nothing can be retried or resumed before.`;
    const gone = `${missing.join(", ")} is not there any more: retry the results in its place, which have the same lines.`;
    const wrong =
      damage ?? (differences.length > 0 ? changed : missing.length > 0 ? gone : undefined);
    if (wrong !== undefined) writeLine(stderr, asTyped(`warning: ${wrong}`, host));
    return differences.length + missing.length === 0 ? exitStatus.ok : exitStatus.someNotSucceeded;
  },
};
