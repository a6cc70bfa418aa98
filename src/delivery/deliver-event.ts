import type { EventStatus, Outcome } from "../domain/outcome.ts";
import {
  type AttemptPorts,
  type AttemptSettings,
  createAttempts,
  type DeliveryFigures,
} from "./attempt-event.ts";
import { attemptsSoFar, intentOf, isInDoubt, outcomeOf } from "./event-history.ts";
import { beginEvent, type EventInHand, type EventUnderWay } from "./event-under-way.ts";
import { createFirstEvent } from "./first-event.ts";
import { createHeedAttempt } from "./heed-attempt.ts";
import { createQueueBound } from "./queue-bound.ts";
import type { Recorder } from "./recorder.ts";
import { type Errand, openPass } from "./service-gate.ts";

export type { DeliveryFigures };

export interface DeliverySettings extends AttemptSettings {
  /** Attempts for an event at most, from 1. */
  readonly maxAttempts: number;
}

export interface Delivery {
  /** Sends one event until it has an outcome, or the run stops. Never rejects. */
  deliver(inHand: EventInHand): Promise<Outcome>;
  /**
   * Resolves when there is use for more events. Who waits for it keeps the queue for a place on the
   * wire short, so that memory stays small, and a retry waits behind a few others and not behind
   * all that has been read.
   */
  room(): Promise<void> | undefined;
  readonly figures: Readonly<DeliveryFigures>;
  /** Whether the service has answered: until then one event goes alone. */
  readonly isAnswered: boolean;
}

export interface DeliveryPorts extends AttemptPorts {
  readonly recorder: Recorder;
}

export function createDelivery(ports: DeliveryPorts, settings: DeliverySettings): Delivery {
  const { clock, stop, recorder, gate, spent } = ports;
  const figures: DeliveryFigures = {
    inFlight: 0,
    attempts: 0,
    unanswered: 0,
    retries: 0,
    backingOff: 0,
  };
  const first = createFirstEvent(stop);
  const queue = createQueueBound(() => ports.limit.concurrency);

  const leaveQueue = (underWay: EventUnderWay) => {
    if (!underWay.isQueued) return;
    underWay.isQueued = false;
    queue.leave();
  };
  const settle = ({ inHand, history }: EventUnderWay, ending: EventStatus): Outcome => {
    const outcome = outcomeOf(history, ending, clock.date());
    recorder.settle(inHand.rowOfRun, outcome);
    return outcome;
  };
  const errandOf = ({ why, sinceFirst, isPerhapsItsOwn }: EventUnderWay): Errand => {
    if (why !== "retry") return "first";
    const wasUp = sinceFirst !== undefined && spent.wasUpSince(sinceFirst);
    return isPerhapsItsOwn && wasUp ? "retry_of_its_own" : "retry";
  };
  const attempt = createAttempts(ports, settings, first, figures, leaveQueue);
  const heed = createHeedAttempt(ports, settings, first, figures, settle);

  // Of the promises of a run, most are made here and below. So what is there at once is not waited for,
  // and what an event needs is in one object.
  const deliver = async (inHand: EventInHand): Promise<Outcome> => {
    const { before } = inHand;
    if (before?.kind === "outcome") return before.outcome;
    const underWay = beginEvent(inHand, before);
    const { history } = underWay;
    queue.enter();
    spent.enter();
    try {
      if (isInDoubt(history) && settings.mode === "at-most-once") {
        return settle(underWay, "unknown");
      }
      if (!first.isAnswered) underWay.isFirst = await first.enter();

      while (stop.reason === undefined) {
        const errand = errandOf(underWay);
        const pass = gate.isOpen && errand === "first" ? openPass : await gate.enter(errand);
        if (pass === undefined) break;
        underWay.errand = errand;
        underWay.pass = pass;
        if (!(await recorder.intend(intentOf(history, clock.date())))) break;
        const judged = await attempt(underWay);
        if (judged === undefined) {
          gate.giveBack(pass);
          recorder.attempted(attemptsSoFar(history));
          continue;
        }
        const heeded = heed(underWay, judged);
        const outcome = heeded instanceof Promise ? await heeded : heeded;
        if (outcome !== undefined) return outcome;
      }
      return outcomeOf(history, "not_sent");
    } finally {
      spent.leave();
      leaveQueue(underWay);
    }
  };

  return {
    figures,
    get isAnswered() {
      return first.isAnswered;
    },
    room: queue.room,
    deliver,
  };
}
