import { systemClock } from "../model/clock.ts";
import { parseBaseUrl } from "../model/endpoint.ts";
import { cannotStart } from "../model/errors.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { createProblemsFile, type ProblemsFile } from "../run/check/problems-file.ts";
import { defined } from "../run/options/import-settings.ts";
import type { Input } from "../run/options/input.ts";
import { checkWithState } from "../run/state/check-with-state.ts";
import { exitStatus, firstInterrupt, type Host, type InterruptSignal } from "./host.ts";
import type { Arguments } from "./options/arguments.ts";
import { stateOf } from "./options/file-names.ts";
import { readingOf } from "./options/input.ts";
import { settingsGiven } from "./options/send-options.ts";
import { say, wrapWords, writeLine } from "./terminal/lines.ts";
import { createProgress } from "./terminal/progress.ts";
import { renderCheck, renderFinding } from "./terminal/render-check.ts";
import { renderPreview } from "./terminal/render-preview.ts";
import { renderProblemGroups } from "./terminal/render-problems.ts";

const maxProblemsInJson = 10_000;

export async function listProblems(
  input: Input,
  mapping: string,
  args: Arguments,
  host: Host,
): Promise<number> {
  const { stdout, stderr } = host;
  // One that an import would refuse is to be found here, though nothing is sent.
  const baseUrl = args.text("base-url");
  if (baseUrl !== undefined) parseBaseUrl(baseUrl, args.flag("allow-http"));

  const json = args.flag("json") ? await import("./terminal/printed.ts") : undefined;
  const columns = json === undefined ? stdout.columns : undefined;
  const print = (lines: readonly string[]) => {
    for (const line of lines.flatMap((line) => wrapWords(line, columns))) writeLine(stdout, line);
  };
  const listed: object[] = [];
  const warnings: string[] = [];
  const progress = await createProgress(host, args.flag("quiet"), systemClock);
  // Of a check nothing is to be recorded, so the first interrupt ends it, whatever it waits for.
  const { interrupted, stopListening } = firstInterrupt(host);
  let isInterrupted = false;
  void interrupted.then(() => {
    isInterrupted = true;
  });
  const report = await withProblemsFile(args.text("problems"), interrupted, (file) => {
    return checkWithState({
      input,
      mapping,
      reading: readingOf(args),
      ...settingsGiven(args, ({ group }) => group === "Rows"),
      ...defined({ baseUrl }),
      onProblem(row: Row, problem: RowProblem) {
        if (isInterrupted) return;
        file?.add(row, problem);
        if (json !== undefined && listed.length < maxProblemsInJson)
          listed.push(json.printedProblem(row, problem));
      },
      onWarning(message: string) {
        warnings.push(message);
        progress.say(`warning: ${message}`);
      },
      onProgress(progressed) {
        if (!isInterrupted) progress.update(progressed);
      },
      ...stateOf(args),
    });
  }).finally(() => {
    progress.end();
    stopListening();
  });
  if (typeof report === "string") {
    const message = "Interrupted while checking; nothing was sent.";
    say(host, message);
    if (json !== undefined)
      writeLine(stdout, JSON.stringify({ exit_reason: "interrupted", message }));
    return exitStatus[report];
  }

  if (json !== undefined) print([JSON.stringify(json.printedCheck(report, listed, warnings))]);
  else print(renderProblemGroups(report.problemGroups, report.ungroupedProblems));
  // Codes that are sent as numbers are wrong in the service without a word, so it is said also with --quiet.
  const wrong = report.findings.filter(({ kind }) => kind === "dropped_leading_zeros");
  const lines = args.flag("quiet")
    ? wrong.flatMap(renderFinding)
    : renderCheck(report, stderr.columns);
  for (const line of lines) say(host, line);
  const isSound = report.invalidRows === 0 && report.night?.isRefused !== true;
  return isSound ? exitStatus.ok : exitStatus.someNotSucceeded;
}

/** Leaves a file of problems only where the check came to its end. */
async function withProblemsFile<Result>(
  path: string | undefined,
  interrupted: Promise<InterruptSignal>,
  check: (file: ProblemsFile | undefined) => Promise<Result>,
): Promise<Result | InterruptSignal> {
  const file = path === undefined ? undefined : await createProblemsFile(path);
  try {
    const result = await Promise.race([check(file), interrupted]);
    await (typeof result === "string" ? file?.discard() : file?.finish());
    return result;
  } catch (error) {
    await file?.discard();
    throw error;
  }
}

export async function showRow(
  row: number,
  input: Input,
  mapping: string,
  args: Arguments,
  { stdout }: Host,
): Promise<number> {
  const { previewRow } = await import("../run/check/preview.ts");
  const baseUrl = args.text("base-url");
  const preview = await previewRow({
    input,
    mapping,
    row,
    reading: readingOf(args),
    allowHttp: args.flag("allow-http"),
    ...defined({ baseUrl, idempotencyHeader: args.text("idempotency-header") }),
    ...stateOf(args),
  });
  if (preview.kind === "no_such_row") {
    throw cannotStart("option_invalid", "--row", `the input has no row ${row}`);
  }
  const lines = args.flag("json")
    ? [JSON.stringify((await import("./terminal/printed.ts")).printedPreview(preview))]
    : renderPreview(preview, stdout.columns);
  for (const line of lines) writeLine(stdout, line);
  return preview.kind === "invalid" ? exitStatus.someNotSucceeded : exitStatus.ok;
}
