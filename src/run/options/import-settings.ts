import { resolve } from "node:path";
import { systemClock } from "../../model/clock.ts";
import type { Reading } from "../../model/reading.ts";
import { defaultResultsPath } from "../../model/run-files.ts";
import { type RunSettings, usualSettings as usual } from "../../model/run-settings.ts";
import type { StatusKind, StatusLists } from "../../model/status-rules.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { ImportOptions } from "./import-options.ts";
import { type Input, isStream } from "./input.ts";
import { type ErrorBound, type MaxErrors, maxErrorsText, parseMaxErrors } from "./max-errors.ts";
import { nightResults } from "./results-name.ts";
import type { ImportNotice, ImportProgress } from "./run-events.ts";
import { checkOptions, maxGoneOf } from "./validate-options.ts";

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
    maxErrors: options.maxErrors === undefined ? undefined : parseMaxErrors(options.maxErrors),
    maxGone: maxGoneOf(options),
    ratePerSecond: options.ratePerSecond,
    idempotencyHeader: options.idempotencyHeader,
    stateFolder: options.stateFolder,
  } as ImportSettings;
}

/** What a run keeps of its settings. Where the token came from is not among it. */
export function keptSettings(settings: ImportSettings, reading: Reading): RunSettings {
  const { success = null, retry = null, reject = null } = writtenLists(settings.statuses);
  const { maxErrors, limit } = settings;
  return {
    concurrency: settings.concurrency,
    rate_per_second: settings.ratePerSecond ?? null,
    adaptive: settings.adaptive,
    timeout_ms: settings.timeoutMs,
    max_attempts: settings.maxAttempts,
    max_errors: maxErrors === undefined ? null : maxErrorsText(maxErrors),
    max_outage_ms: settings.maxOutageMs,
    durability: settings.durability,
    delivery: settings.delivery,
    idempotency_header: settings.idempotencyHeader ?? null,
    allow_http: settings.allowHttp,
    ca_files: settings.caFiles,
    ...{ success_statuses: success, retry_statuses: retry, reject_statuses: reject },
    encoding: reading.encoding ?? null,
    delimiter: reading.delimiter ?? null,
    quote: reading.quote ?? null,
    header: reading.header ?? true,
    skip_lines: reading.skipLines ?? 0,
    max_record_bytes: reading.maxRecordBytes ?? null,
    rows_in_cells: reading.mayHoldRows ?? false,
    sheet: reading.sheet ?? null,
    shard: settings.shard ?? null,
    skip: settings.skip,
    limit: limit === Number.POSITIVE_INFINITY ? null : limit,
    check: settings.check,
    strict: settings.strict,
  };
}

/** The same as options of the run that continues or retries it. */
export function optionsOfKept(kept: Partial<RunSettings>): Partial<ImportOptions> {
  const statuses = onlyGiven({
    success: kept.success_statuses ?? undefined,
    retry: kept.retry_statuses ?? undefined,
    reject: kept.reject_statuses ?? undefined,
  });
  const reading = onlyGiven({
    encoding: kept.encoding ?? undefined,
    delimiter: kept.delimiter ?? undefined,
    quote: kept.quote ?? undefined,
    header: kept.header === false ? false : undefined,
    skipLines: kept.skip_lines || undefined,
    maxRecordBytes: kept.max_record_bytes ?? undefined,
    mayHoldRows: kept.rows_in_cells || undefined,
    sheet: kept.sheet ?? undefined,
  });
  return onlyGiven({
    concurrency: kept.concurrency,
    ratePerSecond: kept.rate_per_second ?? undefined,
    adaptive: kept.adaptive,
    timeoutMs: kept.timeout_ms,
    maxAttempts: kept.max_attempts,
    maxErrors: (kept.max_errors ?? undefined) as MaxErrors | undefined,
    maxOutageMs: kept.max_outage_ms,
    durability: kept.durability,
    delivery: kept.delivery,
    idempotencyHeader: kept.idempotency_header ?? undefined,
    allowHttp: kept.allow_http,
    caFile: kept.ca_files,
    statuses: Object.keys(statuses).length === 0 ? undefined : statuses,
    reading: Object.keys(reading).length === 0 ? undefined : reading,
    shard: kept.shard ?? undefined,
    skip: kept.skip,
    limit: kept.limit ?? undefined,
    check: kept.check,
    strict: kept.strict,
  }) as Partial<ImportOptions>;
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
