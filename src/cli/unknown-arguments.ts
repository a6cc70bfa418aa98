import type { Command } from "./command.ts";
import { didYouMean } from "./did-you-mean.ts";

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
  const instead = mends.get(name);
  if (instead !== undefined && !own.includes(asTyped(name))) return `; ${instead}`;
  const elsewhere = commands.filter(({ options }) => Object.hasOwn(options, name));
  if (elsewhere.length === 0 || own.includes(asTyped(name))) {
    return didYouMean(asTyped(name.replaceAll("_", "-")), own);
  }
  return `, which is an option of ${elsewhere.map(nameOf).join(", ")}`;
}

/** What people look for under another name. */
const mends = new Map([
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

/** `import` of `import <input..>`. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ", 1)[0] ?? "";
}
