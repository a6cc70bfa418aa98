import { systemClock } from "../model/clock.ts";
import { isSameService, withoutSecrets } from "../model/endpoint.ts";
import { CannotStartError } from "../model/errors.ts";
import { isDone, outcomeStatuses } from "../model/outcome.ts";
import { packageVersion } from "../model/package-files.ts";
import type { RunSummary } from "../model/run-events.ts";
import type { RunSettings, SendingSettings } from "../model/run-settings.ts";
import { fileWord, tellCommand } from "../model/typed-command.ts";
import type { ReportOptions } from "../run/account/write-report.ts";
import type { ImportOptions } from "../run/options/import-options.ts";
import type { RunObservers } from "./command.ts";
import { holdsData } from "./commands/report.ts";
import { asTyped, exitStatus, type Host } from "./host.ts";
import type { Arguments } from "./options/arguments.ts";
import { describeKept, describeWhere } from "./options/earlier-run.ts";
import { guardOutputs } from "./options/file-names.ts";
import { knownToReport, nextCommands, typedOptions } from "./options/next-commands.ts";
import {
  type CommonOptions,
  describeOverruled,
  type KeepsSettings,
  sendOptionsOf,
} from "./options/send-options.ts";
import { tokenSource } from "./options/token-source.ts";
import { describeUncaught } from "./refuse.ts";
import { writeLine } from "./terminal/lines.ts";
import { printedSummary, summaryForLog } from "./terminal/printed.ts";
import { createProgress, createReporter } from "./terminal/progress.ts";
import {
  type ReportMade,
  renderSummary,
  type SummaryDetails,
  styleOf,
} from "./terminal/summary.ts";

export interface RunToStart {
  /** The command and its input, for metrics. */
  readonly called: { readonly command: "import" | "retry" | "resume"; readonly input: string };
  readonly baseUrl: string | undefined;
  /** The mapping, if it may come from the earlier run; it is shown together with the address. */
  readonly mappingToSay?: string | undefined;
  readonly results: string;
  readonly state?: string | undefined;
  /** Which settings of the run that is continued or retried are kept; default none. */
  readonly keeps?: KeepsSettings;
  /** The settings of that run, those of sending at least. */
  readonly before?: SendingSettings & Partial<RunSettings>;
  start(options: CommonOptions): Promise<RunSummary>;
}

/** Wires a run to the terminal: progress, interrupts, log and summary. @returns the exit status */
export async function runCommand(
  args: Arguments,
  host: Host,
  run: RunToStart,
  { metrics, log }: RunObservers,
): Promise<number> {
  const quiet = args.flag("quiet");
  const progress = await createProgress(host, quiet, systemClock);
  const drain = new AbortController();
  /** The exit status of an interrupt, also before a resume. */
  let leavesWith: number = exitStatus.SIGINT;
  const stopListening = host.onInterrupt((signal) => {
    leavesWith = exitStatus[signal];
    const now = "Interrupted: waiting for what is in flight. Interrupt again to stop at once.";
    const status = tellCommand("eventload", "status", fileWord(run.results));
    progress.say(`${now} To see how to continue, run ${status}`);
    drain.abort();
  });
  const forgetUncaught = host.onUncaught((thrown) => {
    if (drain.signal.aborted) return;
    const message = describeUncaught(thrown);
    progress.say(`${message} Stopping: waiting for what is in flight.`);
    leavesWith = exitStatus.stopped;
    drain.abort(new Error(message));
  });
  try {
    const { baseUrl } = run;
    const tell = createReporter(progress, quiet);
    const target = targetOf(args, baseUrl);
    const reportPath = args.text("report");
    const options = {
      ...sendOptionsOf(args, host.env, run.keeps ?? "nothing"),
      token: { ...tokenSource(args, host.env, baseUrl), allowsHttp: args.flag("allow-http") },
      ...target,
      signal: drain.signal,
    };
    const warn = (message: string) => {
      progress.say(`warning: ${message}`);
      log?.write({ kind: "warning", message });
    };
    await guardOutputs(args, run.results, run.state);
    if (reportPath !== undefined) {
      const { prepareReport } = await import("../run/account/write-report.ts");
      await prepareReport(reportPath);
    }
    const called = { ...run.called, ...target };
    await metrics?.prepare(called, warn);
    const address = baseUrl === undefined ? {} : { base_url: withoutSecrets(baseUrl) };
    await log?.begin({ eventload: packageVersion(), ...called, ...address }, warn);
    let isWhereSaid = quiet;
    /** Before the first request, and not if the run is refused. */
    const sayWhere = () => {
      if (isWhereSaid || baseUrl === undefined || run.mappingToSay === undefined) return;
      isWhereSaid = true;
      progress.say(describeWhere(baseUrl, run.mappingToSay, host.cwd));
      const asBefore = run.before === undefined ? "" : describeKept(run.before, args);
      if (asBefore !== "") progress.say(`As before: ${asBefore}`);
    };
    describeOverruled(run.before ?? {}, args, run.keeps ?? "nothing").forEach(warn);
    const summary = await run.start({
      ...options,
      onProgress(snapshot) {
        sayWhere();
        progress.update(snapshot);
        metrics?.update(snapshot);
      },
      onNotice(notice) {
        if (notice.kind !== "warning") sayWhere();
        metrics?.update(notice);
        log?.write(notice);
        tell(notice);
      },
    });
    progress.end();
    const isComplete = summary.exitReason === "complete" || summary.exitReason === "closed";
    const ended = isComplete ? statusOfComplete(summary) : exitStatus.stopped;
    const status = summary.exitReason === "interrupted" ? leavesWith : ended;
    await metrics?.end(status, summary.exitReason, summary);
    const next = nextCommands(summary, args, host);
    const written =
      reportPath === undefined
        ? undefined
        : await writeReportOf(summary.results, {
            output: reportPath,
            typed: typedOptions(args, knownToReport),
            asTyped: (text) => asTyped(text, host),
            onCells() {
              if (!quiet) progress.say(holdsData);
            },
          });
    const logged = summaryForLog(summary, next);
    await log?.end(status, { ...logged, report: written?.output ?? null });
    const json = {
      ...printedSummary(summary, next),
      ...(written === undefined ? {} : { report: written.output ?? null }),
    };
    printSummary(summary, status, json, args, host, {
      next,
      report: written,
      log: args.text("log-file"),
      needsTokenCommand: args.given("token-command")?.origin === "command line",
    });
    return status;
  } finally {
    progress.end();
    stopListening();
    forgetUncaught();
  }
}

