import type { FoundLimits } from "../model/sending-state.ts";
import {
  costOfTrying,
  createAdaptiveConcurrency,
  type PlacedAttempt,
} from "./adaptive-concurrency.ts";
import { createAdaptiveRate, slack } from "./adaptive-rate.ts";
import { createOverload, hardlyAny } from "./overload.ts";

/** An attempt that is over, as far as it says how much the service takes. */
export interface EndedAttempt extends PlacedAttempt {
  /** Whether the service says when to come again, or what is left of its quota. */
  readonly isHinted: boolean;
  /** How long nothing is sent because of it. */
  readonly waitMs: number;
  /** Attempts a second that are sent now. */
  readonly sendingPerSecond: number;
}

export interface PauseOver {
  readonly sinceMs: number;
  /** Whether the service asked for it, or answered 429: it says itself that there is a limit. */
  readonly isThrottled: boolean;
  /** Whether the refusal may be because of the load, at least. */
  readonly isForLoad: boolean;
}

/** At this share of what was accepted it is checked whether slower helps; and then at this share of that. */
const [firstTry, nextTry] = [0.7, 0.5];
/** Trying more may cost one attempt in so many where the service says when to come again. */
const costWithHints = 80;
/**
 * Where a window is full, refusals come together: however many, the rate stays at this share of what lasts. If they go
 * on for longer, the limit is another by now.
 */
const leastOfLasting = 0.8;
const longestWallMs = 2000;

/**
 * Finds how much a service takes: how many attempts in flight, and how many a second. What counts is what it accepts.
 *
 * - The concurrency doubles, until that brings no more. The first refusal sets the rate to what was accepted.
 * - A refusal that says when to come again, or what is left of a quota, is clear. Others may be chance, whatever their
 *   status: that is tried.
 * - Each further refusal lowers the rate a little, and it recovers on a curve that tries more so seldom that this costs
 *   one attempt in fifty.
 * - If refused attempts had more in flight than accepted ones, places are the limit: the concurrency falls, and not the
 *   rate. A refused connection says so by itself.
 * - A pause that comes again is part of the limit: the rate becomes what was accepted over pause and all.
 *
 * @param most attempts in flight, the upper bound
 * @param found what was found before: it starts there
 */
