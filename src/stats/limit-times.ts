import type { LimitedBy } from "../model/run-figures.ts";
import type { SendingLimit } from "../model/sending-state.ts";

/** Measures for how long each limit kept a run from sending faster. */
export interface LimitTimes {
  /** @param limit what has limited sending since the last call, if anything has */
  note(limit: SendingLimit | undefined): void;
  /**
   * The limit that held longest. Undefined if it held for less than a quarter of the time, or the run sent
   * for less than a second.
   *
   * @param bounds the limits as they are now
   */
  mainLimit(bounds: Pick<LimitedBy, "allowed" | "perSecond">): LimitedBy | undefined;
}

const minDurationMs = 1000;
const minShare = 0.25;

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
    mainLimit({ allowed, perSecond }) {
      const durationMs = lastMs - beganMs;
      const [longest] = [...times].sort(([, one], [, other]) => other - one);
      if (longest === undefined || durationMs < minDurationMs) return undefined;
      const [limit, ms] = longest;
      const share = ms / durationMs;
      if (share < minShare) return undefined;
      return { limit, share, allowed, ...(perSecond === undefined ? {} : { perSecond }) };
    },
  };
}
