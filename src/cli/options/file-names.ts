import { basename } from "node:path";
import { systemClock } from "../../model/clock.ts";
import { inRealFolder } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import type { MaxErrors } from "../../model/max-errors.ts";
import { baseOfRun, defaultResultsPath, runFiles } from "../../model/run-files.ts";
import { shardName } from "../../model/shard.ts";
import type { NightOptions } from "../../run/options/import-options.ts";
import { defined } from "../../run/options/import-settings.ts";
import { dateParts, fillName, nightResults, whyNotFilled } from "../../run/options/results-name.ts";
import type { Command } from "../command.ts";
import type { Arguments, GivenValue, SettingsLayer } from "./arguments.ts";
import { runOptions } from "./option-list.ts";

/** The settings that name files with placeholders, filled in. @throws CannotStartError if one cannot be filled in */
export function filledNames(args: Arguments, { options, positional }: Command): SettingsLayer {
  const dated = dateParts(systemClock.date());
  const known = { target: args.text("target"), shard: args.shard && shardName(args.shard) };
  const filled = new Map<string, GivenValue>();
  for (const [name, { written }] of Object.entries(options)) {
    const setting = args.given(name);
    if (setting === undefined || written === undefined) continue;
    const { value, place } = setting;
    // The state is one file for all nights.
    const input = positional?.name === "files" ? undefined : calledOf(args);
    const values = { input, ...(name === "state" ? {} : dated), ...known };
    const why = whyNotFilled(value, values);
    if (why !== undefined) throw cannotStart("option_invalid", place, why);
    filled.set(name, { ...setting, value: fillName(value, values) });
  }
  return filled;
}

/** What `{input}` stands for in a command that sends. */
function calledOf(args: Arguments): string {
  const ofRun = args.text("file");
  if (ofRun !== undefined) return basename(baseOfRun(ofRun));
  const [input = "-"] = args.list("input");
  return input === "-" ? "stdin" : basename(defaultResultsPath(input), ".results.csv");
}

export function importResultsOf(args: Arguments, input: string): string {
  const isNight = args.text("state") !== undefined;
  const usual = isNight ? nightResults(input, systemClock.date()) : defaultResultsPath(input);
  const ofShard = args.shard === undefined ? "" : `.${shardName(args.shard)}`;
  return args.text("results") ?? usual.replace(/(?=\.results\.csv$)/, ofShard);
}

/** The state of nights, and how many keys may be gone or changed. */
export function stateOf(args: Arguments): NightOptions {
  const state = args.text("state");
  const most = (name: string) => args.text(name) as MaxErrors | undefined; // it was read before
  for (const typed of [args.given("max-gone"), args.given("max-changed")]) {
    if (state !== undefined || typed?.origin !== "command line") continue;
    throw cannotStart("option_invalid", typed.place, "it is about nights: give --state too");
  }
  if (state === undefined) return {};
  return { state, ...defined({ maxGone: most("max-gone"), maxChanged: most("max-changed") }) };
}

/**
 * Makes sure that state, log, report and metrics are neither one another nor a file that the run writes, which may not
 * be there yet. What is there they spare themselves: each is written only over, or behind, what it has written.
 *
 * @param state of a night
 * @throws CannotStartError naming what it is
 */
export async function guardOutputs(
  args: Arguments,
  results: string,
  state: string | undefined,
): Promise<void> {
  const taken = new Map<string, string>();
  const { state: _, ...ofAccount } = runFiles(results, state);
  for (const path of Object.values(ofAccount).flat())
    taken.set(await inRealFolder(path), "a file of the account");
  const journal = `${await inRealFolder(ofAccount.journal)}.`;
  const take = async (path: string, written: string, place: string) => {
    const identity = await inRealFolder(path);
    const other = identity.startsWith(journal) ? "a file of the account" : taken.get(identity);
    if (other !== undefined) {
      const message = `${path} is ${other}; name another for ${written}`;
      throw cannotStart("option_invalid", place, message);
    }
    taken.set(identity, written);
  };
  // A retry knows it from the account.
  if (state !== undefined) await take(state, "the state", args.given("state")?.place ?? state);
  for (const [name, { written }] of Object.entries(runOptions)) {
    const setting = args.given(name);
    if (setting !== undefined && written !== undefined)
      await take(setting.value, written, setting.place);
  }
}
