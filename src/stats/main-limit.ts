import type { LimitedBy, SendingLimit } from "../model/sending-state.ts";

const minLimitedMs = 1000;
const minLimitedShare = 0.25;

/** Measures for how long each limit kept a process from sending faster. */
export function createMainLimit(startMs: number) {
  const limits = new Map<SendingLimit, number>();
  let lastMs = startMs;
  return {
    /** @param limit what has limited sending since the last call, if anything has */
    until(nowMs: number, limit: SendingLimit | undefined) {
      if (limit !== undefined) limits.set(limit, (limits.get(limit) ?? 0) + nowMs - lastMs);
      lastMs = nowMs;
    },
    /**
     * The limit that held for longest. Undefined if it held for less than a quarter of the time, or the process sent
     * for less than a second.
     *
     * @param bounds the limits as they are now
     */
    main({
      allowed,
      perSecond,
      refusedWith,
    }: Pick<LimitedBy, "allowed" | "perSecond" | "refusedWith">): LimitedBy | undefined {
      const durationMs = lastMs - startMs;
      const [longest] = [...limits].sort(([, one], [, other]) => other - one);
      if (longest === undefined || durationMs < minLimitedMs) return undefined;
      const [limit, ms] = longest;
      const share = ms / durationMs;
      if (share < minLimitedShare) return undefined;
      return {
        ...{ limit, share, allowed },
        ...(perSecond === undefined ? {} : { perSecond }),
        ...(refusedWith === undefined ? {} : { refusedWith }),
      };
    },
  };
}
