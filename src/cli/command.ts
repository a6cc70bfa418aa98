import type { Argv, Options } from "yargs";
import type { Host } from "./host.ts";

/** A command of the program: one file of `commands/` each. */
export interface Command {
  /** `import <input>`, as yargs reads it. */
  readonly usage: string;
  readonly summary: string;
  /** What the positional argument is. */
  readonly positional?: { readonly name: string; readonly describe: string };
  readonly options: Readonly<Record<string, Options>>;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** @returns the exit status */
  run(args: Arguments, host: Host): Promise<number>;
}

/** Arguments as yargs parsed them, by the names of the options. */
export interface Arguments {
  /** Text of an option, or nothing where it was not given. */
  text(name: string): string | undefined;
  /** A number that its option has already checked. */
  number(name: string): number | undefined;
  flag(name: string): boolean;
}

/** Adds a command with its options, examples and help to the parser. */
export function declare(parser: Argv, command: Command, chosen: (args: Arguments) => void): Argv {
  return parser.command(
    command.usage,
    command.summary,
    (own) => {
      if (command.positional !== undefined) {
        const { name, describe } = command.positional;
        own.positional(name, { type: "string", describe, demandOption: true });
      }
      own.options({ ...command.options }).version(false);
      for (const [line, what] of command.examples) own.example(`$0 ${line}`, what);
      return own;
    },
    (argv) => chosen(readArguments(argv)),
  );
}

/** yargs reads a lone `-` as nothing, so another text stands for it on the way through. */
const dash = "\u0000-";

export function guardDashes(argv: readonly string[]): string[] {
  return argv.map((argument) => (argument === "-" ? dash : argument));
}

function readArguments(argv: Readonly<Record<string, unknown>>): Arguments {
  return {
    text(name) {
      const value = argv[name];
      if (value === undefined) return undefined;
      return value === dash ? "-" : String(value);
    },
    number: (name) => (argv[name] === undefined ? undefined : Number(argv[name])),
    flag: (name) => argv[name] === true,
  };
}
