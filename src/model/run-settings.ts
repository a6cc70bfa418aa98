import { isDeepStrictEqual } from "node:util";
import type { MaxErrors } from "./max-errors.ts";
import type { GivenReading } from "./reading.ts";
import type { Shard } from "./shard.ts";
import { faultOfStatuses, type StatusLists } from "./status-rules.ts";
import {
  delimiter,
  duration,
  encoding,
  errorLimit,
  flag,
  headerName,
  oneOf,
  paths,
  quoteCharacter,
  rate,
  recordSize,
  shard,
  statuses,
  text,
  type ValueType,
  wholeNumber,
} from "./value-types.ts";

/* The settings that a run keeps: what a program gives, and a line for each in one table. */

/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

/** Settings that may change when a run is resumed. */
export interface ChangeableSettings extends StatusLists {
  /** Maximum requests in flight; default 32. */
  readonly concurrency?: number;
  /** Maximum attempts per second; default unlimited. */
  readonly ratePerSecond?: number;
  /**
   * Whether to adapt concurrency and rate to what the service can take, within the limits above;
   * default yes. If not, both start at these limits and stay there.
   */
  readonly adaptive?: boolean;
  /** Deadline for an attempt, from connecting to the last byte of the answer; default 30,000. */
  readonly timeoutMs?: number;
  /** Maximum attempts per event; default 5. */
  readonly maxAttempts?: number;
  /**
   * How many lines of the results may go wrong (rejected, failed, unknown, invalid) before an import, a retry or a
   * resume stops; default no limit. A share applies from 100 lines on. The check counts too: if it finds more invalid
   * rows than that, nothing is sent.
   */
  readonly maxErrors?: MaxErrors;
  /**
   * How long an outage may last before the run stops; default 900,000. With 0, the run does not wait for
   * the end of an outage: events fail when their attempts are exhausted.
   */
  readonly maxOutageMs?: number;
  /** How long an interrupt waits for what is in flight, which then counts as unanswered; default 8,000. */
  readonly graceMs?: number;
  /** Whether plain http to other machines is allowed; default no. */
  readonly allowHttp?: boolean;
  /** Whether a success may be a page of HTML; default no: the first one stops the run, as a wrong address gives it. */
  readonly acceptHtml?: boolean;
  /** Paths of PEM files whose certificates are trusted besides the usual ones; default none. */
  readonly caFiles?: string | readonly string[];
}

/** All settings of an import that it keeps, as a program gives them. */
export interface GivenSettings extends ChangeableSettings {
  /** How to read the input; default detected from its content. */
  readonly reading?: GivenReading;
  /** Whether an event that may have arrived is sent again; default `at-least-once`. */
  readonly delivery?: DeliveryMode;
  /** Name of a header that carries the event id; default none. */
  readonly idempotencyHeader?: string;
  /** Rows to skip at the beginning; default 0. */
  readonly skip?: number;
  /** The part of the rows that this run takes, of several that divide the input; default all. */
  readonly shard?: Shard;
  /** Maximum number of rows; default all. */
  readonly limit?: number;
  /** Whether every row is checked before the first is sent (files only); default yes. */
  readonly check?: boolean;
  /** Whether to send nothing if a single row is invalid; default no. */
  readonly strict?: boolean;
}

type KeptAs = "sending" | "service" | "rows";

interface Line<Value = unknown, Usual = unknown, As extends KeptAs = KeptAs> {
  /** Under which title help and docs have it. */
  readonly group: "Input" | "Service" | "Sending" | "Rows";
  /**
   * Who takes it from a run: `sending` every resume and retry; `service` only where the seal of the run is good, as it
   * decides where people's data go; `rows` a resume alone.
   */
  readonly keptAs: As;
  /** Whether two runs are the same only if they agree on it. */
  readonly mustAgree?: true;
  /** Whether it is a key of the configuration file alone, or no key of it. */
  readonly only?: "file" | "typed";
  readonly help: string;
  readonly type: ValueType<Value>;
  /** What counts where nothing is said; null if nothing does. */
  readonly default: Usual;
  /** The same in words, where something else does. */
  readonly usual?: string;
  /** Its option on the command line; default its name. */
  readonly flag?: string;
  readonly short?: string;
}

