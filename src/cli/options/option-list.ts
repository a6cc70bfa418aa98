import { settingOf } from "../../model/run-settings.ts";
import { parseShard, whyNoShard } from "../../run/options/shard.ts";
import {
  command,
  delimiter,
  duration,
  encoding,
  errorLimit,
  flag,
  grouped,
  type Option,
  oneOf,
  outage,
  path,
  quoteCharacter,
  rate,
  recordSize,
  share,
  statuses,
  text,
  wholeNumber,
} from "./option-types.ts";

const onlyTyped = { isTypedOnly: true } as const;
const ofRun = { default: "that of the run" };

export const mappingOptions = grouped("Mapping", {
  mapping: path("The mapping file, which eventload init writes", {
    ...{ short: "m", default: "the input's name with .yaml, .yml, .json or .mjs" },
  }),
});

/** How a results file is read; it has a header, and it is the first line. */
export const resultsReadingOptions = grouped("Input", {
  encoding: encoding("Encoding of the input, such as windows-1252", { default: "detected" }),
  delimiter: delimiter("What separates cells, such as ; or tab", { default: "detected" }),
  sheet: text("name", "Name or number of the workbook's sheet, if it has several", {
    schema: { anyOf: [{ type: "string" }, { type: "integer" }] },
  }),
  quote: quoteCharacter("The character around cells that hold a delimiter, or none", {
    default: '"',
  }),
  "max-record-size": recordSize("The longest record that is accepted, such as 4MiB", {
    default: "1MiB",
  }),
  "rows-in-cells": flag(
    "A cell may hold many lines that look like rows; otherwise the check stops there",
  ),
});

export const readingOptions = {
  ...resultsReadingOptions,
  ...grouped("Input", {
    "skip-lines": wholeNumber("Skip n lines above the header", 0),
    "no-header": flag("The first line is a row; the columns are called 1, 2, …"),
  }),
};

const baseUrl = text("url", "Address of the service, with its path prefix if it has one");

/** Where nothing is sent, it is only looked at. */
export const baseUrlToCheck = grouped("Service", { "base-url": baseUrl });

export const serviceOptions = grouped("Service", {
  "base-url": { ...baseUrl, isRequired: true },
  "allow-http": flag("Allow http:// to other machines: the token is sent in the clear"),
  "idempotency-header": text("name", "Send the event id in a header of this name"),
});

export const rowOptions = grouped("Rows", {
  skip: wholeNumber("Skip the first n rows", 0),
  limit: wholeNumber("Take at most n rows", 0),
});

export const stateOptions = grouped("Rows", {
  state: path(
    "What the service has, by ordering key: send only what differs; {input}, {target} and {shard} are filled in",
  ),
  "max-gone": errorLimit(
    "With --state: send nothing when more keys than this are gone from the input",
    { default: "10%" },
  ),
});

const shardText =
  "Take the i-th of n parts of the rows, or env: what Kubernetes, Slurm or parallel set";

export const shardOption = grouped("Rows", {
  shard: text("i/n", shardText, {
    ...onlyTyped,
    read: (given) =>
      given === "env" || parseShard(given) !== undefined
        ? { kind: "value", value: given }
        : { kind: "wrong", why: `: ${whyNoShard}, not "${given}"` },
  }),
});

/** What only `check` has. */
export const checkOptions = {
  ...grouped(
    "Rows",
    {
      row: wholeNumber("Show the requests of row n, with the token masked", 1),
      curl: flag("With --row and --base-url: print its requests as curl commands"),
    },
    onlyTyped,
  ),
  ...grouped("Output", {
    problems: path("Write every problem to this CSV file; an existing one is replaced", onlyTyped),
  }),
};

export const configOption = grouped("Output", {
  config: text("file", "The configuration file", { default: "eventload.yaml in this folder" }),
});

export const configOptions = {
  ...grouped("Service", {
    target: text("name", "Use the settings of this target in eventload.yaml"),
  }),
  ...configOption,
};

/** What only `import` has. */
export const importOptions = grouped("Rows", {
  resume: flag("Continue the unfinished run of these results, if there is one"),
  "dry-run": flag("Check every row and send nothing, as eventload check does", onlyTyped),
});

/** What only `retry` has. */
export const retryOptions = grouped(
  "Rows",
  {
    results: path("The results that the rows are of, if the file was renamed or moved", {
      ...{ short: "o", default: "beside the file, by its name" },
    }),
    "allow-altered": flag("Send cells that a spreadsheet program seems to have altered"),
  },
  onlyTyped,
);

export const outputOptions = grouped("Output", {
  json: flag("Print the outcome as one JSON object"),
  quiet: flag("Print errors and warnings only", { short: "q" }),
});

const report = path("Write an HTML report of the run to this file");

