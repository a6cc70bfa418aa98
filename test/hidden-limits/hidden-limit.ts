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
  /** A tenth of a second's tokens, unless given. */
  readonly burst?: number;
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

/** By how much a limit that changes differs from what it began with. */
export function factorAt({ change }: HiddenLimit, atMs: number): number {
  return change !== undefined && atMs >= change.atS * 1000 ? change.factor : 1;
}

/** Refuses what comes faster than tokens do. */
function createTokenBucket(limit: TokenLimit, random: () => number): LimitAtWork {
  const { perSecond, burst = Math.max(1, perSecond / 10), status = 429, retryAfterS } = limit;
  let tokens = burst;
  let filledAtMs = 0;
  const fill = (untilMs: number) => {
    const factor = factorAt(limit, filledAtMs);
    tokens += ((untilMs - filledAtMs) / 1000) * perSecond * factor;
    tokens = Math.min(tokens, Math.max(1, burst * factorAt(limit, untilMs)));
    filledAtMs = untilMs;
  };
  return {
    arrive(nowMs) {
      fill(nowMs);
      if (tokens < 1) return { status, retryAfterS, answerAtMs: nowMs };
      tokens--;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {},
  };
}

/** Takes so many in each second by its clock, and refuses the rest of that second. */
function createFixedWindow(limit: WindowLimit, random: () => number): LimitAtWork {
  const { perSecond, status = 429, retryAfterS } = limit;
  let second = 0;
  let taken = 0;
  return {
    arrive(nowMs) {
      if (Math.floor(nowMs / 1000) !== second) {
        second = Math.floor(nowMs / 1000);
        taken = 0;
      }
      if (taken >= perSecond * factorAt(limit, nowMs)) {
        return { status, retryAfterS, answerAtMs: nowMs };
      }
      taken++;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {},
  };
}

/** Refuses what comes while all places are taken. */
function createPlaces(limit: PlacesLimit, random: () => number): LimitAtWork {
  const { places, status = 503, retryAfterS } = limit;
  let taken = 0;
  return {
    arrive(nowMs) {
      if (taken >= places * factorAt(limit, nowMs)) {
        return { status, retryAfterS, answerAtMs: nowMs };
      }
      taken++;
      return { status: 202, answerAtMs: nowMs + varied(limit.latencyMs, random) };
    },
    left() {
      taken--;
    },
  };
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
