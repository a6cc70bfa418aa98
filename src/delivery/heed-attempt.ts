import type { EventStatus, Outcome } from "../domain/outcome.ts";
import type { DeliveryFigures, JudgedAttempt } from "./attempt-event.ts";
import { backoffMs } from "./backoff.ts";
import type { Verdict } from "./classify.ts";
import { sleep } from "./clock.ts";
import type { DeliveryPorts, DeliverySettings } from "./deliver-event.ts";
import { addAttempt, attemptsSoFar, isInDoubt, outcomeOf } from "./event-history.ts";
import type { EventUnderWay } from "./event-under-way.ts";
import type { FirstEvent } from "./first-event.ts";
import { unreachable } from "./unreachable.ts";

/**
 * What an attempt means for its event: its outcome, or nothing where it is to be tried again now, or the
 * run stops. The wait between attempts is in it.
 */
export type HeedAttempt = (
  underWay: EventUnderWay,
  judged: JudgedAttempt,
) => Outcome | undefined | Promise<Outcome | undefined>;

/**
 * A service that has too much to do has not failed the event, so such answers have a bound of their
 * own.
 */
const maxPutOffs = 100;

export function createHeedAttempt(
  { clock, stop, recorder, spent, notify }: DeliveryPorts,
  settings: DeliverySettings,
  first: FirstEvent,
  figures: DeliveryFigures,
  settle: (underWay: EventUnderWay, ending: EventStatus) => Outcome,
): HeedAttempt {
  const stopWithoutAnswer = (
    { isFirst, history }: EventUnderWay,
    { code, message }: { readonly code: string; readonly message: string },
  ) => {
    if (!isFirst || first.isAnswered) return;
    const { origin } = settings.endpoint;
    stop.request(unreachable({ origin, code, message, mayHaveLeft: isInDoubt(history) }));
  };

  /** Its attempts are spent: it has failed, or begins afresh as the service was down. */
  const spend = async (underWay: EventUnderWay, sinceFirst: number, message: string) => {
    const { inHand, history, lastDeparture, departureBefore, isPerhapsItsOwn } = underWay;
    // What is known of before a pause stays known; what comes after it says nothing of before.
    const wasUpMeanwhile = isPerhapsItsOwn && spent.wasUpSince(sinceFirst);
    let hasFailed = spent.hasFailed({
      since: departureBefore === 0 ? lastDeparture : departureBefore,
      sinceFirst,
      firstDeparture: underWay.firstDeparture,
      isPerhapsItsOwn,
      holdsBack: inHand.holdsBack(),
      probes: underWay.probes,
      message,
    });
    if (hasFailed !== true) recorder.attempted(attemptsSoFar(history));
    hasFailed = await hasFailed;
    if (hasFailed) return settle(underWay, isInDoubt(history) ? "unknown" : "failed");
    underWay.why = "retry";
    underWay.tries = 0;
    underWay.putOffs = 0;
    if (!wasUpMeanwhile) underWay.sinceFirst = undefined;
    return undefined;
  };

  const repeat = async (
    underWay: EventUnderWay,
    { result, departure }: JudgedAttempt,
    { code, message, cause, retryAfterMs }: Extract<Verdict, { kind: "again" }>,
  ): Promise<Outcome | undefined> => {
    const { inHand, history } = underWay;
    if (underWay.sinceFirst === undefined) underWay.firstDeparture = departure;
    underWay.sinceFirst ??= figures.attempts;
    underWay.isPerhapsItsOwn = cause === "failing";
    if (cause === "throttled" || retryAfterMs !== undefined) underWay.putOffs++;
    else underWay.tries++;
    if (underWay.tries >= settings.maxAttempts || underWay.putOffs >= maxPutOffs) {
      stopWithoutAnswer(underWay, { code, message });
      // An attempt that was cut off says nothing: the event is tried again when the run goes on.
      const isCutOff = stop.reason !== undefined && result.kind === "unanswered";
      if (!isCutOff && (stop.reason === undefined || first.isAnswered)) {
        return spend(underWay, underWay.sinceFirst, message);
      }
    }
    recorder.attempted(attemptsSoFar(history));
    if (stop.reason !== undefined) return undefined;
    figures.retries++;
    underWay.why = "retry";
    const delayMs = backoffMs({
      attempts: underWay.tries + underWay.putOffs,
      throttled: cause === "throttled" || cause === "overloaded",
      random: clock.random(),
    });
    const { attempts } = history;
    const { row, event } = inHand;
    notify({ kind: "retry", row, event: event.index, attempts, delayMs, code, message });
    figures.backingOff++;
    await sleep(clock, delayMs, stop);
    figures.backingOff--;
    return undefined;
  };

  return (underWay, judged) => {
    const { result, verdict, departure } = judged;
    const { history } = underWay;
    addAttempt(history, result, verdict);
    underWay.hasNewToken = verdict.kind === "unauthorized";
    underWay.departureBefore = underWay.lastDeparture;
    underWay.lastDeparture = departure;
    underWay.probes = underWay.pass.isProbe ? underWay.probes + 1 : 0;

    switch (verdict.kind) {
      case "accepted":
        return settle(underWay, "succeeded");
      case "rejected":
        return settle(underWay, "rejected");
      case "doubtful":
        stopWithoutAnswer(underWay, verdict);
        return settle(underWay, "unknown");
      case "stop":
        recorder.attempted(attemptsSoFar(history));
        return outcomeOf(history, "not_sent");
      case "unauthorized":
        recorder.attempted(attemptsSoFar(history));
        underWay.why = "new_token";
        return undefined;
      case "again":
        return repeat(underWay, judged, verdict);
      default:
        return verdict satisfies never;
    }
  };
}
