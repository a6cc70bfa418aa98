import { parseShard, whyNoShard } from "../../run/options/shard.ts";
import {
  byDefault,
  command,
  delimiter,
  duration,
  encoding,
  errorLimit,
  flag,
  grouped,
  type Option,
  oneOf,
  onlyInFile,
  onlyTyped,
  path,
  quoteCharacter,
  rate,
  recordSize,
  share,
  short,
  statuses,
  text,
  wholeNumber,
} from "./option-types.ts";

const anyNumber = Number.MAX_SAFE_INTEGER;

export const mappingOptions = grouped("Mapping", {
  mapping: short(
    "m",
    byDefault(
      "the input's name with .yaml, .yml, .json or .mjs",
      path("The mapping file, which eventload init writes"),
    ),
  ),
});

/** How a results file is read; it has a header, and it is the first line. */
export const resultsReadingOptions = grouped("Input", {
  encoding: byDefault("detected", encoding("Encoding of the input, such as windows-1252")),
  delimiter: byDefault("detected", delimiter("What separates cells, such as ; or tab")),
  sheet: text("name", "Name or number of the workbook's sheet, if it has several", {
    anyOf: [{ type: "string" }, { type: "integer" }],
  }),
  quote: onlyInFile(
    byDefault('"', quoteCharacter("The character around cells that hold a delimiter, or none")),
  ),
  "max-record-size": onlyInFile(
    byDefault("1MiB", recordSize("The longest record that is accepted, such as 4MiB")),
  ),
  "rows-in-cells": onlyInFile(
    flag("A cell may hold many lines that look like rows; otherwise the check stops there"),
  ),
});

export const readingOptions = {
  ...resultsReadingOptions,
  ...grouped("Input", {
    "skip-lines": wholeNumber("Skip n lines above the header", 0, anyNumber),
    "no-header": flag("The first line is a row; the columns are called 1, 2, …"),
  }),
};

const baseUrl = text("url", "Address of the service, with its path prefix if it has one");

/** Where nothing is sent, it is only looked at. */
export const baseUrlToCheck: Option = { ...baseUrl, group: "Service" };

export const serviceOptions = grouped("Service", {
  "base-url": { ...baseUrl, isRequired: true },
  "allow-http": flag("Allow http:// to other machines: the token is sent in the clear"),
  "idempotency-header": text("name", "Send the event id in a header of this name"),
});

export const rowOptions = grouped("Rows", {
  skip: wholeNumber("Skip the first n rows", 0, anyNumber),
  limit: wholeNumber("Take at most n rows", 0, anyNumber),
});

export const stateOptions = grouped("Rows", {
  state: path(
    "What the service has, by ordering key: send only what differs; {input}, {target} and {shard} are filled in",
  ),
  "max-gone": byDefault(
    "10%",
    errorLimit("With --state: send nothing when more keys than this are gone from the input"),
  ),
});

export const shardOption = grouped(
  "Rows",
  onlyTyped({
    shard: {
      ...text(
        "i/n",
        "Take the i-th of n parts of the rows, or env: what Kubernetes, Slurm or parallel set",
      ),
      read: (given) =>
        given === "env" || parseShard(given) !== undefined
          ? { kind: "value", value: given }
          : { kind: "wrong", why: `: ${whyNoShard}, not "${given}"` },
    },
  }),
);

export const checkOptions = grouped(
  "Rows",
  onlyTyped({
    row: wholeNumber("Show the requests of row n, with the token masked", 1, anyNumber),
    curl: flag("With --row and --base-url: print its requests as curl commands"),
  }),
);

export const problemsOption = grouped(
  "Output",
  onlyTyped({
    problems: path("Write every problem to this CSV file; an existing one is replaced"),
  }),
);

export const configOption = grouped("Output", {
  config: byDefault("eventload.yaml in this folder", text("file", "The configuration file")),
});

export const configOptions = {
  ...grouped("Service", {
    target: text("name", "Use the settings of this target in eventload.yaml"),
  }),
  ...configOption,
};

export const resumeOption = grouped("Rows", {
  resume: flag("Continue the unfinished run of these results, if there is one"),
});

export const accountOption = grouped(
  "Rows",
  onlyTyped({
    results: short(
      "o",
      byDefault(
        "beside the file, by its name",
        path("The results that the rows are of, if the file was renamed or moved"),
      ),
    ),
  }),
);

export const allowAlteredOption = grouped(
  "Rows",
  onlyTyped({
    "allow-altered": flag("Send cells that a spreadsheet program seems to have altered"),
  }),
);

export const outputOptions = grouped("Output", {
  json: flag("Print the outcome as one JSON object"),
  quiet: short("q", flag("Print errors and warnings only")),
});

