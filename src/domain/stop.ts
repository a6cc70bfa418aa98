/** Why a run ended before its input did. */
export interface StopReason {
  readonly code: StopCode;
  /** One sentence for a person: what happened and what to do. */
  readonly message: string;
}

export type StopCode =
  | "accounts_differ"
  | "disk"
  | "forbidden"
  | "input_changed"
  | "input_damaged"
  | "interrupted"
  | "method_not_allowed"
  | "not_found"
  | "redirected"
  | "throttled"
  | "unauthorized"
  | "unreachable";

/** Lets any stage end the run; the first reason given is the one that counts. */
export interface StopSwitch {
  readonly reason: StopReason | undefined;
  /** Aborts as soon as a reason is given: whoever waits wakes up. */
  readonly signal: AbortSignal;
  request(reason: StopReason): void;
}

export function createStopSwitch(): StopSwitch {
  const controller = new AbortController();
  let first: StopReason | undefined;
  return {
    get reason() {
      return first;
    },
    signal: controller.signal,
    request(reason) {
      if (first !== undefined) return;
      first = reason;
      controller.abort();
    },
  };
}
