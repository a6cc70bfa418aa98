/** An attempt that is over, as far as it says how much the service takes. */
export interface EndedAttempt {
  readonly sentMs: number;
  /** Attempts in flight when it was sent, with itself. */
  readonly inFlight: number;
  /** Whether it waited for the rate limiter. */
  readonly hasWaited: boolean;
  /** `no_place`: a new connection was refused while others work. */
  readonly end: "accepted" | "refused" | "no_place" | "failed";
  /** Whether the service says itself that it is too much, by 429 or `Retry-After`. */
  readonly isClear: boolean;
  /** Whether the service says when to come again, or what is left of its quota. */
  readonly isHinted: boolean;
  /** How long nothing is sent because of it. */
  readonly waitMs: number;
  /** Attempts a second that are sent now. */
  readonly sendingPerSecond: number;
}

/** A pause that is over. */
export interface Pause {
  readonly sinceMs: number;
  /** Whether the service asked for it, or answered 429: it says itself that there is a limit. */
  readonly isThrottled: boolean;
  /** Whether it may be because of the load, at least. */
  readonly isForLoad: boolean;
}

const infinite = Number.POSITIVE_INFINITY;
const startAt = 4;
/** It takes at least this many attempts to judge. */
const minRound = 20;
/** Up to this share of refusals above the background may be chance. */
const tolerated = 0.03;
/** A larger share of refusals is always caused by the load. */
const maxBackground = 0.4;
const backgroundHalfLifeMs = 60_000;
/** At this share of the rate that was found it is checked whether slower helps. */
const checkAt = 0.7;
/** If refused attempts had so many more in flight, places are the limit. */
const morePlaces = 0.7;
/** Of the highest rate that was found: what is near it, and what is far below. */
const [nearShare, farShare] = [0.8, 0.4];
/** Trying more may cost one attempt in so many; where the service says when to come again, in so many. */
const costOfTrying = 50;
const costWithHints = 80;
const maxHoldMs = 60_000;
/** Latency that grows by this factor, and these milliseconds, is reason not to try more in flight; or to have fewer. */
const slow = { factor: 2, ms: 5 };
const farTooSlow = { factor: 3, ms: 20 };
const latencyHalfLifeMs = 600_000;
/** While the concurrency doubles, what is accepted has to grow by so much of that. */
const minGrowth = 0.7;

interface Limits {
  readonly concurrency: number;
  readonly perSecond: number;
}

/** The rate was lowered, and it takes some attempts to see whether that helps. */
interface Check {
  readonly before: Limits;
  /** What the service had accepted a second. */
  readonly foundPerSecond: number;
  /** Whether that was too little to say. */
  readonly isGuess: boolean;
  /** The share of refusals before. */
  readonly share: number;
  /** How often it was lowered. */
  readonly times: number;
}

/**
 * Finds how much a service takes: how many attempts in flight, and how many a second. What counts is what it accepts.
 *
 * - At first the concurrency doubles with every round of attempts. The first refusal sets the rate to what was accepted.
 * - A 429 or `Retry-After` is clear. Any other refusal may be chance: only if there are significantly more of them than
 *   usual, the rate falls to check whether that helps. If it does, one such refusal is as clear as a 429 from then on.
 *   If not, their share is the background, and the old limits return.
 * - Each further refusal lowers the rate a little, and it recovers on a curve that tries more so seldom that this costs
 *   one attempt in forty.
 * - If refused attempts had more in flight than accepted ones, places are the limit: the concurrency falls, and not the
 *   rate. A refused connection says so by itself.
 * - A pause that comes again is part of the limit: the rate becomes what was accepted over pause and all.
 *
 * @param most attempts in flight, the upper bound
 */
