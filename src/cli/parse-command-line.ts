import yargs from "yargs";
import { packageVersion } from "../model/package-version.ts";
import { guardDashes, type ParsedArguments } from "./arguments.ts";
import { type Command, declare } from "./command.ts";
import { optionsOf } from "./config-schema.ts";
import { renderExamples } from "./render-examples.ts";
import { spellOutFlags } from "./spell-out-flags.ts";
import { takenCommand, takenFile } from "./taken-words.ts";
import { nameOf, unknownArguments } from "./unknown-arguments.ts";

export type CommandLine =
  | { readonly kind: "command"; readonly command: Command; readonly parsed: ParsedArguments }
  /** Help or version: what to print. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "wrong"; readonly message: string };

const noCommand = "Which command?";
const missing = "Which file? (%s given, %s needed)";

/**
 * Finds the command and splits its arguments; what they mean is not read here.
 *
 * @param columns width of the help
 */
export async function parseCommandLine(
  words: readonly string[],
  commands: readonly Command[],
  columns: number,
): Promise<CommandLine> {
  const argv = withHelpAsOption(words, commands);
  if (asksForVersion(argv, commands)) return { kind: "text", text: packageVersion() };
  const split = spellOutFlags(argv, commands);
  if (split.kind === "wrong") return split;

  let chosen: CommandLine | undefined;
  /** What follows the choice of a command is that yargs lays out its whole help, for nobody. */
  const enough = new Error("a command was chosen");
  const parser = yargs()
    .scriptName("eventload")
    .usage(
      "$0 <command>\n\nLoads a CSV file or a spreadsheet into a service whose users and contacts are written by sending events.",
    )
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .version(packageVersion())
    .help()
    .alias("help", "h")
    .wrap(columns)
    .demandCommand(1, noCommand)
    .recommendCommands()
    .strict()
    .exitProcess(false)
    .updateStrings({
      "Not enough non-option arguments: got %s, need at least %s": {
        one: missing,
        other: missing,
      } as never,
      string: "value",
      boolean: "flag",
      array: "one or more",
      "Not enough arguments following: %s": "--%s needs a value: give one after it.",
    })
    .epilogue(
      "eventload COMMAND --help tells the options of a command, with examples. Options can also stand in the environment (EVENTLOAD_BASE_URL) or in eventload.yaml (base_url). The access token is EVENTLOAD_TOKEN, or comes from --token-file or --token-command.",
    );
  for (const command of commands) {
    declare(parser, command, (parsed) => {
      chosen = { kind: "command", command, parsed };
      throw enough;
    });
  }

  let failure: string | undefined;
  parser.fail((message, error) => {
    failure ??= message ?? error.message;
  });
  let shown = "";
  const show = (_error: unknown, _argv: unknown, output: string) => {
    shown = output;
  };
  try {
    await parser.parseAsync(guardDashes(split.argv), {}, show);
  } catch (error) {
    if (error !== enough) throw error;
  }
  if (failure !== undefined) {
    const [, names] = /^Unknown arguments?: (.*)$/s.exec(failure) ?? [];
    const [first = ""] = argv;
    const isCommand = commands.some((command) => nameOf(command) === first);
    const taken = isCommand ? undefined : takenCommand(argv, commands);
    if (taken !== undefined) return { kind: "wrong", message: taken };
    const isKnown = Object.hasOwn(optionsOf(commands), first.replace(/^--|=.*/gs, ""));
    if (failure === noCommand && first.startsWith("-") && !isKnown) {
      failure = unknownArguments([first], argv, commands);
    }
    const shown = commands.find((command) => argv.includes(nameOf(command)))?.positional;
    if (shown?.choices !== undefined && failure.startsWith("Which file?")) {
      failure = `Which ${shown.name}? Give ${shown.choices.join(" or ")}.`;
    }
    if (names !== undefined && !isCommand && !first.startsWith("-")) {
      failure = `There is no command ${first}.`;
    } else if (names !== undefined) failure = unknownArguments(names.split(", "), argv, commands);
    else failure = nameSlips(failure, argv, commands);
    return { kind: "wrong", message: failure.replaceAll(/(?<!\s)\s*\n\s*/g, " ") };
  }
  if (chosen !== undefined) return chosen;
  const command = commands.find((one) => nameOf(one) === argv[0]);
  const examples = command === undefined ? "" : `\n\n${renderExamples(command, columns)}`;
  return { kind: "text", text: `${shown.trimEnd()}${examples}` };
}

/** `help import` is what many type for `import --help`. */
function withHelpAsOption(
  words: readonly string[],
  commands: readonly Command[],
): readonly string[] {
  const [first, ...others] = words;
  if (first !== "help") return words;
  const isSlip = others.length > 0 && !commands.some((command) => nameOf(command) === others[0]);
  return isSlip ? others : [...others, "--help"];
}

/** Also after a command; yargs knows it in front only. */
function asksForVersion(argv: readonly string[], commands: readonly Command[]): boolean {
  const at = argv.indexOf("--version");
  const before = argv[at - 1]?.replace(/^--/, "") ?? "";
  const isCommand = commands.some((command) => nameOf(command) === argv[0]);
  return isCommand && at > 0 && optionsOf(commands)[before]?.kind !== "value";
}

/** A slip in a name is more to tell than a file that is missing. */
function nameSlips(failure: string, argv: readonly string[], commands: readonly Command[]): string {
  const [, meant] = /^Did you mean (.*)\?$/.exec(failure) ?? [];
  if (meant !== undefined) {
    const given = argv.find((argument) => !argument.startsWith("-"));
    return `There is no command ${given}; did you mean ${meant}?`;
  }
  const command = commands.find((one) => argv.includes(nameOf(one)));
  if (command === undefined || !failure.startsWith("Which file?")) return failure;
  const typed = argv.flatMap((argument) => /^--([a-z][\w-]*)/i.exec(argument)?.[1] ?? []);
  const slips = typed.filter((name) => !Object.hasOwn(command.options, name));
  if (slips.length > 0) return unknownArguments(slips, argv, commands);
  return takenFile(argv, commands) ?? failure;
}
