/** A refusal cuts the rate to this share; one before the rate has recovered, as the limit is lower, to the other. */
const [afterRefusal, afterQuickRefusal] = [0.95, 0.8];
/**
 * How long the rate recovers at least. In the AWS SDKs it grows by 0.4 attempts a second times the cube of the seconds, at
 * every rate. This is twice that at 50 a second, and takes equally long at every other rate.
 */
const usualSeconds = (part: number) => Math.cbrt((1 - part) / (0.8 / 50));
const maxRecoverySeconds = 40;
/** The rate is at most this many times the rate of sending: a limit that is not used up need not rise. */
export const slack = 1.3;
const minPerSecond = 0.05;
/** A search doubles the rate each second; then it goes on more slowly, until that is hardly faster than the curve. */
const [firstGrowth, leastGrowth] = [Math.LN2, 0.05];
/** The rate is not used up if so little of it is sent. */
const usedShare = 0.4;
/**
 * After a window that was full, it grows by so much a second at most: the next wall would cost as much. With each
 * window that passes without a wall, it grows twice as fast.
 */
const mostAfterWindow = 0.01;

interface Cut {
  /** The rate that was refused. */
  readonly used: number;
  /** Whether the rate was not near the limit. */
  readonly isFar: boolean;
  /** The rate is the average over a window and the wait after it, this long together; absent for a guess. */
  readonly windowMs?: number;
  /** Attempts that this refusal has to be worth. */
  readonly cost: number;
  /** Whether each refusal is a wait, too: then the search is shorter. */
  readonly isHinted?: boolean;
  /** Whether anything was accepted since the last cut: if not, one more refusal says nothing new. */
  readonly hasAccepted?: boolean;
}

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode. With each refusal, the rate falls, recovers, stays
 * near the old rate for a while, and then grows beyond it, faster and faster (the CUBIC curve of RFC 9438, for a
 * rate). Unlike there, one refusal lowers the rate only a little, and it recovers more slowly the more refusals cost.
 * What was found first may be far below the limit: the rate doubles each second until it is refused again.
 */
export function createAdaptiveRate() {
  let perSecond = Infinity;
  /** The rate that was refused last, and the rate after that cut. */
  let [highest, lowest] = [0, 0];
  /** When the rate began to recover, and how long that takes. */
  let recoversFromMs = 0;
  let recoverySeconds = 1;
  /** During a search: the logarithm of how much faster the rate is each second; and what doubles that. */
  let growth = 0;
  let windowSeconds = Infinity;
  let recoveredMs = 0;

  const hasRecovered = () => perSecond >= highest - 0.25 * (highest - lowest);

  return {
    get perSecond() {
      return perSecond;
    },
    get isSearching() {
      return growth >= leastGrowth;
    },
    /** The rate doubles each second, until it is refused. */
    search(to: number, now: number) {
      [perSecond, highest, lowest] = [to, to, to];
      [growth, recoversFromMs, recoveredMs] = [firstGrowth, now, now];
    },
    /** What the service takes a second; undefined if no limit was found. */
    get found() {
      return highest > 0 ? afterRefusal * highest : undefined;
    },
    /** The service takes this many a second, and perhaps more by now. */
    startAt(found: number, now: number) {
      perSecond = Math.max(minPerSecond, found);
      [highest, lowest] = [perSecond / afterRefusal, perSecond];
      [recoverySeconds, recoversFromMs, recoveredMs] = [usualSeconds(afterRefusal), now, now];
    },
    set(to: number) {
      perSecond = Math.max(minPerSecond, to);
    },
    recover(sendingPerSecond: number, now: number) {
      if (perSecond === Infinity || highest === 0) return;
      // Time in which the rate was not used up says nothing of the limit (RFC 9438, section 5.8).
      if (sendingPerSecond < usedShare * perSecond) {
        recoversFromMs = Math.min(now, recoversFromMs + now - recoveredMs);
      }
      recoveredMs = now;
      const seconds = Math.max(0, now - recoversFromMs) / 1000;
      if (growth > 0) {
        const windows = seconds / windowSeconds;
        const exponent = windows > 0 ? (windowSeconds * (2 ** windows - 1)) / Math.LN2 : seconds;
        const grown = lowest * Math.exp(growth * exponent);
        perSecond = Math.max(perSecond, Math.min(grown, 2 * sendingPerSecond));
        return;
      }
      const curve = highest + (highest - lowest) * (seconds / recoverySeconds - 1) ** 3;
      perSecond = Math.max(perSecond, Math.min(curve, slack * sendingPerSecond));
    },
    cut({ used, isFar, windowMs, cost, isHinted = false, hasAccepted = true }: Cut, now: number) {
      const isFirst = highest === 0;
      const part = isFar || hasRecovered() ? afterRefusal : afterQuickRefusal;
      highest = Math.max(minPerSecond, used);
      if (isFirst) growth = firstGrowth;
      else if (hasAccepted) growth /= isHinted ? 4 : 2;
      if (growth < leastGrowth) growth = 0;
      // The average over a window and the wait after it is less than it takes.
      if (windowMs !== undefined) growth = Math.min(mostAfterWindow, highest / 10_000);
      windowSeconds = windowMs === undefined ? Infinity : windowMs / 1000;
      lowest = highest * part;
      perSecond = lowest;
      recoverySeconds = Math.min(maxRecoverySeconds, Math.max(usualSeconds(part), cost / highest));
      [recoversFromMs, recoveredMs] = [now, now];
    },
    /** Something else was the limit. */
    free(sendingPerSecond: number, now: number) {
      growth = 0;
      if (perSecond === Infinity) return;
      highest = Math.max(perSecond, slack * sendingPerSecond);
      lowest = afterRefusal * highest;
      perSecond = highest;
      recoverySeconds = usualSeconds(afterRefusal);
      [recoversFromMs, recoveredMs] = [now - 1000 * recoverySeconds, now];
    },
    /** The time of a pause is none in which the rate recovers, and a cost if refusals led to it. */
    paused(costMs: number, now: number) {
      [recoversFromMs, recoveredMs] = [now, now];
      recoverySeconds = Math.min(maxRecoverySeconds, recoverySeconds + costMs / 1000);
    },
  };
}
