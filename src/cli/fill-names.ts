import { basename } from "node:path";
import { cannotStart } from "../model/errors.ts";
import { fillName, type NameParts, whyNotFilled } from "../model/results-name.ts";
import { baseOfRun, defaultResultsPath } from "../model/run-files.ts";
import type { Arguments } from "./arguments.ts";
import type { Setting } from "./setting.ts";

type DatedParts = Pick<NameParts, "date" | "time">;

/**
 * The arguments with the name of one of the files beside the results filled in, as that of the results
 * is.
 *
 * @param dated date and time that stand in it
 * @throws CannotStartError where the name cannot be filled in
 */
export function withFilledName(args: Arguments, option: string, dated: DatedParts): Arguments {
  const given = args.setting(option);
  if (given === undefined) return args;
  const target = args.text("target");
  const why = whyNotFilled(given.value, target !== undefined);
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
