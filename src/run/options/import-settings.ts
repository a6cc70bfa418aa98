import { resolve } from "node:path";
import { systemClock } from "../../model/clock.ts";
import type { Reading } from "../../model/reading.ts";
import { defaultResultsPath } from "../../model/run-files.ts";
import { type RunSettings, usualSettings as usual } from "../../model/run-settings.ts";
import type { StatusKind, StatusLists } from "../../model/status-rules.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { ImportOptions } from "./import-options.ts";
import { type Input, isStream } from "./input.ts";
import { type ErrorBound, maxErrorsText } from "./max-errors.ts";
import { nightResults } from "./results-name.ts";
import type { ImportNotice, ImportProgress } from "./run-events.ts";
import { boundOf, checkOptions, maxGoneOf } from "./validate-options.ts";

/** Options with the defaults of those that were not given. */
export type ImportSettings = Omit<
  ImportOptions,
  keyof typeof defaults | "input" | "token" | "results" | "caFile" | "maxErrors" | "maxGone"
> &
  Required<Pick<ImportOptions, keyof typeof defaults>> & {
    readonly input: Input;
    readonly token: TokenSource;
    /** Absolute paths. */
    readonly caFiles: readonly string[];
    readonly results: string;
    /** Whether anybody looks at the progress. */
    readonly isWatched: boolean;
    readonly maxErrors?: ErrorBound | undefined;
    readonly maxGone: ErrorBound;
    readonly ratePerSecond?: number | undefined;
    readonly idempotencyHeader?: string | undefined;
    readonly allowAltered?: boolean | undefined;
    readonly stateFolder?: string | undefined;
  };

/** What counts where an option was not given. */
export const defaults = {
  concurrency: usual.concurrency,
  maxAttempts: usual.max_attempts,
  timeoutMs: usual.timeout_ms,
  adaptive: usual.adaptive,
  maxOutageMs: usual.max_outage_ms,
  delivery: usual.delivery,
  durability: usual.durability,
  resume: "never",
  allowHttp: usual.allow_http,
  proxy: {},
  statuses: {},
  reading: {},
  skip: usual.skip,
  limit: Number.POSITIVE_INFINITY,
  check: usual.check,
  strict: usual.strict,
  clock: systemClock,
  onProgress: (_: ImportProgress) => {},
  onNotice: (_: ImportNotice) => {},
} satisfies Partial<ImportOptions>;

/** @throws CannotStartError if an option makes no sense */
export function withDefaults(
  options: Omit<ImportOptions, "input"> & { readonly input: Input },
): ImportSettings {
  checkOptions(options);
  const { input, token } = options;
  const first = isStream(input) ? "stdin" : ([input].flat()[0] ?? "");
  return {
    ...defaults,
    results:
      options.state === undefined
        ? defaultResultsPath(first)
        : nightResults(first, (options.clock ?? systemClock).date()),
    ...onlyGiven(options),
    token: typeof token === "string" ? { kind: "value", value: token, from: "the options" } : token,
    caFiles: [options.caFile ?? []].flat().map((path) => resolve(path)),
    isWatched: options.onProgress !== undefined,
    maxErrors:
      options.maxErrors === undefined ? undefined : boundOf("maxErrors", options.maxErrors),
    maxGone: maxGoneOf(options),
    ratePerSecond: options.ratePerSecond,
    idempotencyHeader: options.idempotencyHeader,
    stateFolder: options.stateFolder,
  } as ImportSettings;
}

/** What the settings that a run keeps are called as options, statuses and ways of reading. */
const ofOptions = {
  ...{ concurrency: "concurrency", rate_per_second: "ratePerSecond", adaptive: "adaptive" },
  ...{ timeout_ms: "timeoutMs", max_attempts: "maxAttempts", max_errors: "maxErrors" },
  ...{ max_outage_ms: "maxOutageMs", durability: "durability", delivery: "delivery" },
  ...{ idempotency_header: "idempotencyHeader", allow_http: "allowHttp", ca_files: "caFile" },
  ...{ shard: "shard", skip: "skip", limit: "limit", check: "check", strict: "strict" },
} as const satisfies Names<ImportOptions>;
const ofStatuses = {
  ...{ success_statuses: "success", retry_statuses: "retry", reject_statuses: "reject" },
} as const satisfies Names<StatusLists>;
const ofReading = {
  ...{ encoding: "encoding", delimiter: "delimiter", quote: "quote", header: "header" },
  ...{ skip_lines: "skipLines", max_record_bytes: "maxRecordBytes" },
  ...{ rows_in_cells: "mayHoldRows", sheet: "sheet" },
} as const satisfies Names<Reading>;
type Names<Options> = { readonly [kept in keyof RunSettings]?: keyof Options };

/** What a run keeps of its settings. Where the token came from is not among it. */
export function keptSettings(settings: ImportSettings, reading: Reading): RunSettings {
  const { maxErrors, limit, statuses, caFiles } = settings;
  const kept = (names: Record<string, string>, options: Record<string, unknown>) =>
    Object.entries(names).map(([name, option]) => [name, options[option]]);
  const given = Object.fromEntries([
    ...kept(ofOptions, {
      ...{ ...settings, caFile: caFiles },
      maxErrors: maxErrors && maxErrorsText(maxErrors),
      limit: limit === Number.POSITIVE_INFINITY ? undefined : limit,
    }),
    ...kept(ofStatuses, writtenLists(statuses)),
    ...kept(ofReading, { ...reading }),
  ]);
  return { ...usual, ...onlyGiven(given) };
}

/** The same as options of the run that continues or retries it. */
export function optionsOfKept(kept: Partial<RunSettings>): Partial<ImportOptions> {
  const optionsOf = <Options>(
    names: Names<Options>,
    wanted: (name: keyof RunSettings) => boolean,
  ) =>
    Object.fromEntries(
      Object.entries(names).flatMap(([name, option]) =>
        wanted(name as keyof RunSettings) ? [[option, kept[name as keyof RunSettings]]] : [],
      ),
    );
  const isKnown = (name: keyof RunSettings) => kept[name] !== undefined && kept[name] !== null;
  // What is said of reading counts more than what is detected.
  const isSaid = (name: keyof RunSettings) => isKnown(name) && kept[name] !== usual[name];
  const statuses = optionsOf(ofStatuses, isKnown);
  const reading = optionsOf(ofReading, isSaid);
  return {
    ...optionsOf(ofOptions, isKnown),
    ...(Object.keys(statuses).length === 0 ? {} : { statuses }),
    ...(Object.keys(reading).length === 0 ? {} : { reading }),
  };
}

/** An option that is there and undefined is one that was not given. */
export function onlyGiven<Options extends object>(options: Options): Options {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Options;
}

/** Lists of statuses as a person would write them. */
function writtenLists(lists: StatusLists): Partial<Record<StatusKind, string>> {
  const given = Object.entries(lists).filter(([, list]) => list !== undefined);
  return Object.fromEntries(given.map(([kind, list]) => [kind, [list].flat().join(",")]));
}
