/** The options of a sandbox; by default it behaves well. */
export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number | undefined;
  /** "127.0.0.1" by default. */
  host?: string | undefined;
  /** Path before the endpoints: "/tenant-a" gives /tenant-a/v1/users/events. */
  pathPrefix?: string | undefined;
  /** The only bearer token that is accepted; by default any that is not blank. */
  token?: string | undefined;
  /** Gets a JSON line for each accepted event; an existing file is appended to. */
  recordFile?: string | undefined;
  /** Wait before each answer to a valid request; the event is accepted before the wait. */
  latencyMs?: number | undefined;
  /** Share of valid requests, 0 to 1, that are answered 500, 502, 503 or 504. */
  failRate?: number | undefined;
  /** More valid requests than this are answered 429 with Retry-After; by default there is no limit. */
  rateLimitPerSecond?: number | undefined;
  /** Share of valid requests, 0 to 1, whose connection is reset: half before accepting, half after. */
  resetRate?: number | undefined;
  /** A whole number. The same seed gives the same sequence of failures and resets; random by default. */
  seed?: number | undefined;
  /** Called once if the record file cannot be written; `stop()` then rejects too. */
  onError?: ((error: Error) => void) | undefined;
}

/** The options, checked and with defaults. */
export interface SandboxSettings {
  port: number;
  host: string;
  /** Empty, or as in a request line: with a slash before it and none after it. */
  pathPrefix: string;
  token: string | undefined;
  recordFile: string | undefined;
  latencyMs: number;
  failRate: number;
  rateLimitPerSecond: number | undefined;
  resetRate: number;
  seed: number;
  onError: (error: Error) => void;
}

/** Fills in the defaults. Throws a RangeError that names the invalid option. */
export function checkOptions(options: SandboxOptions): SandboxSettings {
  const settings: SandboxSettings = {
    port: options.port ?? 0,
    host: options.host ?? "127.0.0.1",
    pathPrefix: normalisePrefix(options.pathPrefix ?? ""),
    token: options.token,
    recordFile: options.recordFile,
    latencyMs: options.latencyMs ?? 0,
    failRate: options.failRate ?? 0,
    rateLimitPerSecond: options.rateLimitPerSecond,
    resetRate: options.resetRate ?? 0,
    seed: options.seed ?? Math.floor(Math.random() * 2 ** 32),
    onError: options.onError ?? (() => {}),
  };
  const { port, latencyMs, failRate, rateLimitPerSecond, resetRate, seed, token } = settings;

  // setTimeout takes no longer wait.
  demand(latencyMs >= 0 && latencyMs < 2 ** 31, "latencyMs", "0 or more", latencyMs);
  demand(Number.isInteger(port) && port >= 0 && port < 65536, "port", "0 to 65535", port);
  demand(failRate >= 0 && failRate <= 1, "failRate", "from 0 to 1", failRate);
  demand(resetRate >= 0 && resetRate <= 1, "resetRate", "from 0 to 1", resetRate);
  demand(
    failRate + resetRate <= 1,
    "the sum of failRate and resetRate",
    "at most 1",
    failRate + resetRate,
  );
  demand(Number.isSafeInteger(seed), "seed", "a whole number", seed);
  if (rateLimitPerSecond !== undefined) {
    const fits = rateLimitPerSecond > 0 && Number.isFinite(rateLimitPerSecond);
    demand(fits, "rateLimitPerSecond", "more than 0", rateLimitPerSecond);
  }
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
