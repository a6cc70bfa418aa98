import yargs from "yargs";
import { CannotStartError } from "../../model/errors.ts";
import { packageVersion } from "../../model/package-version.ts";
import { type Command, declare, nameOf, optionsOf } from "../command.ts";
import { guardDashes, type ParsedArguments } from "./arguments.ts";
import { takenCommand, takenFile, unknownArguments } from "./usage-errors.ts";

export type CommandLine =
  | { readonly kind: "command"; readonly command: Command; readonly parsed: ParsedArguments }
  /** Help or version: what to print. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "wrong"; readonly message: string };

/** The command that yargs brings along. */
const completion = "completion";
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
  const argv = isForCompletion(words) ? words : withHelpAsOption(words, commands);
  if (asksForVersion(argv, commands)) return { kind: "text", text: packageVersion() };
  const split = isForCompletion(argv)
    ? ({ kind: "argv", argv } as const)
    : spellOutFlags(argv, commands);
  if (split.kind === "wrong") return split;
  const given = guardDashes(split.argv);

  let chosen: CommandLine | undefined;
  /** Once a command is chosen, yargs would lay out the whole help, which nobody reads. */
  const enough = new Error("a command was chosen");
  // To complete a word, yargs parses these once more with the options of the command.
  const parser = yargs(given)
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
    .completion(completion, "Print a script that completes eventload in bash and zsh")
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
    await parser.parseAsync(given, {}, show);
  } catch (error) {
    if (error !== enough) throw error;
  }
  if (failure !== undefined) {
    const [, names] = /^Unknown arguments?: (.*)$/s.exec(failure) ?? [];
    const [first = ""] = argv;
    const isCommand = [completion, ...commands.map(nameOf)].includes(first);
    const taken = isCommand ? undefined : takenCommand(argv, commands);
    if (taken !== undefined) return { kind: "wrong", message: taken };
    const isKnown = Object.hasOwn(optionsOf(commands), first.replace(/^--|=.*/gs, ""));
    if (failure === noCommand && first.startsWith("-") && !isKnown) {
      failure = unknownArguments([first], argv, commands);
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

/** The script that `completion` prints calls the program so, to ask which words may come next. */
function isForCompletion([first]: readonly string[]): boolean {
  return first === "--get-yargs-completions";
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

/** A misspelt name matters more than a missing file. */
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

type SpelledOut =
  | { readonly kind: "argv"; readonly argv: readonly string[] }
  | { readonly kind: "wrong"; readonly message: string };

/**
 * Writes flags as `--json=true`, and refuses `--input FILE`: yargs would read `--json=yes` as false, and drop a
 * positional argument that is given as an option.
 */
function spellOutFlags(argv: readonly string[], commands: readonly Command[]): SpelledOut {
  const options = optionsOf(commands);
  const positionals = commands.map(({ positional }) => positional?.name);
  const spelled: string[] = [];
  for (const [at, argument] of argv.entries()) {
    if (argument === "--") return { kind: "argv", argv: [...spelled, ...argv.slice(at)] };
    const [, name = "", given] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (positionals.includes(name)) {
      return { kind: "wrong", message: `Unknown argument: ${name}` };
    }
    // yargs keeps options in plain objects, and fails at a name that every object has, such as constructor.
    if (name in {}) return { kind: "wrong", message: `Unknown argument: ${name}` };
    // yargs would read each letter of it as an option.
    if (/^-[a-z][\w-]+/i.test(argument)) {
      return { kind: "wrong", message: unknownArguments([argument], argv, commands) };
    }
    const option = options[name];
    if (option?.kind !== "flag" || given === undefined) {
      spelled.push(argument);
      continue;
    }
    const read = option.read(given);
    if (read.kind === "wrong") {
      throw new CannotStartError("option_invalid", `--${name}${read.why}.`);
    }
    spelled.push(`--${name}=${read.value}`);
  }
  return { kind: "argv", argv: spelled };
}

/**
 * Moves the command to the front where options stand before it: yargs knows which options take the next word
 * as their value only once it knows the command.
 */
export function commandFirst(argv: readonly string[], commands: readonly Command[]): string[] {
  if (isForCompletion(argv)) return [...argv];
  const at = placeOfCommand(argv, commands);
  const command = argv[at];
  return command === undefined ? [...argv] : [command, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

function placeOfCommand(argv: readonly string[], commands: readonly Command[]): number {
  const options = optionsOf(commands);
  let at = 0;
  for (let word = argv[at]; word?.startsWith("-"); word = argv[at]) {
    const [, name = "", given] = /^--([^=]+)(=.*)?$/s.exec(word) ?? [];
    const option = options[name];
    if (option === undefined && !["--help", "-h"].includes(word)) {
      // It is refused in any case; only the message depends on the command.
      const names = commands.map(nameOf);
      return argv.findIndex((one) => names.includes(one));
    }
    const takesNext =
      given === undefined &&
      (option?.kind === "value" ||
        (option?.kind === "flag" && ["true", "false"].includes(argv[at + 1] ?? "")));
    at += takesNext ? 2 : 1;
  }
  return at;
}

/**
 * The examples of a command's help, each of which can be copied as it is. yargs would cut them into a column.
 *
 * @param columns width of the help
 */
function renderExamples({ examples }: Command, columns: number): string {
  const shown = examples.map(([line, what]) => {
    const comment = folded(what.split(" "), "  # ", "  # ", "", columns);
    return [...comment, ...folded(parts(line), "  ", "      ", " \\", columns)].join("\n");
  });
  return ["Examples:", ...shown].join("\n");
}

/** The words of a command, each option with its value. */
function parts(line: string): string[] {
  return `eventload ${line}`.split(/ (?=--|>)/);
}

/** Lines of no more than so many columns, as far as the words allow it. */
function folded(
  words: readonly string[],
  first: string,
  others: string,
  ending: string,
  columns: number,
): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of words) {
    const longer = current === "" ? `${first}${word}` : `${current} ${word}`;
    if (current !== "" && longer.length + ending.length > columns) {
      lines.push(`${current}${ending}`);
      current = `${others}${word}`;
    } else current = longer;
  }
  return [...lines, current];
}
