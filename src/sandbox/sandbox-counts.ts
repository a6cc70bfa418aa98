import type { Resource } from "./check-head.ts";

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

export function emptyCounts(): SandboxCounts {
  return {
    requests: 0,
    accepted: { users: 0, contacts: 0 },
    repeats: 0,
    refused: {},
    throttled: 0,
    failed: {},
    resets: { beforeAccepting: 0, afterAccepting: 0 },
    brokenOff: 0,
  };
}
