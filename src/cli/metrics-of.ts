import { systemClock } from "../delivery/clock.ts";
import { CannotStartError } from "../domain/errors.ts";
import type { Arguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import type { Host } from "./host.ts";
import { createMetricsFile, type MetricsFile } from "./metrics-file.ts";
import { toVariable } from "./option.ts";
import type { Setting } from "./setting.ts";
import { nameOf } from "./unknown-arguments.ts";

const option = "metrics-file";

/**
 * The metrics that a run is to tell of itself.
 *
 * @throws CannotStartError where they cannot be a file of that name
 */
export function metricsOf(
  { isRun }: Command,
  args: Arguments,
  host: Pick<Host, "stderr">,
): MetricsFile | undefined {
  const setting = args.setting(option);
  return setting === undefined || isRun !== true ? undefined : create(setting, host);
}

/**
 * The same where the command line or the configuration file may be what keeps the run from starting: a
 * job that has never run since is to be seen.
 */
export function metricsBeforeSettings(
  commands: readonly Command[],
  host: Pick<Host, "argv" | "env" | "stderr">,
): MetricsFile | undefined {
  const { argv, env } = host;
  const command = commands.find((one) => nameOf(one) === argv[0]);
  if (command?.isRun !== true) return undefined;
  const variable = toVariable(option);
  const typed = argv.flatMap((argument, at) => {
    if (argument === `--${option}`) return argv[at + 1] ?? [];
    return argument.startsWith(`--${option}=`) ? argument.slice(option.length + 3) : [];
  });
  const [value = env[variable] ?? "", ...others] = typed;
  if (value.trim() === "" || others.length > 0) return undefined;
  const setting =
    typed.length > 0
      ? { value, origin: "command line" as const, place: `--${option}` }
      : { value, origin: "environment" as const, place: variable };
  try {
    return create(setting, host);
  } catch (error) {
    if (error instanceof CannotStartError) return undefined;
    throw error;
  }
}

function create(setting: Setting, { stderr }: Pick<Host, "stderr">): MetricsFile {
  return createMetricsFile(setting, systemClock, (message) =>
    stderr.write(`warning: ${message}\n`),
  );
}