export function createAdaptiveLimits(most: number, now: number, found?: FoundLimits) {
  const places = createAdaptiveConcurrency(most, found?.allowed);
  const rate = createAdaptiveRate();
  if (found?.perSecond !== undefined) rate.startAt(found.perSecond, now);
  const overload = createOverload();
  const cycles = createCycles();
  const recent = createRecentSuccesses();
  const lasting = createLastingRate();
  /** When the limits changed: attempts sent before say nothing about those of now. */
  let changedMs = 0;
  let cutMs = Number.NEGATIVE_INFINITY;
  /** When refusals began to come together. */
  let wallMs = cutMs;
  let since = { ended: 0, refused: 0, accepted: 0 };
  const fall = createFall();
  let [endedSinceCut, refusedSinceCut] = [0, 0];
  /** Before a lower rate was tried. */
  let before: { readonly perSecond: number; readonly accepted: number; found: number } | undefined;
  /** The last limits that were fine. */
  let calm = { concurrency: most, perSecond: Infinity };
  /** The rate before pauses were taken for a limit. */
  let beforeCycle: number | undefined;

  const changed = (now: number) => {
    changedMs = now;
    since = { ended: 0, refused: 0, accepted: 0 };
  };

  const accepts = (attempt: EndedAttempt, now: number, leastMs = minRecentMs) => {
    // Of a few successes nobody can tell: then half as fast. Before the first, it is once a second.
    const few = places.latencyMs > 0 ? attempt.sendingPerSecond / 2 : 1;
    return recent.perSecond(now, leastMs) ?? few;
  };

  /** The rate is cut: not below this, as long as refusals may come from a window that is full. */
  const leastBehindWall = (now: number) => {
    if (now - cutMs > longestWallMs) wallMs = now;
    cutMs = now;
    return now - wallMs < longestWallMs ? leastOfLasting * (lasting.perSecond ?? 0) : 0;
  };

  const fewer = ({ sendingPerSecond }: EndedAttempt, wanted: number, now: number) => {
    places.fewer(wanted, now);
    rate.free(sendingPerSecond, now);
    changed(now);
  };

  const slower = (attempt: EndedAttempt, now: number) => {
    const { waitMs, sendingPerSecond } = attempt;
    // A wall, or an outage: the circuit breaker opens soon.
    if (before === undefined && waitMs === 0) {
      if (since.accepted === 0 && rate.perSecond < Infinity) return;
      if (places.isTooHigh) return fewer(attempt, places.accepted, now);
    }
    const chance =
      attempt.isHinted || before !== undefined ? undefined : fall.inVain(rate.perSecond);
    if (chance !== undefined && overload.inVain(chance.share, now)) {
      fall.begin(0);
      rate.search(chance.from, now);
      return changed(now);
    }
    const { isSearching } = rate;
    const isFar =
      rate.perSecond === Infinity ||
      before !== undefined ||
      (since.refused > 0.5 * since.ended && since.ended >= 5);
    const found =
      isFar || isSearching ? (before?.found ?? accepts(attempt, now)) : slack * sendingPerSecond;
    const background = overload.backgroundAt(now);
    const limit = Math.min(
      before?.perSecond ?? rate.perSecond,
      background > hardlyAny && !attempt.isHinted
        ? accepts(attempt, now) / (1 - background)
        : Infinity,
    );
    before = undefined;
    const used = Math.max(Math.min(limit, found), leastBehindWall(now));
    if (used > 0.98 * fall.from) fall.begin(used);
    places.stay(now, isFar);
    const excess = refusedSinceCut - 2 * background * endedSinceCut;
    rate.cut(
      {
        ...{ used, isFar: isFar || isSearching },
        isHinted: attempt.isHinted,
        hasAccepted: endedSinceCut > refusedSinceCut,
        cost: (attempt.isHinted ? costWithHints : costOfTrying) * Math.max(1, excess),
      },
      now,
    );
    [endedSinceCut, refusedSinceCut] = [0, 0];
    changed(now);
  };

  const trySlower = (attempt: EndedAttempt, now: number) => {
    if (before === undefined) {
      const found = Math.min(rate.perSecond, accepts(attempt, now, minTriedMs));
      before = { perSecond: rate.perSecond, accepted: found, found };
      rate.set(firstTry * found);
    } else {
      before.found = rate.perSecond;
      rate.set(nextTry * rate.perSecond);
    }
    places.stay(now, true);
    changed(now);
  };

  const asBefore = (now: number) => {
    // How fast it was is not known: it goes on with what was accepted, and faster.
    if (before?.perSecond === Infinity) rate.search(2 * before.accepted, now);
    else if (before !== undefined) rate.set(before.perSecond);
    before = undefined;
    changed(now);
  };

  return {
    get concurrency() {
      return places.now;
    },
    get perSecond() {
      return rate.perSecond;
    },
    /** Whether the concurrency was found: the service did not take more. */
    get isConcurrencyFound() {
      return places.isFound;
    },
    /** What the service takes a second; undefined if it has not refused any for that. */
    foundPerSecond(now: number) {
      const found = before?.found ?? rate.found;
      // Where some are refused by chance, nobody knows whether the others were.
      if (overload.backgroundAt(now) > hardlyAny) return undefined;
      // What is sent much faster by now, and not refused, has no such limit.
      if (found === undefined || rate.perSecond > slack * found) return undefined;
      // A burst that was let in made what was found higher than what lasts.
      return Math.min(found, lasting.perSecond ?? found);
    },
    ended(attempt: EndedAttempt, now: number) {
      const { sentMs, hasWaited, end, isHinted } = attempt;
      const isRefused = end === "refused";
      endedSinceCut++;
      if (isRefused) refusedSinceCut++;
      if (end === "accepted") {
        places.took(now - sentMs, now);
        cycles.accepted(now);
        lasting.add(now);
        if (hasWaited && before === undefined) rate.recover(attempt.sendingPerSecond, now);
      }
      // What fails for another reason was let in, too.
      if (end === "accepted" || end === "failed") recent.add(sentMs, now);
      if (sentMs < changedMs) return;
      since.ended++;
      if (isRefused || end === "no_place") since.refused++;
      if (end === "accepted") since.accepted++;
      const isRoundOver = places.ended(attempt, now);
      if (end === "no_place") {
        if (since.accepted > 0) fewer(attempt, attempt.inFlight - 1, now);
        return;
      }
      if (isRefused && isHinted) {
        overload.restart();
        return slower(attempt, now);
      }
      if (before === undefined) fall.ended(isRefused, rate.perSecond);
      switch (overload.ended(isRefused, now)) {
        case "slower":
          return slower(attempt, now);
        case "try":
          return trySlower(attempt, now);
        case "as_before":
          return asBefore(now);
        default:
      }
      if (!isRoundOver || overload.isTrying) return;
      if (since.refused === 0 || overload.backgroundAt(now) > 0)
        calm = { concurrency: places.now, perSecond: rate.perSecond };
      places.grow(now);
    },
    resumed(pause: PauseOver, now: number) {
      const cycle = cycles.paused(pause, now);
      const accepted = recent.perSecond(pause.sinceMs, minRecentMs);
      const perSecond = before?.perSecond ?? rate.perSecond;
      const pausedMs = now - pause.sinceMs;
      const cut = (used: number, windowMs?: number) =>
        rate.cut({ used, isFar: true, cost: costOfTrying, ...(windowMs && { windowMs }) }, now);
      switch (cycle.kind) {
        case "limit":
          beforeCycle ??= calm.perSecond;
          cut(cycle.perSecond, cycle.wholeMs);
          rate.paused(costOfTrying * pausedMs, now);
          overload.verify(true);
          break;
        case "short":
          // A wall of refusals within a second: the rate has not been lowered for it.
          if (pause.isForLoad && (perSecond === Infinity || pause.sinceMs - cutMs > minRecentMs)) {
            cut(Math.max(accepted ?? cycle.perSecond, leastBehindWall(now)));
          } else if (before !== undefined) rate.set(before.found);
          rate.paused(pause.isForLoad ? costOfTrying * pausedMs : 0, now);
          break;
        case "outage":
          rate.set(beforeCycle ?? calm.perSecond);
          beforeCycle = undefined;
          overload.verify(false);
          rate.paused(0, now);
          break;
        default:
          cycle satisfies never;
      }
      before = undefined;
      if (cycle.kind !== "limit") lasting.leaveOut(now);
      overload.restart();
      fall.begin(0);
      recent.restart(now);
      places.restart(calm.concurrency, now);
      changed(now);
    },
  };
}

