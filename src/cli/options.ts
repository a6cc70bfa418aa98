import {
  command,
  duration,
  errorLimit,
  flag,
  oneOf,
  paths,
  rate,
  seconds,
  share,
  statuses,
  text,
  wholeNumber,
} from "./option.ts";
import { delimiter, encoding, quoteCharacter, recordSize } from "./reading-option.ts";

const anyNumber = Number.MAX_SAFE_INTEGER;

export const mappingOptions = {
  mapping: text("The mapping file: which column becomes which member"),
};

/** How a results file is read; it has a header, and it is the first line. */
export const resultsReadingOptions = {
  encoding: encoding(
    "Encoding of the input, such as windows-1252 (default: UTF-8, or by its mark)",
  ),
  delimiter: delimiter("What stands between cells, such as ; or tab (default: found out)"),
  quote: quoteCharacter('The character around cells that hold a delimiter (default: "), or none'),
  sheet: text("Name or number of a workbook's sheet"),
  "max-record-size": recordSize("What a record may be long, such as 4MiB (default: 1MiB)"),
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
  "Results of an earlier run: skip what is unchanged since; may be given several times, the oldest first",
);

export const rowNumber = wholeNumber(
  "Print the requests of this row instead, with the token masked, and how they come about",
  1,
  anyNumber,
);

export const problemsPath = text(
  "Write every problem to this CSV file; one of an earlier check is replaced",
);

export const configOptions = {
  config: text("The configuration file (default: eventload.yaml in the working directory)"),
};

export const resumeFlag = flag("Go on with an unfinished run of the same results, if there is one");

export const outputOptions = {
  json: flag("Print the summary as one JSON object on standard output"),
  quiet: flag("Print errors and warnings only"),
};

const runOptions = {
  "token-file": text("File that holds the access token (else EVENTLOAD_TOKEN)"),
  "token-command": command("Command that prints the access token"),
  "ca-file": text("File of certificates (PEM) to trust besides the usual ones"),
  "success-statuses": statuses("Statuses that mean success, such as 2xx,409 (default: 2xx)"),
  "retry-statuses": statuses("Statuses to try again, besides the usual ones"),
  "reject-statuses": statuses("Statuses that are a refusal, and not tried again"),
  concurrency: wholeNumber("Requests on the wire at most (default: 32)", 1, 10_000),
  rate: rate("Attempts at most, such as 50/s, 3000/m or 100000/h"),
  "max-attempts": wholeNumber("Attempts for an event (default: 5)", 1, 1000),
  "max-errors": errorLimit("Stop when more than so many events, or so large a share, went wrong"),
  timeout: seconds("Seconds that an attempt may take (default: 30)"),
  "no-adaptive": flag(
    "Send at --concurrency and --rate without finding out what the service copes with",
  ),
  "max-outage": duration(
    "How long the service may take nothing before the run stops, such as 90s, 15m or 1h (default: 15m); 0 waits for no outage",
  ),
  durability: oneOf(
    ["power", "process"],
    "What the record of an attempt survives: a power cut (default), or only the end of the process, which is faster",
  ),
  "log-file": text("Append what happens to this file, one JSON object a line"),
  report: text("Write a report of the run to this file, as HTML"),
};

export const sendOptions = {
  ...serviceOptions,
  results: text("Where the results go (default: beside the input)"),
  ...runOptions,
  delivery: oneOf(
    ["at-least-once", "at-most-once"],
    "Whether an event that may have arrived is sent again (default: at-least-once)",
  ),
  ...rowOptions,
  strict: flag("Send nothing if a single row is invalid"),
  "no-check": flag("Send without checking all rows first"),
  ...outputOptions,
  ...configOptions,
};

/** What may differ when a run is gone on with; the rest stands in its journal. */
export const resumeOptions = { ...runOptions, ...outputOptions, ...configOptions };

export const reportOptions = {
  output: text("Where the report goes (default: people.report.html beside people.results.csv)"),
  ...outputOptions,
  ...configOptions,
};

export const exportOptions = {
  "excel-safe": flag("Write the copy so that a spreadsheet program runs and changes nothing in it"),
  output: text("Where the copy goes (default: people.results.excel.csv beside people.results.csv)"),
  ...resultsReadingOptions,
  ...outputOptions,
  ...configOptions,
};

export const sandboxOptions = {
  port: wholeNumber("Port to listen on (default: any that is free)", 0, 65_535),
  prefix: text("Path prefix of the base URL, such as /tenant-a"),
  "token-file": text("File with the only token to accept (default: any token)"),
  record: text("Append what is accepted to this file, one JSON object a line"),
  latency: wholeNumber("Milliseconds to wait before each answer", 0, 600_000),
  "fail-rate": share("Share of requests answered 500, 502, 503 or 504, from 0 to 1"),
  "reset-rate": share("Share of requests whose connection is reset, from 0 to 1"),
  "rate-limit": rate("Requests taken, such as 50/s; more are answered 429"),
  seed: wholeNumber("The same seed, the same misbehaviour", 0, 2 ** 32 - 1),
};
