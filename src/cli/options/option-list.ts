import { serviceUrl } from "../../model/endpoint.ts";
import type { Setting } from "../../model/run-settings.ts";
import { command, errorLimit, flag, path, pathEnding, text } from "../../model/value-types.ts";
import { resultsFile, toWrite } from "../../run/options/results-name.ts";
import { type Option, option, optionsIn, settingOptions } from "./option-types.ts";

const ofRun = { default: "that of the run" };

export const reportFile = pathEnding("a report is", [".html", ".htm"]);
const metricsFile = pathEnding("node_exporter reads", [".prom"]);

const mappingOption = optionsIn("Mapping");
export const serviceOption = optionsIn("Service");
const rowOption = optionsIn("Rows");
const outputOption = optionsIn("Output");

export const mappingOptions = {
  mapping: mappingOption("The mapping file, which eventload init writes", path, {
    short: "m",
    default: "the input's name with .yaml, .yml or .json",
  }),
};

export const readingOptions = settingOptions(({ group }) => group === "Input");

/** How a results file is read: its first line is its header, and a row that lacks cells lacks what became of it. */
export const resultsReadingOptions = settingOptions(
  ({ group, name }) => group === "Input" && !["header", "skipLines", "shortRows"].includes(name),
);

const baseUrl = serviceOption(
  "Address of the service, with its path prefix if it has one",
  serviceUrl,
);

/** Where nothing is sent, it is only looked at. */
export const baseUrlToCheck = { "base-url": baseUrl };

export const serviceOptions = {
  "base-url": { ...baseUrl, isRequired: true } as const,
  ...settingOptions(({ name }) => name === "allowHttp" || name === "idempotencyHeader"),
};

export const rowOptions = settingOptions(({ name }) => name === "skip" || name === "limit");

export const stateOptions = {
  state: rowOption(
    "Keep in this file what the service has, and send only what differs; {input}, {target} and {shard} are filled in",
    toWrite(path, { input: "", target: "", shard: "" }),
    { written: "the state" },
  ),
  "max-gone": rowOption(
    "With --state: send nothing when more keys than this are gone from the input",
    errorLimit,
    { default: "10%" },
  ),
  "max-changed": rowOption(
    "With --state: send nothing when the input changes more than this of the keys that the service has",
    errorLimit,
  ),
};

export const shardOption = settingOptions(({ name }) => name === "shard");

export const configOption = {
  config: option("The configuration file", text("file"), {
    default: "eventload.yaml in this folder",
  }),
};

export const configOptions = {
  target: serviceOption("Use the settings of this target in eventload.yaml", text("name")),
  ...configOption,
};

export const outputOptions = {
  json: outputOption("Print the outcome as one JSON object"),
  quiet: outputOption("Print errors and warnings only", flag, { short: "q" }),
};

const changeable = ({ keptAs, mustAgree }: Setting) => keptAs !== "rows" && mustAgree !== true;

export const runOptions = {
  "token-file": serviceOption("File that holds the access token (default: EVENTLOAD_TOKEN)", path),
  "token-command": serviceOption("Command that prints the access token", command),
  ...settingOptions(changeable),
  report: outputOption("Write an HTML report of the run to this file", toWrite(reportFile), {
    written: "the report",
  }),
  "log-file": outputOption(
    "Append a log of the run to this file, one JSON object per line",
    toWrite(),
    {
      written: "the log",
    },
  ),
  "metrics-file": outputOption(
    "Write metrics for Prometheus to this file every minute and at the end",
    toWrite(metricsFile),
    { written: "the metrics" },
  ),
};

export const sendOptions = {
  ...serviceOptions,
  ...rowOptions,
  results: outputOption(
    "Where the results go, as ….results.csv; {input}, {date}, {time}, {target} and {shard} are filled in",
    resultsFile,
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