export function createAdaptiveLimits(most: number) {
  let concurrency = Math.min(startAt, most);
  let isStarting = true;
  /** What was accepted a second with fewer in flight, while the concurrency doubles. */
  let started = { concurrency: 1, perSecond: 0 };
  /** After a pause, the concurrency doubles up to this. */
  let ceiling = 0;
  const rate = createAdaptiveRate();
  let round = newRound(0);
  const recent = createRecentSuccesses();
  let acceptedSinceChange = 0;
  let check: Check | undefined;
  /** Whether slower has helped: then a refusal is about the load. */
  let isVerified = false;
  /** The rate before that. */
  let unverified = infinite;
  /** The highest rate that was found, and what came of the attempts since it was last near that. */
  let safe = { perSecond: 0, ended: 0, refused: 0 };
  let background = { share: 0, atMs: 0 };
  /** Running means of the attempts in flight when accepted, and refused, attempts were sent. */
  let [acceptedAt, refusedAt] = [1, 0];
  let latencyMs = 0;
  let best = { ms: infinite, atMs: 0 };
  /** Until when no more in flight are tried, and what trying has cost since. */
  let holdUntilMs = 0;
  let refusedSinceHold = 0;
  let step = 1;
  /** The last limits that were fine. */
  let calm: Limits = { concurrency: most, perSecond: infinite };
  const cycles = createCycles();
  /** The rate before pauses were taken for a limit. */
  let beforeCycle: number | undefined;

  const settle = (now: number) => {
    check = undefined;
    round = newRound(now);
    acceptedSinceChange = 0;
  };

  const backgroundShare = (now: number) =>
    background.share * 2 ** ((background.atMs - now) / backgroundHalfLifeMs);
  /** Whether refusals are more than the background and chance explain. */
  const isTooMuch = (now: number, deviations: number) => {
    const attempts = Math.max(minRound, round.ended);
    const share = backgroundShare(now) + tolerated;
    return (
      round.refused > share * attempts + deviations * Math.sqrt(share * (1 - share) * attempts)
    );
  };

  const accepted = (attempt: EndedAttempt, now: number) => {
    const tookMs = now - attempt.sentMs;
    if (latencyMs === 0) started.perSecond = 1000 / Math.max(1, tookMs);
    latencyMs += (tookMs - latencyMs) * (latencyMs === 0 ? 1 : 0.1);
    recent.add(attempt.sentMs, now);
    acceptedSinceChange++;
    cycles.accepted(now);
    if (attempt.hasWaited && check === undefined) rate.recover(attempt.sendingPerSecond, now);
  };

  const count = (attempt: EndedAttempt, now: number) => {
    round.ended++;
    safe.ended++;
    if (attempt.end === "refused") safe.refused++;
    if (!attempt.hasWaited && attempt.inFlight >= concurrency) round.full++;
    if (attempt.end === "accepted") {
      round.accepted++;
      round.latencySumMs += now - attempt.sentMs;
      acceptedAt += (attempt.inFlight - acceptedAt) * 0.05;
    } else if (attempt.end === "refused") {
      round.refused++;
      refusedAt += (attempt.inFlight - refusedAt) * 0.5;
    }
  };

  const slower = (attempt: EndedAttempt, now: number, isClear: boolean) => {
    const { waitMs, sendingPerSecond } = attempt;
    if (!isStarting && isClear && waitMs === 0 && concurrency > 1) {
      if (refusedAt > acceptedAt + morePlaces) {
        return fewer(attempt, Math.ceil(acceptedAt), now);
      }
    }
    if (isNotTheRate(now)) return;
    // A wall, or an outage: the circuit breaker opens soon.
    if (acceptedSinceChange === 0 && recent.isKnown) {
      return rate.limit(recent.perSecond(now) ?? infinite);
    }
    const share = round.refused / Math.max(5, round.ended);
    const times = (check?.times ?? 0) + 1;
    const before = check?.before ?? { concurrency, perSecond: rate.perSecond };
    // Before anything was refused, the last round went faster than those before.
    const lately =
      rate.perSecond < infinite || round.accepted < 5
        ? 0
        : (round.accepted * 1000) / Math.max(1, now - round.sinceMs);
    // Of a few successes nobody can tell: then half as fast. Before the first, it is once a second, or an outage.
    const untilFirst = isClear ? 1 : 0;
    const guess = latencyMs > 0 ? sendingPerSecond / 2 : untilFirst;
    const acceptedPerSecond = Math.max(recent.perSecond(now) ?? guess, lately);
    const { isSearching } = rate;
    const isFar =
      rate.perSecond === infinite ||
      isSearching ||
      !isClear ||
      (round.refused > 0.5 * round.ended && round.ended >= 5);
    const used = isFar
      ? Math.min(
          rate.perSecond,
          isClear && !isSearching && waitMs === 0 && round.accepted >= 5
            ? Math.max(acceptedPerSecond, sendingPerSecond)
            : acceptedPerSecond,
        )
      : Math.min(rate.perSecond, slack * sendingPerSecond);
    ceiling = 0;
    hold(now);
    if (isClear) {
      const cost = attempt.isHinted ? costWithHints : costOfTrying;
      const isGuess = !recent.isKnown;
      rate.cut({ used, isFar, isGuess, cost, fromMs: now + waitMs, pausedMs: waitMs });
    } else rate.set(checkAt * used);
    settle(now);
    if (!isClear) {
      check = { before, foundPerSecond: used, isGuess: !recent.isKnown, share, times };
    }
  };

  /** If the rate has fallen far and some are refused all the same, the rate is not why: never far below what was accepted. */
  const isNotTheRate = (now: number): boolean => {
    if (!isVerified || rate.perSecond >= nearShare * safe.perSecond) {
      const isFound = isVerified && !rate.isSearching;
      const perSecond = isFound ? Math.max(safe.perSecond, rate.used) : 0;
      safe = { perSecond, ended: 0, refused: 0 };
      return false;
    }
    const share = safe.refused / Math.max(1, safe.ended);
    if (rate.perSecond > farShare * safe.perSecond || share > maxBackground) return false;
    isVerified = false;
    background = { share, atMs: now };
    rate.set(unverified);
    settle(now);
    return true;
  };

  /** Places are the limit. */
  const fewer = ({ sendingPerSecond }: EndedAttempt, wanted: number, now: number) => {
    concurrency = Math.max(1, Math.min(concurrency - 1, wanted));
    refusedAt = acceptedAt;
    rate.free(sendingPerSecond, now);
    ceiling = 0;
    hold(now);
    round = newRound(now);
  };

  /** Enough attempts have ended since the rate fell. */
  const endCheck = (
    { before, foundPerSecond, isGuess, share, times }: Check,
    attempt: EndedAttempt,
    now: number,
  ) => {
    const left = round.refused / round.ended;
    const hasHelped = round.refused <= 1 || left < share / 3;
    if (!hasHelped && times > 1 && left <= maxBackground) {
      background = { share: left, atMs: now };
      concurrency = before.concurrency;
      rate.set(before.perSecond);
      holdUntilMs = 0;
      settle(now);
    } else if (!hasHelped || isTooMuch(now, 2)) slower(attempt, now, false);
    else {
      isVerified = true;
      unverified = before.perSecond;
      rate.cut({ used: foundPerSecond, isFar: true, isGuess, fromMs: now });
      settle(now);
    }
  };

  /** More in flight are tried so seldom that it hardly costs anything. */
  const hold = (now: number) => {
    const perSecond = Math.min(rate.perSecond, (1000 * concurrency) / Math.max(1, latencyMs));
    const costMs = (1000 * costOfTrying * refusedSinceHold) / perSecond;
    const holdMs = Math.min(maxHoldMs, Math.max(1000, holdUntilMs === 0 ? 0 : costMs));
    holdUntilMs = Math.max(holdUntilMs, now + holdMs);
    refusedSinceHold = 0;
    step = 1;
    isStarting = false;
  };

  const slownessOf = (meanMs: number, now: number) => {
    const bestMs = best.ms * 2 ** ((now - best.atMs) / latencyHalfLifeMs);
    if (meanMs <= bestMs) best = { ms: meanMs, atMs: now };
    const exceeds = ({ factor, ms }: typeof slow) => meanMs > factor * bestMs + ms;
    return exceeds(farTooSlow) ? "far_too_slow" : exceeds(slow) ? "slow" : "usual";
  };

  /** The concurrency doubles as long as that brings more. */
  const start = (now: number) => {
    // Little's law, as the round began with fewer in flight.
    const perSecond = (1000 * concurrency * round.accepted) / Math.max(1, round.latencySumMs);
    const wanted = (minGrowth * started.perSecond * concurrency) / started.concurrency;
    if (perSecond > wanted) {
      started = { concurrency, perSecond };
      concurrency = Math.min(most, 2 * concurrency);
    } else {
      const meanMs = round.latencySumMs / Math.max(1, round.accepted);
      best = {
        ms: Math.max(meanMs / 2, (1000 * started.concurrency) / started.perSecond),
        atMs: now,
      };
      concurrency = Math.ceil(concurrency / 2);
      hold(now);
    }
  };

  /** Nothing was too much in a round. */
  const grow = (now: number) => {
    if (round.refused === 0 || background.share > 0) {
      calm = { concurrency, perSecond: rate.perSecond };
    }
    const isFull = round.full * 4 >= round.ended;
    if (concurrency < ceiling) {
      if (isFull) concurrency = Math.min(ceiling, 2 * concurrency);
    } else if (isStarting) {
      if (isFull) start(now);
    } else if (round.accepted > 0) {
      const meanMs = round.latencySumMs / round.accepted;
      const slowness = slownessOf(meanMs, now);
      if (slowness === "far_too_slow") {
        concurrency = Math.max(1, Math.floor((concurrency * slow.factor * best.ms) / meanMs));
        hold(now);
      } else if (slowness === "usual" && isFull && now >= holdUntilMs) {
        concurrency = Math.min(most, concurrency + Math.min(step, Math.ceil(concurrency / 4)));
        step *= 2;
        refusedSinceHold = 0;
      }
    }
    round = newRound(now);
  };

  return {
    get concurrency() {
      return concurrency;
    },
    get perSecond() {
      return rate.perSecond;
    },
    /** Whether the concurrency was found: the service did not take more. */
    get isConcurrencyFound() {
      return !isStarting && concurrency < most;
    },
    /** What the service takes a second, as far as that is known. */
    get foundPerSecond() {
      return check?.foundPerSecond ?? rate.found;
    },
    ended(attempt: EndedAttempt, now: number) {
      if (attempt.end === "accepted") accepted(attempt, now);
      const isRefused = attempt.end === "refused" || attempt.end === "no_place";
      if (isRefused) refusedSinceHold++;
      // It was sent before the last change, so it says nothing about the limits of now.
      if (attempt.sentMs < round.sinceMs) return;
      count(attempt, now);
      if (attempt.end === "no_place") {
        if (acceptedSinceChange > 0) fewer(attempt, attempt.inFlight - 1, now);
        return;
      }
      const isClear = attempt.isClear || (isVerified && backgroundShare(now) < 0.01);
      if (isRefused && isClear && check === undefined) {
        slower(attempt, now, true);
      } else if (check !== undefined) {
        const enough = round.refused > 1 ? 100 : Math.min(100, Math.max(10, 8 / check.share));
        if (round.ended >= enough || round.refused >= 25) endCheck(check, attempt, now);
      } else if (isTooMuch(now, 3)) slower(attempt, now, false);
      else if (round.ended >= (isStarting ? concurrency : Math.max(minRound, concurrency))) {
        if (isTooMuch(now, 2)) slower(attempt, now, false);
        else grow(now);
      }
    },
    /** Sending begins again after a pause. */
    resumed(pause: Pause, now: number) {
      const before = check?.before.perSecond ?? rate.perSecond;
      const cycle = cycles.paused(pause, now);
      switch (cycle.kind) {
        case "limit": {
          beforeCycle ??= calm.perSecond;
          rate.cut({
            used: cycle.perSecond,
            isFar: true,
            fromMs: now,
            pausedMs: now - pause.sinceMs,
          });
          break;
        }
        case "short":
          // The first refusal may come before anything else was accepted.
          if (before === infinite && pause.isThrottled) {
            rate.cut({ used: cycle.perSecond, isFar: true, fromMs: now });
          } else if (check !== undefined) rate.set(check.foundPerSecond);
          rate.paused(now);
          break;
        case "outage":
          rate.set(beforeCycle ?? calm.perSecond);
          beforeCycle = undefined;
          rate.paused(now);
          break;
        default:
          cycle satisfies never;
      }
      recent.restart(now);
      ceiling = Math.max(concurrency, calm.concurrency);
      concurrency = Math.min(startAt, ceiling);
      settle(now);
    },
  };
}

