import { type Command, nameOf, optionsOf } from "../command.ts";
import { didYouMean } from "./option-types.ts";

/**
 * Says which arguments a command does not know, and what was probably meant.
 *
 * @param names as yargs has them, without dashes where they are options
 */
export function unknownArguments(
  names: readonly string[],
  argv: readonly string[],
  commands: readonly Command[],
): string {
  const told = names.map((name) => `${name}${hint(name, argv, commands)}`);
  return `Unknown argument${names.length === 1 ? "" : "s"}: ${told.join(", ")}`;
}

function hint(given: string, argv: readonly string[], commands: readonly Command[]): string {
  const isOption = given.startsWith("-") || argv.some((one) => isNamed(one, given));
  if (!isOption) return "";
  const name = given.replace(/^-+/, "").replace(/=.*/s, "");
  const command = commands.find((one) => argv.includes(nameOf(one)));
  const own = Object.keys(command?.options ?? { version: true }).map(asTyped);
  own.push("--help");
  const instead = otherNames.get(name);
  if (instead !== undefined && !own.includes(asTyped(name))) return `; ${instead}`;
  const elsewhere = commands.filter(({ options }) => Object.hasOwn(options, name));
  if (elsewhere.length === 0 || own.includes(asTyped(name))) {
    return didYouMean(asTyped(name.replaceAll("_", "-")), own);
  }
  return `, which is an option of ${elsewhere.map(nameOf).join(", ")}`;
}

/** What people look for, and what they should type instead. */
const otherNames = new Map([
  [
    "token",
    "a token is no argument, as others would see it: set EVENTLOAD_TOKEN, or give --token-file or --token-command",
  ],
  ["dry-run", "eventload check does everything but send"],
]);

function isNamed(argument: string, name: string): boolean {
  return argument === `--${name}` || argument.startsWith(`--${name}=`);
}

function asTyped(option: string): string {
  return `--${option}`;
}

/**
 * The message where an option without a value has taken the command as its value.
 *
 * @returns nothing where no option has
 */
export function takenCommand(
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined {
  const names = commands.map(nameOf);
  const taken = takenWords(argv, commands).find(({ word }) => names.includes(word));
  if (taken === undefined) return undefined;
  const { option, word } = taken;
  return `--${option} has no value: it takes the word after it, ${word}, which is then no command. Give it a value, or leave it out.`;
}

/** The same for a file: a word that cannot be the value of the option that has taken it, or is the last word. */
export function takenFile(
  argv: readonly string[],
  commands: readonly Command[],
): string | undefined {
  const options = optionsOf(commands);
  const taken = takenWords(argv, commands);
  for (const { option, word } of taken) {
    const read = options[option]?.read(word);
    if (read?.kind === "wrong") {
      return `--${option}${read.why}. Is its value missing? It takes the word after it, and no file is left.`;
    }
  }
  const last = taken.at(-1);
  // Others may hold a secret.
  const isPath = last !== undefined && options[last.option]?.isPath === true;
  return isPath && last.word === argv.at(-1)
    ? `Which file? The last word, ${last.word}, is the value of --${last.option}.`
    : undefined;
}

/** Options whose value is the next word. */
function takenWords(
  argv: readonly string[],
  commands: readonly Command[],
): { readonly option: string; readonly word: string }[] {
  const options = optionsOf(commands);
  return argv.flatMap((argument, at) => {
    const option = argument.startsWith("--") ? argument.slice(2) : "";
    const word = argv[at + 1];
    return options[option]?.kind !== "value" || word === undefined ? [] : [{ option, word }];
  });
}
