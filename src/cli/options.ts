import type { Options } from "yargs";
import { parseRate } from "../delivery/pace.ts";

/** An option that takes a whole number. */
function wholeNumber(name: string, describe: string, least: number, most: number): Options {
  const options = checked(describe, (given) => {
    const number = Number(given);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new Error(`--${name} needs a whole number from ${least} to ${most}`);
  });
  return { ...options, string: false, number: true };
}

/** An option that takes a duration in seconds, `1.5` or `1.5s`; it is read as milliseconds. */
function seconds(name: string, describe: string): Options {
  return checked(describe, (given) => {
    const [, digits] = /^(\d+(?:\.\d+)?)s?$/.exec(given.trim()) ?? [];
    const durationMs = Math.round(Number(digits) * 1000);
    if (durationMs >= 1 && durationMs <= 86_400_000) return durationMs;
    throw new Error(`--${name} needs seconds, such as 30 or 2.5, not "${given}"`);
  });
}

/** An option that takes a share of the whole. */
function share(name: string, describe: string): Options {
  const options = checked(describe, (given) => {
    const number = Number(given);
    if (number >= 0 && number <= 1) return number;
    throw new Error(`--${name} needs a number from 0 to 1`);
  });
  return { ...options, string: false, number: true };
}

/** An option that takes a rate; it is read as a number a second. */
function rate(name: string, describe: string): Options {
  return checked(describe, (given) => {
    const parsed = parseRate(given);
    if (parsed.kind === "rate") return parsed.perSecond;
    throw new Error(`--${name}: ${parsed.message}`);
  });
}

/** An option whose text is read by a function that throws where it cannot be. */
function checked(describe: string, read: (given: string) => number): Options {
  return {
    describe,
    requiresArg: true,
    string: true,
    coerce: (given: unknown) => (given === undefined ? undefined : read(String(given))),
  };
}

/** An option that takes a text. */
function text(describe: string): Options {
  return { describe, requiresArg: true, string: true };
}

function flag(describe: string): Options {
  return { describe, boolean: true };
}

export const mappingOptions = {
  mapping: text("The mapping file: which column becomes which member"),
};

export const serviceOptions = {
  "base-url": text("Address of the service, with its path prefix if it has one"),
  "allow-http": flag("Let plain http go to other machines than this one"),
  "idempotency-header": text("Name of a header that carries the event id"),
};

export const rowOptions = {
  skip: wholeNumber("skip", "Leave out the first N rows", 0, Number.MAX_SAFE_INTEGER),
  limit: wholeNumber("limit", "Take N rows at most", 0, Number.MAX_SAFE_INTEGER),
};

export const rowNumber = wholeNumber(
  "row",
  "Print the requests of this row instead, with the token masked",
  1,
  Number.MAX_SAFE_INTEGER,
);

export const configOptions = {
  config: text("The configuration file (default: eventload.yaml in the working directory)"),
};

export const resumeFlag = flag("Go on with an unfinished run of the same results, if there is one");

export const outputOptions = {
  json: flag("Print the summary as one JSON object on standard output"),
  quiet: flag("Print errors and warnings only"),
};

export const sendOptions = {
  ...serviceOptions,
  "token-file": text("File that holds the access token (else EVENTLOAD_TOKEN)"),
  "token-command": text("Command that prints the access token"),
  results: text("Where the results go (default: beside the input)"),
  concurrency: wholeNumber("concurrency", "Requests on the wire at most (default: 32)", 1, 10_000),
  rate: rate("rate", "Attempts at most, such as 50/s, 3000/m or 100000/h"),
  "max-attempts": wholeNumber("max-attempts", "Attempts for an event (default: 5)", 1, 1000),
  timeout: seconds("timeout", "Seconds that an attempt may take (default: 30)"),
  delivery: {
    ...text("Whether an event that may have arrived is sent again (default: at-least-once)"),
    choices: ["at-least-once", "at-most-once"],
  } satisfies Options,
  durability: {
    ...text("What the record of an attempt survives: power (default) or process"),
    choices: ["power", "process"],
  } satisfies Options,
  ...rowOptions,
  strict: flag("Send nothing if a single row is invalid"),
  "no-check": flag("Send without checking all rows first"),
  "log-file": text("Append what happens to this file, one JSON object a line"),
  ...outputOptions,
  ...configOptions,
};

export const sandboxOptions = {
  port: wholeNumber("port", "Port to listen on (default: any that is free)", 0, 65_535),
  prefix: text("Path prefix of the base URL, such as /tenant-a"),
  "token-file": text("File with the only token to accept (default: any token)"),
  record: text("Append what is accepted to this file, one JSON object a line"),
  latency: wholeNumber("latency", "Milliseconds to wait before each answer", 0, 600_000),
  "fail-rate": share("fail-rate", "Share of requests answered 500, 502, 503 or 504, from 0 to 1"),
  "reset-rate": share("reset-rate", "Share of requests whose connection is reset, from 0 to 1"),
  "rate-limit": rate("rate-limit", "Requests taken, such as 50/s; more are answered 429"),
  seed: wholeNumber("seed", "The same seed, the same misbehaviour", 0, 2 ** 32 - 1),
};

const { concurrency, rate: ratePerSecond, timeout, durability } = sendOptions;

/** What may differ when a run is gone on with; the rest stands in its journal. */
export const resumeOptions = {
  "token-file": sendOptions["token-file"],
  "token-command": sendOptions["token-command"],
  concurrency,
  rate: ratePerSecond,
  "max-attempts": sendOptions["max-attempts"],
  timeout,
  durability,
  "log-file": sendOptions["log-file"],
  ...outputOptions,
  ...configOptions,
};