/** The rate has fallen far at this share of where it began; the first part of the way down is above the other. */
const [farShare, lowerShare] = [0.5, 0.7];
/**
 * So many refusals on the lower part say enough, and it was in vain if their share is still so much of that above. Many
 * refusals are more likely a limit: that has to be surer, as where others send too, half as fast of one changes little.
 */
const doubtOf = (share: number) =>
  share < 0.3 ? { refused: 5, noFewer: 0.8 } : { refused: 30, noFewer: 0.9 };

/** Whether the rate falls in vain: if half as fast brings no fewer refusals, they come by chance. */
function createFall() {
  let from = 0;
  const none = () => ({ ended: 0, refused: 0 });
  let [upper, lower] = [none(), none()];
  return {
    ended(isRefused: boolean, perSecond: number) {
      const part = perSecond < lowerShare * from ? lower : upper;
      part.ended++;
      if (isRefused) part.refused++;
    },
    /** The rate was that high, and begins to fall. */
    begin(perSecond: number) {
      from = perSecond;
      [upper, lower] = [none(), none()];
    },
    get from() {
      return from;
    },
    /** @returns where the fall began, and the share of refusals that is chance; undefined if it helps, or is not far */
    inVain(perSecond: number) {
      const share = lower.refused / Math.max(1, lower.ended);
      const { refused, noFewer } = doubtOf(share);
      if (perSecond >= farShare * from || lower.refused < refused) return undefined;
      const isInVain = share > (noFewer * upper.refused) / Math.max(1, upper.ended);
      const before = from;
      this.begin(perSecond);
      return isInVain ? { from: before, share } : undefined;
    },
  };
}