const newRound = (now: number) => ({
  sinceMs: now,
  ended: 0,
  accepted: 0,
  refused: 0,
  latencySumMs: 0,
  /** Those that were sent when as many as allowed were in flight. */
  full: 0,
});

const minRecentMs = 1000;
const minRecent = 10;
const fewestRecent = 4;

/** Successes a second, over the last seconds, and at least ten of them. The first event goes alone, and does not count. */
function createRecentSuccesses() {
  let [before, count] = [0, -1];
  let [beforeMs, sinceMs] = [0, 0];
  return {
    add(sentMs: number, now: number) {
      if (count === 0 && before === 0) [beforeMs, sinceMs] = [sentMs, sentMs];
      if (count >= minRecent && now - sinceMs >= minRecentMs) {
        [before, beforeMs] = [count, sinceMs];
        [count, sinceMs] = [0, now];
      }
      count++;
    },
    /** Whether there were enough. */
    get isKnown() {
      return before + count >= minRecent;
    },
    /** @returns undefined if they are too few to say */
    perSecond(now: number) {
      const all = before + count;
      return all < fewestRecent ? undefined : (all * 1000) / Math.max(1, now - beforeMs);
    },
    restart(now: number) {
      [before, count] = [0, 0];
      [beforeMs, sinceMs] = [now, now];
    },
  };
}

