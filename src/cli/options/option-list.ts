import { resources } from "../../model/event.ts";
import type { Setting } from "../../model/run-settings.ts";
import {
  command,
  errorLimit,
  flag,
  oneOf,
  outage,
  path,
  pathOrStdout,
  rate,
  share,
  text,
  timeSpan,
  wholeNumber,
} from "../../model/value-types.ts";
import { type Option, option, optionsIn, settingOptions } from "./option-types.ts";

const onlyTyped = { only: "typed" } as const;
const ofRun = { default: "that of the run" };

const mapping = optionsIn("Mapping");
const service = optionsIn("Service");
const rows = optionsIn("Rows");
const output = optionsIn("Output");
const misbehaviour = optionsIn("Misbehaviour");
/** Those that say something of one command, and so are no keys of the configuration file. */
const typed = {
  mapping: optionsIn("Mapping", onlyTyped),
  rows: optionsIn("Rows", onlyTyped),
  output: optionsIn("Output", onlyTyped),
};

export const mappingOptions = {
  mapping: mapping("The mapping file, which eventload init writes", path, {
    short: "m",
    default: "the input's name with .yaml, .yml or .json",
  }),
};

export const readingOptions = settingOptions(({ group }) => group === "Input");

/** How a results file is read: its first line is its header, and a row that lacks cells lacks what became of it. */
export const resultsReadingOptions = settingOptions(
  ({ group, name }) => group === "Input" && !["header", "skipLines", "shortRows"].includes(name),
);

const baseUrl = service("Address of the service, with its path prefix if it has one", text("url"));

/** Where nothing is sent, it is only looked at. */
export const baseUrlToCheck = { "base-url": baseUrl };

export const serviceOptions = {
  "base-url": { ...baseUrl, isRequired: true } as const,
  ...settingOptions(({ name }) => name === "allowHttp" || name === "idempotencyHeader"),
};

export const rowOptions = settingOptions(({ name }) => name === "skip" || name === "limit");

export const stateOptions = {
  state: rows(
    "Keep in this file what the service has, and send only what differs; {input}, {target} and {shard} are filled in",
    path,
    { written: "the state" },
  ),
  "max-gone": rows(
    "With --state: send nothing when more keys than this are gone from the input",
    errorLimit,
    { default: "10%" },
  ),
  "max-changed": rows(
    "With --state: send nothing when the input changes more than this of the keys that the service has",
    errorLimit,
  ),
};

export const shardOption = settingOptions(({ name }) => name === "shard");

export const checkOptions = {
  row: typed.rows("Show the requests of row n, with the token masked", wholeNumber(1), {
    conflicts: ["skip", "limit", "problems"],
  }),
  problems: typed.output("Write every problem to this CSV file; an existing one is replaced", path),
};

export const configOption = {
  config: option("The configuration file", text("file"), {
    default: "eventload.yaml in this folder",
  }),
};

export const configOptions = {
  target: service("Use the settings of this target in eventload.yaml", text("name")),
  ...configOption,
};

export const importOptions = {
  resume: rows("Continue the unfinished run of these results, if there is one"),
  "dry-run": typed.rows("Check every row and send nothing, as eventload check does", flag, {
    conflicts: ["report"],
  }),
};

export const retryOptions = {
  results: typed.rows(
    "The results that the rows belong to, if the file was renamed or moved",
    path,
    {
      short: "o",
      default: "beside the file, by its name",
    },
  ),
  "restore-altered": typed.rows(
    "Put back cells that a spreadsheet program seems to have altered, and keep all other changes",
    flag,
    { conflicts: ["allow-altered"] },
  ),
  "allow-altered": typed.rows("Send cells that a spreadsheet program seems to have altered"),
};

export const outputOptions = {
  json: output("Print the outcome as one JSON object"),
  quiet: output("Print errors and warnings only", flag, { short: "q" }),
};

const changeable = ({ keptAs, mustAgree }: Setting) => keptAs !== "rows" && mustAgree !== true;

