import yargs, { type Argv, type FallbackCompletionFunction } from "yargs";
import { packageVersion } from "../../model/package-files.ts";
import { didYouMean } from "../../model/value-types.ts";
import { type Command, nameOf, optionsOfCommands } from "../command.ts";
import { guardDashes, type ParsedArguments } from "./arguments.ts";
import { renderCommandHelp, renderHelp } from "./help.ts";
import { type Option, toKey } from "./option-types.ts";

export type CommandLine =
  | { readonly kind: "command"; readonly command: Command; readonly parsed: ParsedArguments }
  /** Help or version, as asked for, or the help where nothing was given. */
  | { readonly kind: "text" | "nothing"; readonly text: string }
  | { readonly kind: "wrong"; readonly message: string };

/**
 * Finds the command and splits its arguments; what they mean is not read here.
 *
 * @throws CannotStartError if a flag is given a value
 */
export async function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  columns: number,
): Promise<CommandLine> {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const isHelp = words[0] === "help" || words.includes("--help") || words.includes("-h");
  const [first] = words.filter((word) => !["help", "--help", "-h"].includes(word));
  const command = commands.find((one) => nameOf(one) === first);
  if (words.includes("--version")) return { kind: "text", text: packageVersion() };
  if (isHelp && command !== undefined) {
    return { kind: "text", text: renderCommandHelp(command, columns) };
  }
  if (first === undefined) {
    return { kind: isHelp ? "text" : "nothing", text: renderHelp(commands, columns) };
  }
  if (command === undefined && first !== completionRequest)
    return { kind: "wrong", message: noCommand(first, commands) };
  if (command === undefined) return completions(argv, commands);
  const wrong = words.flatMap((word) => whyNoOption(word, command, commands) ?? []).join(" ");
  return wrong === "" ? parseCommand(argv, command) : { kind: "wrong", message: wrong };
}

function parseCommand([, ...words]: readonly string[], command: Command): CommandLine {
  let failure: string | undefined;
  const parser = parserOf(words)
    .updateStrings({
      "Arguments %s and %s are mutually exclusive": "--%s and --%s cannot be given together.",
      "Not enough arguments following: %s": "--%s needs a value after it.",
    })
    .fail((message, error) => {
      failure ??= message ?? error.message;
    });
  for (const [name, { kind, short, conflicts }] of typedOptionsOf(command)) {
    parser.option(name, kind === "flag" ? { boolean: true } : { string: true, requiresArg: true });
    if (conflicts !== undefined) parser.conflicts(name, [...conflicts]);
    if (short !== undefined) parser.alias(name, short);
  }
  const { _: files, ...parsed } = parser.parseSync();
  const { usage, positional } = command;
  const [first, second] = files;
  const extra = positional === undefined ? first : second;
  if (failure !== undefined) return { kind: "wrong", message: failure };
  if (first === undefined && positional !== undefined && positional.isOptional !== true) {
    const what = positional.name === "input" ? "Which input?" : "Which file?";
    return { kind: "wrong", message: `${what} Type eventload ${usage}.` };
  }
  if (extra !== undefined && positional?.isList !== true) {
    const most = positional === undefined ? "no" : "one";
    return { kind: "wrong", message: `What is ${extra}? ${nameOf(command)} takes ${most} file.` };
  }
  const given = positional !== undefined && first !== undefined && { [positional.name]: files };
  return { kind: "command", command, parsed: { ...parsed, ...given } };
}

/** The options of a command, but for those that only a configuration file has. */
function typedOptionsOf({ options }: Command): [string, Option][] {
  return Object.entries(options).filter(([, { only }]) => only !== "file");
}

function parserOf(words: readonly string[]): Argv {
  return yargs(guardDashes(words))
    .scriptName("eventload")
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "short-option-groups": false,
    })
    .help(false)
    .version(false);
}

/** The scripts of `completion` call the program so, to ask which words may come next. yargs answers. */
const completionRequest = "--get-yargs-completions";

async function completions(
  argv: readonly string[],
  commands: readonly Command[],
): Promise<CommandLine> {
  const parser = parserOf(argv).completion(completionRequest, false, offerAsTyped);
  for (const command of commands) {
    const { usage, summary, positional } = command;
    parser.command(usage, summary, (own) => {
      if (positional?.choices !== undefined) own.positional(positional.name, positional);
      for (const [name, { kind, describe, schema }] of typedOptionsOf(command)) {
        own.option(name, { describe, boolean: kind === "flag" });
        if (Array.isArray(schema.enum)) own.choices(name, schema.enum);
      }
      return own;
    });
  }
  let text = "";
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    text = output.trimEnd();
  });
  return { kind: "text", text };
}

/** Options where one has begun, and else the words of yargs that are none; without any, a shell offers its files. */
const offerAsTyped: FallbackCompletionFunction = (current, _argv, find, done) =>
  find((_error, words = []) =>
    done(words.filter((word) => word.startsWith("-") === current.startsWith("-"))),
  );

function noCommand(given: string, commands: readonly Command[]): string {
  if (given.startsWith("-")) return "The command comes first: eventload <command> [options].";
  const names = commands.map(nameOf);
  return `There is no command ${given}${didYouMean(given, names) || "."}`;
}

/** What is wrong with a word that is an option: yargs suggests none in place of it, and reads `--json=yes` as false. */
function whyNoOption(word: string, command: Command, commands: readonly Command[]) {
  const [, given = "", value] = /^(?!-\d)(-[^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (given === "") return undefined;
  const typed = typedOptionsOf(command);
  const known = typed.find(([name, { short }]) => given === `--${name}` || given === `-${short}`);
  if (known !== undefined) {
    const isMisread = known[1].kind === "flag" && value !== undefined;
    return isMisread ? `${given} takes no value: leave out =${value}.` : undefined;
  }
  const none = `There is no option ${given}`;
  if (given === "--token") {
    return `${none}, as others could see it: set EVENTLOAD_TOKEN, or give --token-file or --token-command.`;
  }
  const name = given.slice(2);
  if (optionsOfCommands(commands)[name]?.only === "file") {
    return `${none}; ${toKey(name)} is a key of eventload.yaml.`;
  }
  const names = typed.map(([one]) => `--${one}`);
  return `${none}${didYouMean(given, names) || "."}`;
}