type Cycle =
  /** The pause comes again and again: so much was accepted a second, pauses included. */
  | { readonly kind: "limit"; readonly perSecond: number }
  /** It took little of the time, or the time is too short to say: so much was accepted a second between pauses. */
  | { readonly kind: "short"; readonly perSecond: number }
  | { readonly kind: "outage" };

/** A pause that takes more than this share of the time since the last one is long. */
const longShare = 0.2;
/** A pause after this is another one. */
const againMs = 60_000;
/** Services round their waits up to whole seconds: shorter cycles say little about the rate. */
const shortCycleMs = 5000;

/** Tells limits that end in a pause, such as a window that is full, from outages. */
function createCycles() {
  let sinceMs = 0;
  let accepted = 0;
  let last: { readonly upMs: number; readonly accepted: number } | undefined;
  let hasSlowed = false;
  /** Fewer attempts made no difference to when the pause came: it is a matter of time, and not of the rate. */
  let isAboutTime = false;

  return {
    accepted(now: number) {
      if (sinceMs === 0) sinceMs = now;
      accepted++;
    },
    paused({ sinceMs: pausedMs, isThrottled, isForLoad }: Pause, now: number): Cycle {
      const upMs = pausedMs - sinceMs;
      const wholeMs = Math.max(1, now - sinceMs);
      const isLong = now - pausedMs > longShare * wholeMs;
      const isAgain = last !== undefined && upMs < Math.max(againMs, 2 * (now - pausedMs));
      const perSecond = (accepted * 1000) / wholeMs;
      if (last !== undefined && hasSlowed && !isThrottled && isLong) {
        const isSameTime = upMs > 0.8 * last.upMs && upMs < 1.2 * last.upMs;
        if (isSameTime && accepted < 0.75 * last.accepted) isAboutTime = true;
      }
      last = { upMs, accepted };
      sinceMs = now;
      accepted = 1; // the probe
      if (!isLong || (isThrottled && wholeMs < shortCycleMs)) {
        return { kind: "short", perSecond: (last.accepted * 1000) / Math.max(1, upMs) };
      }
      if (!isThrottled && (!isForLoad || !isAgain || isAboutTime)) return { kind: "outage" };
      hasSlowed = true;
      return { kind: "limit", perSecond };
    },
  };
}

