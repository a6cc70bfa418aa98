/** Why a run ended before its input did. */
export interface StopReason {
  readonly code: StopCode;
  /** One sentence for a person: what happened and what to do. */
  readonly message: string;
}

export const stopCodes = [
  "not_reconciled",
  "closed",
  "disk",
  "files_changed",
  "forbidden",
  "input_changed",
  "input_damaged",
  "interrupted",
  "method_not_allowed",
  "not_found",
  "outage",
  "redirected",
  "throttled",
  "too_many_errors",
  "unauthorized",
  "unreachable",
] as const;
export type StopCode = (typeof stopCodes)[number];

/** Lets any stage end the run: an `AbortController` with a typed reason. The first reason is the one that counts. */
export interface StopController {
  readonly signal: StopSignal;
  abort(reason: StopReason): void;
}

export interface StopSignal extends Omit<AbortSignal, "reason"> {
  readonly reason: StopReason | undefined;
}

/**
 * Calls the listener once when a signal is aborted, and at once if it already is.
 *
 * @returns a function that removes the listener
 */
export function onAbort(
  signal: Pick<AbortSignal, "aborted" | "addEventListener" | "removeEventListener">,
  listener: () => void,
): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
