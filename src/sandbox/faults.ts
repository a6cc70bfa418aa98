/** What goes wrong with a valid request, if anything does. */
export type Fault =
  | { kind: "none" }
  | { kind: "fail"; status: FailureStatus }
  | { kind: "reset"; isAccepted: boolean };

export type FailureStatus = 500 | 502 | 503 | 504;

const failureStatuses = [500, 502, 503, 504] as const;
const none: Fault = { kind: "none" };

/**
 * Draws the fault of one request after another. Each request takes two numbers from `random`, so the
 * n-th fault does not depend on how the earlier ones turned out.
 */
export function createFaults(
  failRate: number,
  resetRate: number,
  random: () => number,
): () => Fault {
  if (failRate === 0 && resetRate === 0) return () => none;

  return () => {
    const share = random();
    const choice = random();
    if (share < failRate) {
      return { kind: "fail", status: failureStatuses[Math.floor(choice * 4)]! };
    }
    if (share < failRate + resetRate) return { kind: "reset", isAccepted: choice < 0.5 };
    return none;
  };
}