/** A refusal cuts the rate to this share: it may be chance, or a limit. */
const afterRefusal = 0.95;
/** One before the rate has recovered cuts it to this share: the limit is lower. */
const afterQuickRefusal = 0.8;
/**
 * How fast the rate grows above the one that was refused: a share of it, times the cube of the seconds. The AWS SDKs
 * use 0.4 attempts a second for every rate. This is twice that at 50 a second, and takes equally long at every other
 * rate.
 */
const growth = 0.8 / 50;
/** The same after the first refusal, when the limit is not known yet: twice as fast. */
const growthAtFirst = growth * 2 ** 3;
const maxRecoverySeconds = 60;
/** The rate is at most this many times the rate of sending: a limit that is not used up need not rise. */
const slack = 1.3;
const minPerSecond = 0.05;

interface Cut {
  /** The rate that was refused. */
  readonly used: number;
  /** Whether the rate was not near the limit. */
  readonly isFar: boolean;
  /** Attempts that a refusal has to be worth. */
  readonly cost?: number;
  /** Whether too little was accepted to say how much is. */
  readonly isGuess?: boolean;
  /** When it begins to recover. */
  readonly fromMs: number;
  /** The pause that the refusal has cost. */
  readonly pausedMs?: number;
}

/**
 * The client-side rate limit of the AWS SDKs' adaptive retry mode. With each refusal, the rate falls, recovers, stays
 * near the old rate for a while, and then grows beyond it, faster and faster (the CUBIC curve of RFC 9438, for a
 * rate). Unlike there, one refusal lowers the rate only a little, and it recovers more slowly the more refusals cost.
 */
