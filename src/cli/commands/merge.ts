import { cannotStart } from "../../model/errors.ts";
import { resultsFile } from "../../run/options/results-name.ts";
import type { Command } from "../command.ts";
import { stateFolder } from "../options/earlier-run.ts";
import { configOption, outputOptions } from "../options/option-list.ts";
import { typedOutput } from "../options/option-types.ts";
import { say } from "../terminal/lines.ts";

export const mergeCommand: Command = {
  usage: "merge <files..>",
  summary: "Merge the results of all shards into those of one run",
  positional: {
    name: "files",
    describe: "The results file of each shard (import --shard i/n), in any order",
    isList: true,
  },
  options: {
    results: typedOutput("Where the merged results go", resultsFile, {
      short: "o",
      isRequired: true,
      written: "the results",
    }),
    ...outputOptions,
    ...configOption,
  },
  examples: [
    ["merge out/people.*-of-8.results.csv --results out/people.results.csv", "of eight shards"],
  ],
  async run(args, host) {
    const shards = args.list("files");
    const results = args.text("results");
    if (results === undefined) {
      const why = "give the file for the merged results with --results";
      throw cannotStart("option_invalid", "merge", why);
    }
    const { mergeShards } = await import("../../run/account/merge.ts");
    const summary = await mergeShards({
      shards,
      results,
      stateFolder: stateFolder(host.env),
      onWarning: (message) => say(host, `warning: ${message}`),
    });
    const { endWithAccount } = await import("../run-command.ts");
    return endWithAccount(summary, args, host);
  },
};
