import { systemClock } from "../model/clock.ts";
import { withoutSecrets } from "../model/endpoint.ts";
import { CannotStartError } from "../model/errors.ts";
import { type NextStep, nextStep } from "../model/next-step.ts";
import { isDone } from "../model/outcome.ts";
import { packageVersion } from "../model/package-files.ts";
import type { SendingSettings } from "../model/run-settings.ts";
import type { ImportOptions } from "../run/options/import-options.ts";
import { dateParts } from "../run/options/results-name.ts";
import type { RunSummary } from "../run/options/run-events.ts";
import type { RunObservers } from "./command.ts";
import { exitStatus, type Host, type InterruptSignal } from "./host.ts";
import { type Interrupts, listenForInterrupts } from "./interrupts.ts";
import type { Arguments } from "./options/arguments.ts";
import { describeKept, describeWhere, isSameService } from "./options/earlier-run.ts";
import { type RunParts, withFilledName } from "./options/file-names.ts";
import { type FileInUse, guardOutputs } from "./options/guard-outputs.ts";
import { hasTypedTokenCommand, nextCommands } from "./options/next-commands.ts";
import { type CommonOptions, type KeepsSettings, sendOptionsOf } from "./options/send-options.ts";
import { tokenSource } from "./options/token-source.ts";
import { describeUncaught } from "./refuse.ts";
import { writeLine } from "./terminal/lines.ts";
import { createProgress, createReporter } from "./terminal/progress.ts";
import type { ProgressDisplay } from "./terminal/progress-bar.ts";
import { type ReportMade, renderBriefSummary, renderSummary } from "./terminal/summary.ts";
import { summaryForLog, wholeSummaryJson } from "./terminal/summary-json.ts";

/** What differs between import, retry and resume. */
export interface RunToStart {
  /** The files that it will read and write. */
  filesInUse(): Promise<readonly FileInUse[]>;
  /** The command and its input, for metrics. */
  readonly called: { readonly command: "import" | "retry" | "resume"; readonly input: string };
  /** Where it will send to, if that is known. */
  readonly baseUrl: string | undefined;
  /** Its mapping, if it may come from the earlier run; it is shown together with the address. */
  readonly mappingToSay?: string | undefined;
  /** Date and time for the names of its files; default now. */
  readonly dated?: RunParts;
  /** Its results file. */
  readonly results: string;
  /** Whether the input could be read again. */
  readonly canResume: boolean;
  /** Which settings it keeps from the run that it continues or retries; default none. */
  readonly keeps?: KeepsSettings;
  /** The sending settings of that run. */
  readonly before?: SendingSettings;
  /** When the run that is resumed began, in ISO 8601. */
  readonly startedAt?: string;
  start(options: CommonOptions): Promise<RunSummary>;
}

/**
 * Wires a run to the terminal: progress, interrupts, log and summary.
 *
 * @returns the exit status
 */
export async function runCommand(
  args: Arguments,
  host: Host,
  run: RunToStart,
  observers: RunObservers,
): Promise<number> {
  let isSending = false;
  const display = await createProgress(host, args.flag("quiet"), systemClock);
  const progress: ProgressDisplay = {
    ...display,
    update(snapshot) {
      isSending = snapshot.phase === "send";
      display.update(snapshot);
    },
  };
  const sayStopped = () => {
    progress.end();
    const how = isSending ? describeUndrained(args, host, run) : "Nothing was sent.";
    writeLine(host.stderr, `Stopped at once. ${how}`);
  };
  const drain = new AbortController();
  const interrupts = listenForInterrupts(host, {
    first() {
      const phase = isSending ? ": waiting for what is in flight" : " while checking";
      progress.say(`Interrupted${phase}. Interrupt again to stop at once.`);
      drain.abort();
    },
    // The journal is made for a kill: it holds every intent, and a resume says what was perhaps sent.
    second: sayStopped,
  });
  const uncaught = listenForUncaught(host, progress, drain);
  try {
    const ended = toTheEnd(args, host, run, observers, progress, interrupts, drain.signal);
    const hung = uncaught.left.then((status) => {
      sayStopped();
      return status;
    });
    return await Promise.race([ended, interrupts.left, hung]);
  } finally {
    progress.end();
    interrupts.end();
    uncaught.end();
  }
}