function createAdaptiveRate() {
  let perSecond = infinite;
  /** The rate that was refused last, and the rate after that cut. */
  let [highest, lowest] = [0, 0];
  /** When the rate began to recover, how long that takes, and how fast it grows after that. */
  let recoversFromMs = 0;
  let recoverySeconds = 0;
  let growthNow = growth;
  /** Whether nothing was refused since a guess, which may be far below the limit. */
  let isSearching = false;

  const hasRecovered = () => 2 * perSecond >= highest + lowest;

  return {
    get perSecond() {
      return perSecond;
    },
    get isSearching() {
      return isSearching;
    },
    /** The rate, if it is finite. */
    get used() {
      return perSecond === infinite ? 0 : perSecond;
    },
    /** What the service takes a second, as far as that is known. */
    get found() {
      return highest > 0 ? afterRefusal * highest : perSecond;
    },
    set(to: number) {
      perSecond = Math.max(minPerSecond, to);
    },
    /** More than this was not accepted. */
    limit(perSecondAccepted: number) {
      if (highest === 0) return;
      highest = Math.max(minPerSecond, Math.min(highest, perSecondAccepted));
      lowest = Math.min(lowest, highest);
      perSecond = Math.min(perSecond, highest);
    },
    recover(sendingPerSecond: number, now: number) {
      if (perSecond === infinite || highest === 0) return;
      if (isSearching) {
        const doubled = highest * 2 ** (Math.max(0, now - recoversFromMs) / 1000);
        perSecond = Math.max(perSecond, Math.min(doubled, 2 * sendingPerSecond));
        return;
      }
      const seconds = Math.max(0, now - recoversFromMs) / 1000 - recoverySeconds;
      const curve =
        seconds < 0
          ? highest + (highest - lowest) * (seconds / recoverySeconds) ** 3
          : highest * (1 + growthNow * seconds ** 3);
      perSecond = Math.max(perSecond, Math.min(curve, slack * sendingPerSecond));
    },
    cut({ used, isFar, isGuess = false, cost = costOfTrying, fromMs, pausedMs = 0 }: Cut) {
      const isFirst = highest === 0;
      isSearching = isFirst && isGuess;
      const part = isFar || hasRecovered() ? afterRefusal : afterQuickRefusal;
      highest = Math.max(minPerSecond, used);
      lowest = highest * part;
      perSecond = lowest;
      growthNow = isFirst ? growthAtFirst : growth;
      const costSeconds = isFirst ? 0 : cost * (1 / highest + pausedMs / 1000);
      const usual = Math.cbrt((1 - part) / growthNow);
      recoverySeconds = Math.min(maxRecoverySeconds, Math.max(usual, costSeconds));
      recoversFromMs = fromMs;
    },
    /** Something else was the limit. */
    free(sendingPerSecond: number, now: number) {
      isSearching = false;
      if (perSecond === infinite) return;
      highest = Math.max(perSecond, slack * sendingPerSecond);
      lowest = afterRefusal * highest;
      perSecond = highest;
      recoversFromMs = now;
      recoverySeconds = 0;
    },
    /** The time of a pause is none in which the rate recovers. */
    paused(now: number) {
      recoversFromMs = now;
    },
  };
}
