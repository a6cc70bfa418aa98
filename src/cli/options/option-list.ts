import {
  byDefault,
  command,
  delimiter,
  duration,
  encoding,
  errorLimit,
  flag,
  type Option,
  oneOf,
  path,
  paths,
  quoteCharacter,
  rate,
  recordSize,
  seconds,
  share,
  statuses,
  text,
  wholeNumber,
} from "./option-types.ts";

const anyNumber = Number.MAX_SAFE_INTEGER;

export const mappingOptions = {
  mapping: path("The mapping file: which column becomes which member"),
};

/** How a results file is read; it has a header, and it is the first line. */
export const resultsReadingOptions = {
  encoding: byDefault(
    "UTF-8, or by its mark",
    encoding("Encoding of the input, such as windows-1252"),
  ),
  delimiter: byDefault("detected", delimiter("What stands between cells, such as ; or tab")),
  quote: byDefault(
    '"',
    quoteCharacter("The character around cells that hold a delimiter, or none"),
  ),
  sheet: text("Name or number of a workbook's sheet, where it has several", {
    anyOf: [{ type: "string" }, { type: "integer" }],
  }),
  "max-record-size": byDefault("1MiB", recordSize("How long a record may be, such as 4MiB")),
};

export const readingOptions = {
  ...resultsReadingOptions,
  "no-header": flag("The first line is a row already; the columns are called 1, 2, …"),
  "skip-lines": wholeNumber("Leave out N lines above the header", 0, anyNumber),
};

export const serviceOptions = {
  "base-url": text("Address of the service, with its path prefix if it has one"),
  "allow-http": flag("Let plain http go to other machines than this one"),
  "idempotency-header": text("Name of a header that carries the event id"),
};

export const rowOptions = {
  skip: wholeNumber("Leave out the first N rows", 0, anyNumber),
  limit: wholeNumber("Take N rows at most", 0, anyNumber),
};

export const baselineOption = paths(
  'Results of an earlier run: skip what has not changed since. A pattern such as "out/people.*.results.csv" means the last import and its retries. May be given several times, the oldest first',
);

export const rowNumber = wholeNumber(
  "Print the requests of this row instead, with the token masked, and how they come about",
  1,
  anyNumber,
);

export const problemsPath = path(
  "Write every problem to this CSV file; one of an earlier check is replaced",
);

export const configOptions = {
  target: text("Which of the targets in the configuration file to go by"),
  config: byDefault("eventload.yaml in the working directory", text("The configuration file")),
};

export const resumeFlag = flag("Continue an unfinished run of the same results, if there is one");

/** Said of one file, and not of all that are to come. */
export const allowAlteredFlag: Option = {
  ...flag(
    "Send cells that differ from the results beside the file as if a program had altered them",
  ),
  isTypedOnly: true,
};

export const outputOptions = {
  json: flag("Print the outcome as one JSON object on standard output"),
  quiet: flag("Print errors and warnings only"),
};

const runOptions = {
  "token-file": path("File that holds the access token (else EVENTLOAD_TOKEN)"),
  "token-command": command("Command that prints the access token"),
  "ca-file": path("File of certificates (PEM) to trust besides the usual ones"),
  "success-statuses": byDefault("2xx", statuses("Statuses that mean success, such as 2xx,409")),
  "retry-statuses": statuses("Statuses to try again, besides the usual ones"),
  "reject-statuses": statuses("Statuses that are a refusal, and not tried again"),
  concurrency: byDefault(
    "32",
    wholeNumber("Requests in flight at the same time, at most", 1, 10_000),
  ),
  rate: rate("Requests a second, a minute or an hour, at most: 50/s, 3000/m or 100000/h"),
  "max-attempts": byDefault("5", wholeNumber("Attempts for an event, at most", 1, 1000)),
  "max-errors": errorLimit(
    "Stop when more than so many events, such as 100, or so large a share, such as 5%, went wrong",
  ),
  timeout: byDefault("30", seconds("Seconds that an attempt may take")),
  "no-adaptive": flag(
    "Send at --concurrency and --rate without adapting to what the service copes with",
  ),
  "max-outage": byDefault(
    "15m",
    duration(
      "Stop when the service has taken nothing for so long, such as 90s or 1h; with 0 no outage is waited for",
    ),
  ),
  durability: byDefault(
    "power",
    oneOf(
      ["power", "process"],
      "What the record of an attempt survives: power (also a power cut) or process (only its own end, which is faster)",
    ),
  ),
  "log-file": path(
    "Append what happens to this file, one JSON object a line; its name is filled in as that of results is",
  ),
  "log-cells": flag("Let cells, and what the service says, stand in the log"),
  "metrics-file": path(
    "Write metrics for Prometheus to this file every minute and at the end, such as /var/lib/node_exporter/people.prom",
  ),
  report: path(
    "Write a report of the run to this file, as HTML; its name is filled in as that of results is",
  ),
};

export const sendOptions = {
  ...serviceOptions,
  results: byDefault(
    "beside the input",
    path("Where the results go; {input}, {date}, {time} and {target} in it are filled in"),
  ),
  ...runOptions,
  delivery: byDefault(
    "at-least-once",
    oneOf(
      ["at-least-once", "at-most-once"],
      "What becomes of an event that may have arrived: it is sent again (at-least-once) or not (at-most-once)",
    ),
  ),
  ...rowOptions,
  strict: flag("Send nothing if a single row is invalid"),
  "no-check": flag("Send without checking all rows first"),
  ...outputOptions,
  ...configOptions,
};

/**
 * What may differ when a run is resumed; the rest stands in its journal. Mapping and address are not
 * known from a journal that somebody else may have written.
 */
export const resumeOptions = {
  ...mappingOptions,
  "base-url": serviceOptions["base-url"],
  "allow-http": serviceOptions["allow-http"],
  ...runOptions,
  ...outputOptions,
  ...configOptions,
};

export const reportOptions = {
  output: path("Where the report goes (default: people.report.html beside people.results.csv)"),
  ...outputOptions,
  ...configOptions,
};

export const exportOptions = {
  output: byDefault(
    "people.results.excel.csv beside people.results.csv",
    path("Where the copy goes"),
  ),
  ...resultsReadingOptions,
  ...outputOptions,
  ...configOptions,
};

export const sandboxOptions = {
  port: byDefault("any that is free", wholeNumber("Port to listen on", 0, 65_535)),
  prefix: text("Path prefix of the base URL, such as /tenant-a"),
  "token-file": byDefault("any token", path("File with the only token to accept")),
  record: path("Append what is accepted to this file, one JSON object a line"),
  latency: wholeNumber("Milliseconds to wait before each answer", 0, 600_000),
  "fail-rate": share("Share of requests answered 500, 502, 503 or 504, from 0 to 1"),
  "reset-rate": share("Share of requests whose connection is reset, from 0 to 1"),
  "rate-limit": rate("Requests taken, such as 50/s; more are answered 429"),
  seed: wholeNumber("The same seed, the same misbehaviour", 0, 2 ** 32 - 1),
};