/** What a run leaves that did not wait for what was in flight. */
function describeUndrained(args: Arguments, host: Host, run: RunToStart) {
  const { results, canResume } = run;
  if (run.called.command === "import" && args.text("state") !== undefined) {
    return "What was in flight may have arrived. Give the same command again: it sends what is left.";
  }
  const { resume } = nextCommands(
    { exitReason: "interrupted", counts: {}, results },
    ...([args, canResume, host] as const),
  );
  const next =
    resume === undefined
      ? "Standard input cannot be read again, so this run cannot be resumed."
      : `To resume: ${resume}`;
  return `What was in flight may have arrived. ${next}`;
}

/** What is in flight has ended by then, unless something hangs. */
const maxDrainMs = 120_000;

/** Ends a run like an interrupt if something throws and nothing catches it. */
function listenForUncaught(host: Host, progress: ProgressDisplay, drain: AbortController) {
  let cancel = () => {};
  let leave = (_: number) => {};
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const stopListening = host.onUncaught((thrown) => {
    if (drain.signal.aborted) return;
    const message = describeUncaught(thrown);
    progress.say(`${message} Stopping: waiting for what is in flight.`);
    drain.abort(new UncaughtError(message));
    cancel = systemClock.schedule(maxDrainMs, () => leave(exitStatus.stopped));
  });
  return {
    left,
    end() {
      cancel();
      stopListening();
    },
  };
}

class UncaughtError extends Error {
  override readonly name = "UncaughtError";
}

async function toTheEnd(
  given: Arguments,
  host: Host,
  run: RunToStart,
  observers: RunObservers,
  progress: ProgressDisplay,
  interrupts: Interrupts,
  signal: AbortSignal,
): Promise<number> {
  const { stdout, stderr } = host;
  const { metrics, log } = observers;
  const dated = run.dated ?? { ...dateParts(systemClock.date()), shard: undefined };
  const args = withFilledName(given, "report", dated);
  const quiet = args.flag("quiet");
  const report = createReporter(progress, quiet);
  const options = {
    ...sendOptionsOf(args, host.env, run.keeps ?? "nothing"),
    token: tokenSource(args, host.env, run.baseUrl),
    ...targetOf(args, run.baseUrl),
    signal,
  };
  const warn = (message: string) => {
    progress.say(`warning: ${message}`);
    log?.write({ kind: "warning", message });
  };
  await guardOutputs(args, host.cwd, run.filesInUse);
  const reportTo = await reportFile(args, run.startedAt);
  await metrics?.prepare({ ...run.called, ...targetOf(args, run.baseUrl) }, warn);
  const start = {
    ...{ eventload: packageVersion(), ...run.called, ...targetOf(args, run.baseUrl) },
    ...(run.baseUrl === undefined ? {} : { base_url: withoutSecrets(run.baseUrl) }),
  };
  await log?.begin(start, warn);
  let isWhereSaid = quiet;
  /** Before the first request, and not if the run is refused. */
  const sayWhere = () => {
    if (isWhereSaid || run.baseUrl === undefined || run.mappingToSay === undefined) return;
    isWhereSaid = true;
    progress.say(describeWhere(run.baseUrl, run.mappingToSay, host.cwd));
    const asBefore = run.before === undefined ? "" : describeKept(run.before, args);
    if (asBefore !== "") progress.say(`As before: ${asBefore}`);
  };
  if (reportTo?.why !== undefined) warn(`no report is written: ${reportTo.why}`);
  const reportPath = args.text("report");
  const summary = await run.start({
    ...options,
    ...(reportPath === undefined ? {} : { reportPath }),
    onProgress(snapshot) {
      sayWhere();
      progress.update(snapshot);
      metrics?.update(snapshot);
    },
    onNotice(notice) {
      if (notice.kind !== "warning") sayWhere();
      metrics?.update();
      log?.write(notice);
      report(notice);
    },
  });
  progress.end();
  const isUncaught = signal.reason instanceof UncaughtError;
  const status =
    isUncaught && summary.exitReason === "interrupted"
      ? exitStatus.stopped
      : statusOf(summary, interrupts.signal);
  await metrics?.end(status, summary.exitReason, summary);
  const { canResume } = run;
  const next = nextCommands(summary, args, canResume, host);
  const written = await reportTo?.write(summary, nextStep(summary, next));
  await log?.end(status, {
    ...summaryForLog(summary, next, log.hasCells),
    report: written?.output ?? null,
  });
  const details = {
    ...{ next, canResume, report: written, log: args.text("log-file") },
    needsTokenCommand: hasTypedTokenCommand(args),
    columns: stderr.columns,
  };
  const lines = quiet ? renderBriefSummary(summary, details) : renderSummary(summary, details);
  for (const line of lines) writeLine(stderr, line);
  if (args.flag("json")) {
    const report = written === undefined ? {} : { report: written.output ?? null };
    writeLine(stdout, JSON.stringify({ ...wholeSummaryJson(summary, next), ...report }));
  }
  return status;
}

