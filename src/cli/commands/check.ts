import { type CheckOptions, runCheck } from "../../check.ts";
import { systemClock } from "../../delivery/clock.ts";
import { parseBaseUrl } from "../../delivery/endpoint.ts";
import { CannotStartError, cannotStart } from "../../domain/errors.ts";
import type { Row, RowProblem } from "../../domain/row.ts";
import { type Input, isStream } from "../../input.ts";
import { previewRow } from "../../preview.ts";
import { createProblemsFile, type ProblemsFile } from "../../results/problems-file.ts";
import type { Arguments } from "../arguments.ts";
import { baselineOf } from "../baseline-of.ts";
import type { Command } from "../command.ts";
import { exitStatus, type Host } from "../host.ts";
import { inputOf } from "../input-of.ts";
import {
  baselineOption,
  configOptions,
  mappingOptions,
  outputOptions,
  problemsPath,
  readingOptions,
  rowNumber,
  rowOptions,
  serviceOptions,
} from "../options.ts";
import { problemJson } from "../problem-json.ts";
import { createProgress } from "../progress.ts";
import { readingOf, resultsReadingOf } from "../reading-of.ts";
import { checkJson, renderCheck } from "../render-check.ts";
import { previewJson, renderPreview } from "../render-preview.ts";
import { renderProblemGroups } from "../render-problem-groups.ts";
import { headerName } from "../send-options.ts";

/** Problems that `--json` lists; all of them are counted. */
const mostProblemsInJson = 10_000;

export const checkCommand: Command = {
  usage: "check <input..>",
  summary: "The whole import without sending: map every row and report every problem",
  positional: {
    name: "input",
    describe: "The CSV file or workbook (or several), a results file, or - for standard input",
    isList: true,
  },
  options: {
    ...mappingOptions,
    ...readingOptions,
    baseline: baselineOption,
    row: rowNumber,
    problems: problemsPath,
    ...serviceOptions,
    ...rowOptions,
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["check people.csv --mapping people.yaml", "show the problems by kind and column"],
    ["check people.csv --mapping people.yaml --problems problems.csv", "write every problem"],
    ["check people.csv --mapping people.yaml --baseline yesterday.csv", "what would be sent now"],
    ["check people.csv --mapping people.yaml --row 42", "show the requests of row 42"],
  ],
  async run(args, host) {
    const input = inputOf(args, host);
    const mapping = args.text("mapping");
    if (mapping === undefined) throw cannotStart("mapping_missing");
    const row = args.number("row");
    if (row !== undefined) return showRow(row, input, mapping, args, host);
    return listProblems(input, mapping, args, host);
  },
};

async function listProblems(
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

  const json = args.flag("json");
  const skip = args.number("skip");
  const limit = args.number("limit");
  const print = (lines: readonly string[]) => {
    for (const line of lines) stdout.write(`${line}\n`);
  };
  const [first = "stdin"] = isStream(input) ? [] : [input].flat();
  const baseline = await baselineOf(args, host, { input: first, results: undefined });
  const listed: object[] = [];
  const warnings: string[] = [];
  const progress = createProgress(host, args.flag("quiet"), systemClock);
  const report = await withProblemsFile(args.text("problems"), (file) => {
    const options: CheckOptions = {
      input,
      mapping,
      reading: readingOf(args),
      baseline,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      onProblem(row: Row, problem: RowProblem) {
        file?.add(row, problem);
        if (json && listed.length < mostProblemsInJson) listed.push(problemJson(row, problem));
      },
      onWarning(message: string) {
        warnings.push(message);
        progress.say(`warning: ${message}`);
      },
      onProgress: progress.update,
      onBrokenOff: (groups) => {
        progress.end();
        if (!json) print(renderProblemGroups(groups));
      },
      ...(skip === undefined ? {} : { skip }),
      ...(limit === undefined ? {} : { limit }),
    };
    return runCheck(options).catch((error: unknown) => {
      if (Array.isArray(input) || !(error instanceof CannotStartError)) throw error;
      if (error.code !== "results_file_as_input") throw error;
      return runCheck({ ...options, kind: "retry", reading: resultsReadingOf(args) });
    });
  }).finally(progress.end);

  if (json) print([JSON.stringify(checkJson(report, listed, warnings))]);
  else print(renderProblemGroups(report.problemGroups, report.ungroupedProblems));
  for (const line of renderCheck(report, args.flag("quiet"))) stderr.write(`${line}\n`);
  return report.invalidRows > 0 ? exitStatus.someNotSucceeded : exitStatus.ok;
}

/** Leaves a file of problems only where the check came to its end. */
async function withProblemsFile<Result>(
  path: string | undefined,
  check: (file: ProblemsFile | undefined) => Promise<Result>,
): Promise<Result> {
  if (path === undefined) return check(undefined);
  const file = createProblemsFile(path);
  try {
    const result = await check(file);
    file.finish();
    return result;
  } catch (error) {
    file.discard();
    throw error;
  }
}

const choosesRows = "it chooses rows, and so does --row; give one of them";

const notWithRow = {
  skip: choosesRows,
  limit: choosesRows,
  problems: "it is for a check of all rows, and --row shows one; give one of them",
  baseline: "it compares all rows of a key, and --row shows one as it would be sent; leave it out",
};

async function showRow(
  row: number,
  input: Input,
  mapping: string,
  args: Arguments,
  { stdout }: Host,
): Promise<number> {
  for (const [name, why] of Object.entries(notWithRow)) {
    const setting = args.setting(name);
    if (setting?.origin !== "command line") continue;
    throw cannotStart("option_invalid", setting.place, why);
  }
  const baseUrl = args.text("base-url");
  const idempotencyHeader = headerName(args);
  const preview = await previewRow({
    input,
    mapping,
    row,
    reading: readingOf(args),
    allowHttp: args.flag("allow-http"),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
  });
  if (preview.kind === "no_such_row") {
    throw cannotStart("option_invalid", "--row", `the input has no row ${row}`);
  }
  const lines = args.flag("json") ? [JSON.stringify(previewJson(preview))] : renderPreview(preview);
  for (const line of lines) stdout.write(`${line}\n`);
  return preview.kind === "invalid" ? exitStatus.someNotSucceeded : exitStatus.ok;
}
