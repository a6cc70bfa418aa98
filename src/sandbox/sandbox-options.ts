/** A time in which every valid request fails. */
export interface Outage {
  forMs: number;
  /** From the first valid request on: nobody knows how long a command takes to type. */
  afterMs: number;
}

/** The options of a sandbox; by default it behaves well. */
export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number | undefined;
  /** Path before the endpoints: "/tenant-a" gives /tenant-a/v1/users/events. */
  pathPrefix?: string | undefined;
  /** The only bearer token that is accepted; by default any that is not blank. */
  token?: string | undefined;
  /** Gets a JSON line for each accepted event; an existing file is appended to. */
  recordFile?: string | undefined;
  /** Wait before each answer to a valid request; the event is accepted before the wait. */
  latencyMs?: number | undefined;
  /** More valid requests than this are answered 429 with Retry-After; by default there is no limit. */
  rateLimitPerSecond?: number | undefined;
  /** Share of events, 0 to 1, that are answered 422; the same event is rejected each time. */
  rejectRate?: number | undefined;
  /** Share of valid requests, 0 to 1, that are answered 500, 502, 503 or 504. */
  failRate?: number | undefined;
  /** Share of valid requests, 0 to 1, whose connection is reset: half before accepting, half after. */
  resetRate?: number | undefined;
  /** Share of valid requests, 0 to 1, that are never answered: half not accepted, half accepted. */
  hangRate?: number | undefined;
  /** Valid requests are answered 503 for so long, so long after the first. */
  outage?: Outage | undefined;
  /** A whole number. The same seed gives the same rejections, failures and resets; random by default. */
  seed?: number | undefined;
  /** Called once if the record file cannot be written; `stop()` then rejects too. */
  onError?: ((error: Error) => void) | undefined;
}

export type SandboxSettings = ReturnType<typeof checkOptions>;

/** Fills in the defaults. Throws a RangeError that names the invalid option. */
export function checkOptions(options: SandboxOptions) {
  const settings = {
    ...options,
    port: options.port ?? 0,
    pathPrefix: normalisePrefix(options.pathPrefix ?? ""),
    latencyMs: options.latencyMs ?? 0,
    rateLimitPerSecond: options.rateLimitPerSecond ?? Number.POSITIVE_INFINITY,
    rejectRate: options.rejectRate ?? 0,
    failRate: options.failRate ?? 0,
    resetRate: options.resetRate ?? 0,
    hangRate: options.hangRate ?? 0,
    outage: options.outage ?? { forMs: 0, afterMs: 0 },
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
    onError: options.onError ?? (() => {}),
  };
  const { latencyMs, rateLimitPerSecond, outage, seed, token } = settings;
  const { rejectRate, failRate, resetRate, hangRate } = settings;

  // setTimeout takes no longer wait.
  demand(latencyMs >= 0 && latencyMs < 2 ** 31, "latencyMs", "0 or more", latencyMs);
  for (const [name, rate] of Object.entries({ rejectRate, failRate, resetRate, hangRate })) {
    demand(rate >= 0 && rate <= 1, name, "from 0 to 1", rate);
  }
  const all = failRate + resetRate + hangRate;
  demand(all <= 1, "the sum of failRate, resetRate and hangRate", "at most 1", all);
  for (const [name, ms] of Object.entries(outage)) {
    demand(ms >= 0, `outage.${name}`, "0 or more", ms);
  }
  demand(Number.isSafeInteger(seed), "seed", "a whole number", seed);
  demand(rateLimitPerSecond > 0, "rateLimitPerSecond", "more than 0", rateLimitPerSecond);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new RangeError("token has to be printable ASCII without blanks");
  }
  return settings;
}

function demand(holds: boolean, option: string, range: string, value: number): void {
  if (!holds) throw new RangeError(`${option} has to be ${range}, but is ${value}`);
}

function normalisePrefix(prefix: string): string {
  if (/[?#]/.test(prefix)) throw new RangeError("pathPrefix has to be a path without ? and #");
  const trimmed = prefix.replace(/^\/+|(?<!\/)\/+$/g, "");
  // The URL parser of a client escapes the path in the same way.
  return trimmed === "" ? "" : new URL(`http://localhost/${trimmed}`).pathname;
}