/** The target, if that is where it sends to. */
function targetOf(args: Arguments, baseUrl: string | undefined): Pick<ImportOptions, "target"> {
  const target = args.text("target");
  if (target === undefined) return {};
  const addresses = args.layers.flatMap((layer) => layer.get("base-url") ?? []);
  const own = addresses.find(({ origin }) => origin === "target");
  const isElsewhere = own !== undefined && !isSameService(own.value, baseUrl ?? "");
  return isElsewhere ? {} : { target };
}

function statusOf(summary: RunSummary, interruptedBy: InterruptSignal | undefined): number {
  switch (summary.exitReason) {
    case "complete": {
      const notDone = Object.entries(summary.counts).some(
        ([status, number]) => number > 0 && !isDone(status as keyof RunSummary["counts"]),
      );
      return notDone ? exitStatus.someNotSucceeded : exitStatus.ok;
    }
    case "interrupted":
      return exitStatus[interruptedBy ?? "SIGINT"];
    default:
      return exitStatus.stopped;
  }
}

/** The report to write when a run has ended. */
interface ReportFile {
  /** Why it cannot be written. */
  readonly why?: string;
  /** @param next what the summary says to type next */
  write(summary: RunSummary, next: NextStep | undefined): Promise<ReportMade>;
}

/**
 * What `--report` asks for. If it cannot be written, the run does not start; what goes
 * wrong after that does not make the run a failure.
 *
 * @param startedAt of the run that is resumed: without `--report` only its own report is overwritten
 * @throws CannotStartError if another file is in its place, or none can be made there
 */
async function reportFile(
  args: Arguments,
  startedAt: string | undefined,
): Promise<ReportFile | undefined> {
  const setting = args.setting("report");
  if (setting === undefined) return undefined;
  const { prepareReport, writeReport } = await import("../run/account/write-report.ts");
  const output = setting.value;
  if (setting.origin !== "earlier run") await prepareReport(output);
  else {
    const why = await prepareReport(output, startedAt).then(() => undefined, whyNot);
    if (why !== undefined) return { why, write: async () => ({ why }) };
  }
  return {
    async write({ results, manifest }, next) {
      if (results === undefined) return { why: "nothing was delivered" };
      if (manifest === undefined) return { why: "its manifest is missing" };
      try {
        return { output: (await writeReport({ results, output, next: next ?? null })).output };
      } catch (error) {
        return { why: whyNot(error) };
      }
    },
  };
}

/** The end of a sentence. */
function whyNot(error: unknown): string {
  if (!(error instanceof CannotStartError)) throw error;
  return error.message.replace(/\.$/, "");
}
