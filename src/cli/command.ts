import type { Argv } from "yargs";
import type { Host } from "./host.ts";
import type { Arguments, EarlierRun, ParsedArguments, Setting } from "./options/arguments.ts";
import { type Option, yargsOption } from "./options/option-types.ts";
import type { LogFile } from "./terminal/log-file.ts";
import type { MetricsFile } from "./terminal/metrics-file.ts";

/** A command of the program: one file of `commands/` each. */
export interface Command {
  /** `import <input>`, as yargs reads it. */
  readonly usage: string;
  readonly summary: string;
  /** What the positional argument is. */
  readonly positional?: {
    readonly name: string;
    readonly describe: string;
    /** Whether there can be several. */
    readonly isList?: true;
    readonly isOptional?: true;
  };
  readonly options: Readonly<Record<string, Option>>;
  /** As they can be typed, without the name of the program, and what each does. */
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Whether it sends, so that metrics and log tell of it. */
  readonly isRun?: true;
  /** Finds the run that it goes on from, whose address and target count more than what is not typed. */
  findEarlier?(
    given: ReadonlyMap<string, Setting>,
    env: Host["env"],
  ): Promise<EarlierRun | undefined>;
  /**
   * @param observers what `--metrics-file` and `--log-file` name, not yet begun
   * @returns the exit status
   */
  run(args: Arguments, host: Host, observers?: RunObservers): Promise<number>;
}

const variables =
  "The name in brackets is the environment variable that says the same as the option.";
const variablesOfRuns =
  "EVENTLOAD_TOKEN is the access token. HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS are heeded.";

/** Adds a command with its options and help to the parser, which calls back when it is given. */
export function declare(
  parser: Argv,
  command: Command,
  chosen: (parsed: ParsedArguments) => void,
): Argv {
  return parser.command(
    command.usage,
    command.summary,
    (own) => {
      if (command.positional !== undefined) {
        const { name, describe, isOptional } = command.positional;
        // Of a list the help would show an empty one as the default.
        own.positional(name, {
          type: "string",
          describe,
          demandOption: isOptional !== true,
          default: undefined,
        });
      }
      for (const [name, option] of Object.entries(command.options)) {
        own.option(name, yargsOption(name, option));
      }
      own.version(false);
      const hasOptions = Object.keys(command.options).length > 0;
      const told = [
        ...(hasOptions ? [variables] : []),
        ...(command.isRun ? [variablesOfRuns] : []),
      ];
      if (hasOptions) own.epilogue(told.join(" "));
      return own;
    },
    (argv) => chosen(argv),
  );
}

/** The reports of a run that nobody watches, also of one that cannot start. Not yet begun. */
export interface RunObservers {
  readonly metrics?: MetricsFile | undefined;
  readonly log?: LogFile | undefined;
}

/** `import` of `import <input..>`. */
export function nameOf({ usage }: Command): string {
  return usage.split(" ", 1)[0] ?? "";
}

/** What a name means where several commands mean something else by it. */
const sharedWords: Readonly<Record<string, string>> = {
  output: "The file that init, export or report writes",
};

/**
 * The options of all commands but those that are only typed. Where two share a name, the first command's
 * words stand, unless there are some for all.
 */
export function optionsOf(commands: readonly Command[]): Command["options"] {
  const all = new Map<string, Option>();
  for (const [name, option] of commands.flatMap(({ options }) => Object.entries(options))) {
    if (option.isTypedOnly) continue;
    const before = all.get(name);
    const words = sharedWords[name];
    if (before === undefined) all.set(name, option);
    else if (words !== undefined && before.describe !== option.describe) {
      const { default: _, ...common } = before;
      all.set(name, { ...common, describe: words });
    }
  }
  return Object.fromEntries(all);
}
