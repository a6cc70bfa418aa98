import { inSnakeCase } from "./escape-text.ts";
import type { GivenReading } from "./reading.ts";
import { faultOfStatuses } from "./status-rules.ts";
import {
  delimiter,
  encoding,
  errorLimit,
  flag,
  headerName,
  oneOf,
  paths,
  quoteCharacter,
  rate,
  shard,
  statuses,
  text,
  timeSpan,
  type ValueType,
  wholeNumber,
} from "./value-types.ts";

/*
 * The settings that a run keeps, a line for each in one table. A setting has one name: `timeoutMs` for a program,
 * `timeout_ms` in manifest and journal, and without its unit `--timeout`, and `timeout` in a configuration file.
 */

/** Whether an event may reach the service twice, or perhaps not at all. */
export type DeliveryMode = "at-least-once" | "at-most-once";

type KeptAs = "sending" | "service" | "rows";

interface Declaration<Value = unknown, Usual = unknown, As extends KeptAs = KeptAs> {
  /** Under which title help and docs have it. */
  readonly group: "Input" | "Service" | "Sending" | "Rows";
  /**
   * Who takes the setting from a run: `sending` every resume and retry; `service` only where the seal of the run is
   * good, as it decides where people's data go; `rows` a resume alone.
   */
  readonly keptAs: As;
  /** Whether two runs are the same only if they agree on it. */
  readonly mustAgree?: true;
  /** Whether the setting is a key of the configuration file alone, or no key of it. */
  readonly only?: "file" | "typed";
  readonly help: string;
  readonly type: ValueType<Value>;
  /** What counts where nothing is said; null if nothing does. */
  readonly default: Usual;
  /** The usual value in words, where something else decides it. */
  readonly usual?: string;
  readonly short?: string;
}