const runOptions = {
  ...grouped("Service", {
    "token-file": path("File that holds the access token (default: EVENTLOAD_TOKEN)"),
    "token-command": command("Command that prints the access token"),
    "ca-file": path("Certificates (PEM) to trust besides the usual ones"),
  }),
  ...grouped("Sending", {
    concurrency: { ...wholeNumber("At most n requests in flight", 1, 10_000), short: "c" },
    rate: rate("At most this many requests, such as 50/s, 3000/m or 100000/h"),
    "no-adaptive": flag("Use only --concurrency and --rate, however the service responds"),
    timeout: duration("How long one attempt may take", 1),
    "max-attempts": wholeNumber("Attempts for each event", 1, 1000),
    "max-errors": errorLimit("Stop when more lines than this did not succeed, such as 100 or 5%"),
    "max-outage": duration(
      "Stop when the service has accepted no event for this long; 0: do not wait",
    ),
    "statuses-success": statuses("Statuses that mean success, such as 2xx,409", {
      default: "2xx",
    }),
    "statuses-retry": statuses("Statuses to retry, besides the usual ones"),
    "statuses-reject": statuses("Statuses that reject an event, without a retry"),
    durability: oneOf(
      "mode",
      ["power", "process"],
      "What the journal survives: power (a power cut too) or process (only the end of the process, which is faster)",
    ),
  }),
  ...grouped("Output", {
    report,
    "log-file": path("Append a log of the run to this file, one JSON object per line"),
    "log-cells": flag("Whether the log may hold cells and what the service says", {
      isFileOnly: true,
    }),
    "metrics-file": path("Write metrics for Prometheus to this file every minute and at the end"),
  }),
};

export const sendOptions = {
  ...serviceOptions,
  ...rowOptions,
  ...grouped("Output", {
    results: path(
      "Where the results go; {input}, {date}, {time}, {target} and {shard} are filled in",
      { short: "o", default: "people.results.csv beside people.csv" },
    ),
  }),
  ...runOptions,
  ...grouped("Sending", {
    delivery: oneOf(
      "mode",
      ["at-least-once", "at-most-once"],
      "at-least-once or at-most-once: whether an event that may have arrived is sent again",
    ),
  }),
  ...grouped("Rows", {
    strict: flag("Send nothing if a row is invalid"),
    "no-check": flag("Send without checking all rows first"),
  }),
  ...outputOptions,
  ...configOptions,
};

/** What a retry or resume takes from the run that it continues. */
export const asBefore = {
  ...grouped("Mapping", {
    mapping: path("Which column becomes which member", { short: "m", ...ofRun }),
  }),
  ...grouped("Service", { "base-url": { ...baseUrl, ...ofRun } }),
};

/** With the defaults that hold where a run is continued: it keeps its settings. */
export function keptOf(options: Readonly<Record<string, Option>>): Record<string, Option> {
  const kept = (name: string) => {
    const { keptAs } = settingOf(name) ?? {};
    return keptAs === "sending" || keptAs === "service" ? ofRun : {};
  };
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, { ...option, ...kept(name) }]),
  );
}

/**
 * What may differ when a run is resumed; the rest stands in its journal. Mapping and address are not
 * known from a journal that somebody else may have written.
 */
export const resumeOptions = {
  ...asBefore,
  ...keptOf({ "allow-http": serviceOptions["allow-http"], ...runOptions }),
  ...grouped("Output", { report: { ...report, ...ofRun } }),
  ...outputOptions,
  ...configOptions,
};

export const reportOptions = {
  output: path("Where the report goes", {
    ...{ short: "o", default: "people.report.html beside people.results.csv" },
    ...onlyTyped,
  }),
  ...grouped(
    "Output",
    {
      "mask-cells": flag("Leave out cells, keys, ids and messages: a report for strangers"),
      text: flag("Print the report in ten lines at most, for a mail"),
    },
    onlyTyped,
  ),
  ...outputOptions,
  ...configOption,
};

export const mergeOptions = {
  results: path("Where the merged results go", { short: "o", isRequired: true, ...onlyTyped }),
  ...outputOptions,
  ...configOption,
};

export const statusOptions = grouped(
  "Output",
  { watch: flag("Show it again every two seconds"), json: outputOptions.json },
  onlyTyped,
);

export const exportOptions = {
  output: path("Where the copy goes", {
    ...{ short: "o", default: "people.results.excel.csv beside people.results.csv" },
    ...onlyTyped,
  }),
  ...resultsReadingOptions,
  ...outputOptions,
  ...configOption,
};

export const initOptions = grouped(
  "Mapping",
  {
    output: path("The mapping file to write, or - for standard output", {
      ...{ short: "o", default: "the input's name with .yaml" },
    }),
    resource: oneOf("users|contacts", ["users", "contacts"], "What the rows are"),
    event: text("name", "The kind of event that each row becomes"),
    force: flag("Overwrite a file that init wrote"),
    yes: flag("Do not ask; use the guesses"),
    "mask-samples": flag("In comments, replace letters with x and digits with 9"),
  },
  onlyTyped,
);

export const sandboxOptions = {
  port: { ...wholeNumber("Port to listen on", 0, 65_535), default: "any that is free" },
  prefix: text("path", "Path prefix of the base URL, such as /tenant-a"),
  "token-file": path("Accept only the token in this file", { default: "any token" }),
  record: path("Append what is accepted to this file, a JSON object a line"),
  ...grouped("Misbehaviour", {
    "reject-rate": share("Share of events answered 422, which names a member, from 0 to 1"),
    "fail-rate": share("Share of requests answered 500, 502, 503 or 504, from 0 to 1"),
    "reset-rate": share("Share of requests whose connection is reset, from 0 to 1"),
    "hang-rate": share("Share of requests that are never answered, from 0 to 1"),
    outage: outage("Answer 503 for so long, so long after the first request, such as 20s@60s"),
    latency: duration("Wait this long before each answer, such as 50ms"),
    "rate-limit": rate("Accept this many requests, such as 50/s, and answer 429 to more"),
    "ignore-repeated": flag("Answer an event that has come before as accepted, and ignore it"),
    seed: wholeNumber("The same seed misbehaves in the same way", 0, 2 ** 32 - 1),
  }),
};
