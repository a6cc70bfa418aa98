import type { LimitedBy } from "../model/run-figures.ts";
import type { SendingLimit } from "../model/sending-state.ts";

/** Adds up for how long each limit kept a run from sending faster. */
export interface LimitTimes {
  /** What has limited the sending since the last call, if anything did. */
  note(limit: SendingLimit | undefined): void;
  /**
   * What did so for most of the time; undefined if that is less than a quarter of it, or of a second.
   *
   * @param bounds those that hold now
   */
  most(bounds: Pick<LimitedBy, "allowed" | "perSecond">): LimitedBy | undefined;
}

const leastMs = 1000;
const leastShare = 0.25;

export function createLimitTimes(now: () => number): LimitTimes {
  const beganMs = now();
  const times = new Map<SendingLimit, number>();
  let lastMs = beganMs;
  return {
    note(limit) {
      const nowMs = now();
      if (limit !== undefined) times.set(limit, (times.get(limit) ?? 0) + nowMs - lastMs);
      lastMs = nowMs;
    },
    most({ allowed, perSecond }) {
      const allMs = lastMs - beganMs;
      const [most] = [...times].sort(([, one], [, other]) => other - one);
      if (most === undefined || allMs < leastMs) return undefined;
      const [limit, ms] = most;
      const share = ms / allMs;
      if (share < leastShare) return undefined;
      return { limit, share, allowed, ...(perSecond === undefined ? {} : { perSecond }) };
    },
  };
}
