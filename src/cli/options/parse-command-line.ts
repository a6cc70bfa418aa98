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
  const wrong = command === undefined ? undefined : findMisread(command, words);
  return wrong === undefined ? parse(argv, command, commands) : { kind: "wrong", message: wrong };
}

async function parse(
  argv: readonly string[],
  command: Command | undefined,
  commands: readonly Command[],
): Promise<CommandLine> {
  let failure: string | undefined;
  let parsed: ParsedArguments | undefined;
  let shown = "";
  const parser = yargs(guardDashes(argv))
    .scriptName("eventload")
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "short-option-groups": false,
    })
    .help(false)
    .version(false)
    .demandCommand(1)
    .strict()
    .updateStrings({
      "Arguments %s and %s are mutually exclusive": "--%s and --%s cannot be given together.",
    })
    .exitProcess(false)
    .fail((message, error) => {
      failure ??= message ?? error.message;
    });
  if (command === undefined) parser.completion(completionRequest, false, offerAsTyped);
  for (const one of command === undefined ? commands : [command]) {
    parser.command(
      one.usage,
      one.summary,
      (own) => declareOptions(own, one, command !== undefined),
      (argv) => {
        parsed = argv;
      },
    );
  }
  await parser.parseAsync([...guardDashes(argv)], {}, (_error, _argv, output) => {
    shown = output;
  });
  if (failure !== undefined)
    return { kind: "wrong", message: inOurWords(failure, command, commands) };
  if (command === undefined || parsed === undefined) return { kind: "text", text: shown.trimEnd() };
  return { kind: "command", command, parsed };
}

/** The scripts of `completion` call the program so, to ask which words may come next. yargs answers. */
export const completionRequest = "--get-yargs-completions";

/** Options where one has begun, and else the words of yargs that are none; without any, a shell offers its files. */
const offerAsTyped: FallbackCompletionFunction = (current, _argv, find, done) =>
  find((_error, words = []) =>
    done(words.filter((word) => word.startsWith("-") === current.startsWith("-"))),
  );

/** @param isHidden yargs renders its own help before each command, which takes long and which nobody sees */
function declareOptions(own: Argv, { positional, options }: Command, isHidden: boolean): Argv {
  if (isHidden) own.wrap(null);
  if (positional !== undefined) {
    const { name, describe, isOptional, choices } = positional;
    // Of a list yargs would make an empty one.
    const given = { type: "string", describe, default: undefined } as const;
    own.positional(name, { ...given, demandOption: isOptional !== true });
    if (!isHidden && choices !== undefined) own.choices(name, choices);
  }
  for (const [name, option] of Object.entries(options)) {
    const { kind, describe, short, only, conflicts, schema } = option;
    if (only === "file") continue;
    if (conflicts !== undefined) own.conflicts(name, [...conflicts]);
    const type = kind === "flag" ? { boolean: true } : { string: true, requiresArg: true };
    own.option(name, { describe, hidden: isHidden, ...type });
    // Declared with the option, the letter is offered as --m; and yargs checks words in its own way.
    if (short !== undefined) own.alias(name, short);
    if (!isHidden && Array.isArray(schema.enum)) own.choices(name, schema.enum);
  }
  return own;
}

/** yargs reads `--json=yes` as false, and takes `--input` for the argument of that name. */
function findMisread(
  { options, positional }: Command,
  words: readonly string[],
): string | undefined {
  for (const word of words) {
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    // yargs keeps options in plain objects, and fails at a name that every object has.
    if (name !== "" && (name === positional?.name || name in {})) {
      return `There is no option --${name}.`;
    }
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
function inOurWords(
  failure: string,
  command: Command | undefined,
  commands: readonly Command[],
): string {
  if (command === undefined) return failure;
  const [, unknown] = /^Unknown arguments?: (.*)$/s.exec(failure) ?? [];
  if (unknown !== undefined) {
    return unknown
      .split(", ")
      .map((name) => unknownArgument(name, command, commands))
      .join(" ");
  }
  const [, option] = /^Not enough arguments following: (.*)$/.exec(failure) ?? [];
  if (option !== undefined) return `--${option.replace(/^-+/, "")} needs a value after it.`;
  if (/^Not enough non-option arguments/.test(failure)) {
    const what = command.positional?.name === "input" ? "Which input?" : "Which file?";
    return `${what} Type eventload ${command.usage}.`;
  }
  return failure;
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
  const isFile = !given.startsWith("-") && /[./\\]/.test(given) && didYouMean(name, own) === "";
  if (isFile) return `What is ${given}? ${nameOf(command)} takes one file.`;
  const meant = didYouMean(
    `--${name}`,
    own.map((one) => `--${one}`),
  );
  return `${none}${name.length === 1 ? "." : meant || "."}`;
}
