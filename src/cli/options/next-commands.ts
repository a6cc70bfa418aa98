import { type NextCommands, nextCommandsOf, type RunThatEnded } from "../../model/next-step.ts";
import type { CommandWords } from "../../model/typed-command.ts";
import { type Host, isByNpx } from "../host.ts";
import type { Arguments } from "./arguments.ts";

/** What to type next, with the options that were typed and that neither the manifest nor the journal keeps. */
export function nextCommands(
  run: RunThatEnded,
  args: Pick<Arguments, "given">,
  host: Pick<Host, "env">,
): NextCommands {
  const options = typedOptions(args, carriedOver);
  const next = nextCommandsOf(run, options, typedOptions(args, knownToReport));
  const all = Object.entries(next).map(([name, words]) => [name, asStarted(words, host)]);
  return Object.fromEntries(all);
}

/** A command as the program was started: with `npx` before it if it was by npx. */
export function asStarted(words: CommandWords | undefined, host: Pick<Host, "env">) {
  return words && isByNpx(host) ? ["npx", ...words] : words;
}

/**
 * All other settings are known from the run before. The arguments of a token command may be secret, so they are
 * not repeated.
 */
const carriedOver = ["config", "target", "token-file"];

/** What a report repeats in the command that it says to type next, and the manifest does not keep. */
export const knownToReport = ["config"];

/** Options that were typed, of those named, as words of a command. */
export function typedOptions(args: Pick<Arguments, "given">, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const setting = args.given(name);
    if (setting?.origin !== "command line") return [];
    if (setting.value === "true") return [`--${name}`];
    const { value } = setting;
    return value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
  });
}
