/** The options of a sandbox; by default it behaves well. */
export interface SandboxOptions {
  /** 0, the default, is any free port. */
  port?: number | undefined;
  /** "127.0.0.1" by default. */
  host?: string | undefined;
  /** The endpoints live below it: "/tenant-a" gives /tenant-a/v1/users/events. */
  pathPrefix?: string | undefined;
  /** The only bearer token accepted; without it any that is not blank. */
  token?: string | undefined;
  /** Gets a JSON line for each event accepted; an existing file is appended to. */
  recordFile?: string | undefined;
  /** Wait before each answer to a right request; the event is accepted before the wait. */
  latencyMs?: number | undefined;
  /** Share of right requests, 0 to 1, that are answered 500, 502, 503 or 504. */
  failRate?: number | undefined;
  /** More right requests than this are answered 429 with Retry-After; none are by default. */
  rateLimitPerSecond?: number | undefined;
  /** Share of right requests, 0 to 1, whose connection is reset: half before accepting, half after. */
  resetRate?: number | undefined;
  /** The same whole number gives the same sequence of failures and resets; random by default. */
  seed?: number | undefined;
  /** Called once, immediately, if the record file cannot be written; `stop()` rejects as well. */
  onError?: ((error: Error) => void) | undefined;
}

/** The options, checked and with every default filled in. */
export interface SandboxSettings {
  port: number;
  host: string;
  /** Empty, or as it stands in a request line: with a slash in front and none behind. */
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

/** Fills in the defaults; throws a RangeError that names the option which makes no sense. */
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

  // The longest wait that setTimeout can keep.
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
  // A client's URL parser escapes the path in the same way before it goes into the request line.
  return trimmed === "" ? "" : new URL(`http://localhost/${trimmed}`).pathname;
}

export type Resource = "users" | "contacts";

/**
 * What a sandbox did so far. Once no request is on its way, `requests` is the sum of `accepted`,
 * `refused`, `throttled`, `failed`, `resets.beforeAccepting` and `brokenOff`.
 */
export interface SandboxCounts {
  requests: number;
  accepted: Record<Resource, number>;
  /** Of those accepted: the same body at the same endpoint as an earlier one, byte for byte. */
  repeats: number;
  /** By status: requests that were wrong in themselves. */
  refused: Record<string, number>;
  /** Answered 429. */
  throttled: number;
  /** By status: right requests that were answered with a failure on purpose. */
  failed: Record<string, number>;
  /** Connections reset on purpose; those after accepting are in `accepted` too. */
  resets: { beforeAccepting: number; afterAccepting: number };
  /** The client left before it had sent the whole body. */
  brokenOff: number;
}
