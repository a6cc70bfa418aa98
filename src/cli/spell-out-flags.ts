import { CannotStartError } from "../model/errors.ts";
import type { Command } from "./command.ts";
import { optionsOf } from "./config-schema.ts";
import { unknownArguments } from "./unknown-arguments.ts";

export type SpelledOut =
  | { readonly kind: "argv"; readonly argv: readonly string[] }
  | { readonly kind: "wrong"; readonly message: string };

/**
 * yargs takes `--json=yes` for false, and `--input FILE` for a positional argument that it then
 * drops: both are settled before it sees them.
 */
export function spellOutFlags(argv: readonly string[], commands: readonly Command[]): SpelledOut {
  const options = optionsOf(commands);
  const positionals = commands.map(({ positional }) => positional?.name);
  const spelled: string[] = [];
  for (const [at, argument] of argv.entries()) {
    if (argument === "--") return { kind: "argv", argv: [...spelled, ...argv.slice(at)] };
    const [, name = "", given] = /^--([^=]+)(?:=(.*))?$/s.exec(argument) ?? [];
    if (positionals.includes(name)) {
      return { kind: "wrong", message: `Unknown argument: ${name}` };
    }
    // yargs keeps what it knows in plain objects, and falls over what all of them have.
    if (name in {}) return { kind: "wrong", message: `Unknown argument: ${name}` };
    // Each letter of it would be an option of its own.
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
