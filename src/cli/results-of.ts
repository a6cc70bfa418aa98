import { basename } from "node:path";
import type { Clock } from "../delivery/clock.ts";
import { cannotStart } from "../domain/errors.ts";
import { shellWord } from "../domain/shell-word.ts";
import { findDatedRuns } from "../find-dated-run.ts";
import { dateParts, fillName, isDated, whyNoName } from "../results/results-name.ts";
import { defaultResultsPath } from "../results/run-files.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./host.ts";

type ClockOfDay = Pick<Clock, "date">;

/**
 * Where the results of an import go if that was said: the name with its parts filled in. Where it may
 * go on with a run, that may have another date in its name.
 *
 * @param paths the inputs; none where it is standard input
 * @throws CannotStartError where the name cannot be filled in
 */
export async function importResultsOf(
  args: Arguments,
  paths: readonly string[],
  { stderr }: Pick<Host, "stderr">,
  clock: ClockOfDay,
): Promise<string | undefined> {
  const [first = "stdin"] = paths;
  const name = args.text("results");
  if (name === undefined) return undefined;
  const called = basename(defaultResultsPath(first), ".results.csv");
  const results = filledName(args, name, called, clock);
  if (!isDated(name) || !args.flag("resume") || paths.length === 0) return results;

  const undated = fillName(name, partsOf(args, called));
  const { same, others } = await findDatedRuns(undated, paths);
  const [oldest, ...later] = same;
  const goOn = (path: string) =>
    `warning: ${path} belongs to a run that has not ended: go on with it by typing eventload resume ${shellWord(path)}\n`;
  for (const path of [...later, ...others]) stderr.write(goOn(path));
  if (oldest === undefined) return results;
  if (oldest !== results && !args.flag("quiet")) {
    stderr.write(`The run of ${oldest} has not ended, so this goes on with it.\n`);
  }
  return oldest;
}

/**
 * Where the results of a retry go, if that was typed. What the environment and the configuration file
 * say is of imports.
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
  return filledName(args, setting.value, called, clock);
}

function filledName(args: Arguments, name: string, called: string, clock: ClockOfDay): string {
  const parts = partsOf(args, called);
  const why = whyNoName(name, parts.target !== undefined);
  if (why !== undefined) {
    throw cannotStart("option_invalid", args.setting("results")?.place ?? "--results", why);
  }
  return fillName(name, { ...parts, ...dateParts(clock.date()) });
}

function partsOf(args: Arguments, input: string) {
  return { input, target: args.text("target") };
}