export const runOptions = {
  "token-file": service("File that holds the access token (default: EVENTLOAD_TOKEN)", path),
  "token-command": service("Command that prints the access token", command),
  ...settingOptions(changeable),
  report: output("Write an HTML report of the run to this file", path, { written: "the report" }),
  "log-file": output("Append a log of the run to this file, one JSON object per line", path, {
    written: "the log",
  }),
  "metrics-file": output(
    "Write metrics for Prometheus to this file every minute and at the end",
    path,
    { written: "the metrics" },
  ),
};

export const sendOptions = {
  ...serviceOptions,
  ...rowOptions,
  results: output(
    "Where the results go, as ….results.csv; {input}, {date}, {time}, {target} and {shard} are filled in",
    path,
    { short: "o", default: "people.results.csv beside people.csv", written: "the results" },
  ),
  ...runOptions,
  ...settingOptions((one) => !changeable(one) && one.group !== "Input" && one.only !== "typed"),
  ...outputOptions,
  ...configOptions,
};

/** What a retry or resume takes from the run that it continues. */
export const asBefore = {
  mapping: { ...mappingOptions.mapping, ...ofRun },
  "base-url": { ...baseUrl, ...ofRun },
};

/** With the defaults that hold where a run is continued: it keeps its settings. */
export function keptOf(options: Readonly<Record<string, Option>>): Record<string, Option> {
  const kept = ({ setting }: Option) =>
    setting === undefined || setting.keptAs === "rows" ? {} : ofRun;
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, ...kept(option) }]),
  );
}

/**
 * What may differ when a run is resumed; the rest stands in its journal. Mapping and address are not
 * known from a journal that somebody else may have written.
 */
export const resumeOptions = {
  close: typed.rows("Send nothing more: complete the account with what is on record", flag),
  ...asBefore,
  ...keptOf(runOptions),
  ...outputOptions,
  ...configOptions,
};

export const reportOptions = {
  output: typed.output("Where the report goes", path, {
    short: "o",
    default: "people.report.html beside people.results.csv",
  }),
  "mask-cells": typed.output(
    "Leave out cells, keys, ids and messages: a report for strangers",
    flag,
  ),
  ...outputOptions,
  ...configOption,
};

export const mergeOptions = {
  results: typed.output("Where the merged results go", path, {
    short: "o",
    isRequired: true,
    written: "the results",
  }),
  ...outputOptions,
  ...configOption,
};

export const exportOptions = {
  output: typed.output("Where the workbook goes", path, {
    short: "o",
    default: "people.failed.xlsx beside people.failed.csv",
  }),
  ...resultsReadingOptions,
  ...outputOptions,
  ...configOption,
};

const guessed = { default: "a guess" };

export const initOptions = {
  output: typed.mapping("The mapping file to write, or - for standard output", pathOrStdout, {
    short: "o",
    default: "the input's name with .yaml",
  }),
  resource: typed.mapping("What the rows are", oneOf(resources.join("|"), ...resources), guessed),
  event: typed.mapping("The kind of event that each row becomes", text("name"), guessed),
  "mask-samples": typed.mapping("In comments, replace letters with x and digits with 9", flag),
};

export const sandboxOptions = {
  port: service("Port to listen on", wholeNumber(0, 65_535), { default: "any that is free" }),
  prefix: service("Path prefix of the base URL, such as /tenant-a", text("path")),
  "token-file": service("Accept only the token in this file", path, { default: "any token" }),
  record: service("Append what is accepted to this file, a JSON object a line", path),
  "reject-rate": misbehaviour("Share of events rejected with 422, from 0 to 1", share),
  "fail-rate": misbehaviour("Share of requests answered 500, 502, 503 or 504, from 0 to 1", share),
  "reset-rate": misbehaviour("Share of requests whose connection is reset, from 0 to 1", share),
  "hang-rate": misbehaviour("Share of requests that are never answered, from 0 to 1", share),
  outage: misbehaviour(
    "Answer 503 for a time, from a time after the first request: 20s@60s",
    outage,
  ),
  latency: misbehaviour("Wait this long before each answer, such as 50ms", timeSpan()),
  "rate-limit": misbehaviour(
    "Accept this many requests, such as 50/s, and answer 429 to more",
    rate,
  ),
  seed: misbehaviour("The same seed misbehaves in the same way", wholeNumber(0, 2 ** 32 - 1), {
    default: "random",
  }),
};
