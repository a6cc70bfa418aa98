import { systemClock } from "../model/clock.ts";
import { parseBaseUrl } from "../model/endpoint.ts";
import { CannotStartError, cannotStart } from "../model/errors.ts";
import type { Row, RowProblem } from "../model/row.ts";
import type { CheckOptions } from "../run/check/check-report.ts";
import { previewRow } from "../run/check/preview.ts";
import { createProblemsFile, type ProblemsFile } from "../run/check/problems-file.ts";
import type { Input } from "../run/options/input.ts";
import { dateParts } from "../run/options/results-name.ts";
import { shardName } from "../run/options/shard.ts";
import { isResultsFile } from "../run/prepare/open-rows.ts";
import { runCheck } from "../run/state/check-with-state.ts";
import { exitStatus, type Host, type InterruptSignal } from "./host.ts";
import type { Arguments } from "./options/arguments.ts";
import { stateOf } from "./options/file-names.ts";
import { readingOf, resultsReadingOf } from "./options/input.ts";
import { headerName } from "./options/send-options.ts";
import { shardOf } from "./options/shard.ts";
import { checkJson, previewJson, problemJson } from "./terminal/check-json.ts";
import { wrapWords, writeLine } from "./terminal/lines.ts";
import { createProgress } from "./terminal/progress.ts";
import { renderCheck, renderFinding } from "./terminal/render-check.ts";
import { curlCommand, renderPreview } from "./terminal/render-preview.ts";
import { renderProblemGroups } from "./terminal/render-problems.ts";

/** Problems that `--json` lists; all of them are counted. */
const maxProblemsInJson = 10_000;

/**
 * What `check` does: tells the problems of all rows.
 *
 * @returns the exit status
 */
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
  headerName(args);

  const { shard } = shardOf(args, host);
  const json = args.flag("json");
  const skip = args.number("skip");
  const limit = args.number("limit");
  const columns = json ? undefined : stdout.columns;
  const print = (lines: readonly string[]) => {
    for (const line of lines.flatMap((line) => wrapWords(line, columns))) writeLine(stdout, line);
  };
  const listed: object[] = [];
  const warnings: string[] = [];
  // How the mapping says that inputs are read does not hold for results.
  const isOfResults = typeof input === "string" && (await isResultsFile(input));
  const progress = await createProgress(host, args.flag("quiet"), systemClock);
  const interrupt = listenForInterrupt(host);
  const report = await withProblemsFile(args.text("problems"), interrupt.given, (file) => {
    const options: CheckOptions = {
      input,
      mapping,
      reading: readingOf(args),
      ...(shard === undefined ? {} : { shard }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      onProblem(row: Row, problem: RowProblem) {
        if (interrupt.signal !== undefined) return;
        file?.add(row, problem);
        if (json && listed.length < maxProblemsInJson) listed.push(problemJson(row, problem));
      },
      onWarning(message: string) {
        warnings.push(message);
        progress.say(`warning: ${message}`);
      },
      onProgress(progressed) {
        if (interrupt.signal === undefined) progress.update(progressed);
      },
      onBrokenOff: (groups) => {
        progress.end();
        if (!json) print(renderProblemGroups(groups));
      },
      ...stateOf(args, { ...dateParts(systemClock.date()), shard: shard && shardName(shard) }),
      ...(skip === undefined ? {} : { skip }),
      ...(limit === undefined ? {} : { limit }),
    };
    // What stands in eventload.yaml is about inputs.
    const { state, maxGone, ...others } = options;
    const given = args.setting("state")?.origin === "command line" ? options : others;
    return runCheck(
      isOfResults ? { ...given, kind: "retry", reading: resultsReadingOf(args) } : options,
    );
  }).finally(() => {
    progress.end();
    interrupt.end();
  });
  if (report === "interrupted") {
    const message = "Interrupted while checking; nothing was sent.";
    writeLine(stderr, message);
    if (json) writeLine(stdout, JSON.stringify({ exit_reason: "interrupted", message }));
    return exitStatus[interrupt.signal ?? "SIGINT"];
  }

  if (json) print([JSON.stringify(checkJson(report, listed, warnings))]);
  else print(renderProblemGroups(report.problemGroups, report.ungroupedProblems));
  const lines = args.flag("quiet")
    ? report.findings.flatMap(renderFinding)
    : renderCheck(report, stderr.columns);
  for (const line of lines) {
    for (const piece of wrapWords(line, stderr.columns)) writeLine(stderr, piece);
  }
  return report.invalidRows > 0 ? exitStatus.someNotSucceeded : exitStatus.ok;
}

