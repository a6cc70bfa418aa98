const startAt = 4;
const minRound = 20;
/** While the concurrency doubles, what is accepted has to grow by so much of that. */
const minGrowth = 0.7;
/** Latency that grows by this factor, and these milliseconds, is reason not to try more in flight; or to have fewer. */
const slow = { factor: 2, ms: 5 };
const farTooSlow = { factor: 3, ms: 20 };
const latencyHalfLifeMs = 600_000;
/** If so much of the latency is left with fewer in flight, it is not because of them. */
const noFaster = 0.8;
/** If refused attempts had so many more in flight than accepted ones, places are the limit. */
const morePlaces = 0.7;
const maxHoldMs = 60_000;
/** Trying more, at a time or a second, may cost one attempt in so many. */
export const costOfTrying = 50;

/** An attempt that is over, as far as it says how many at a time the service takes. */
export interface PlacedAttempt {
  readonly sentMs: number;
  /** Attempts in flight when it was sent, with itself. */
  readonly inFlight: number;
  /** Whether the attempt waited for the rate limiter. */
  readonly hasWaited: boolean;
  /** `no_place`: a new connection was refused while others work. */
  readonly end: "accepted" | "refused" | "no_place" | "failed";
}

/**
 * Finds how many attempts a service works on at a time. The number doubles with every round of attempts as long as
 * that brings more; then it grows as long as answers do not become slower, and falls if refused attempts had more
 * others in flight than accepted ones.
 *
 * @param most the upper bound
 * @param found what was found before: it starts there, and does not double
 */
