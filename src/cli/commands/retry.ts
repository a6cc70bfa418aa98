import { cannotStart } from "../../domain/errors.ts";
import { readManifest } from "../../results/manifest.ts";
import { baseOfRun, nextRetryResults, runFiles } from "../../results/run-files.ts";
import { runRetry } from "../../retry.ts";
import type { Command } from "../command.ts";
import { type FileInUse, outputsOf } from "../guard-log-file.ts";
import { mappingOptions, resultsReadingOptions, sendOptions } from "../options.ts";
import { resultsReadingOf } from "../reading-of.ts";
import { runCommand } from "../run-command.ts";

export const retryCommand: Command = {
  usage: "retry <file>",
  summary: "Send again what did not succeed",
  positional: { name: "file", describe: "A results or failed-rows file, as it is or mended" },
  options: { ...mappingOptions, ...resultsReadingOptions, ...sendOptions },
  examples: [
    ["retry out/people.failed.csv", "send the failed rows again, after mending them"],
    ["retry out/people.results.csv", "the same from the whole results; what succeeded is left out"],
  ],
  run(args, host) {
    const input = args.text("file") ?? "";
    if (input === "-") {
      throw cannotStart("option_invalid", "retry", "standard input cannot be retried; give a file");
    }
    const mapping = args.text("mapping");
    const baseUrl = args.text("base-url");
    return runCommand(args, host, {
      canResume: true,
      filesInUse: () => filesInUse(input, mapping, args.text("results")),
      start: (common) =>
        runRetry({
          ...common,
          input,
          reading: resultsReadingOf(args),
          ...(mapping === undefined ? {} : { mapping }),
          ...(baseUrl === undefined ? {} : { baseUrl }),
        }),
    });
  },
};

async function filesInUse(
  input: string,
  mapping: string | undefined,
  results: string | undefined,
): Promise<FileInUse[]> {
  const earlier = `${baseOfRun(input)}.results.csv`;
  const read = await readManifest(runFiles(earlier).manifest);
  const path = mapping ?? (read.kind === "manifest" ? read.manifest.mapping.path : undefined);
  return [
    { what: "the input", path: input },
    ...(path === undefined ? [] : [{ what: "the mapping", path }]),
    ...outputsOf(results ?? (await nextRetryResults(input)).results),
    ...outputsOf(earlier).map((file) => ({ ...file, what: `${file.what} of the earlier run` })),
  ];
}
