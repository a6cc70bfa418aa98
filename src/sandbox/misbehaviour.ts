/** What happens to a request that deserves a 202. */
export type Misbehaviour =
  | { kind: "none" }
  | { kind: "fail"; status: FailureStatus }
  | { kind: "reset"; accepting: boolean };

export type FailureStatus = 500 | 502 | 503 | 504;

const FAILURE_STATUSES = [500, 502, 503, 504] as const;
const NONE: Misbehaviour = { kind: "none" };

/**
 * Draws the fate of one request after another. The fates depend on `random` alone: each request
 * takes two numbers from it, so the n-th fate is the same however the earlier ones turned out.
 */
export function createMisbehaviour(
  failRate: number,
  resetRate: number,
  random: () => number,
): () => Misbehaviour {
  if (failRate === 0 && resetRate === 0) return () => NONE;

  return () => {
    const share = random();
    const choice = random();
    if (share < failRate) {
      return { kind: "fail", status: FAILURE_STATUSES[Math.floor(choice * 4)]! };
    }
    if (share < failRate + resetRate) return { kind: "reset", accepting: choice < 0.5 };
    return NONE;
  };
}
