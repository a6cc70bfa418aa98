import { systemClock } from "../model/clock.ts";
import { checkSettings } from "../run/options/import-settings.ts";
import { type Command, nameOf, optionsOfCommands, type RunObservers } from "./command.ts";
import { checkCommand } from "./commands/check.ts";
import { completionCommand } from "./commands/completion.ts";
import { createConfigCommand } from "./commands/config.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { mapCommand } from "./commands/map.ts";
import { mergeCommand } from "./commands/merge.ts";
import { reportCommand } from "./commands/report.ts";
import { resumeCommand } from "./commands/resume.ts";
import { retryCommand } from "./commands/retry.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { createSchemaCommand } from "./commands/schema.ts";
import { statusCommand } from "./commands/status.ts";
import { exitStatus, type Host } from "./host.ts";
import { type Arguments, type GivenValue, readArguments, typedLayer } from "./options/arguments.ts";
import { expandPatterns } from "./options/expand-patterns.ts";
import { filledNames } from "./options/file-names.ts";
import { refuseFoundPaths } from "./options/found-file.ts";
import { parseCommandLine } from "./options/parse-command-line.ts";
import { settingsGiven } from "./options/send-options.ts";
import { readSettings } from "./options/settings.ts";
import { withHttpForItsToken } from "./options/token-source.ts";
import { type CommandRefusal, refusalJson, refusalOf, refuse, withCommand } from "./refuse.ts";
import { say } from "./terminal/lines.ts";

const ownCommands: readonly Command[] = [
  initCommand,
  mapCommand,
  checkCommand,
  importCommand,
  retryCommand,
  resumeCommand,
  mergeCommand,
  statusCommand,
  reportCommand,
  exportCommand,
  sandboxCommand,
];

/** The commands whose options can be in a configuration file. */
const configurable = ownCommands.filter(({ options }) => "config" in options);

/** All commands, including those about the others. */
export const commands: readonly Command[] = [
  ...ownCommands,
  createSchemaCommand(configurable),
  createConfigCommand(ownCommands),
  completionCommand,
];

const widestHelp = 100;

/**
 * The program: parses, runs one command, and returns the exit status. It never ends the
 * process, and uses nothing but the host.
 */
export async function main(host: Host): Promise<number> {
  const { argv, stdout } = host;
  const called = commands.find((command) => nameOf(command) === argv[0]);
  // For errors before the settings are read.
  let json = argv.includes("--json");
  let observers: RunObservers = {};
  let args: Arguments | undefined;
  const refused = async (given: CommandRefusal) => {
    const refusal = withCommand(given, argv, called?.isRun === true || called === checkCommand);
    await reportRefusal(observers, refusal);
    return refuse(refusal, host, json ? refusalJson(refusal) : undefined);
  };
  try {
    const columns = Math.min(widestHelp, stdout.columns || widestHelp);
    const line = await parseCommandLine(argv, commands, columns);
    switch (line.kind) {
      case "wrong": {
        const { message } = line;
        const status = exitStatus.couldNotStart;
        return await refused({ code: "usage", message, details: [], status });
      }
      case "text":
        stdout.write(`${line.text}\n`);
        return exitStatus.ok;
      case "nothing":
        host.stderr.write(`${line.text}\n`);
        return exitStatus.couldNotStart;
      case "command": {
        const given = typedLayer(line.command, expandPatterns(line.command, line.parsed));
        args = await withSettings(line.command, given, host);
        json = args.flag("json");
        if (line.command.isRun) observers = await observersOf(args);
        checkSettings(settingsGiven(args, ({ group }) => group !== "Input"));
        return await line.command.run(args, host, observers);
      }
    }
  } catch (error) {
    return refused(refusalOf(error, args));
  }
}

async function withSettings(
  command: Command,
  given: ReturnType<typeof typedLayer>,
  host: Host,
): Promise<Arguments> {
  // A mistake in a file that it does not read keeps no command from its work, such as completion.
  if (!("config" in command.options)) return readArguments(command, [given]);
  const known = optionsOfCommands(configurable);
  const hasTarget = "target" in command.options;
  const earlier = await command.findEarlier?.(given, host.env);
  const { layers, warnings } = await readSettings(host, known, given, hasTarget, earlier);
  for (const warning of warnings) say(host, `warning: ${warning}`);
  const counted = withHttpForItsToken(layers);
  const args = readArguments(command, counted, earlier);
  const writesFiles = command.isRun || command === checkCommand || command === mergeCommand;
  const all = writesFiles === true ? [filledNames(args, command), ...counted] : counted;
  await refuseFoundPaths(command, all, host.cwd);
  return readArguments(command, all, earlier);
}

async function observersOf(args: Arguments): Promise<RunObservers> {
  const [metrics, log] = [args.given("metrics-file"), args.given("log-file")];
  const { createMetricsFile } = await import("./terminal/metrics-file.ts");
  const { createLogFile } = await import("./terminal/log-file.ts");
  return {
    metrics: metrics && createMetricsFile(metrics, systemClock),
    log: log && createLogFile(log, systemClock),
  };
}

/** Reports a run that did not start, or that broke. A file that the run may not have for this is not written. */
async function reportRefusal(
  { metrics, log }: RunObservers,
  refusal: CommandRefusal,
): Promise<void> {
  const { status, code, message } = refusal;
  const isToBlame = ({ value }: GivenValue) => code === "option_invalid" && message.includes(value);
  if (metrics !== undefined && !isToBlame(metrics.setting)) await metrics.end(status, code);
  if (log !== undefined && !isToBlame(log.setting)) await log.end(status, refusalJson(refusal));
}
