import { systemClock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { isDone, statusOrder } from "../../model/outcome.ts";
import type { Command } from "../command.ts";
import { asTyped, exitStatus } from "../host.ts";
import { stateFolder } from "../options/earlier-run.ts";
import { mergedResultsOf } from "../options/file-names.ts";
import { nextCommands } from "../options/next-commands.ts";
import { mergeOptions } from "../options/option-list.ts";
import { writeLine } from "../terminal/lines.ts";
import { renderBriefSummary, renderSummary } from "../terminal/summary.ts";
import { wholeSummaryJson } from "../terminal/summary-json.ts";

export const mergeCommand: Command = {
  usage: "merge <files..>",
  summary: "Merge the results of all shards into those of one run",
  positional: {
    name: "files",
    describe: "The results file of each shard (import --shard i/n), in any order",
    isList: true,
  },
  options: mergeOptions,
  examples: [
    [
      "merge out/people.*-of-8.results.csv --results out/people.results.csv",
      "also writes out/people.failed.csv and out/people.run.json",
    ],
  ],
  async run(args, host) {
    const { stdout, stderr } = host;
    const shards = args.list("files");
    const name = args.text("results");
    if (name === undefined) {
      throw cannotStart(
        "option_invalid",
        "merge",
        "give the file for the merged results with --results",
      );
    }
    if (shards.includes("-")) {
      throw cannotStart("option_invalid", "merge", "it reads files only; give the results files");
    }
    const results = mergedResultsOf(name, systemClock);
    const { mergeShards } = await import("../../run/account/merge.ts");
    const summary = await mergeShards({
      shards,
      results,
      stateFolder: stateFolder(host.env),
      onWarning: (message) => writeLine(stderr, asTyped(`warning: ${message}`, host)),
    });
    const next = nextCommands(summary, args, true, host);
    const details = {
      ...{ next, canResume: true, needsTokenCommand: false },
      columns: stderr.columns,
    };
    const isQuiet = args.flag("quiet");
    const lines = isQuiet ? renderBriefSummary(summary, details) : renderSummary(summary, details);
    for (const line of lines) writeLine(stderr, line);
    if (args.flag("json")) writeLine(stdout, JSON.stringify(wholeSummaryJson(summary, next)));
    const hasAllDone = statusOrder.every(
      (status) => isDone(status) || summary.counts[status] === 0,
    );
    return hasAllDone ? exitStatus.ok : exitStatus.someNotSucceeded;
  },
};
