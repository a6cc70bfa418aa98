import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import type { MaxErrors } from "../../model/max-errors.ts";
import { baseOfRun, defaultResultsPath, runFiles, whyNotResults } from "../../model/run-files.ts";
import { type Shard, shardName } from "../../model/shard.ts";
import type { ImportOptions } from "../../run/options/import-options.ts";
import {
  dateParts,
  fillName,
  type NameParts,
  nightResults,
  whyNotFilled,
} from "../../run/options/results-name.ts";
import type { Arguments, Setting } from "./arguments.ts";

type ClockOfDay = Pick<Clock, "date">;

/** Where the results of an import go, if that was given. */
export interface ImportResults {
  readonly results: string | undefined;
  /** Date, time and shard in the file names of this run. */
  readonly dated: RunParts;
}

/** The parts of a name that are known when a run starts. */
export type RunParts = Pick<NameParts, "date" | "time" | "shard">;

/**
 * Where the results of an import go: the name with its parts filled in. If the import may
 * continue a run, the name may have the date of that run.
 *
 * @param paths the inputs; empty for standard input
 * @throws CannotStartError if the name cannot be filled in
 */
export async function importResultsOf(
  args: Arguments,
  paths: readonly string[],
  clock: ClockOfDay,
  shard: Shard | undefined,
): Promise<ImportResults> {
  const [first = "stdin"] = paths;
  const ofShard = shard === undefined ? undefined : shardName(shard);
  const dated = { ...dateParts(clock.date()), shard: ofShard };
  const given = withFilledName(args, "results", dated).text("results");
  if (given !== undefined) return { results: given, dated };
  const isNight = args.text("state") !== undefined;
  const usual = isNight ? nightResults(first, clock.date()) : defaultResultsPath(first);
  const results = ofShard && usual.replace(/(?=\.results\.csv$)/, `.${ofShard}`);
  return { results: results ?? (isNight ? usual : undefined), dated };
}

/** Where merged results go. The shards may be of several names, and a date is that of the merge. */
export function mergedResultsOf(name: string, clock: ClockOfDay): string {
  const parts = dateParts(clock.date());
  const why = whyNotFilled(name, parts) ?? whyNotResults(name);
  if (why !== undefined) throw cannotStart("option_invalid", "--results", why);
  return fillName(name, parts);
}

/**
 * The arguments with the name of a file filled in: that of the results, of the state, or of a file beside them.
 *
 * @param dated date, time and shard for the name
 * @throws CannotStartError if the name cannot be filled in
 */
export function withFilledName(args: Arguments, option: string, dated: RunParts): Arguments {
  const given = args.setting(option);
  if (given === undefined) return args;
  const { shard, ...time } = dated;
  // The state is one file for all nights.
  const ofRun = option === "state" ? {} : time;
  const parts = { input: calledOf(args), ...ofRun, target: args.text("target"), shard };
  const whyNot = option === "results" ? whyNotResults(given.value) : undefined;
  const why = whyNotFilled(given.value, parts) ?? whyNot;
  if (why !== undefined) throw cannotStart("option_invalid", given.place, why);
  const value = fillName(given.value, parts);
  const filled: Setting = { ...given, value };
  return {
    ...args,
    text: (name) => (name === option ? value : args.text(name)),
    setting: (name) => (name === option ? filled : args.setting(name)),
  };
}

/** What `{input}` stands for in a command that sends. */
function calledOf(args: Arguments): string {
  const ofRun = args.text("file");
  if (ofRun !== undefined) return basename(baseOfRun(ofRun));
  const [input = "-"] = args.list("input");
  return input === "-" ? "stdin" : basename(defaultResultsPath(input), ".results.csv");
}

/**
 * The state of nights, with its name filled in, and how many keys may be gone.
 *
 * @throws CannotStartError if the name cannot be filled in
 */
export function stateOf(
  args: Arguments,
  dated: RunParts,
): Pick<ImportOptions, "state" | "maxGone"> {
  const state = withFilledName(args, "state", dated).text("state");
  const maxGone = args.text("max-gone") as MaxErrors | undefined; // it was read before
  const typed = args.setting("max-gone");
  if (state === undefined && typed?.origin === "command line") {
    throw cannotStart("option_invalid", typed.place, "it is about nights: give --state too");
  }
  return state === undefined ? {} : { state, ...(maxGone === undefined ? {} : { maxGone }) };
}

/** What a run writes beside its results, if it is asked to. */
const besides = { "metrics-file": "the metrics", report: "the report", "log-file": "the log" };

/**
 * Makes sure that log, report and metrics are neither one another nor a file that the run writes, which may not be
 * there yet. What is there they spare themselves: each is written only over, or behind, what it has written.
 *
 * @param state of a night
 * @throws CannotStartError naming what it is
 */
export async function guardOutputs(
  args: Arguments,
  results: string,
  state: string | undefined,
): Promise<void> {
  const outputs = Object.entries(besides).flatMap(([name, what]) => {
    const setting = args.setting(name);
    return setting === undefined ? [] : [{ ...setting, what, path: setting.value }];
  });
  const written = Object.values(runFiles(results)).map((path) => ({
    what: "a file of the account",
    path,
  }));
  if (state !== undefined) written.push({ what: "the state", path: state });
  for (const { path, place, what } of outputs) {
    const identity = await identityOf(path);
    for (const other of [...written, ...outputs.filter((one) => one.what !== what)]) {
      if ((await identityOf(other.path)) !== identity) continue;
      const why = `${path} is ${other.what}; name another for ${what}`;
      throw cannotStart("option_invalid", place, why);
    }
  }
}

/** The same whichever way leads to its folder. */
async function identityOf(path: string): Promise<string> {
  const folder = resolve(dirname(path));
  return join(await realpath(folder).catch(() => folder), basename(path));
}