/** Services count by the second or longer: what they accept in less may be a burst. A trial would only take long. */
const minRecentMs = 1000;
const minTriedMs = 100;
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
    /** Successes a second; undefined if they are too few to say. @param leastMs a shorter time counts as so much */
    perSecond(now: number, leastMs: number) {
      const all = before + count;
      return all < fewestRecent ? undefined : (all * 1000) / Math.max(leastMs, now - beforeMs);
    },
    restart(now: number) {
      [before, count] = [0, 0];
      [beforeMs, sinceMs] = [now, now];
    },
  };
}

/** How far back the mean of what was accepted goes: a burst is over by then. */
const lastingMs = 20_000;

/** What is accepted a second, as a mean over a longer time. */
function createLastingRate() {
  let [sinceMs, count] = [0, 0];
  let [mean, meanOfMs] = [0, 0];
  return {
    add(now: number) {
      if (sinceMs === 0) sinceMs = now;
      const elapsedMs = now - sinceMs;
      if (elapsedMs < minRecentMs) {
        count++;
        return;
      }
      meanOfMs += elapsedMs;
      const weight = Math.min(1, elapsedMs / Math.min(lastingMs, meanOfMs));
      mean += ((1000 * count) / elapsedMs - mean) * weight;
      [sinceMs, count] = [now, 1];
    },
    /** Undefined in the first second. */
    get perSecond() {
      return meanOfMs === 0 ? undefined : mean;
    },
    /** The time of a pause that is no limit does not count. */
    leaveOut(now: number) {
      [sinceMs, count] = [now, 0];
    },
  };
}

type Cycle =
  /** The pause comes again and again: so much was accepted a second, pauses included, and it takes so long. */
  | { readonly kind: "limit"; readonly perSecond: number; readonly wholeMs: number }
  /** The pause took little of the time, or came only once: so much was accepted a second between pauses. */
  | { readonly kind: "short"; readonly perSecond: number }
  | { readonly kind: "outage" };

/** A pause that takes more than this share of the time since the last one is long. */
const longShare = 0.2;
/** A pause after this is another one. */
const againMs = 60_000;
/** Services round their waits up to whole seconds, and probes come late: so much of a pause says nothing. */
const roundedMs = 1000;

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
    paused({ sinceMs: pausedMs, isThrottled, isForLoad }: PauseOver, now: number): Cycle {
      const upMs = pausedMs - sinceMs;
      const wholeMs = Math.max(1, now - sinceMs);
      const isLong = now - pausedMs - roundedMs > longShare * wholeMs;
      const isAgain = last !== undefined && upMs < Math.max(againMs, 2 * (now - pausedMs));
      const perSecond = (accepted * 1000) / wholeMs;
      if (last !== undefined && hasSlowed && !isThrottled && isLong) {
        const isSameTime = upMs > 0.8 * last.upMs && upMs < 1.2 * last.upMs;
        if (isSameTime && accepted < 0.75 * last.accepted) isAboutTime = true;
      }
      last = { upMs, accepted };
      sinceMs = now;
      accepted = 1; // the probe
      const isOutage = !isThrottled && (!isForLoad || !isAgain || isAboutTime);
      if (isLong && isOutage) return { kind: "outage" };
      // One wait may be a matter of that moment: a limit is met again.
      if (!isLong || !isAgain) {
        return { kind: "short", perSecond: (last.accepted * 1000) / Math.max(1, upMs) };
      }
      hasSlowed = true;
      return { kind: "limit", perSecond, wholeMs };
    },
  };
}
