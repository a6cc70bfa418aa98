import { basename } from "node:path";
import { cannotStart } from "../../domain/errors.ts";
import { nodeDisk } from "../../journal/node-disk.ts";
import { findUnfinishedRun } from "../../journal/unfinished-run.ts";
import { exists } from "../../results/exists.ts";
import { runFiles } from "../../results/run-files.ts";
import type { Command } from "../command.ts";
import { baselineFiles, type FileInUse, filesOfMapping, outputsOf } from "../guard-outputs.ts";
import { resumeOptions } from "../options.ts";
import type { RunToStart } from "../run-command.ts";

export const resumeCommand: Command = {
  usage: "resume <file>",
  isRun: true,
  summary: "Go on with a run that stopped early or was killed",
  positional: { name: "file", describe: "The results file of the run" },
  options: resumeOptions,
  examples: [
    ["resume out/people.results.csv", "with the input, mapping and address of its start"],
    ["resume out/people.results.csv --concurrency 4", "the same, and gentler"],
  ],
  async findEarlier(given) {
    const results = given.get("file")?.value ?? "";
    const { run } = (await findUnfinishedRun(nodeDisk, runFiles(results).journal)) ?? {};
    if (run === undefined) return undefined;
    const { baseUrl, target } = run;
    return { results, baseUrl, target, mayGoElsewhere: false };
  },
  async run(args, host, observers = {}) {
    const results = args.text("file") ?? "";
    if (results === "-") {
      throw cannotStart(
        "option_invalid",
        "resume",
        "standard input cannot be gone on with; give the results file of the run",
      );
    }
    const { journal } = runFiles(results);
    // A slip in the name is told apart from a run that has ended.
    if (!(await exists(journal))) {
      const { refuseNoResults } = await import("../../results/refuse-no-results.ts");
      await refuseNoResults(results);
    }
    const { runResume } = await import("../../resume.ts");
    const run: RunToStart = {
      called: { command: "resume", input: basename(results) },
      baseUrl: args.earlier?.baseUrl,
      canResume: true,
      filesInUse: () => filesInUse(results),
      start: (common) => runResume({ ...common, results }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};

async function filesInUse(results: string): Promise<FileInUse[]> {
  const unfinished = await findUnfinishedRun(nodeDisk, runFiles(results).journal);
  const { input, inputs, baseline = [], mapping } = unfinished?.run ?? {};
  const beside = (mapping?.lookups ?? []).map(({ path }) => path);
  return [
    ...outputsOf(results),
    ...(typeof input?.path !== "string" ? [] : [{ what: "the input", path: input.path }]),
    ...(inputs ?? []).map(({ path }) => ({ what: "the input", path })),
    ...baselineFiles(baseline.map(({ path }) => path)),
    ...(mapping === undefined ? [] : filesOfMapping(mapping.path, beside)),
  ];
}
