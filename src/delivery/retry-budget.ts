/**
 * Keeps retries a small share of the traffic, so that a service in trouble is not made to carry
 * several times its load: in any stretch of the window's length, retries are at most a tenth of the
 * first attempts plus one a second.
 */
export interface RetryBudget {
  /** Counts the first attempt of an event. */
  first(now: number): void;
  /** Counts a retry, where there is room for one; else it says that there is none. */
  retry(now: number): boolean;
  /** Counts a retry that goes ahead as a probe, whatever there is room for. */
  probe(now: number): void;
}

const windowSeconds = 30;
const retriesPerFirst = 0.1;
const retriesPerSecond = 1;

/** The window goes forward second by second. */
export function createRetryBudget(): RetryBudget {
  const firsts = new Array<number>(windowSeconds).fill(0);
  const retries = new Array<number>(windowSeconds).fill(0);
  let second = 0;
  let sumOfFirsts = 0;
  let sumOfRetries = 0;

  const goForward = (now: number) => {
    const current = Math.floor(now / 1000);
    if (current - second >= windowSeconds) {
      firsts.fill(0);
      retries.fill(0);
      sumOfFirsts = 0;
      sumOfRetries = 0;
      second = current;
    }
    while (second < current) {
      second++;
      const oldest = second % windowSeconds;
      sumOfFirsts -= firsts[oldest] ?? 0;
      sumOfRetries -= retries[oldest] ?? 0;
      firsts[oldest] = 0;
      retries[oldest] = 0;
    }
    return current % windowSeconds;
  };
  const count = (now: number) => {
    const at = goForward(now);
    retries[at] = (retries[at] ?? 0) + 1;
    sumOfRetries++;
  };

  return {
    first(now) {
      const at = goForward(now);
      firsts[at] = (firsts[at] ?? 0) + 1;
      sumOfFirsts++;
    },
    retry(now) {
      goForward(now);
      const most = sumOfFirsts * retriesPerFirst + windowSeconds * retriesPerSecond;
      if (sumOfRetries + 1 > most) return false;
      count(now);
      return true;
    },
    probe: count,
  };
}
