import { basename } from "node:path";
import type { Clock } from "../../model/clock.ts";
import { cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { baseOfRun, defaultResultsPath } from "../../model/run-files.ts";
import { findDatedRuns } from "../../run/find-dated-run.ts";
import {
  dateParts,
  fillName,
  isDated,
  type NameParts,
  whyNoName,
  whyNotFilled,
} from "../../run/results-name.ts";
import { type Shard, shardName } from "../../run/shard.ts";
import { asTyped, type Host } from "../host.ts";
import { writeLine } from "../terminal/lines.ts";
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
  host: Pick<Host, "stderr" | "env">,
  clock: ClockOfDay,
  shard: Shard | undefined,
): Promise<ImportResults> {
  const { stderr } = host;
  const [first = "stdin"] = paths;
  const name = args.text("results");
  const ofShard = shard === undefined ? undefined : shardName(shard);
  const dated = { ...dateParts(clock.date()), shard: ofShard };
  if (name === undefined) {
    const results =
      ofShard && defaultResultsPath(first).replace(/(?=\.results\.csv$)/, `.${ofShard}`);
    return { results, dated };
  }
  const called = basename(defaultResultsPath(first), ".results.csv");
  const results = filledName(args, name, called, dated);
  if (!isDated(name) || !args.flag("resume") || paths.length === 0) return { results, dated };

  const undated = fillName(name, { ...partsOf(args, called), shard: ofShard });
  const { same, others } = await findDatedRuns(undated, paths);
  const [oldest, ...later] = same;
  const goOn = (path: string) =>
    `warning: ${path} belongs to an unfinished run: resume it with eventload resume ${shellWord(path)}`;
  for (const path of [...later.map((run) => run.results), ...others])
    writeLine(stderr, asTyped(goOn(path), host));
  if (oldest === undefined) return { results, dated };
  if (oldest.results !== results && !args.flag("quiet")) {
    writeLine(stderr, `The run of ${oldest.results} is unfinished, so this continues it.`);
  }
  return { results: oldest.results, dated: { ...dated, ...oldest.parts } };
}

/**
 * Where the results of a retry go, if that was typed. The environment and the configuration file
 * only speak about imports.
 *
 * @param called what `{input}` stands for
 */
export function retryResultsOf(
  args: Arguments,
  called: string,
  clock: ClockOfDay,
): string | undefined {
  const setting = args.setting("results");
  if (setting?.origin !== "command line") return undefined;
  const dated = { ...dateParts(clock.date()), shard: undefined };
  return filledName(args, setting.value, called, dated);
}

/** Where merged results go. The shards may be of several names, and a date is that of the merge. */
export function mergedResultsOf(name: string, clock: ClockOfDay): string {
  const parts = ["input", "target", "shard"].filter((part) => name.includes(`{${part}}`));
  const why =
    parts.length > 0
      ? `{${parts[0]}} stands for nothing where results are merged; write the name`
      : whyNoName(name, false);
  if (why !== undefined) throw cannotStart("option_invalid", "--results", why);
  return fillName(name, dateParts(clock.date()));
}

function filledName(args: Arguments, name: string, called: string, dated: RunParts): string {
  const parts = partsOf(args, called);
  const why = whyNoName(name, parts.target !== undefined, dated.shard !== undefined);
  if (why !== undefined) {
    throw cannotStart("option_invalid", args.setting("results")?.place ?? "--results", why);
  }
  return fillName(name, { ...parts, ...dated });
}

function partsOf(args: Arguments, input: string) {
  return { input, target: args.text("target") };
}

/**
 * The arguments with the name of a file beside the results filled in, in the same way as that of the
 * results.
 *
 * @param dated date, time and shard for the name
 * @throws CannotStartError if the name cannot be filled in
 */
export function withFilledName(args: Arguments, option: string, dated: RunParts): Arguments {
  const given = args.setting(option);
  if (given === undefined) return args;
  const target = args.text("target");
  const why = whyNotFilled(given.value, target !== undefined, dated.shard !== undefined);
  if (why !== undefined) throw cannotStart("option_invalid", given.place, why);
  const value = fillName(given.value, { input: calledOf(args), target, ...dated });
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
