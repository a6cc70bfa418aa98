import type { LimitedBy } from "../model/run-figures.ts";
import type { SendingLimit, SendingState } from "../model/sending-state.ts";

const sampleEveryMs = 100;
/** With fewer samples than in a second, chance would tell. */
const leastSamples = 10;
const leastShare = 0.25;

/**
 * Looks ten times a second at what limits the sending.
 *
 * @returns a function that ends it and says what limited it, where anything did for a quarter of the time
 */
export function sampleLimits(
  schedule: (delayMs: number, run: () => void) => () => void,
  state: () => SendingState,
): () => LimitedBy | undefined {
  const samples = new Map<SendingLimit, number>();
  const last = new Map<SendingLimit, SendingState>();
  let all = 0;
  const sample = () => {
    cancel = schedule(sampleEveryMs, sample);
    const now = state();
    all++;
    if (now.limit === undefined) return;
    samples.set(now.limit, (samples.get(now.limit) ?? 0) + 1);
    last.set(now.limit, now);
  };
  let cancel = schedule(sampleEveryMs, sample);
  return () => {
    cancel();
    const [most] = [...samples].sort(([, one], [, other]) => other - one);
    if (most === undefined || all < leastSamples) return undefined;
    const [limit, count] = most;
    const { perSecond, allowed } = last.get(limit) as SendingState;
    const share = count / all;
    if (share < leastShare) return undefined;
    return { limit, share, allowed, ...(perSecond === undefined ? {} : { perSecond }) };
  };
}
