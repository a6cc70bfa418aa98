import pLimit from "p-limit";

/**
 * Limits how many attempts are in flight, and detects how many the service can take.
 *
 * @param most the upper bound
 * @param adaptive whether to detect the limit; if not, it is `most` from the beginning
 */
export function createConcurrencyLimiter(most: number, adaptive: boolean) {
  const limit = pLimit(most);
  const adaptiveLimit = adaptive ? createAdaptiveLimit(most) : undefined;
  // A permit is kept for the attempts that come after one another, as asking p-limit for one takes promises.
  const free: number[] = [];
  const releases: (() => void)[] = [];
  const unused = Array.from({ length: most }, (_, at) => most - 1 - at);
  let allowed = 0;
  const hold = (permit: number) =>
    new Promise<void>((release) => {
      releases[permit] = release;
      giveBack(permit);
    });
  const giveBack = (permit: number) => {
    if (most - unused.length <= allowed) free.push(permit);
    else {
      unused.push(permit);
      releases[permit]?.();
    }
  };
  const apply = () => {
    const wanted = adaptiveLimit?.limit ?? most;
    if (wanted === allowed) return;
    allowed = wanted;
    limit.concurrency = allowed;
    for (const permit of free.splice(0)) giveBack(permit);
    while (most - unused.length < allowed) void limit(hold, unused.pop() as number);
  };
  apply();
  return {
    /** Maximum attempts in flight, from 1. */
    get allowed() {
      return allowed;
    },
    /** Whether the limit was detected: the service could not take more. */
    get isDetected() {
      return adaptiveLimit?.isDetected ?? false;
    },
    /** Permits that are free now. After the limit has grown, there are more in a moment. */
    get free() {
      return free.length;
    },
    /** Takes a permit that is free. Permits have numbers from 0, and no two attempts have the same one. */
    take: () => free.pop() as number,
    giveBack,
    /** An attempt is over. Not for throttled ones, which are about the rate. */
    ended(attempt: EndedAttempt, now: number) {
      adaptiveLimit?.ended(attempt, now);
      apply();
    },
    /** Starts over after an outage. */
    restart(now: number) {
      adaptiveLimit?.restart(now);
      apply();
    },
  };
}

export interface EndedAttempt {
  readonly sentMs: number;
  /** How many attempts were sent since, with this one. */
  readonly sentSince: number;
  /** The service was too busy (503), or did not answer in time. With `answered`, its latency counts. */
  readonly end: "answered" | "busy" | "timeout" | "failed";
  /** Whether as many attempts as allowed were in flight. */
  readonly wasFull: boolean;
}

const startAt = 4;
/** It takes at least this many attempts to measure the service. */
const minWindow = 20;
/** Up to this share of overloads among them may be chance. */
const toleratedShare = 0.03;
const afterOverload = 0.8;
/** A larger share of overloads always counts as caused by the load. */
const maxBackground = 0.3;
/** If overloads remain after a shrink, their share is measured until there are this many, or this many attempts. */
const measuredOverloads = 6;
const measuredAttempts = 60;
/** The half-life of the background. */
const backgroundHalfLifeMs = 60_000;
/** If latency grows by this factor, more attempts in flight are of no use. */
const slowFactor = 2;
const slowMs = 50;
/** The half-life of the best latency. */
const latencyHalfLifeMs = 600_000;
const maxPatience = 8;

/** The limit shrank because of overloads, and it takes some attempts to see whether that helps. */
interface Shrunk {
  readonly from: {
    readonly limit: number;
    readonly ceiling: number;
    readonly step: number;
    readonly patience: number;
  };
  /** The share of overloads before it shrank the last time. */
  readonly share: number;
  /** Whether that was measured, and not just the moment at which there were too many. */
  readonly isMeasured: boolean;
}

/**
 * Additive increase, multiplicative decrease. The limit doubles with every window until the service is overloaded for
 * the first time; from then on, that limit is the ceiling. The limit returns close to the ceiling at once, stays there
 * for some windows, each time longer, and tries the ceiling again. If the service can take it then, the ceiling is
 * forgotten.
 *
 * If fewer attempts in flight do not lower the share of overloads, the load does not cause them: the limit
 * returns to where it was, and that share is the background, which no longer counts.
 */
