import { duration } from "../model/quantities.ts";
import type { DeliveryMode } from "../model/run-settings.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { SendingParts } from "./sending-limits.ts";

export type Silence = ReturnType<typeof createSilence>;

/** At least so many in flight show that nothing is answered; fewer may be slow ones. */
const minSilent = 5;

/** Where nothing is answered any more, it is an outage; attempts to which nobody expects an answer take no place. */
export function createSilence(
  mode: DeliveryMode,
  { clock, queues: { inFlight }, judge, limits }: SendingParts,
  giveUp: (event: PendingEvent) => void,
) {
  const { breaker } = limits;
  /** Under at-most-once, what is given up is never sent again: so nothing is, before its time-out. */
  const mayGiveUp = mode !== "at-most-once";
  let lastPause = breaker.lastPause;

  /** The attempts to which nobody expects an answer any more, the oldest first. */
  const silent = () => inFlight.sentBefore(clock.now() - breaker.answerPatienceMs() + 1);

  const isAnswerExpected = () => {
    if (!mayGiveUp || !judge.isKnown) return false;
    return breaker.isClosed ? inFlight.length >= minSilent : !breaker.allows();
  };

  return {
    /** @returns milliseconds until silence may be an outage */
    advance(): number {
      if (mayGiveUp && breaker.isClosed && breaker.lastPause !== lastPause) {
        lastPause = breaker.lastPause;
        // The probe has an answer, and was sent later.
        silent().forEach(giveUp);
      }
      if (!isAnswerExpected()) return Number.POSITIVE_INFINITY;
      const silentInMs = breaker.silentInMs();
      if (silentInMs > 0) return silentInMs;
      if (breaker.isClosed) {
        limits.pause(`nothing was answered for ${duration(breaker.answerPatienceMs())}`);
      } else {
        for (const event of silent()) if (event.isProbe) giveUp(event);
      }
      return Number.POSITIVE_INFINITY;
    },
    /**
     * All places are taken. As many more may be in flight as are silent; while the breaker is open, the oldest of them
     * makes place for a probe.
     *
     * @returns whether there is a place now
     */
    makePlace(): boolean {
      if (breaker.isClosed) return limits.allowBeside(silent().length);
      const [oldest] = mayGiveUp ? silent() : [];
      if (oldest !== undefined) giveUp(oldest);
      return limits.isFree();
    },
  };
}
