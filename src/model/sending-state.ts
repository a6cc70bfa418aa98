/** Why nothing but a probe leaves: the service asked for it, or it is down. */
export const pauseReasons = ["asked", "outage"] as const;
export type PauseReason = (typeof pauseReasons)[number];

export interface SendingState {
  readonly inFlight: number;
  /** Requests that may be in flight. */
  readonly allowed: number;
  /** Events that wait for another attempt. */
  readonly toRetry: number;
  /** Attempts a second at most; absent where there is no bound. */
  readonly perSecond?: number;
  /** What the service refuses more with, if it has. */
  readonly refusedWith?: number;
  readonly waitsFor: SendingWait | undefined;
}

/** How much a service was found to take. */
export interface FoundLimits {
  readonly allowed: number;
  /** Attempts a second; absent if no rate was found. */
  readonly perSecond?: number;
}

/**
 * `rate`, `throttling` and `quota` bound the rate: `--rate`, refusals of the service, what it says of its quota.
 * With the others, as many requests are in flight as may be: as `--concurrency` or the search for the limit allows,
 * or as the service lets in.
 */
export const sendingLimits = [
  "rate",
  "throttling",
  "quota",
  "concurrency",
  "adapted_concurrency",
] as const;
export type SendingLimit = (typeof sendingLimits)[number];

export type SendingWait =
  /** Nothing more is sent: it waits for the answers to what is in flight. */
  | { readonly kind: "stop" }
  /** Nothing but a probe leaves. */
  | {
      readonly kind: "pause";
      readonly reason: PauseReason;
      /** Until the next probe; 0 while it is in flight. */
      readonly forMs: number;
    }
  | { readonly kind: "token" }
  /** One event goes alone, until the service has answered. */
  | { readonly kind: "first_answer" }
  | { readonly kind: "rate"; readonly bound: RateBound };

export type RateBound = Extract<SendingLimit, "rate" | "throttling" | "quota">;

/** What delivery reports while it works, for the log and the progress. */
export type DeliveryNotice =
  | {
      readonly kind: "retry";
      readonly row: number;
      readonly event: number;
      readonly attempts: number;
      readonly delayMs: number;
      readonly code: string;
      readonly message: string;
    }
  | PauseNotice
  /** The first `Retry-After` of an answer after which the event is not sent again: it is not obeyed. */
  | { readonly kind: "wait_ignored"; readonly forMs: number }
  | { readonly kind: "token_renewed" };

export type PauseNotice =
  /** Nothing is sent until the next probe. */
  | {
      readonly kind: "pause";
      readonly reason: PauseReason;
      readonly durationMs: number;
      readonly message: string;
    }
  /** A probe succeeded, so sending continues. */
  | { readonly kind: "pause_over"; readonly reason: PauseReason; readonly pausedMs: number };

export interface LimitedBy {
  readonly limit: SendingLimit;
  /** The share of the time, from 0 to 1. */
  readonly share: number;
  /** The last limit, in attempts a second; absent if there was none. */
  readonly perSecond?: number;
  /** The last limit of requests in flight. */
  readonly allowed: number;
  /** What the service refused more with. */
  readonly refusedWith?: number;
}

/** Figures of the sending of a run, earlier parts included. */
export interface SendingFigures {
  /** How many processes sent: more than one if the run was resumed. */
  readonly processes: number;
  readonly durationMs: number;
  readonly attempts: number;
  /** Attempts after the first of their event. */
  readonly retries: number;
  readonly pauses: number;
  readonly pausedMs: Readonly<Record<PauseReason, number>>;
  /** With the names that the manifest has, and no histogram. */
  readonly latency: Readonly<Record<(typeof latencyNames)[number], number>>;
}

/** What is known of how long answers took: their number, and the others in milliseconds. */
export const latencyNames = [
  "answers",
  "min_ms",
  "mean_ms",
  "p50_ms",
  "p95_ms",
  "p99_ms",
  "max_ms",
] as const;