function line<Value, Usual extends Value | null, As extends KeptAs>(
  shared: Pick<Line<Value, Usual, As>, "group" | "keptAs" | "mustAgree">,
  help: string,
  type: ValueType<Value>,
  usual: Usual,
  more: Partial<Omit<Line, "keptAs" | "help" | "type" | "default">> = {},
): Line<Value, Usual, As> {
  return { ...shared, help, type, default: usual, ...more };
}

const sending = { group: "Sending", keptAs: "sending" } as const;
const service = { group: "Service", keptAs: "service" } as const;
const input = { group: "Input", keptAs: "rows" } as const;
const dialect = { ...input, mustAgree: true } as const;
const rows = { group: "Rows", keptAs: "rows" } as const;
const inFile = { only: "file" } as const;

const sheet = { ...text("name"), schema: { anyOf: [{ type: "string" }, { type: "integer" }] } };
const modes = oneOf("mode", "at-least-once", "at-most-once");

/** A line for each setting, by its name in manifest and journal. */
const table = {
  concurrency: line(sending, "At most n requests in flight", wholeNumber(1, 10_000), 32, {
    short: "c",
  }),
  rate_per_second: line(
    sending,
    "At most this many requests, such as 50/s, 3000/m or 100000/h; of all shards together",
    rate,
    null,
    { flag: "rate" },
  ),
  adaptive: line(
    sending,
    "Use only --concurrency and --rate, however the service responds",
    flag,
    true,
  ),
  timeout_ms: line(sending, "How long one attempt may take", duration("above 0"), 30_000, {
    flag: "timeout",
  }),
  max_attempts: line(
    sending,
    "Attempts for each event, the first included",
    wholeNumber(1, 1000),
    5,
  ),
  max_errors: line(
    sending,
    "Stop when more lines than this did not succeed, such as 100 or 5%; of each shard",
    errorLimit,
    null,
  ),
  max_outage_ms: line(
    sending,
    "Stop when the service has accepted no event for this long; 0: do not wait",
    duration(),
    15 * 60_000,
    { flag: "max-outage" },
  ),
  // Docker gives a run ten seconds to end.
  grace_ms: line(sending, "How long an interrupt waits for what is in flight", duration(), 8000, {
    flag: "grace",
  }),
  delivery: line(
    service,
    "at-least-once or at-most-once: whether an event that may have arrived is sent again",
    modes,
    "at-least-once",
    { group: "Sending", mustAgree: true },
  ),
  idempotency_header: line(
    service,
    "Send the event id in a header of this name",
    headerName,
    null,
    { mustAgree: true },
  ),
  allow_http: line(
    service,
    "Allow http:// to other machines: the token is sent in the clear",
    flag,
    false,
  ),
  ca_files: line(service, "Certificates (PEM) to trust besides the usual ones", paths, [], {
    flag: "ca-file",
  }),
  success_statuses: line(service, "Statuses that mean success, such as 2xx,409", statuses, null, {
    ...inFile,
    usual: "2xx",
  }),
  retry_statuses: line(
    service,
    "Statuses to retry, besides the usual ones",
    statuses,
    null,
    inFile,
  ),
  reject_statuses: line(
    service,
    "Statuses that reject an event, without a retry",
    statuses,
    null,
    inFile,
  ),
  accept_html: line(service, "A success may be a page of HTML", flag, false, inFile),
  encoding: line(dialect, "Encoding of the input, such as windows-1252", encoding, null, {
    usual: "UTF-8, or UTF-16 by its mark",
  }),
  delimiter: line(dialect, "What separates cells, such as ; or tab", delimiter, null, {
    usual: "detected",
  }),
  quote: line(
    dialect,
    "The character around cells that hold a delimiter, or none",
    quoteCharacter,
    null,
    { ...inFile, usual: '"' },
  ),
  escape: line(
    dialect,
    'What stands in a quoted cell before a quote that is text, and before itself: "\\\\"',
    oneOf("character", "\\"),
    null,
    { ...inFile, usual: "none: a quote that is text is doubled" },
  ),
  header: line(dialect, "The first line is a row; the columns are called 1, 2, …", flag, true),
  skip_lines: line(dialect, "Skip n lines above the header", wholeNumber(0), 0),
  short_rows: line(
    dialect,
    "What a row of CSV with too few cells is: invalid, or pad to fill it up with blank cells",
    oneOf("invalid|pad", "invalid", "pad"),
    "invalid",
  ),
  hidden_rows: line(
    dialect,
    "What becomes of rows that a sheet hides or filters out: read, or skip to leave them out",
    oneOf("read|skip", "read", "skip"),
    "read",
  ),
  max_record_bytes: line(
    input,
    "The longest record that is accepted, such as 1500KiB; at most 2MiB",
    recordSize,
    null,
    { ...inFile, usual: "1MiB", flag: "max-record-size" },
  ),
  rows_in_cells: line(
    input,
    "A cell may hold many lines that look like rows; otherwise the check stops there",
    flag,
    false,
    inFile,
  ),
  sheet: line(dialect, "Name or number of the workbook's sheet, if it has several", sheet, null),
  shard: line(
    rows,
    "Take part i of n of the rows; env takes both from Kubernetes, Slurm or GNU parallel",
    shard,
    null,
    { mustAgree: true, only: "typed" },
  ),
  skip: line(rows, "Skip the first n rows", wholeNumber(0), 0, { mustAgree: true }),
  limit: line(rows, "Take at most n rows", wholeNumber(1), null, { mustAgree: true }),
  check: line(rows, "Send without checking all rows first", flag, true),
  strict: line(rows, "Send nothing if a row is invalid", flag, false),
};

