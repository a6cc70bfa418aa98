/** What a service can bear and does not tell; the simulation answers by it on a virtual clock. */
export type HiddenLimit = TokenLimit | WindowLimit | PlacesLimit | LoadLimit;

interface Refusing {
  /** How long a request takes that is not refused. */
  readonly latencyMs: number;
  /** What refuses: 503 for places and 429 for the others, unless given. */
  readonly status?: number;
  readonly retryAfterS?: number;
  /** What the limit is multiplied by from some time on. */
  readonly change?: { readonly atS: number; readonly factor: number };
}

interface TokenLimit extends Refusing {
  readonly kind: "tokens";
  readonly perSecond: number;
}

/** So many in each second by the service's clock. */
interface WindowLimit extends Refusing {
  readonly kind: "window";
  readonly perSecond: number;
}

interface PlacesLimit extends Refusing {
  readonly kind: "in_flight";
  readonly places: number;
}

/** Refuses nothing; beyond as many in flight as there are servers, requests stand in line. */
interface LoadLimit {
  readonly kind: "load";
  readonly servers: number;
  readonly latencyMs: number;
  readonly change?: undefined;
}

interface Arrived {
  readonly status: number;
  readonly retryAfterS?: number | undefined;
  readonly answerAtMs: number;
}

interface LimitAtWork {
  arrive(nowMs: number): Arrived;
  /** A request that was not refused has its answer. */
  left(): void;
}

/** Decides on each request as it arrives. Times are milliseconds since the first one. */
export function createHiddenLimit(limit: HiddenLimit, random: () => number): LimitAtWork {
  switch (limit.kind) {
    case "tokens":
      return createTokenBucket(limit, random);
    case "window":
      return createFixedWindow(limit, random);
    case "in_flight":
      return createPlaces(limit, random);
    case "load":
      return createLoaded(limit, random);
    default:
      return limit satisfies never;
  }
}

/** @param takes whether a request is taken */
function refusing(
  { status = 429, retryAfterS, latencyMs }: Refusing,
  random: () => number,
  takes: (nowMs: number) => boolean,
): LimitAtWork {
  return {
    arrive: (nowMs) =>
      takes(nowMs)
        ? { status: 202, answerAtMs: nowMs + varied(latencyMs, random) }
        : { status, retryAfterS, answerAtMs: nowMs },
    left() {},
  };
}

/** By how much a limit that changes differs from what it began with. */
export function factorAt({ change }: HiddenLimit, atMs: number): number {
  return change !== undefined && atMs >= change.atS * 1000 ? change.factor : 1;
}

/** Refuses what comes faster than tokens do. */
function createTokenBucket(limit: TokenLimit, random: () => number): LimitAtWork {
  const { perSecond } = limit;
  const burst = Math.max(1, perSecond / 10);
  let tokens = burst;
  let filledAtMs = 0;
  return refusing(limit, random, (nowMs) => {
    tokens += ((nowMs - filledAtMs) / 1000) * perSecond * factorAt(limit, filledAtMs);
    tokens = Math.min(tokens, Math.max(1, burst * factorAt(limit, nowMs)));
    filledAtMs = nowMs;
    if (tokens < 1) return false;
    tokens--;
    return true;
  });
}

/** Takes so many in each second by its clock, and refuses the rest of that second. */
function createFixedWindow(limit: WindowLimit, random: () => number): LimitAtWork {
  let second = 0;
  let taken = 0;
  return refusing(limit, random, (nowMs) => {
    if (Math.floor(nowMs / 1000) !== second) taken = 0;
    second = Math.floor(nowMs / 1000);
    return taken++ < limit.perSecond * factorAt(limit, nowMs);
  });
}

/** Refuses what comes while all places are taken. */
function createPlaces(limit: PlacesLimit, random: () => number): LimitAtWork {
  let taken = 0;
  const takes = (nowMs: number) => {
    const isFree = taken < limit.places * factorAt(limit, nowMs);
    if (isFree) taken++;
    return isFree;
  };
  const left = () => void taken--;
  return { ...refusing({ status: 503, ...limit }, random, takes), left };
}

/** Refuses nothing: what comes while all servers are at work stands in line. */
function createLoaded({ servers, latencyMs }: LoadLimit, random: () => number): LimitAtWork {
  const freeAtMs: number[] = Array(servers).fill(0);
  return {
    arrive(nowMs) {
      const next = freeAtMs.indexOf(Math.min(...freeAtMs));
      const answerAtMs = Math.max(nowMs, freeAtMs[next] ?? 0) + varied(latencyMs, random);
      freeAtMs[next] = answerAtMs;
      return { status: 202, answerAtMs };
    },
    left() {},
  };
}

/** Real services do not take the same time twice; without this all requests would march in step. */
function varied(latencyMs: number, random: () => number): number {
  return latencyMs * (0.9 + 0.2 * random());
}
