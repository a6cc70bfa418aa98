import yargs, { type Argv, type FallbackCompletionFunction } from "yargs";
import { packageVersion } from "../../model/package-files.ts";
import { didYouMean } from "../../model/value-types.ts";
import { type Command, nameOf, optionsOf } from "../command.ts";
import { guardDashes, type ParsedArguments } from "./arguments.ts";
import { renderCommandHelp, renderHelp } from "./help.ts";
import { toKey } from "./option-types.ts";

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
  if (isHelp && first === undefined) return { kind: "text", text: renderHelp(commands, columns) };
  if (first === undefined) return { kind: "nothing", text: renderHelp(commands, columns) };
  if (command === undefined && first !== completionRequest)
    return { kind: "wrong", message: noCommand(first, commands) };
  if (command === undefined) return complete(argv, commands);
  const wrong = findMisread(command, words);
  return wrong === undefined ? parse(argv, command, commands) : { kind: "wrong", message: wrong };
}

function parse(
  [, ...words]: readonly string[],
  command: Command,
  commands: readonly Command[],
): CommandLine {
  let failure: string | undefined;
  const parser = parserOf(words)
    .strictOptions()
    .updateStrings({
      "Arguments %s and %s are mutually exclusive": "--%s and --%s cannot be given together.",
    })
    .fail((message, error) => {
      failure ??= message ?? error.message;
    });
  for (const [name, { kind, short, only, conflicts }] of Object.entries(command.options)) {
    if (only === "file") continue;
    parser.option(name, kind === "flag" ? { boolean: true } : { string: true, requiresArg: true });
    if (conflicts !== undefined) parser.conflicts(name, [...conflicts]);
    if (short !== undefined) parser.alias(name, short);
  }
  const { _: files, ...parsed } = parser.parseSync();
  const { usage, positional } = command;
  const [first, second] = files;
  const extra = positional === undefined ? first : second;
  if (failure !== undefined)
    return { kind: "wrong", message: inOurWords(failure, command, commands) };
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

async function complete(
  argv: readonly string[],
  commands: readonly Command[],
): Promise<CommandLine> {
  const parser = parserOf(argv).completion(completionRequest, false, offerAsTyped);
  for (const { usage, summary, positional, options } of commands) {
    parser.command(usage, summary, (own) => {
      if (positional?.choices !== undefined) own.positional(positional.name, positional);
      for (const [name, { kind, describe, only, schema }] of Object.entries(options)) {
        if (only === "file") continue;
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

/** yargs reads `--json=yes` as false. */
function findMisread({ options }: Command, words: readonly string[]): string | undefined {
  for (const word of words) {
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    // yargs keeps options in plain objects, and fails at a name that every object has.
    if (name !== "" && name in {}) return `There is no option --${name}.`;
    if (options[name]?.kind === "flag" && value !== undefined) {
      return `--${name} takes no value: leave out =${value}.`;
    }
  }
  return undefined;
}

function noCommand(given: string, commands: readonly Command[]): string {
  if (given.startsWith("-")) return "The command comes first: eventload <command> [options].";
  const names = commands.map(nameOf);
  return `There is no command ${given}${didYouMean(given, names) || "."}`;
}

/** What yargs says, in words that name the option as it is typed. */
function inOurWords(failure: string, command: Command, commands: readonly Command[]): string {
  const [, unknown] = /^Unknown arguments?: (.*)$/s.exec(failure) ?? [];
  if (unknown !== undefined) {
    return unknown
      .split(", ")
      .map((name) => unknownArgument(name, command, commands))
      .join(" ");
  }
  const [, option] = /^Not enough arguments following: (.*)$/.exec(failure) ?? [];
  return option === undefined ? failure : `--${option.replace(/^-+/, "")} needs a value after it.`;
}

function unknownArgument(given: string, command: Command, commands: readonly Command[]): string {
  const own = Object.keys(command.options).filter((name) => command.options[name]?.only !== "file");
  const name = given.replace(/^-+/, "").replaceAll("_", "-");
  const none = `There is no option ${name.length === 1 ? "-" : "--"}${name}`;
  if (name === "token") {
    return `${none}, as others could see it: set EVENTLOAD_TOKEN, or give --token-file or --token-command.`;
  }
  if (optionsOf(commands)[name]?.only === "file") {
    return `${none}; ${toKey(name)} is a key of eventload.yaml.`;
  }
  const meant = didYouMean(
    `--${name}`,
    own.map((one) => `--${one}`),
  );
  return `${none}${name.length === 1 ? "." : meant || "."}`;
}
