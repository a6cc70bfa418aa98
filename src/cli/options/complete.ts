import type { Argv, FallbackCompletionFunction } from "yargs";
import type { Command } from "../command.ts";
import type { Host } from "../host.ts";
import { type KnownOptions, readConfiguration } from "./configuration.ts";

/** The scripts of `completion` call the program so, to ask which words may come next. */
const completionRequest = "--get-yargs-completions";

/**
 * The words that may come next, a line each, if a shell asks for them: the targets of `eventload.yaml` after
 * `--target`, and otherwise what yargs finds.
 *
 * @param known the options of all commands
 * @returns undefined if no shell asks
 */
export async function complete(
  host: Pick<Host, "argv" | "env" | "cwd">,
  commands: readonly Command[],
  known: KnownOptions,
): Promise<string | undefined> {
  const { argv } = host;
  if (argv[0] !== completionRequest) return undefined;
  if (argv.at(-2) === "--target") {
    const targets = await targetsOf(host, known);
    return targets.map((name) => `${name}\n`).join("");
  }
  const { default: yargs } = await import("yargs");
  const parser = yargs([...argv])
    .scriptName("eventload")
    .help(false)
    .version(false)
    .exitProcess(false)
    .completion(completionRequest, false, offerAsTyped);
  for (const one of commands) {
    parser.command(one.usage, one.summary, (own) => declareOptions(own, one));
  }
  let shown = "";
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    shown = output;
  });
  return `${shown.trimEnd()}\n`;
}

/** Options where one has begun, and else the words that are none; without any, a shell offers its files. */
const offerAsTyped: FallbackCompletionFunction = (current, _argv, find, done) =>
  find((_error, words = []) =>
    done(words.filter((word) => word.startsWith("-") === current.startsWith("-"))),
  );

function declareOptions(own: Argv, { positional, options }: Command): Argv {
  if (positional !== undefined) {
    const { name, describe, choices } = positional;
    own.positional(name, { type: "string", describe });
    if (choices !== undefined) own.choices(name, choices);
  }
  for (const [name, { kind, describe, only, schema }] of Object.entries(options)) {
    if (only === "file") continue;
    own.option(name, { describe, boolean: kind === "flag", string: kind !== "flag" });
    if (Array.isArray(schema.enum)) own.choices(name, schema.enum);
  }
  return own;
}

async function targetsOf(
  { argv, env, cwd }: Pick<Host, "argv" | "env" | "cwd">,
  known: KnownOptions,
): Promise<string[]> {
  const at = argv.indexOf("--config");
  const file = at < 0 ? env.EVENTLOAD_CONFIG || undefined : argv[at + 1];
  // What is wrong with the file is said when a command reads it.
  const configuration = await readConfiguration(file, cwd, known).catch(() => undefined);
  return [...(configuration?.targets.keys() ?? [])];
}