function createAdaptiveLimit(most: number) {
  let limit = Math.min(startAt, most);
  let ceiling = Number.POSITIVE_INFINITY;
  let step = Number.POSITIVE_INFINITY;
  let patience = 1;
  let calmWindows = 0;
  let changedAtMs = 0;
  let bestLatencyMs = Number.POSITIVE_INFINITY;
  let bestAtMs = 0;
  let ended = 0;
  let answered = 0;
  let busy = 0;
  let timeouts = 0;
  /** How many attempts were sent since the oldest of those that timed out. */
  let sentSince = 0;
  let latencySumMs = 0;
  let wasFull = false;
  let background = 0;
  let backgroundAtMs = 0;
  let shrunk: Shrunk | undefined;

  const windowSize = () => Math.max(minWindow, 2 * limit);
  const beginWindow = () => {
    ended = 0;
    answered = 0;
    busy = 0;
    timeouts = 0;
    sentSince = 0;
    latencySumMs = 0;
    wasFull = false;
  };
  const shrink = (now: number) => {
    patience = limit >= ceiling ? Math.min(maxPatience, patience * 2) : 1;
    ceiling = limit;
    step = 1;
    calmWindows = 0;
    limit = Math.max(1, Math.floor(limit * afterOverload));
    changedAtMs = now;
  };
  /**
   * A time-out is known so late that all others sent in that time have ended: it counts as its share of those. So
   * requests that are never answered, one in a hundred, do not look like an overload when they time out together.
   */
  const overloads = () => busy + (timeouts * ended) / Math.max(ended, sentSince);
  /** Whether the overloads are more than this share and chance explain. */
  const exceeds = (share: number, attempts: number) => {
    const deviation = Math.sqrt(share * (1 - share) * attempts);
    return overloads() > (share + toleratedShare) * attempts + 2 * deviation;
  };
  const backgroundNow = (now: number) =>
    background * 2 ** ((backgroundAtMs - now) / backgroundHalfLifeMs);
  /** Whether more attempts are needed to see if the last shrink has helped. */
  const isMeasuring = () =>
    shrunk !== undefined &&
    busy + timeouts > 0 &&
    overloads() < measuredOverloads &&
    ended < Math.max(measuredAttempts, windowSize()) &&
    !exceeds(maxBackground, ended);
  /** Whether the share of overloads is as large as before. */
  const hasNotHelped = ({ share, isMeasured }: Shrunk, isTooMuch: boolean) =>
    overloads() > 1 &&
    Math.max(share, overloads() / ended) <= maxBackground &&
    overloads() / ended >= share / 2 &&
    (isMeasured || !isTooMuch);
  const returnToLimit = ({ from }: Shrunk, now: number) => {
    background = overloads() / ended;
    backgroundAtMs = now;
    ({ limit, ceiling, step, patience } = from);
    shrunk = undefined;
  };
  const grow = () => {
    if (limit >= ceiling) {
      ceiling = Number.POSITIVE_INFINITY;
      patience = 1;
    }
    const room = ceiling - 1 - limit;
    if (room > 0) {
      const wanted =
        room === Number.POSITIVE_INFINITY ? Math.min(step, limit) : Math.ceil(room / 2);
      limit = Math.min(most, limit + wanted);
      if (room === Number.POSITIVE_INFINITY) step *= 2;
      return;
    }
    calmWindows++;
    if (calmWindows < patience) return;
    calmWindows = 0;
    limit = Math.min(most, limit + 1);
  };
  /** How the latency of the window compares with the best one known. */
  const slowness = (now: number): "usual" | "slow" | "far_too_slow" => {
    if (answered === 0) return "usual";
    const meanMs = latencySumMs / answered;
    const forgotten = bestLatencyMs * 2 ** ((now - bestAtMs) / latencyHalfLifeMs);
    if (meanMs <= forgotten) {
      bestLatencyMs = meanMs;
      bestAtMs = now;
      return "usual";
    }
    const overMs = meanMs - forgotten;
    if (meanMs > slowFactor * forgotten && overMs > slowMs) return "far_too_slow";
    return overMs > ((slowFactor - 1) / 2) * forgotten && overMs > slowMs / 2 ? "slow" : "usual";
  };

  return {
    get limit() {
      return limit;
    },
    get isDetected() {
      return limit < most && limit >= Math.floor(ceiling * afterOverload);
    },
    ended(attempt: EndedAttempt, now: number) {
      // The attempt was sent before the last change, so it says nothing about the new limit.
      if (attempt.sentMs < changedAtMs) return;
      ended++;
      if (attempt.wasFull) wasFull = true;
      if (attempt.end === "busy") busy++;
      else if (attempt.end === "timeout") {
        timeouts++;
        sentSince = Math.max(sentSince, attempt.sentSince);
      } else if (attempt.end === "answered") {
        answered++;
        latencySumMs += now - attempt.sentMs;
      }
      const isTooMuch =
        overloads() > 1 && exceeds(backgroundNow(now), Math.max(windowSize(), ended));
      if ((!isTooMuch && ended < windowSize()) || isMeasuring()) return;
      if (shrunk !== undefined && hasNotHelped(shrunk, isTooMuch)) returnToLimit(shrunk, now);
      else if (isTooMuch) {
        const from = shrunk?.from ?? { limit, ceiling, step, patience };
        shrunk = { from, share: overloads() / ended, isMeasured: shrunk !== undefined };
        shrink(now);
      } else {
        shrunk = undefined;
        const speed = slowness(now);
        if (speed === "far_too_slow") shrink(now);
        else if (speed === "usual" && wasFull && answered > 0) grow();
      }
      beginWindow();
    },
    restart(now: number) {
      limit = Math.min(startAt, most);
      step = Number.POSITIVE_INFINITY;
      patience = 1;
      changedAtMs = now;
      background = 0;
      shrunk = undefined;
      beginWindow();
    },
  };
}
