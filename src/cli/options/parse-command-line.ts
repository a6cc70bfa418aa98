import { parseArgs } from "node:util";
import { packageVersion } from "../../model/package-files.ts";
import { didYouMean } from "../../model/value-types.ts";
import { type Command, nameOf, optionsOf } from "../command.ts";
import type { ParsedArguments } from "./arguments.ts";
import { renderCommandHelp, renderHelp } from "./help.ts";
import { toKey } from "./option-types.ts";

export type CommandLine =
  | { readonly kind: "command"; readonly command: Command; readonly parsed: ParsedArguments }
  /** Help or version, as asked for, or the help where nothing was given. */
  | { readonly kind: "text" | "nothing"; readonly text: string }
  | { readonly kind: "wrong"; readonly message: string };

/** Finds the command and splits its arguments; what they mean is not read here. */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly Command[],
  columns: number,
): CommandLine {
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
  if (command === undefined) return { kind: "wrong", message: noCommand(first, commands) };
  const parsed = parse(argv.slice(1), command);
  const message = whyWrong(parsed, command, commands);
  if (message !== undefined) return { kind: "wrong", message };
  return { kind: "command", command, parsed: Object.fromEntries(parsed.given) };
}

/** Node splits them; each fault is found here, so that its message names the option as it is typed. */
function parse(args: readonly string[], { options, positional }: Command) {
  const known = Object.entries(options).filter(([, { only }]) => only !== "file");
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      known.map(([name, { kind, short }]) => [
        name,
        { type: kind === "flag" ? "boolean" : "string", ...(short !== undefined && { short }) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const unknown: string[] = [];
  const unexpected: string[] = [];
  const misused: string[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    const isPositional = token.kind === "positional";
    const name = isPositional ? positional?.name : token.name;
    // Node takes -m=x for the value =x.
    const isOfLetter = !isPositional && token.rawName === `-${token.rawName.at(-1)}`;
    const value = isOfLetter ? token.value?.replace(/^=/, "") : token.value;
    if (isPositional) {
      const isOneMore = name === undefined || given.has(name);
      if (isOneMore && positional?.isList !== true) unexpected.push(token.value);
    } else {
      const option = known.find(([one]) => one === name)?.[1];
      // Of several letters in a word, the word is what was typed.
      if (option === undefined) unknown.push(args[token.index]?.split("=", 1)[0] ?? "");
      else if (option.kind === "flag") {
        if (token.inlineValue) misused.push(`--${name} takes no value: leave out =${value}.`);
      } else if (value === undefined || (!token.inlineValue && /^-[^\d]/.test(value))) {
        misused.push(`--${name} needs a value after it.`);
      }
    }
    if (name !== undefined) given.set(name, [...(given.get(name) ?? []), value ?? "true"]);
  }
  return { given, unknown, unexpected, misused };
}

function whyWrong(
  { given, unknown, unexpected, misused }: ReturnType<typeof parse>,
  command: Command,
  commands: readonly Command[],
): string | undefined {
  const { options, positional, usage } = command;
  // A word behind an option that is unknown may be its value.
  const strange = unknown.length > 0 ? [...new Set(unknown)] : unexpected;
  if (strange.length > 0) {
    return strange.map((word) => unknownArgument(word, command, commands)).join(" ");
  }
  if (misused[0] !== undefined) return misused[0];
  for (const [name, { conflicts = [] }] of Object.entries(options)) {
    const other = given.has(name) ? conflicts.find((one) => given.has(one)) : undefined;
    if (other !== undefined) return `--${name} and --${other} cannot be given together.`;
  }
  if (positional === undefined || positional.isOptional || given.has(positional.name)) {
    return undefined;
  }
  const what = positional.name === "input" ? "Which input?" : "Which file?";
  return `${what} Type eventload ${usage}.`;
}

function noCommand(given: string, commands: readonly Command[]): string {
  if (given.startsWith("-")) return "The command comes first: eventload <command> [options].";
  const names = commands.map(nameOf);
  return `There is no command ${given}${didYouMean(given, names) || "."}`;
}

function unknownArgument(given: string, command: Command, commands: readonly Command[]): string {
  const own = Object.keys(command.options).filter((name) => command.options[name]?.only !== "file");
  const name = given.replace(/^-+/, "").replaceAll("_", "-");
  const dashes = name.length === 1 ? "-" : "--";
  const none = `There is no option ${given.startsWith("-") ? given : dashes + name}`;
  if (name === "token") {
    return `${none}, as others could see it: set EVENTLOAD_TOKEN, or give --token-file or --token-command.`;
  }
  const known = optionsOf(commands);
  if (Object.hasOwn(known, name) && known[name]?.only === "file") {
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
