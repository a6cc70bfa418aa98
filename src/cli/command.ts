import type { Host } from "./host.ts";
import type { Arguments, EarlierRun, SettingsLayer } from "./options/arguments.ts";
import type { Option } from "./options/option-types.ts";
import type { LogFile } from "./terminal/log-file.ts";
import type { MetricsFile } from "./terminal/metrics-file.ts";

export interface Command {
  /** `import <input>`, as yargs reads it. */
  readonly usage: string;
  readonly summary: string;
  readonly positional?: {
    readonly name: string;
    readonly describe: string;
    readonly choices?: readonly string[];
    readonly isList?: true;
    readonly isOptional?: true;
    readonly takesStdin?: true;
  };
  readonly options: Readonly<Record<string, Option>>;
  /** Commands as they can be typed, without the name of the program, and what each does. */
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** Whether the command sends, so that it has metrics and a log. */
  readonly isRun?: true;
  /** Finds the run that it continues or retries, whose address and target count more than what is not typed. */
  findEarlier?(given: SettingsLayer, env: Host["env"]): Promise<EarlierRun | undefined>;
  /**
   * @param observers what `--metrics-file` and `--log-file` name, not yet begun
   * @returns the exit status
   */
  run(args: Arguments, host: Host, observers?: RunObservers): Promise<number>;
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

/**
 * The options of several commands, but for those that can only be typed. Where two share a name, the words
 * of the first command stand.
 */
export function optionsOfCommands(commands: readonly Command[]): Command["options"] {
  const all: Record<string, Option> = {};
  for (const [name, option] of commands.flatMap(({ options }) => Object.entries(options))) {
    if (option.only !== "typed") all[name] ??= option;
  }
  return all;
}
