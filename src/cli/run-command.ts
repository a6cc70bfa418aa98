import { isUsableHeaderName } from "../check-options.ts";
import { systemClock } from "../delivery/clock.ts";
import type { TokenSource } from "../delivery/token.ts";
import { cannotStart } from "../domain/errors.ts";
import { isDone } from "../domain/outcome.ts";
import { describeProblem } from "../domain/row.ts";
import type { ImportNotice, ImportOptions, RunSummary } from "../import-options.ts";
import type { Arguments } from "./command.ts";
import { exitStatus, type Host, type InterruptSignal } from "./host.ts";
import { openLogFile } from "./log-file.ts";
import { createProgress, type ProgressDisplay } from "./progress.ts";
import { count, renderSummary, summaryJson } from "./summary.ts";

/** What `import` and `retry` have in common: everything but where input and mapping come from. */
export type CommonOptions = Omit<ImportOptions, "input" | "mapping" | "baseUrl">;

/**
 * Wires a run to the terminal: progress, interrupts, log and summary.
 *
 * @returns the exit status
 */
export async function runCommand(
  args: Arguments,
  host: Host,
  start: (options: CommonOptions) => Promise<RunSummary>,
): Promise<number> {
  const { stdout, stderr } = host;
  const token = tokenSource(args, host.env);
  const logPath = args.text("log-file");
  const log = logPath === undefined ? undefined : await openLogFile(logPath, systemClock);
  const quiet = args.flag("quiet");
  const progress = createProgress(stderr, quiet, systemClock);
  const report = createReporter(progress, quiet);

  const drain = new AbortController();
  const cutOff = new AbortController();
  let interruptedBy: InterruptSignal | undefined;
  const stopListening = host.onInterrupt((signal) => {
    interruptedBy ??= signal;
    if (!drain.signal.aborted) {
      progress.say("Interrupted: waiting for what is on the wire. Once more to leave at once.");
      drain.abort();
    } else cutOff.abort();
  });

  try {
    const summary = await start({
      ...sendOptionsOf(args),
      token,
      signal: drain.signal,
      cutOffSignal: cutOff.signal,
      onProgress: progress.update,
      onNotice(notice) {
        log?.write(notice);
        report(notice);
      },
    });
    progress.end();
    await log?.end(summary);
    if (!quiet) for (const line of renderSummary(summary)) stderr.write(`${line}\n`);
    else if (summary.message !== undefined) stderr.write(`eventload: ${summary.message}\n`);
    if (args.flag("json")) stdout.write(`${JSON.stringify(summaryJson(summary))}\n`);
    return statusOf(summary, interruptedBy);
  } finally {
    progress.end();
    stopListening();
  }
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

function tokenSource(args: Arguments, env: Host["env"]): TokenSource {
  const path = args.text("token-file");
  const command = args.text("token-command");
  const value = env.EVENTLOAD_TOKEN;
  if (path !== undefined && command !== undefined) {
    throw cannotStart("option_invalid", "--token-file", "give it or --token-command, not both");
  }
  if (path !== undefined) return { kind: "file", path };
  if (command !== undefined) return { kind: "command", command };
  if (value !== undefined) return { kind: "value", value, from: "EVENTLOAD_TOKEN" };
  throw cannotStart("token_missing");
}

/** Only what was given: what is left out has its default elsewhere. */
function sendOptionsOf(args: Arguments): Omit<CommonOptions, "token"> {
  const given = {
    results: args.text("results"),
    concurrency: args.number("concurrency"),
    ratePerSecond: args.number("rate"),
    maxAttempts: args.number("max-attempts"),
    timeoutMs: args.number("timeout"),
    delivery: args.text("delivery"),
    durability: args.text("durability"),
    idempotencyHeader: headerName(args.text("idempotency-header")),
    allowHttp: args.flag("allow-http") || undefined,
    skip: args.number("skip"),
    limit: args.number("limit"),
    check: args.flag("no-check") ? false : undefined,
    strict: args.flag("strict") || undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export function headerName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (isUsableHeaderName(name)) return name.toLowerCase();
  throw cannotStart(
    "option_invalid",
    "--idempotency-header",
    `"${name}" cannot be used; give a name such as Idempotency-Key`,
  );
}

function describeResume({ rows, perhapsSent }: Extract<ImportNotice, { kind: "resumed" }>): string {
  const doubt =
    perhapsSent === 0 ? "none was on its way" : `${count(perhapsSent, "event")} perhaps sent`;
  return `Going on after ${count(rows, "row")}; when it was interrupted, ${doubt}.`;
}

const mostProblemsShown = 10;

function createReporter(progress: ProgressDisplay, quiet: boolean): (notice: ImportNotice) => void {
  let problems = 0;
  return (notice) => {
    switch (notice.kind) {
      case "invalid":
        problems++;
        if (problems <= mostProblemsShown && !quiet) {
          progress.say(describeProblem(notice.row, notice.problem));
        }
        break;
      case "checked":
        if (problems > mostProblemsShown && !quiet) {
          const more = count(problems - mostProblemsShown, "problem");
          progress.say(`… and ${more} more: eventload check lists all of them`);
        }
        if (notice.report.rows === 0) progress.say("The input has a header and no rows.");
        break;
      case "warning":
        progress.say(`warning: ${notice.message}`);
        break;
      case "resumed":
        if (!quiet) progress.say(describeResume(notice));
        break;
      case "pause":
      case "retry":
      case "stop":
        break; // told by the bar, the log and the summary
      default:
        notice satisfies never;
    }
  };
}