/** Of an account of which nothing is left to be resumed. */
export function statusOfComplete({ counts, exitReason, neverBegun = 0 }: RunSummary): number {
  const areDone = outcomeStatuses.every((status) => isDone(status) || counts[status] === 0);
  const isAllDone = areDone && neverBegun === 0 && exitReason !== "closed";
  return isAllDone ? exitStatus.ok : exitStatus.someNotSucceeded;
}

/** Prints what an account has come to by a command that sends nothing. @returns the exit status */
export function endWithAccount(summary: RunSummary, args: Arguments, host: Host): number {
  const next = nextCommands(summary, args, host);
  const status = statusOfComplete(summary);
  const details = { next, needsTokenCommand: false };
  printSummary(summary, status, printedSummary(summary, next), args, host, details);
  return status;
}

function printSummary(
  summary: RunSummary,
  status: number,
  json: object,
  args: Arguments,
  { stdout, stderr }: Pick<Host, "stdout" | "stderr">,
  details: SummaryDetails,
): void {
  const isAsWanted = status === exitStatus.ok && details.report?.why === undefined;
  const isSaid = !args.flag("quiet") || !isAsWanted;
  const lines = isSaid ? renderSummary(summary, { ...details, columns: stderr.columns }) : [];
  for (const line of lines) writeLine(stderr, line, styleOf(line));
  if (args.flag("json")) writeLine(stdout, JSON.stringify(json));
}

function targetOf(args: Arguments, baseUrl: string | undefined): Pick<ImportOptions, "target"> {
  const target = args.text("target");
  if (target === undefined) return {};
  const addresses = args.layers.flatMap((layer) => layer.get("base-url") ?? []);
  const own = addresses.find(({ origin }) => origin === "target");
  const isElsewhere = own !== undefined && !isSameService(own.value, baseUrl ?? "");
  return isElsewhere ? {} : { target };
}

/** Writes what `--report` asks for. If that fails, it does not make the run a failure. */
async function writeReportOf(
  results: string | undefined,
  options: Omit<ReportOptions, "results">,
): Promise<ReportMade> {
  if (results === undefined) return { why: "nothing was delivered" };
  const { writeReport } = await import("../run/account/write-report.ts");
  try {
    const { output } = await writeReport({ ...options, results });
    return { output };
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { why: error.message.replace(/\.$/, "") };
  }
}