export function createAdaptiveConcurrency(most: number, found?: number) {
  let concurrency = Math.min(found ?? startAt, most);
  let isStarting = found === undefined;
  /** The concurrency at which attempts were refused. */
  let refusedFrom = 0;
  /** What was accepted a second with fewer in flight, while the concurrency doubles. */
  let started = { concurrency: 1, perSecond: 0 };
  /** After a pause, the concurrency doubles up to this. */
  let ceiling = 0;
  let round = newRound(0);
  /** Running means of the attempts in flight when accepted, and refused, attempts were sent. */
  let [acceptedAt, refusedAt] = [1, 0];
  let latencyMs = 0;
  let best = { ms: Infinity, atMs: 0 };
  /** The concurrency before it fell because answers were slow. */
  let cut: { readonly concurrency: number; readonly meanMs: number; isNew: boolean } | undefined;
  /** Until when no more in flight are tried, and what trying has cost since. */
  let holdUntilMs = 0;
  let refusedSinceHold = 0;
  let step = 1;

  /** More in flight are tried so seldom that it hardly costs anything. */
  const hold = (now: number) => {
    const costMs = (costOfTrying * refusedSinceHold * latencyMs) / concurrency;
    const isFirst = holdUntilMs === 0;
    holdUntilMs = Math.max(
      holdUntilMs,
      now + Math.min(maxHoldMs, Math.max(1000, isFirst ? 0 : costMs)),
    );
    refusedSinceHold = 0;
    step = 1;
    isStarting = false;
  };

  const slownessOf = (meanMs: number, now: number) => {
    const bestMs = best.ms * 2 ** ((now - best.atMs) / latencyHalfLifeMs);
    // Alone, an attempt waits for no other.
    if (meanMs <= bestMs || concurrency === 1) best = { ms: meanMs, atMs: now };
    const exceeds = ({ factor, ms }: typeof slow) => meanMs > factor * bestMs + ms;
    return exceeds(farTooSlow) ? "far_too_slow" : exceeds(slow) ? "slow" : "usual";
  };

  const start = (now: number) => {
    // Little's law, as the round began with fewer in flight.
    const perSecond = (1000 * concurrency * round.accepted) / Math.max(1, round.latencySumMs);
    const wanted = (minGrowth * started.perSecond * concurrency) / started.concurrency;
    if (perSecond > wanted) {
      started = { concurrency, perSecond };
      concurrency = Math.min(most, 2 * concurrency);
    } else {
      concurrency = Math.ceil(concurrency / 2);
      hold(now);
    }
  };

  /** A round is over. */
  const grow = (now: number) => {
    const isFull = round.full * 4 >= round.ended;
    if (concurrency < ceiling) {
      if (isFull) concurrency = Math.min(ceiling, 2 * concurrency);
    } else if (isStarting) {
      if (isFull) start(now);
    } else if (cut?.isNew) {
      // These stood behind what was in flight before.
      cut.isNew = false;
    } else if (round.accepted > 0) {
      const meanMs = round.latencySumMs / round.accepted;
      const slowness = slownessOf(meanMs, now);
      if (slowness === "far_too_slow") {
        const { concurrency: before, meanMs: beforeMs } = cut ?? { concurrency, meanMs: Infinity };
        if (meanMs > noFaster * beforeMs) {
          // Fewer in flight are answered no faster: the service, or the way to it, has become slower.
          best = { ms: meanMs, atMs: now };
          concurrency = before;
          cut = undefined;
        } else {
          cut = { concurrency, meanMs, isNew: true };
          const wanted = (concurrency * slow.factor * best.ms) / meanMs;
          // One round may be slow because a machine was busy for a moment.
          concurrency = Math.max(1, Math.floor(Math.max(concurrency / 2, wanted)));
        }
        hold(now);
      } else if (slowness === "usual" && isFull && now >= holdUntilMs) {
        cut = undefined;
        concurrency = Math.min(most, concurrency + Math.min(step, Math.ceil(concurrency / 4)));
        step *= 2;
        refusedSinceHold = 0;
      }
    }
    round = newRound(now);
  };

  return {
    get now() {
      return concurrency;
    },
    get latencyMs() {
      return latencyMs;
    },
    /** Whether the service has refused more. */
    get isFound() {
      return concurrency < refusedFrom;
    },
    /** Whether places are the limit: fewer in flight bring fewer refusals. */
    get isTooHigh() {
      return !isStarting && concurrency > 1 && refusedAt > acceptedAt + morePlaces;
    },
    took(tookMs: number, now: number) {
      if (latencyMs === 0) {
        started.perSecond = 1000 / Math.max(1, tookMs);
        best = { ms: tookMs, atMs: now };
      }
      latencyMs += (tookMs - latencyMs) * (latencyMs === 0 ? 1 : 0.1);
    },
    /** An attempt is over that was sent since the last change. @returns whether a round is */
    ended({ sentMs, inFlight, hasWaited, end }: PlacedAttempt, now: number): boolean {
      if (end === "refused" || end === "no_place") refusedSinceHold++;
      if (sentMs < round.sinceMs) return false;
      round.ended++;
      if (!hasWaited && inFlight >= concurrency) round.full++;
      if (end === "accepted") {
        round.accepted++;
        round.latencySumMs += now - sentMs;
        acceptedAt += (inFlight - acceptedAt) * 0.05;
      } else if (end === "refused") {
        refusedAt += (inFlight - refusedAt) * 0.5;
      }
      return (
        round.ended >=
        (isStarting || concurrency < ceiling ? concurrency : Math.max(minRound, concurrency))
      );
    },
    grow,
    fewer(wanted: number, now: number) {
      refusedFrom = concurrency;
      concurrency = Math.max(1, Math.min(concurrency - 1, wanted));
      refusedAt = acceptedAt;
      this.stay(now, false);
    },
    /** The number of accepted ones that were in flight. */
    get accepted() {
      return Math.ceil(acceptedAt);
    },
    /** The rate is the limit. */
    stay(now: number, isFar: boolean) {
      ceiling = 0;
      if (isFar) refusedAt = Math.min(refusedAt, acceptedAt);
      hold(now);
      round = newRound(now);
    },
    /** After a pause, the concurrency doubles again up to what it was. */
    restart(to: number, now: number) {
      ceiling = Math.max(concurrency, to);
      concurrency = Math.min(startAt, ceiling);
      round = newRound(now);
    },
  };
}

const newRound = (now: number) => ({
  sinceMs: now,
  ended: 0,
  accepted: 0,
  latencySumMs: 0,
  /** Attempts that were sent when as many as allowed were in flight. */
  full: 0,
});
