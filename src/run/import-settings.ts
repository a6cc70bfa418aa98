import { resolve } from "node:path";
import { journalVersion, type RunIdentity } from "../journal/run-identity.ts";
import { systemClock } from "../model/clock.ts";
import type { Reading } from "../model/reading.ts";
import { defaultResultsPath } from "../model/run-files.ts";
import type { RunPart, SendingSettings } from "../model/sending-settings.ts";
import type { StatusKind, StatusLists } from "../model/status-rules.ts";
import type { TokenSource } from "../model/token-source.ts";
import type { Manifest } from "../results/manifest.ts";
import type { ImportNotice, ImportOptions, ImportProgress } from "./import-options.ts";
import { type Input, type InputKind, isStream } from "./input.ts";
import { type ErrorBound, type MaxErrors, maxErrorsText, parseMaxErrors } from "./max-errors.ts";
import type { InputIdentity, PreparedInput } from "./prepare-input.ts";
import type { InputFile } from "./prepare-several.ts";
import { nightResults } from "./results-name.ts";
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

interface IdentifiedBy {
  readonly kind: InputKind;
  readonly input: PreparedInput;
  readonly known: InputIdentity;
  readonly baseUrl: string;
  readonly startedAt: string;
  /** Those of a run that is resumed. */
  readonly earlierParts: readonly RunPart[];
}

/** What a run is known by when it is to be resumed. */
export function identityOf(
  settings: ImportSettings,
  { kind, input, known, baseUrl, startedAt, earlierParts }: IdentifiedBy,
): Omit<RunIdentity, "part" | "results"> {
  const { delivery, idempotencyHeader = null, allowHttp, caFiles, skip } = settings;
  const reading = given(input.reading);
  const statuses = writtenLists(settings.statuses);
  const { name, called, readAs } = input;
  const { id, files, fingerprint } = known;
  const [alike, another] = readAs;
  return {
    version: journalVersion,
    kind,
    input: {
      path: pathOf(files),
      name,
      called,
      id,
      ...(fingerprint ?? { bytes: null, sha256: null }),
    },
    ...inputsOf(files),
    mapping: { ...input.mapping, path: resolve(input.mapping.path) },
    baseUrl,
    ...(settings.target === undefined ? {} : { target: settings.target }),
    options: {
      ...{ delivery, idempotencyHeader, allowHttp, caFiles, statuses, reading },
      ...(alike === undefined || another !== undefined ? {} : { readAs: alike.dialect }),
      ...(settings.reportPath === undefined ? {} : { report: resolve(settings.reportPath) }),
      ...{ skip, limit: finite(settings.limit) },
      ...(settings.shard === undefined ? {} : { shard: settings.shard }),
    },
    startedAt,
    parts: [
      ...earlierParts,
      { startedAt: settings.clock.date().toISOString(), sending: sendingOf(settings) },
    ],
    rowsTotal: null,
  };
}

/** How the events are sent. */
function sendingOf(settings: ImportSettings): SendingSettings {
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

/** Where one file is read. */
function pathOf(files: readonly InputFile[]): string | null {
  const [file, second] = files;
  return file === undefined || second !== undefined ? null : resolve(file.path);
}

/** Where there are several, each of them. */
function inputsOf(files: readonly InputFile[]): {
  inputs?: Omit<InputFile, "state">[];
} {
  if (files.length < 2) return {};
  return { inputs: files.map(({ state: _, ...file }) => ({ ...file, path: resolve(file.path) })) };
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
function given<Options extends object>(options: Options): Options {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Options;
}

/** Lists of statuses as a person would write them. */
function writtenLists(lists: StatusLists): Partial<Record<StatusKind, string>> {
  const given = Object.entries(lists).filter(([, list]) => list !== undefined);
  return Object.fromEntries(given.map(([kind, list]) => [kind, [list].flat().join(",")]));
}

function finite(limit: number): number | null {
  return limit === Number.POSITIVE_INFINITY ? null : limit;
}