export type SettingName = keyof typeof table;

/** All settings of a run as its manifest and its journal keep them. What is null was not given. */
export type RunSettings = {
  readonly [name in SettingName]: (typeof table)[name] extends Line<infer Value, infer Usual>
    ? Value | Extract<Usual, null>
    : never;
};

/** How a part of a run sends. A resume or a retry sends in the same way unless told otherwise. */
export type SendingSettings = Pick<
  RunSettings,
  {
    [name in SettingName]: (typeof table)[name] extends { keptAs: "sending" } ? name : never;
  }[SettingName]
>;

/** A setting, whatever its value. */
export interface Setting extends Line {
  readonly name: SettingName;
  readonly flag: string;
  /** Where a program gives it: `limit`, or `reading.skipLines`. */
  readonly option: string;
}

export const settings: readonly Setting[] = Object.entries<Line>(table).map(([name, one]) => {
  const flag = one.flag ?? name.replaceAll("_", "-");
  const option = name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());
  return {
    ...one,
    name: name as SettingName,
    flag: one.default === true ? `no-${flag}` : flag,
    option: one.group === "Input" ? `reading.${option}` : option,
  };
});

/** What counts where nothing is said. */
export const usualSettings = settingsFrom((one) => one.default);

function settingsFrom(value: (setting: Setting) => unknown): RunSettings {
  return Object.fromEntries(settings.map((one) => [one.name, value(one)])) as RunSettings;
}

/** Those that have a default, under the names that a program gives them. How an input is read is detected. */
export type UsualOptions = {
  readonly [name in SettingName as null extends RunSettings[name]
    ? never
    : Extract<Camel<name>, keyof GivenSettings>]: RunSettings[name];
};

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

export const usualOptions = atOptions(
  settings
    .filter(({ group, default: usual }) => group !== "Input" && usual !== null)
    .map(({ option, default: usual }) => [option, usual]),
) as UsualOptions;

