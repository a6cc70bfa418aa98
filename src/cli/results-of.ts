import { basename } from "node:path";
import type { Clock } from "../model/clock.ts";
import { cannotStart } from "../model/errors.ts";
import { dateParts, fillName, isDated, whyNoName } from "../model/results-name.ts";
import { defaultResultsPath } from "../model/run-files.ts";
import { shellWord } from "../model/shell-word.ts";
import { findDatedRuns } from "../run/find-dated-run.ts";
import type { Arguments } from "./arguments.ts";
import type { Host } from "./host.ts";
import { writeLine } from "./write-line.ts";

type ClockOfDay = Pick<Clock, "date">;

/** Where the results of an import go, if that was said. */
export interface ImportResults {
  readonly results: string | undefined;
  /** Date and time that names of this run have. */
  readonly dated: ReturnType<typeof dateParts>;
}

/**
 * Where the results of an import go: the name with its parts filled in. Where it may
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
): Promise<ImportResults> {
  const [first = "stdin"] = paths;
  const name = args.text("results");
  const dated = dateParts(clock.date());
  if (name === undefined) return { results: undefined, dated };
  const called = basename(defaultResultsPath(first), ".results.csv");
  const results = filledName(args, name, called, dated);
  if (!isDated(name) || !args.flag("resume") || paths.length === 0) return { results, dated };

  const undated = fillName(name, partsOf(args, called));
  const { same, others } = await findDatedRuns(undated, paths);
  const [oldest, ...later] = same;
  const goOn = (path: string) =>
    `warning: ${path} belongs to a run that has not ended: go on with it by typing eventload resume ${shellWord(path)}`;
  for (const path of [...later.map((run) => run.results), ...others]) writeLine(stderr, goOn(path));
  if (oldest === undefined) return { results, dated };
  if (oldest.results !== results && !args.flag("quiet")) {
    writeLine(stderr, `The run of ${oldest.results} has not ended, so this goes on with it.`);
  }
  return { results: oldest.results, dated: { ...dated, ...oldest.parts } };
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
  return filledName(args, setting.value, called, dateParts(clock.date()));
}

function filledName(
  args: Arguments,
  name: string,
  called: string,
  dated: ReturnType<typeof dateParts>,
): string {
  const parts = partsOf(args, called);
  const why = whyNoName(name, parts.target !== undefined);
  if (why !== undefined) {
    throw cannotStart("option_invalid", args.setting("results")?.place ?? "--results", why);
  }
  return fillName(name, { ...parts, ...dated });
}

function partsOf(args: Arguments, input: string) {
  return { input, target: args.text("target") };
}
