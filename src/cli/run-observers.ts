import { systemClock } from "../model/clock.ts";
import { hasParts } from "../run/options/results-name.ts";
import type { RunObservers } from "./command.ts";
import type { Host } from "./host.ts";
import type { Arguments, Setting } from "./options/arguments.ts";
import { type Refusal, refusedRunJson } from "./refuse.ts";
import { writeLine } from "./terminal/lines.ts";
import { createLogFile } from "./terminal/log-file.ts";
import { createMetricsFile, type MetricsFile } from "./terminal/metrics-file.ts";

/**
 * What a run is asked to report.
 *
 * @throws CannotStartError if the metrics cannot be a file of that name
 */
export function observersOf(args: Arguments, host: Pick<Host, "stderr">): RunObservers {
  const [metrics, log] = [args.setting("metrics-file"), args.setting("log-file")];
  return {
    metrics: metrics && createMetrics(metrics, host),
    log: log && createLogFile(log, args.flag("log-cells"), systemClock),
  };
}

/**
 * The same where the command line or the configuration file may be what keeps the run from starting: a
 * job that has never run since is to be seen.
 *
 * @throws CannotStartError if the metrics cannot be a file of that name
 */
export function observersBeforeSettings(host: Pick<Host, "argv" | "stderr">): RunObservers {
  const [metrics, log] = ["--metrics-file", "--log-file"].map((one) => typedAfter(one, host.argv));
  return {
    metrics: metrics && createMetrics(metrics, host),
    // What stands for a part of its name is not known before.
    log: log && !hasParts(log.value) ? createLogFile(log, false, systemClock) : undefined,
  };
}

/** What is typed for an option, before it is understood. Undefined if it is there twice. */
function typedAfter(place: string, argv: readonly string[]): Setting | undefined {
  const [value = "", ...others] = argv.flatMap((argument, at) => {
    if (argument === place) return argv[at + 1] ?? [];
    return argument.startsWith(`${place}=`) ? argument.slice(place.length + 1) : [];
  });
  if (value.trim() === "" || others.length > 0) return undefined;
  return { value, origin: "command line", place };
}

/** Reports a run that did not start, or that broke. */
export async function reportRefusal(
  { metrics, log }: RunObservers,
  refusal: Refusal,
): Promise<void> {
  const { status, code, message } = refusal;
  /** A file that the run may not have for this is not written. */
  const isToBlame = ({ place, value }: Setting) =>
    message.includes(`${place}: `) || (code === "option_invalid" && message.includes(value));
  if (metrics !== undefined && !isToBlame(metrics.setting)) await metrics.end(status, code);
  if (log !== undefined && !isToBlame(log.setting)) await log.end(status, refusedRunJson(refusal));
}

function createMetrics(setting: Setting, { stderr }: Pick<Host, "stderr">): MetricsFile {
  const warn = (message: string) => writeLine(stderr, `warning: ${message}`);
  return createMetricsFile(setting, systemClock, warn);
}
