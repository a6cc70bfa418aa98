export interface BackoffInput {
  /** How many attempts have been made, from 1. */
  readonly attempts: number;
  /** Whether the service said that it is asked too much. */
  readonly throttled: boolean;
  /** From 0 up to 1. */
  readonly random: number;
}

const baseMs = 100;
const throttledBaseMs = 500;
const longestMs = 20_000;

/**
 * How long to wait before the next attempt: exponential backoff with full jitter, the form that the
 * AWS SDKs' standard retry mode uses. Any wait up to the bound is as likely as any other, so that
 * events that failed together do not come back together.
 */
export function backoffMs({ attempts, throttled, random }: BackoffInput): number {
  const base = throttled ? throttledBaseMs : baseMs;
  const bound = Math.min(longestMs, base * 2 ** Math.min(attempts - 1, 30));
  return random * bound;
}