function line<Value, Usual extends Value | null, As extends KeptAs>(
  shared: Pick<Declaration<Value, Usual, As>, "group" | "keptAs" | "mustAgree">,
  help: string,
  type: ValueType<Value>,
  usual: Usual,
  more: Partial<Omit<Declaration, "keptAs" | "help" | "type" | "default">> = {},
): Declaration<Value, Usual, As> {
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

const settingsTable = {
  concurrency: line(sending, "At most n requests in flight", wholeNumber(1, 10_000), 32, {
    short: "c",
  }),
  ratePerSecond: line(
    sending,
    "At most this many requests, such as 50/s, 3000/m or 100000/h; of all shards together",
    rate,
    null,
  ),
  adaptive: line(
    sending,
    "Use only --concurrency and --rate, however the service responds",
    flag,
    true,
  ),
  timeoutMs: line(sending, "How long one attempt may take", timeSpan("above 0"), 30_000),
  maxAttempts: line(
    sending,
    "Attempts for each event, the first included",
    wholeNumber(1, 1000),
    5,
  ),
  maxErrors: line(
    sending,
    "Stop when more lines than this did not succeed, such as 100 or 5%; of each shard",
    errorLimit,
    null,
  ),
  maxOutageMs: line(
    sending,
    "Stop when the service has accepted no event for this long; 0: do not wait",
    timeSpan(),
    15 * 60_000,
  ),
  // Docker gives a run ten seconds to end.
  graceMs: line(sending, "How long an interrupt waits for what is in flight", timeSpan(), 8000),
  delivery: line(
    service,
    "at-least-once or at-most-once: whether an event that may have arrived is sent again",
    modes,
    "at-least-once",
    { group: "Sending", mustAgree: true },
  ),
  idempotencyHeader: line(service, "Send the event id in a header of this name", headerName, null, {
    mustAgree: true,
  }),
  allowHttp: line(
    service,
    "Allow http:// to other machines: the token is sent in the clear",
    flag,
    false,
  ),
  caFiles: line(service, "Certificates (PEM) to trust besides the usual ones", paths, []),
  successStatuses: line(service, "Statuses that mean success, such as 2xx,409", statuses, null, {
    ...inFile,
    usual: "2xx",
  }),
  retryStatuses: line(service, "Statuses to retry, besides the usual ones", statuses, null, inFile),
  rejectStatuses: line(
    service,
    "Statuses that reject an event, without a retry",
    statuses,
    null,
    inFile,
  ),
  acceptHtml: line(service, "A success may be a page of HTML", flag, false, inFile),
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
  skipLines: line(dialect, "Skip n lines above the header", wholeNumber(0), 0),
  shortRows: line(
    dialect,
    "What a row of CSV with too few cells is: invalid, or pad to fill it up with blank cells",
    oneOf("invalid|pad", "invalid", "pad"),
    "invalid",
  ),
  hiddenRows: line(
    dialect,
    "What becomes of rows that a sheet hides or filters out: read, or skip to leave them out",
    oneOf("read|skip", "read", "skip"),
    "read",
  ),
  rowsInCells: line(
    input,
    "A cell may hold many lines that look like rows; otherwise the check stops there",
    flag,
    false,
    inFile,
  ),
  sheet: line(dialect, "Name or number of the workbook's sheet, if it has several", sheet, null),
  shard: line(rows, "Take part i of n of the rows", shard, null, {
    mustAgree: true,
    only: "typed",
  }),
  skip: line(rows, "Skip the first n rows", wholeNumber(0), 0, { mustAgree: true }),
  limit: line(rows, "Take at most n rows", wholeNumber(1), null, { mustAgree: true }),
  check: line(rows, "Send without checking all rows first", flag, true),
  strict: line(rows, "Send nothing if a row is invalid", flag, false),
};

type Table = typeof settingsTable;
export type SettingName = keyof Table;

/** A name as files have it: `max_errors` for `maxErrors`. */
type NameInFiles<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${NameInFiles<Rest>}`
  : "";

type KeptValue<One> =
  One extends Declaration<infer Value, infer Usual> ? Value | Extract<Usual, null> : never;

/**
 * The settings of a run as a program gives them, each of which has a default. Their help says what they are for
 * (`eventload import --help`, `eventload schema config`), and their names the unit.
 */
export type Settings = {
  readonly [name in SettingName as Table[name]["group"] extends "Input"
    ? never
    : name]?: Table[name] extends Declaration<infer Value> ? Value : never;
} & {
  /** How to read the input; default detected from its content. */
  readonly reading?: GivenReading;
};

export type RunSettings = {
  readonly [name in SettingName as NameInFiles<name>]: KeptValue<Table[name]>;
};

/** How a part of a run sends. A resume or a retry sends in the same way unless told otherwise. */
export type SendingSettings = Pick<
  RunSettings,
  {
    [name in SettingName]: Table[name] extends { keptAs: "sending" } ? NameInFiles<name> : never;
  }[SettingName]
>;

export interface Setting extends Declaration {
  readonly name: SettingName;
  readonly key: keyof RunSettings;
  readonly flag: string;
}

export const settings: readonly Setting[] = Object.entries<Declaration>(settingsTable).map(
  ([name, one]) => {
    const key = inSnakeCase(name);
    // A flag has a value with its unit, and is one of several.
    const flag = key.replace(/_(?:per_second|ms)$|(?<=_file)s$/, "").replaceAll("_", "-");
    return {
      ...one,
      name: name as SettingName,
      key: key as keyof RunSettings,
      flag: one.default === true ? `no-${flag}` : flag,
    };
  },
);

export const usualSettings = Object.fromEntries(
  settings.map((one) => [one.key, one.default]),
) as RunSettings;

/** The defaults of settings that have one, for a program. How an input is read is detected. */
export type UsualSettings = {
  readonly [name in keyof Settings & SettingName as null extends KeptValue<Table[name]>
    ? never
    : name]: KeptValue<Table[name]>;
};

export const usualForPrograms = settingsFrom((one) =>
  one.group === "Input" ? undefined : (one.default ?? undefined),
) as UsualSettings;

/** Settings as a program gives them. @param given undefined of those that are not given */
export function settingsFrom(given: (setting: Setting) => unknown): Settings {
  const valuesOf = (isReading: boolean) => {
    const found = settings.filter(({ group }) => (group === "Input") === isReading);
    const values = found.map((one) => [one.name, given(one)] as const);
    return values.filter(([, value]) => value !== undefined);
  };
  const reading = valuesOf(true);
  return {
    ...Object.fromEntries(valuesOf(false)),
    ...(reading.length > 0 && { reading: Object.fromEntries(reading) }),
  };
}

function valueIn(given: Settings, { name, group }: Setting): unknown {
  const among: Readonly<Record<string, unknown>> = group === "Input" ? { ...given.reading } : given;
  return among[name];
}

/** What is wrong with what a program gives: a sentence about the first of its options that cannot be used. */
export function whyNotGiven(
  given: Settings,
): { readonly option: string; readonly why: string } | undefined {
  for (const one of settings) {
    const value = valueIn(given, one);
    const why = value === undefined ? undefined : one.type.why(value);
    const option = one.group === "Input" ? `reading.${one.name}` : one.name;
    if (why !== undefined) return { option, why };
  }
  const { quote = "", delimiter } = given.reading ?? {};
  if (quote !== "" && delimiter?.includes(quote)) {
    return { option: "reading.quote", why: "it is in the delimiter too" };
  }
  return faultOfStatuses(given);
}

export function isKeptValue({ type, default: usual }: Setting, value: unknown): boolean {
  if (value === null) return usual === null;
  return type.why(value) === undefined;
}

export function keptSettings(given: Settings): RunSettings {
  const values = settings.map((one) => [one.key, valueIn(given, one) ?? one.default]);
  return Object.fromEntries(values);
}

/** Settings as a program gives them to the run that continues or retries this one: usual values are left out. */
export function settingsOf(kept: Partial<RunSettings>): Settings {
  return settingsFrom(({ key, default: usual }) => (kept[key] === usual ? undefined : kept[key]));
}

export function settingsKeptAs(kept: Partial<RunSettings>, as: KeptAs): Partial<RunSettings> {
  const chosen = settings.filter(({ keptAs }) => keptAs === as);
  return Object.fromEntries(chosen.map(({ key }) => [key, kept[key]]));
}

export function sendingOf(kept: Partial<RunSettings>): SendingSettings {
  return settingsKeptAs(kept, "sending") as SendingSettings;
}

/** How the settings of two runs differ that have to agree, a part of a sentence each: the one answer to whether they are the same run. */
export function differingSettings(before: RunSettings, now: RunSettings): string[] {
  return settings.flatMap((one) => {
    // What an earlier version did not know was as usual.
    const [was, is] = [before, now].map(
      (run) => settingText(one, { ...usualSettings, ...run }[one.key]) ?? "not given",
    );
    if (one.mustAgree !== true || was === is) return [];
    const option = one.only === "file" ? `${one.flag} (in eventload.yaml)` : `--${one.flag}`;
    return [`${option} was ${was} and is ${is}`];
  });
}

export function unusualOptions(kept: Partial<RunSettings>): { flag: string; text: string }[] {
  return settings.flatMap((one) => {
    const { key, flag, type, only } = one;
    const text = settingText(one, kept[key] ?? usualSettings[key]);
    if (only === "file" || text === undefined || text === usualText(one)) return [];
    return [{ flag, text: type.kind === "flag" ? `--${flag}` : `--${flag} ${text}` }];
  });
}

/** What counts without a setting, as it is typed. */
export function usualText(setting: Setting): string | undefined {
  return settingText(setting, setting.default) ?? setting.usual;
}

/** The value of a setting as it is typed; undefined if that is to type nothing. */
export function settingText({ type, default: usual }: Setting, value: unknown): string | undefined {
  if (type.kind === "flag") return value === usual ? undefined : "given";
  if (value === null || (value === 0 && usual === 0)) return undefined;
  if (Array.isArray(value) && value.length === 0) return undefined;
  return type.show?.(value) ?? String(value);
}