/** What is wrong with what a program gives: a sentence about the first of its options that cannot be used. */
export function whyNotGiven(
  given: GivenSettings,
): { readonly option: string; readonly why: string } | undefined {
  for (const { option, type } of settings) {
    const value = valueAt(given, option);
    const why = value === undefined ? undefined : type.why(value);
    if (why !== undefined) return { option, why };
  }
  const { quote = "", delimiter } = given.reading ?? {};
  if (quote !== "" && delimiter?.includes(quote)) {
    return { option: "reading.quote", why: "it is in the delimiter too" };
  }
  return faultOfStatuses(given);
}

/** Whether a value of a manifest is one that this setting can have. */
export function isKeptValue({ type, default: usual }: Setting, value: unknown): boolean {
  if (value === null) return usual === null;
  return type.why(value) === undefined && isDeepStrictEqual(type.keep?.(value) ?? value, value);
}

/** What a run keeps of what a program gives. */
export function keptSettings(given: GivenSettings): RunSettings {
  return settingsFrom(({ option, type, default: usual }) => {
    const value = valueAt(given, option);
    return value === undefined ? usual : (type.keep?.(value) ?? value);
  });
}

/** The same as a program would give it to the run that continues or retries it. */
export function givenSettings(kept: Partial<RunSettings>): GivenSettings {
  const values = settings.flatMap(({ name, option, default: usual }): [string, unknown][] =>
    kept[name] === undefined || kept[name] === usual ? [] : [[option, kept[name]]],
  );
  return atOptions(values);
}

/** An object that has values where a program gives them: at `limit`, or at `reading.encoding`. */
export function atOptions(values: readonly (readonly [option: string, value: unknown])[]) {
  const given: Record<string, unknown> = {};
  for (const [option, value] of values) {
    const [first = "", second] = option.split(".");
    given[first] = second === undefined ? value : { ...(given[first] ?? {}), [second]: value };
  }
  return given as GivenSettings;
}

function valueAt(given: object, option: string): unknown {
  return option
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], given);
}

/** The settings that are kept in this way. */
export function settingsKeptAs(kept: Partial<RunSettings>, as: KeptAs): Partial<RunSettings> {
  const names = settings.filter(({ keptAs }) => keptAs === as).map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, kept[name]]));
}

export function sendingOf(kept: Partial<RunSettings>): SendingSettings {
  return settingsKeptAs(kept, "sending") as SendingSettings;
}

/** How the settings of two runs differ that have to agree, a part of a sentence each: the one answer to whether they are the same run. */
export function differingSettings(before: RunSettings, now: RunSettings): string[] {
  return settings.flatMap(({ name, mustAgree, flag, only }) => {
    // What an earlier version did not know was as usual.
    const [was, is] = [before, now].map(
      (one) => settingText(name, { ...usualSettings, ...one }[name]) ?? "not given",
    );
    if (mustAgree !== true || was === is) return [];
    const option = only === "file" ? `${flag} (in eventload.yaml)` : `--${flag}`;
    return [`${option} was ${was} and is ${is}`];
  });
}

/** The settings that are not the usual ones, as options. */
export function unusualOptions(kept: Partial<RunSettings>): { flag: string; text: string }[] {
  return settings.flatMap(({ name, flag, type, only }) => {
    const text = settingText(name, kept[name] ?? usualSettings[name]);
    if (only === "file" || text === undefined || text === usualText(name)) return [];
    return [{ flag, text: type.kind === "flag" ? `--${flag}` : `--${flag} ${text}` }];
  });
}

/** What counts without a setting, as it is typed. */
export function usualText(name: SettingName): string | undefined {
  return settingText(name, usualSettings[name]) ?? table[name].usual;
}

/** The value of a setting as it is typed; undefined if that is to type nothing. */
export function settingText(name: SettingName, value: unknown): string | undefined {
  const { type, default: usual }: Line = table[name];
  if (type.kind === "flag") return value === usual ? undefined : "given";
  if (value === null || (value === 0 && usual === 0)) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return type.show?.(value) ?? String(value);
}
