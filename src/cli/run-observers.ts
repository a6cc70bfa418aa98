import { systemClock } from "../model/clock.ts";
import { CannotStartError } from "../model/errors.ts";
import { hasParts } from "../run/options/results-name.ts";
import { type Command, nameOf, type RunObservers } from "./command.ts";
import type { Host } from "./host.ts";
import type { Arguments, Setting } from "./options/arguments.ts";
import { type Refusal, refusalJson } from "./refuse.ts";
import { writeLine } from "./terminal/lines.ts";
import { createLogFile } from "./terminal/log-file.ts";
import { createMetricsFile, type MetricsFile } from "./terminal/metrics-file.ts";

const options = { metrics: "metrics-file", log: "log-file" } as const;

/**
 * What a run is asked to tell of itself.
 *
 * @throws CannotStartError if the metrics cannot be a file of that name
 */
export function observersOf(
  { isRun }: Command,
  args: Arguments,
  host: Pick<Host, "stderr">,
): RunObservers {
  if (isRun !== true) return {};
  const metrics = args.setting(options.metrics);
  const log = args.setting(options.log);
  return {
    metrics: metrics && createMetrics(metrics, host),
    log: log && createLogFile(log, args.flag("log-cells"), systemClock),
  };
}

/**
 * The same where the command line or the configuration file may be what keeps the run from starting: a
 * job that has never run since is to be seen.
 */
export function observersBeforeSettings(
  commands: readonly Command[],
  host: Pick<Host, "argv" | "stderr">,
): RunObservers {
  const metrics = earlySetting(options.metrics, commands, host.argv);
  const log = earlySetting(options.log, commands, host.argv);
  return {
    metrics: metrics && withoutError(() => createMetrics(metrics, host)),
    // What stands for a part of its name is not known before.
    log: log && !hasParts(log.value) ? createLogFile(log, false, systemClock) : undefined,
  };
}

/** Tells of a run that did not start, or that broke off. */
export async function reportRefusal(
  { metrics, log }: RunObservers,
  { status, code, message, details }: Refusal,
): Promise<void> {
  /** A file that the run may not have for this is not written. */
  const isToBlame = ({ place, value }: Setting) =>
    message.includes(`${place}: `) || (code === "option_invalid" && message.includes(value));
  if (metrics !== undefined && !isToBlame(metrics.setting)) await metrics.end(status, code);
  if (log !== undefined && !isToBlame(log.setting)) {
    await log.end(status, refusalJson(code, message, details));
  }
}

/** Reports a run that the second interrupt stopped at once, unless its end has been reported. */
export async function reportLeft({ metrics, log }: RunObservers, status: number): Promise<void> {
  const reason = "interrupted";
  await Promise.all([metrics?.end(status, reason), log?.end(status, { exit_reason: reason })]);
}

function createMetrics(setting: Setting, { stderr }: Pick<Host, "stderr">): MetricsFile {
  return createMetricsFile(setting, systemClock, (message) =>
    writeLine(stderr, `warning: ${message}`),
  );
}

function withoutError<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof CannotStartError) return undefined;
    throw error;
  }
}

/** What is typed for an option of a run, before it is understood. Undefined if it is there twice. */
function earlySetting(
  option: string,
  commands: readonly Command[],
  argv: readonly string[],
): Setting | undefined {
  const command = commands.find((one) => nameOf(one) === argv[0]);
  if (command?.isRun !== true) return undefined;
  const [value = "", ...others] = argv.flatMap((argument, at) => {
    if (argument === `--${option}`) return argv[at + 1] ?? [];
    return argument.startsWith(`--${option}=`) ? argument.slice(option.length + 3) : [];
  });
  if (value.trim() === "" || others.length > 0) return undefined;
  return { value, origin: "command line", place: `--${option}` };
}