/** Of a check nothing is to be recorded, so the first interrupt ends it, whatever it waits for. */
function listenForInterrupt({ onInterrupt }: Pick<Host, "onInterrupt">) {
  let signal: InterruptSignal | undefined;
  let leave = (_: "interrupted") => {};
  const given = new Promise<"interrupted">((resolve) => {
    leave = resolve;
  });
  const end = onInterrupt((one) => {
    signal ??= one;
    leave("interrupted");
  });
  return {
    get signal() {
      return signal;
    },
    given,
    end,
  };
}

/** Leaves a file of problems only where the check came to its end. */
async function withProblemsFile<Result>(
  path: string | undefined,
  interrupted: Promise<"interrupted">,
  check: (file: ProblemsFile | undefined) => Promise<Result>,
): Promise<Result | "interrupted"> {
  if (path === undefined) return Promise.race([check(undefined), interrupted]);
  const file = await createProblemsFile(path);
  try {
    const result = await Promise.race([check(file), interrupted]);
    if (result === "interrupted") await file.discard();
    else await file.finish();
    return result;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

const choosesRows = "it chooses rows, and so does --row; give one of them";

const notWithRow = {
  skip: choosesRows,
  limit: choosesRows,
  problems: "it is for a check of all rows, and --row shows one; give one of them",
};

/**
 * What `check --row` does: shows the requests of one row.
 *
 * @returns the exit status
 */
export async function showRow(
  row: number,
  input: Input,
  mapping: string,
  args: Arguments,
  { stdout, stderr }: Host,
): Promise<number> {
  for (const [name, why] of Object.entries(notWithRow)) {
    const setting = args.setting(name);
    if (setting?.origin !== "command line") continue;
    throw cannotStart("option_invalid", setting.place, why);
  }
  const baseUrl = args.text("base-url");
  const isCurl = args.flag("curl");
  if (isCurl && args.flag("json")) {
    throw cannotStart(
      "option_invalid",
      "--curl",
      "it prints commands, and --json JSON; give one of them",
    );
  }
  if (isCurl && baseUrl === undefined) {
    throw cannotStart(
      "option_invalid",
      "--curl",
      "it needs the address of the service: add --base-url",
    );
  }
  const idempotencyHeader = headerName(args);
  const preview = await previewRow({
    input,
    mapping,
    row,
    reading: readingOf(args),
    allowHttp: args.flag("allow-http"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
  }).catch((error: unknown) => {
    const isOfResults = error instanceof CannotStartError && error.code === "results_file_as_input";
    if (!isOfResults) throw error;
    const why =
      "it shows a row of an input, and this is a results file: give the input that it is of, or leave --row out";
    throw cannotStart("option_invalid", "--row", why);
  });
  if (preview.kind === "no_such_row") {
    throw cannotStart("option_invalid", "--row", `the input has no row ${row}`);
  }
  if (isCurl) {
    const commands = preview.kind === "requests" ? preview.requests.map(curlCommand) : [];
    const lines = commands.flatMap((command, at) => (at === 0 ? command : ["", ...command]));
    for (const line of lines) writeLine(stdout, line);
    // Not among the commands, as a shell may read them.
    if (preview.kind !== "requests") {
      for (const line of renderPreview(preview)) writeLine(stderr, line);
    }
  } else {
    const lines = args.flag("json")
      ? [JSON.stringify(previewJson(preview))]
      : renderPreview(preview);
    for (const line of lines) writeLine(stdout, line);
  }
  return preview.kind === "invalid" ? exitStatus.someNotSucceeded : exitStatus.ok;
}
