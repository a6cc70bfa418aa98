import { resolve } from "node:path";
import { systemClock } from "./delivery/clock.ts";
import type { ImportNotice, ImportOptions, ImportProgress } from "./import-options.ts";
import type { RunIdentity } from "./journal/run-identity.ts";
import type { InputKind, PreparedInput } from "./prepare.ts";
import type { Manifest } from "./results/manifest.ts";

/** Options with the defaults of those that were not given. */
export type ImportSettings = Omit<ImportOptions, keyof typeof defaults> &
  Required<Pick<ImportOptions, keyof typeof defaults>> & {
    /** Whether anybody looks at the progress. */
    readonly isWatched: boolean;
    readonly ratePerSecond: number | undefined;
    readonly idempotencyHeader: string | undefined;
  };

const defaults = {
  concurrency: 32,
  maxAttempts: 5,
  timeoutMs: 30_000,
  delivery: "at-least-once",
  durability: "power",
  resume: "never",
  allowHttp: false,
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  check: true,
  strict: false,
  clock: systemClock,
  onProgress: (_: ImportProgress) => {},
  onNotice: (_: ImportNotice) => {},
} satisfies Partial<ImportOptions>;

export function withDefaults(options: ImportOptions): ImportSettings {
  const { ratePerSecond, idempotencyHeader } = options;
  const isWatched = options.onProgress !== undefined;
  return { ...defaults, ...options, isWatched, ratePerSecond, idempotencyHeader };
}

/** What a run is known by when it is to be resumed. */
export function identityOf(
  settings: ImportSettings,
  kind: InputKind,
  input: PreparedInput,
  baseUrl: string,
): RunIdentity {
  const { delivery, idempotencyHeader = null, allowHttp, skip, clock } = settings;
  const { name, called, id, fingerprint } = input;
  return {
    version: 1,
    kind,
    input: {
      path: input.path === undefined ? null : resolve(input.path),
      name,
      called,
      id,
      ...(fingerprint ?? { bytes: null, sha256: null }),
    },
    mapping: { ...input.mapping, path: resolve(input.mapping.path) },
    baseUrl,
    options: { delivery, idempotencyHeader, allowHttp, skip, limit: finite(settings.limit) },
    startedAt: clock.date().toISOString(),
    rowsTotal: null,
  };
}

/** What the manifest keeps of the options. Where the token came from is not among it. */
export function manifestOptions(settings: ImportSettings): Manifest["options"] {
  return {
    concurrency: settings.concurrency,
    rate_per_second: settings.ratePerSecond ?? null,
    max_attempts: settings.maxAttempts,
    timeout_ms: settings.timeoutMs,
    delivery: settings.delivery,
    durability: settings.durability,
    idempotency_header: settings.idempotencyHeader ?? null,
    allow_http: settings.allowHttp,
    skip: settings.skip,
    limit: finite(settings.limit),
    check: settings.check,
    strict: settings.strict,
  };
}

function finite(limit: number): number | null {
  return limit === Number.POSITIVE_INFINITY ? null : limit;
}
