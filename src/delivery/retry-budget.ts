/**
 * Keeps retries a small share of the traffic, so that a service in trouble is not made to carry
 * several times its load: in the 30 seconds up to any retry, retries are at most a tenth of the first
 * attempts plus one a second.
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
export const retriesPerFirst = 0.1;
export const retriesPerSecond = 1;

export function createRetryBudget(): RetryBudget {
  const firsts = createCount(windowSeconds);
  // Whole seconds are counted, and the window begins within one: it counts for retries only.
  const retries = createCount(windowSeconds + 1);

  return {
    first: firsts.add,
    retry(now) {
      const most = firsts.sum(now) * retriesPerFirst + windowSeconds * retriesPerSecond;
      if (retries.sum(now) + 1 > most) return false;
      retries.add(now);
      return true;
    },
    probe: retries.add,
  };
}

/** Counts over whole seconds, the current one the last of them. */
function createCount(seconds: number) {
  const counts = new Array<number>(seconds).fill(0);
  let second = 0;
  let sum = 0;

  const goForward = (now: number) => {
    const current = Math.floor(now / 1000);
    if (current - second >= seconds) {
      counts.fill(0);
      sum = 0;
      second = current;
    }
    while (second < current) {
      second++;
      const oldest = second % seconds;
      sum -= counts[oldest] ?? 0;
      counts[oldest] = 0;
    }
    return current % seconds;
  };

  return {
    add(now: number) {
      const at = goForward(now);
      counts[at] = (counts[at] ?? 0) + 1;
      sum++;
    },
    sum(now: number) {
      goForward(now);
      return sum;
    },
  };
}
