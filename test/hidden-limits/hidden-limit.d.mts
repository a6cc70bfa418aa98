/** What a service can bear and does not tell. */
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

export interface TokenLimit extends Refusing {
  readonly kind: "tokens";
  readonly perSecond: number;
  /** A tenth of a second's tokens, unless given. */
  readonly burst?: number;
}

/** So many in each second by the service's clock. */
export interface WindowLimit extends Refusing {
  readonly kind: "window";
  readonly perSecond: number;
}

export interface PlacesLimit extends Refusing {
  readonly kind: "in_flight";
  readonly places: number;
}

/** Refuses nothing; beyond as many in flight as there are servers, requests stand in line. */
export interface LoadLimit {
  readonly kind: "load";
  readonly servers: number;
  readonly latencyMs: number;
  readonly change?: undefined;
}

export interface Arrived {
  readonly status: number;
  readonly retryAfterS?: number | undefined;
  readonly answerAtMs: number;
}

export interface LimitAtWork {
  arrive(nowMs: number): Arrived;
  /** A request that was not refused has its answer. */
  left(): void;
}

export function createHiddenLimit(limit: HiddenLimit, random?: () => number): LimitAtWork;
export function factorAt(limit: HiddenLimit, atMs: number): number;
