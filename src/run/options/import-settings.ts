import { resolve } from "node:path";
import { systemClock } from "../../model/clock.ts";
import type { Reading } from "../../model/reading.ts";
import { defaultResultsPath } from "../../model/run-files.ts";
import type { SendingSettings } from "../../model/sending-settings.ts";
import type { StatusKind, StatusLists } from "../../model/status-rules.ts";
import type { TokenSource } from "../../model/token-source.ts";
import type { Manifest } from "../../results/manifest.ts";
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
  concurrency: 32,
  maxAttempts: 5,
  timeoutMs: 30_000,
  adaptive: true,
  maxOutageMs: 15 * 60_000,
  delivery: "at-least-once",
  durability: "power",
  resume: "never",
  allowHttp: false,
  proxy: {},
  statuses: {},
  reading: {},
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  check: true,
  strict: false,
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
    ...given(options),
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

/** How the events are sent. */
export function sendingOf(settings: ImportSettings): SendingSettings {
  const { concurrency, ratePerSecond = null, adaptive, timeoutMs, maxAttempts } = settings;
  const { maxErrors, maxOutageMs, durability } = settings;
  return {
    ...{ concurrency, ratePerSecond, adaptive, timeoutMs, maxAttempts },
    maxErrors: maxErrors === undefined ? null : maxErrorsText(maxErrors),
    ...{ maxOutageMs, durability },
  };
}

/** The same as options of the run that continues or retries it. */
export function optionsOfSending(sending: SendingSettings): Partial<ImportOptions> {
  const { ratePerSecond, maxErrors, ...others } = sending;
  return {
    ...others,
    ...(ratePerSecond === null ? {} : { ratePerSecond }),
    ...(maxErrors === null ? {} : { maxErrors: maxErrors as MaxErrors }),
  };
}

/** Options, with those of sending that were not given as they were before. */
export function withSending<Options extends object>(
  options: Options,
  before: SendingSettings,
): Options {
  return { ...optionsOfSending(before), ...given(options) };
}

/** How a run was sent, by its manifest. */
export function sendingOfManifest({ options }: Pick<Manifest, "options">): SendingSettings {
  return {
    concurrency: options.concurrency,
    ratePerSecond: options.rate_per_second,
    adaptive: options.adaptive,
    timeoutMs: options.timeout_ms,
    maxAttempts: options.max_attempts,
    maxErrors: options.max_errors,
    maxOutageMs: options.max_outage_ms,
    durability: options.durability,
  };
}

/** How it is sent if nothing is said. */
export const usualSending: SendingSettings = {
  concurrency: defaults.concurrency,
  ratePerSecond: null,
  adaptive: defaults.adaptive,
  timeoutMs: defaults.timeoutMs,
  maxAttempts: defaults.maxAttempts,
  maxErrors: null,
  maxOutageMs: defaults.maxOutageMs,
  durability: defaults.durability,
};

/** How a part was sent, as the manifest has it. */
export function manifestSending(sending: SendingSettings) {
  return {
    concurrency: sending.concurrency,
    rate_per_second: sending.ratePerSecond,
    adaptive: sending.adaptive,
    timeout_ms: sending.timeoutMs,
    max_attempts: sending.maxAttempts,
    max_errors: sending.maxErrors,
    max_outage_ms: sending.maxOutageMs,
    durability: sending.durability,
  };
}

/** What the manifest keeps of the options. Where the token came from is not among it. */
export function manifestOptions(settings: ImportSettings, reading: Reading): Manifest["options"] {
  const { success = null, retry = null, reject = null } = writtenLists(settings.statuses);
  return {
    concurrency: settings.concurrency,
    rate_per_second: settings.ratePerSecond ?? null,
    max_attempts: settings.maxAttempts,
    timeout_ms: settings.timeoutMs,
    adaptive: settings.adaptive,
    max_outage_ms: settings.maxOutageMs,
    max_errors: settings.maxErrors === undefined ? null : maxErrorsText(settings.maxErrors),
    delivery: settings.delivery,
    durability: settings.durability,
    idempotency_header: settings.idempotencyHeader ?? null,
    allow_http: settings.allowHttp,
    ca_files: [...settings.caFiles],
    success_statuses: success,
    retry_statuses: retry,
    reject_statuses: reject,
    reading: {
      encoding: reading.encoding ?? null,
      delimiter: reading.delimiter ?? null,
      quote: reading.quote ?? null,
      header: reading.header ?? true,
      skip_lines: reading.skipLines ?? 0,
      max_record_bytes: reading.maxRecordBytes ?? null,
      sheet: reading.sheet ?? null,
    },
    shard: settings.shard ?? null,
    skip: settings.skip,
    limit: finite(settings.limit),
    check: settings.check,
    strict: settings.strict,
  };
}

/** An option that is there and undefined is one that was not given. */
export function given<Options extends object>(options: Options): Options {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Options;
}

/** Lists of statuses as a person would write them. */
export function writtenLists(lists: StatusLists): Partial<Record<StatusKind, string>> {
  const given = Object.entries(lists).filter(([, list]) => list !== undefined);
  return Object.fromEntries(given.map(([kind, list]) => [kind, [list].flat().join(",")]));
}

export function finite(limit: number): number | null {
  return limit === Number.POSITIVE_INFINITY ? null : limit;
}
