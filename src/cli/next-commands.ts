import { shellWord } from "../domain/shell-word.ts";
import type { ExitReason, RunSummary } from "../import-options.ts";
import type { Arguments } from "./arguments.ts";

/** What can be done with the files of a run, as commands that can be typed. */
export interface NextCommands {
  readonly resume?: string;
  readonly retry?: string;
  readonly report?: string;
}

/** After these the input is not one to go on with. */
const noResumeHelps: ReadonlySet<string> = new Set<ExitReason>([
  "accounts_differ",
  "input_changed",
  "input_damaged",
]);

/**
 * What to type next, with the options that were typed and that neither the manifest nor the journal
 * keeps.
 *
 * @param canResume whether the input could be read again
 */
export function nextCommands(
  { exitReason, results, failedRows, manifest }: RunSummary,
  args: Pick<Arguments, "setting">,
  canResume: boolean,
): NextCommands {
  if (results === undefined) return {};
  const command = (name: string, file: string, options: readonly string[]) =>
    ["eventload", name, shellWord(file), ...options].join(" ");
  const isComplete = exitReason === "complete";
  const canGoOn = !isComplete && canResume && !noResumeHelps.has(exitReason);
  const typed = typedOptions(args, carriedOver);
  return {
    ...(canGoOn ? { resume: command("resume", results, typed) } : {}),
    ...(isComplete && failedRows !== undefined
      ? { retry: command("retry", failedRows, typed) }
      : {}),
    ...(manifest === undefined ? {} : { report: command("report", results, []) }),
  };
}

/**
 * All else is known from the run before. What a token command is told may be a secret, so that is not
 * repeated.
 */
const carriedOver = [
  ...["config", "target", "token-file", "rate", "concurrency", "no-adaptive"],
  ...["max-attempts", "timeout", "max-outage", "max-errors", "durability"],
];

/** Those of some options that were typed, as they can be typed again. */
export function typedOptions(args: Pick<Arguments, "setting">, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const setting = args.setting(name);
    if (setting?.origin !== "command line") return [];
    if (setting.value === "true") return [`--${name}`];
    return [`--${name}`, shellWord(setting.value)];
  });
}

/** Whether the next command has to be told of a token command that is not repeated. */
export function hasTypedTokenCommand(args: Pick<Arguments, "setting">): boolean {
  return args.setting("token-command")?.origin === "command line";
}
