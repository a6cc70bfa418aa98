/** Why a run ended before its input did. */
export interface StopReason {
  readonly code: StopCode;
  /** One sentence for a person: what happened and what to do. */
  readonly message: string;
}

export type StopCode =
  | "accounts_differ"
  | "disk"
  | "files_changed"
  | "forbidden"
  | "input_changed"
  | "input_damaged"
  | "interrupted"
  | "method_not_allowed"
  | "not_found"
  | "outage"
  | "redirected"
  | "throttled"
  | "too_many_errors"
  | "unauthorized"
  | "unreachable";

/** Lets any stage end the run; the first reason given is the one that counts. */
export interface StopSwitch {
  readonly reason: StopReason | undefined;
  request(reason: StopReason): void;
  /** Calls back once, as soon as there is a reason; the result calls it off. */
  onStop(listener: () => void): () => void;
}

export function createStopSwitch(): StopSwitch {
  const listeners = new Set<() => void>();
  let first: StopReason | undefined;
  return {
    get reason() {
      return first;
    },
    request(reason) {
      if (first !== undefined) return;
      first = reason;
      for (const listener of listeners) listener();
      listeners.clear();
    },
    onStop(listener) {
      if (first !== undefined) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
