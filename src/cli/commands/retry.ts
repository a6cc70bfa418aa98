import { existsSync } from "node:fs";
import { basename } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { withoutSecrets } from "../../model/endpoint.ts";
import { cannotStart } from "../../model/errors.ts";
import { baseOfRun, nextRetryResults, runFiles } from "../../model/run-files.ts";
import type { Command, RunObservers } from "../command.ts";
import type { Host } from "../host.ts";
import { type Arguments, isTyped } from "../options/arguments.ts";
import { givenBeside, isSameService, stateFolder } from "../options/earlier-run.ts";
import { retryResultsOf } from "../options/file-names.ts";
import { type FileInUse, mappingFiles, outputsOf } from "../options/guard-outputs.ts";
import { resultsReadingOf } from "../options/input.ts";
import {
  allowAlteredOption,
  asBefore,
  resultsReadingOptions,
  sendOptions,
} from "../options/option-list.ts";
import type { RunToStart } from "../run-command.ts";
import { writeLine } from "../terminal/lines.ts";

export const retryCommand: Command = {
  usage: "retry <file>",
  isRun: true,
  summary: "Send again what did not succeed",
  positional: { name: "file", describe: "A results or failed-rows file, as it is or fixed" },
  options: {
    ...resultsReadingOptions,
    ...sendOptions,
    ...asBefore,
    ...allowAlteredOption,
  },
  examples: [
    ["retry out/people.failed.csv", "send the failed rows again, after fixing them"],
    ["retry out/people.results.csv", "the same from the whole results; what succeeded is left out"],
  ],
  async findEarlier(given, env) {
    // Whoever types an address has chosen where the rows go.
    if (given.has("base-url")) return undefined;
    const input = given.get("file")?.value ?? "";
    const results = `${baseOfRun(input)}.results.csv`;
    const { readEarlierManifest } = await import("../../run/unsealed.ts");
    const read = await readEarlierManifest(runFiles(results).manifest, stateFolder(env));
    if (read.kind !== "sealed") return undefined;
    const { base_url: baseUrl, mapping, target } = read.manifest;
    return { results, baseUrl, mapping: mapping.path, target, mayGoElsewhere: true };
  },
  run(args, host, observers = {}) {
    const input = args.text("file") ?? "";
    if (input === "-") {
      throw cannotStart("option_invalid", "retry", "standard input cannot be retried; give a file");
    }
    return retryRun(input, args, host, observers);
  },
};

async function retryRun(
  input: string,
  args: Arguments,
  host: Host,
  observers: RunObservers,
): Promise<number> {
  const earlier = `${baseOfRun(input)}.results.csv`;
  const { flagsOf, readEarlierManifest, refuseUnsealed } = await import("../../run/unsealed.ts");
  const { manifest: path } = runFiles(earlier);
  const read = await readEarlierManifest(path, stateFolder(host.env));
  const manifest = read.kind === "sealed" ? read.manifest : undefined;
  if (read.kind === "absent" && !existsSync(runFiles(earlier).journal)) {
    const { refuseNoResults } = await import("../../run/refuse-no-results.ts");
    await refuseNoResults(input);
  }
  // The configuration file is about future imports; the manifest knows more about the earlier one.
  const isKnown = manifest !== undefined;
  let mapping = isKnown && !isTyped(args.setting("mapping")) ? undefined : args.text("mapping");
  // Neither does the environment say where the earlier run went.
  const goesElsewhere = !isKnown || isTyped(args.setting("base-url"));
  let baseUrl = goesElsewhere ? args.text("base-url") : undefined;
  if (read.kind === "unsealed") {
    const { base_url: found, mapping: by } = read.manifest;
    ({ baseUrl, mapping } = givenBeside(args, { baseUrl: found, mapping: by.path }));
    if (baseUrl === undefined || mapping === undefined) {
      throw refuseUnsealed(path, read.why, flagsOf(read.manifest));
    }
  }
  if (isKnown && baseUrl !== undefined && !isSameService(baseUrl, manifest.base_url)) {
    const now = withoutSecrets(baseUrl);
    writeLine(
      host.stderr,
      `warning: that run went to ${manifest.base_url}, and this goes to ${now}.`,
    );
  }
  const results = retryResultsOf(args, basename(baseOfRun(input)), systemClock);
  const { runRetry } = await import("../../run/retry.ts");
  const { sendingOfManifest } = await import("../../run/import-settings.ts");
  const run: RunToStart = {
    called: { command: "retry", input: basename(input) },
    baseUrl: baseUrl ?? manifest?.base_url,
    mappingToSay: mapping ?? manifest?.mapping.path,
    results: results ?? (await nextResults(input)),
    canResume: true,
    keeps: (
      { sealed: "all", unsealed: "sending", absent: "nothing", unreadable: "nothing" } as const
    )[read.kind],
    ...("manifest" in read ? { before: sendingOfManifest(read.manifest) } : {}),
    filesInUse: () => filesInUse(input, earlier, mapping ?? manifest?.mapping.path, results),
    start: (common) =>
      runRetry({
        ...common,
        input,
        reading: resultsReadingOf(args),
        allowAltered: args.flag("allow-altered"),
        ...(results === undefined ? {} : { results }),
        ...(mapping === undefined ? {} : { mapping }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      }),
  };
  const { runCommand } = await import("../run-command.ts");
  return runCommand(args, host, run, observers);
}

/** The results that a retry writes by default. */
async function nextResults(input: string): Promise<string> {
  const { isReadOnce } = await import("../../run/input.ts");
  const base = (await isReadOnce(input)) ? "stdin" : input;
  // The retry itself refuses to start beside an unfinished one.
  return nextRetryResults(base, async () => {});
}

async function filesInUse(
  input: string,
  earlier: string,
  path: string | undefined,
  results: string | undefined,
): Promise<FileInUse[]> {
  const { refuseUnfinished } = await import("../../run/find-unfinished.ts");
  return [
    { what: "the input", path: input },
    ...(path === undefined ? [] : await mappingFiles(path)),
    ...outputsOf(results ?? (await nextRetryResults(input, refuseUnfinished))),
    ...outputsOf(earlier).map((file) => ({ ...file, what: `${file.what} of the earlier run` })),
  ];
}
