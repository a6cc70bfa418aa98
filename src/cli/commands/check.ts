import { runCheck } from "../../check.ts";
import { parseBaseUrl } from "../../delivery/endpoint.ts";
import { CannotStartError, cannotStart } from "../../domain/errors.ts";
import { describePlace, describeProblem, type Row, type RowProblem } from "../../domain/row.ts";
import type { Input } from "../../input.ts";
import { type Preview, previewRow } from "../../preview.ts";
import type { Arguments } from "../arguments.ts";
import type { Command } from "../command.ts";
import { exitStatus, type Host } from "../host.ts";
import { inputOf } from "../input-of.ts";
import {
  configOptions,
  mappingOptions,
  outputOptions,
  readingOptions,
  rowNumber,
  rowOptions,
  serviceOptions,
} from "../options.ts";
import { placeJson, problemJson } from "../problem-json.ts";
import { readingOf, resultsReadingOf } from "../reading-of.ts";
import { checkJson, renderCheck } from "../render-check.ts";
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
    row: rowNumber,
    ...serviceOptions,
    ...rowOptions,
    ...outputOptions,
    ...configOptions,
  },
  examples: [
    ["check people.csv --mapping people.yaml", "list every problem"],
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
  { stdout, stderr }: Host,
): Promise<number> {
  // They play no part without sending, and one that an import would refuse is to be found here.
  const baseUrl = args.text("base-url");
  if (baseUrl !== undefined) parseBaseUrl(baseUrl, args.flag("allow-http"));
  headerName(args);

  const json = args.flag("json");
  const listed: object[] = [];
  const onProblem = (row: Row, problem: RowProblem) => {
    if (!json) stdout.write(`${describeProblem(row, problem)}\n`);
    else if (listed.length < mostProblemsInJson) listed.push(problemJson(row, problem));
  };
  const onWarning = (message: string) => stderr.write(`warning: ${message}\n`);
  const skip = args.number("skip");
  const limit = args.number("limit");
  const options = {
    input,
    mapping,
    reading: readingOf(args),
    onProblem,
    onWarning,
    ...(skip === undefined ? {} : { skip }),
    ...(limit === undefined ? {} : { limit }),
  };
  const report = await runCheck(options).catch((error: unknown) => {
    if (Array.isArray(input) || !(error instanceof CannotStartError)) throw error;
    if (error.code !== "results_file_as_input") throw error;
    return runCheck({ ...options, kind: "retry", reading: resultsReadingOf(args) });
  });

  if (json) stdout.write(`${JSON.stringify(checkJson(report, listed))}\n`);
  for (const line of renderCheck(report, args.flag("quiet"))) stderr.write(`${line}\n`);
  return report.invalidRows > 0 ? exitStatus.someNotSucceeded : exitStatus.ok;
}

async function showRow(
  row: number,
  input: Input,
  mapping: string,
  args: Arguments,
  { stdout }: Host,
): Promise<number> {
  for (const name of ["skip", "limit"]) {
    const setting = args.setting(name);
    if (setting?.origin !== "command line") continue;
    throw cannotStart(
      "option_invalid",
      setting.place,
      "it chooses rows, and so does --row; give one of them",
    );
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
  const print = (line: string) => stdout.write(`${line}\n`);
  switch (preview.kind) {
    case "no_such_row":
      throw cannotStart("option_invalid", "--row", `the input has no row ${row}`);
    case "invalid":
      if (args.flag("json")) print(JSON.stringify(previewJson(preview)));
      else for (const problem of preview.problems) print(describeProblem(preview.row, problem));
      return exitStatus.someNotSucceeded;
    case "skipped":
      if (args.flag("json")) print(JSON.stringify(previewJson(preview)));
      else print(`${describePlace(preview.row)} is left out: ${preview.why}`);
      return exitStatus.ok;
    case "requests":
      if (args.flag("json")) print(JSON.stringify(previewJson(preview)));
      else {
        const shown = preview.requests.map(({ method, url, headers, body }) =>
          [
            `${method} ${url}`,
            ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
            "",
            JSON.stringify(JSON.parse(body), null, 2),
          ].join("\n"),
        );
        print(shown.join("\n\n"));
      }
      return exitStatus.ok;
  }
}

function previewJson(preview: Exclude<Preview, { kind: "no_such_row" }>): object {
  const place = placeJson(preview.row);
  switch (preview.kind) {
    case "invalid":
      return { ...place, problems: preview.problems.map((one) => problemJson(preview.row, one)) };
    case "skipped":
      return { ...place, skipped: preview.why };
    case "requests":
      return {
        ...place,
        requests: preview.requests.map((request) => ({
          ...request,
          body: JSON.parse(request.body) as unknown,
        })),
      };
  }
}
