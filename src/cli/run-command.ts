import { systemClock } from "../delivery/clock.ts";
import { CannotStartError } from "../domain/errors.ts";
import { isDone } from "../domain/outcome.ts";
import type { ImportOptions, RunSummary } from "../import-options.ts";
import type { Arguments } from "./arguments.ts";
import { type FileInUse, guardLogFile } from "./guard-log-file.ts";
import { exitStatus, type Host, type InterruptSignal } from "./host.ts";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import { type LogFile, openLogFile } from "./log-file.ts";
import { hasTypedTokenCommand, nextCommands } from "./next-commands.ts";
import { createProgress, type ProgressDisplay } from "./progress.ts";
import { refusalJson } from "./refuse.ts";
import { reportFile } from "./report-file.ts";
import { createReporter } from "./reporter.ts";
import { sendOptionsOf } from "./send-options.ts";
import { configPath } from "./settings.ts";
import { renderSummary } from "./summary.ts";
import { summaryJson, wholeSummaryJson } from "./summary-json.ts";
import { tokenSource } from "./token-source.ts";

/** What the commands that send have in common: all but where input and mapping come from. */
export type CommonOptions = Omit<ImportOptions, "input" | "mapping" | "baseUrl" | "results">;

/** What differs from one such command to the next. */
export interface RunToStart {
  /** The files that it will read and write. */
  filesInUse(): Promise<readonly FileInUse[]>;
  /** Whether the input could be read again. */
  readonly canResume: boolean;
  start(options: CommonOptions): Promise<RunSummary>;
}

/**
 * Wires a run to the terminal: progress, interrupts, log and summary.
 *
 * @returns the exit status
 */
export async function runCommand(args: Arguments, host: Host, run: RunToStart): Promise<number> {
  const progress = createProgress(host, args.flag("quiet"), systemClock);
  const drain = new AbortController();
  const cutOff = new AbortController();
  const interrupts = listenForInterrupts(host, systemClock, {
    first() {
      progress.say("Interrupted: waiting for what is on the wire. Once more to leave at once.");
      drain.abort();
    },
    second: () => cutOff.abort(),
  });
  try {
    const signals = { signal: drain.signal, cutOffSignal: cutOff.signal };
    const ended = toTheEnd(args, host, run, progress, interrupts, signals);
    return await Promise.race([ended, interrupts.left]);
  } finally {
    progress.end();
    interrupts.end();
  }
}

async function toTheEnd(
  args: Arguments,
  host: Host,
  run: RunToStart,
  progress: ProgressDisplay,
  interrupts: Interrupts,
  signals: Pick<ImportOptions, "signal" | "cutOffSignal">,
): Promise<number> {
  const { stdout, stderr } = host;
  const quiet = args.flag("quiet");
  const report = createReporter(progress, quiet);
  const options = {
    ...sendOptionsOf(args, host.env),
    token: tokenSource(args, host.env),
    ...signals,
  };
  const warn = (message: string) => progress.say(`warning: ${message}`);
  const reportTo = await reportFile(args, run.filesInUse, warn);
  const log = await openLog(args, host, run, progress);
  const summary = await run
    .start({
      ...options,
      onProgress: progress.update,
      onNotice(notice) {
        log?.write(notice);
        report(notice);
      },
    })
    .catch(async (error: unknown) => {
      if (error instanceof CannotStartError) {
        await log?.end(refusalJson(error.code, error.message, error.details));
      }
      throw error;
    });
  progress.end();
  await log?.end(summaryJson(summary));
  const written = await reportTo?.write(summary);
  const { canResume } = run;
  const next = nextCommands(summary, args, canResume);
  if (!quiet) {
    const details = {
      ...{ next, canResume, report: written, log: args.text("log-file") },
      needsTokenCommand: hasTypedTokenCommand(args),
    };
    for (const line of renderSummary(summary, details)) stderr.write(`${line}\n`);
  } else if (summary.message !== undefined) stderr.write(`eventload: ${summary.message}\n`);
  if (args.flag("json")) {
    const report = reportTo === undefined ? {} : { report: written ?? null };
    stdout.write(`${JSON.stringify({ ...wholeSummaryJson(summary, next), ...report })}\n`);
  }
  return statusOf(summary, interrupts.signal);
}

async function openLog(
  args: Arguments,
  { cwd }: Host,
  run: RunToStart,
  progress: ProgressDisplay,
): Promise<LogFile | undefined> {
  const setting = args.setting("log-file");
  if (setting === undefined) return undefined;
  const tokenFile = args.text("token-file");
  const caFile = args.text("ca-file");
  const report = args.text("report");
  await guardLogFile(setting, [
    ...(await run.filesInUse()),
    ...(report === undefined ? [] : [{ what: "the report", path: report }]),
    ...(tokenFile === undefined ? [] : [{ what: "the token file", path: tokenFile }]),
    ...(caFile === undefined ? [] : [{ what: "the file of certificates", path: caFile }]),
    { what: "the configuration file", path: configPath(args.text("config"), cwd) },
  ]);
  return openLogFile(setting.value, systemClock, (message) => progress.say(`warning: ${message}`));
}

function statusOf(summary: RunSummary, interruptedBy: InterruptSignal | undefined): number {
  switch (summary.exitReason) {
    case "complete": {
      const notDone = Object.entries(summary.counts).some(
        ([ending, number]) => number > 0 && !isDone(ending as keyof RunSummary["counts"]),
      );
      return notDone ? exitStatus.someNotSucceeded : exitStatus.ok;
    }
    case "interrupted":
      return exitStatus[interruptedBy ?? "SIGINT"];
    default:
      return exitStatus.stopped;
  }
}
