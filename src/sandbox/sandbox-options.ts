import { count, shortTime } from "../model/quantities.ts";

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
  /** Gets a JSON line for each accepted event, behind what is there. One that cannot be recorded is answered 500. */
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
  /** How a person types the program; default `eventload`. */
  program?: string | undefined;
}

export type SandboxSettings = ReturnType<typeof sandboxSettings>;

/** Fills in the defaults. Throws a RangeError that names the invalid option. */
export function sandboxSettings(options: SandboxOptions) {
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
    program: options.program ?? "eventload",
  };
  const { latencyMs, rateLimitPerSecond, outage, seed, token } = settings;
  const { rejectRate, failRate, resetRate, hangRate } = settings;
  const shares = [rejectRate, failRate, resetRate, hangRate];
  demand(
    [...shares, failRate + resetRate + hangRate].every((share) => share >= 0 && share <= 1),
    "rates have to be from 0 to 1, and so does the sum of failRate, resetRate and hangRate",
  );
  // setTimeout takes no longer wait.
  const isTime = (ms: number) => ms >= 0 && ms < 2 ** 31;
  demand([latencyMs, outage.forMs, outage.afterMs].every(isTime), "times have to be 0 or more");
  demand(Number.isSafeInteger(seed), "seed has to be a whole number");
  demand(rateLimitPerSecond > 0, "rateLimitPerSecond has to be more than 0");
  const isToken = token === undefined || /^[\x21-\x7e]+$/.test(token);
  demand(isToken, "token has to be printable ASCII without blanks");
  return settings;
}

/** What a sandbox does on purpose, a few words each. */
export function describeFaults(settings: SandboxSettings): string[] {
  const { outage, latencyMs, rateLimitPerSecond: rate } = settings;
  const percent = (share: number) => `${Number((100 * share).toFixed(3))} %`;
  const [down, after] = [outage.forMs, outage.afterMs].map(shortTime);
  const all: [number, string][] = [
    [settings.rejectRate, `rejects ${percent(settings.rejectRate)}`],
    [settings.failRate, `fails ${percent(settings.failRate)}`],
    [settings.resetRate, `resets ${percent(settings.resetRate)}`],
    [settings.hangRate, `never answers ${percent(settings.hangRate)}`],
    [outage.forMs, `is down for ${down}, ${after} after the first request`],
    [1 / rate, `takes ${count(rate, "request")} a second`],
    [latencyMs, `waits ${shortTime(latencyMs)}`],
  ];
  const said = all.flatMap(([size, words]) => (size > 0 ? words : []));
  return said.length === 0 ? [] : [...said, `seed ${settings.seed}`];
}

function demand(holds: boolean, rule: string): void {
  if (!holds) throw new RangeError(rule);
}

/** As the URL parser of a client escapes it, without a final slash. */
function normalisePrefix(prefix: string): string {
  demand(!/[?#]/.test(prefix), "pathPrefix has to be a path without ? and #");
  return new URL(prefix, "http://localhost").pathname.replace(/(?<!\/)\/+$/, "");
}
