import { basename, relative } from "node:path";
import { exists } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import { baseOfRun, runFiles } from "../../model/run-files.ts";
import { unfinishedRunOf } from "../../run/find-unfinished.ts";
import { whyNotSealed } from "../../run/seal.ts";
import type { Command } from "../command.ts";
import type { Host } from "../host.ts";
import type { Arguments, Layer } from "../options/arguments.ts";
import { givenBeside, stateFolder } from "../options/earlier-run.ts";
import { type FileInUse, filesOfMapping, outputsOf } from "../options/guard-outputs.ts";
import { resumeOptions } from "../options/option-list.ts";
import type { RunToStart } from "../run-command.ts";

export const resumeCommand: Command = {
  usage: "resume <file>",
  isRun: true,
  summary: "Continue a run that stopped early or was killed",
  positional: { name: "file", describe: "The results file of the run" },
  options: resumeOptions,
  examples: [
    ["resume out/people.results.csv", "continue with the input, mapping and address of the run"],
    ["resume out/people.results.csv --concurrency 4", "the same with fewer requests in flight"],
  ],
  async findEarlier(given, env) {
    const results = resultsOf(given.get("file")?.value ?? "");
    const { journal } = runFiles(results);
    const { run } = (await unfinishedRunOf(journal)) ?? {};
    if (run === undefined) return undefined;
    if ((await whyNotSealed(journal, run, stateFolder(env))) !== undefined) return undefined;
    const { baseUrl, mapping, target } = run;
    const where = { baseUrl, mapping: mapping.path, target, mayGoElsewhere: false };
    return { results, ...where, kept: keptOf(run, results) };
  },
  async run(args, host, observers = {}) {
    const results = resultsOf(args.text("file") ?? "");
    if (results === "-") {
      throw cannotStart(
        "option_invalid",
        "resume",
        "standard input cannot be resumed; give the results file of the run",
      );
    }
    const { journal } = runFiles(results);
    // A mistyped name is not the same as a run that has ended.
    if (!(await exists(journal))) {
      const { refuseNoResults } = await import("../../run/refuse-no-results.ts");
      await refuseNoResults(results);
    }
    const { run: known } = (await unfinishedRunOf(journal)) ?? {};
    const { baseUrl, mapping } = await whereItGoes(journal, known, args, host);
    const before = known?.parts.at(-1)?.sending;
    const { runResume } = await import("../../run/resume.ts");
    const run: RunToStart = {
      called: { command: "resume", input: basename(results) },
      baseUrl: baseUrl ?? args.earlier?.baseUrl,
      mappingToSay: mapping ?? args.earlier?.mapping,
      results,
      canResume: true,
      keeps: args.earlier === undefined ? "sending" : "all",
      ...(before === undefined ? {} : { before }),
      ...(known === undefined ? {} : { startedAt: known.startedAt }),
      filesInUse: async () => filesInUse(results, known),
      start: (common) =>
        runResume({
          ...{ ...common, results },
          ...(baseUrl === undefined ? {} : { baseUrl }),
          ...(mapping === undefined ? {} : { mapping }),
        }),
    };
    const { runCommand } = await import("../run-command.ts");
    return runCommand(args, host, run, observers);
  },
};

/** The report of a run stays where it was. */
function keptOf({ options: { report } }: KnownRun, results: string): Layer {
  if (report === undefined) return new Map();
  const within = relative("", report);
  const value = within.startsWith("..") ? report : within;
  const place = `the run of ${results}`;
  return new Map([["report", { value, origin: "earlier run", place }]]);
}

/** What a journal says of its run. */
type KnownRun = NonNullable<Awaited<ReturnType<typeof unfinishedRunOf>>>["run"];

/** The results of a run whose failed rows are given. */
function resultsOf(given: string): string {
  return /\.failed[^/\\]*\.csv$/i.test(given) ? `${baseOfRun(given)}.results.csv` : given;
}

/**
 * What was given of address and mapping.
 *
 * @throws CannotStartError if nothing was, and the journal cannot be trusted with them
 */
async function whereItGoes(
  journal: string,
  run: KnownRun | undefined,
  args: Arguments,
  { env }: Host,
) {
  const typed = (name: string) =>
    args.setting(name)?.origin === "command line" ? args.text(name) : undefined;
  const typedOnes = { baseUrl: typed("base-url"), mapping: typed("mapping") };
  if (args.earlier !== undefined) return typedOnes;
  if (run === undefined) return typedOnes;
  const given = givenBeside(args, { baseUrl: run.baseUrl, mapping: run.mapping.path });
  if (given.baseUrl !== undefined && given.mapping !== undefined) return given;
  const { flagsOfRun, refuseUnsealed } = await import("../../run/unsealed.ts");
  const why = (await whyNotSealed(journal, run, stateFolder(env))) ?? "";
  throw refuseUnsealed(journal, why, flagsOfRun(run));
}

function filesInUse(results: string, run: KnownRun | undefined): FileInUse[] {
  const { input, inputs, mapping } = run ?? {};
  const beside = (mapping?.lookups ?? []).map(({ path }) => path);
  return [
    ...outputsOf(results),
    ...(typeof input?.path !== "string" ? [] : [{ what: "the input", path: input.path }]),
    ...(inputs ?? []).map(({ path }) => ({ what: "the input", path })),
    ...(mapping === undefined ? [] : filesOfMapping(mapping.path, beside)),
  ];
}