const runOptions = {
  ...grouped("Service", {
    "token-file": path("File that holds the access token (default: EVENTLOAD_TOKEN)"),
    "token-command": command("Command that prints the access token"),
    "ca-file": path("Certificates (PEM) to trust besides the usual ones"),
  }),
  ...grouped("Sending", {
    concurrency: short(
      "c",
      byDefault("32", wholeNumber("At most n requests in flight", 1, 10_000)),
    ),
    rate: rate("At most this many requests, such as 50/s, 3000/m or 100000/h"),
    "no-adaptive": flag("Use only --concurrency and --rate, however the service responds"),
    timeout: byDefault("30s", duration("How long one attempt may take", 1)),
    "max-attempts": byDefault("5", wholeNumber("Attempts for each event", 1, 1000)),
    "max-errors": errorLimit("Stop when more lines than this did not succeed, such as 100 or 5%"),
    "max-outage": byDefault(
      "15m",
      duration("Stop when the service has accepted no event for this long; 0: do not wait"),
    ),
    "statuses-success": onlyInFile(
      byDefault("2xx", statuses("Statuses that mean success, such as 2xx,409")),
    ),
    "statuses-retry": onlyInFile(statuses("Statuses to retry, besides the usual ones")),
    "statuses-reject": onlyInFile(statuses("Statuses that reject an event, without a retry")),
    durability: onlyInFile(
      byDefault(
        "power",
        oneOf(
          "mode",
          ["power", "process"],
          "What the journal survives: power (a power cut too) or process (only the end of the process, which is faster)",
        ),
      ),
    ),
  }),
  ...grouped("Output", {
    report: path("Write an HTML report of the run to this file"),
    "log-file": path("Append a log of the run to this file, one JSON object per line"),
    "log-cells": onlyInFile(flag("Whether the log may hold cells and what the service says")),
    "metrics-file": path("Write metrics for Prometheus to this file every minute and at the end"),
  }),
};

const deliveryOption = grouped("Sending", {
  delivery: byDefault(
    "at-least-once",
    oneOf(
      "mode",
      ["at-least-once", "at-most-once"],
      "at-least-once or at-most-once: whether an event that may have arrived is sent again",
    ),
  ),
});

export const sendOptions = {
  ...serviceOptions,
  ...rowOptions,
  ...grouped("Output", {
    results: short(
      "o",
      byDefault(
        "people.results.csv beside people.csv",
        path("Where the results go; {input}, {date}, {time}, {target} and {shard} are filled in"),
      ),
    ),
  }),
  ...runOptions,
  ...deliveryOption,
  ...grouped("Rows", {
    strict: flag("Send nothing if a row is invalid"),
    "no-check": flag("Send without checking all rows first"),
  }),
  ...outputOptions,
  ...configOptions,
};

export const dryRunOption = grouped(
  "Rows",
  onlyTyped({ "dry-run": flag("Check every row and send nothing, as eventload check does") }),
);

/** What a retry or resume takes from the run that it continues. */
export const asBefore = {
  ...grouped("Mapping", {
    mapping: short("m", byDefault("that of the run", path("Which column becomes which member"))),
  }),
  ...grouped("Service", { "base-url": byDefault("that of the run", baseUrl) }),
};

/**
 * What may differ when a run is resumed; the rest stands in its journal. Mapping and address are not
 * known from a journal that somebody else may have written.
 */
export const resumeOptions = {
  ...asBefore,
  "allow-http": serviceOptions["allow-http"],
  ...runOptions,
  ...grouped("Output", {
    report: byDefault("that of the run", path("Write an HTML report of the run to this file")),
  }),
  ...outputOptions,
  ...configOptions,
};

export const reportOptions = {
  ...onlyTyped({
    output: short(
      "o",
      byDefault("people.report.html beside people.results.csv", path("Where the report goes")),
    ),
  }),
  ...outputOptions,
  ...configOption,
};

export const mergeOptions = {
  ...onlyTyped({
    results: short("o", { ...path("Where the merged results go"), isRequired: true }),
  }),
  ...outputOptions,
  ...configOption,
};

export const statusOptions = {
  ...grouped(
    "Output",
    onlyTyped({
      watch: flag("Show it again every two seconds"),
      json: outputOptions.json,
    }),
  ),
};

export const exportOptions = {
  ...onlyTyped({
    output: short(
      "o",
      byDefault("people.results.excel.csv beside people.results.csv", path("Where the copy goes")),
    ),
  }),
  ...resultsReadingOptions,
  ...outputOptions,
  ...configOption,
};

export const sandboxOptions = {
  port: byDefault("any that is free", wholeNumber("Port to listen on", 0, 65_535)),
  prefix: text("path", "Path prefix of the base URL, such as /tenant-a"),
  "token-file": byDefault("any token", path("Accept only the token in this file")),
  record: path("Append what is accepted to this file, a JSON object a line"),
  ...grouped("Misbehaviour", {
    latency: duration("Wait this long before each answer, such as 50ms"),
    "fail-rate": share("Share of requests answered 500, 502, 503 or 504, from 0 to 1"),
    "reset-rate": share("Share of requests whose connection is reset, from 0 to 1"),
    "rate-limit": rate("Accept this many requests, such as 50/s, and answer 429 to more"),
    seed: wholeNumber("The same seed misbehaves in the same way", 0, 2 ** 32 - 1),
  }),
};
