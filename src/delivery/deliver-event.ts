import type { LoadEvent } from "../domain/event.ts";
import type { EventStatus, Outcome } from "../domain/outcome.ts";
import type { EventRecord } from "../domain/run-record.ts";
import type { StopReason } from "../domain/stop.ts";
import {
  type AttemptPorts,
  type AttemptReason,
  type AttemptSettings,
  createAttempts,
  type DeliveryFigures,
} from "./attempt-event.ts";
import { backoffMs } from "./backoff.ts";
import { sleep } from "./clock.ts";
import type { Endpoint } from "./endpoint.ts";
import { createHistory } from "./event-history.ts";
import { createFirstEvent } from "./first-event.ts";
import { createQueueBound } from "./queue-bound.ts";
import type { Recorder } from "./recorder.ts";
import { type Errand, openPass } from "./service-gate.ts";

export type { DeliveryFigures };

export interface DeliverySettings extends AttemptSettings {
  /** Attempts for an event at most, from 1. */
  readonly maxAttempts: number;
}

/** An event on its way, and what is known of it from before. */
export interface EventInHand {
  readonly event: LoadEvent;
  /** Number of its row in the input, for messages. */
  readonly row: number;
  /** Number of its row in the run. */
  readonly rowOfRun: number;
  /** What an interrupted run put on record of it. */
  readonly before?: EventRecord;
  /** Whether later events of its key wait for it. */
  readonly holdsBack?: () => boolean;
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

/**
 * A service that has too much to do has not failed the event, so such answers have a bound of their
 * own.
 */
const maxPutOffs = 100;

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
  const attempt = createAttempts(ports, settings, first, figures);

  const deliver = async (inHand: EventInHand): Promise<Outcome> => {
    const hasPlace = queue.enter();
    const isOver = spent.enter();
    try {
      const { event, row, rowOfRun, before } = inHand;
      if (before?.kind === "outcome") return before.outcome;
      const history = createHistory(event, rowOfRun, before);
      const settle = (ending: EventStatus): Outcome => {
        const outcome = history.end(ending, clock.date());
        recorder.settle(rowOfRun, outcome);
        return outcome;
      };
      if (history.isInDoubt() && settings.mode === "at-most-once") return settle("unknown");

      const isFirst = first.isAnswered ? false : await first.enter();
      const stopWithoutAnswer = (message: string) => {
        if (isFirst && !first.isAnswered) stop.request(unreachable(settings.endpoint, message));
      };
      let tries = 0;
      let putOffs = 0;
      let probes = 0;
      let [lastDeparture, departureBefore] = [0, 0];
      let sinceFirst: number | undefined;
      let firstDeparture = 0;
      let isPerhapsItsOwn = false;
      let why: AttemptReason = "first";
      let hasNewToken = false;
      const errandOf = (): Errand => {
        if (why !== "retry") return "first";
        const wasUp = sinceFirst !== undefined && spent.wasUpSince(sinceFirst);
        return isPerhapsItsOwn && wasUp ? "retry_of_its_own" : "retry";
      };

      while (stop.reason === undefined) {
        const errand = errandOf();
        const pass = gate.isOpen && errand === "first" ? openPass : await gate.enter(errand);
        if (pass === undefined) break;
        const intent = history.intent(clock.date());
        if (!(await recorder.intend(intent))) break;
        const { importedAt } = intent;
        const details = { pass, errand, isFirst, why, hasNewToken, importedAt, hasPlace };
        const judged = await attempt(event, details);
        if (judged === undefined) {
          gate.giveBack(pass);
          recorder.attempted(history.soFar());
          continue;
        }
        const { result, verdict } = judged;
        history.add(result, verdict);
        hasNewToken = verdict.kind === "unauthorized";
        departureBefore = lastDeparture;
        lastDeparture = judged.departure;
        probes = pass.isProbe ? probes + 1 : 0;

        switch (verdict.kind) {
          case "accepted":
            return settle("succeeded");
          case "rejected":
            return settle("rejected");
          case "doubtful":
            stopWithoutAnswer(verdict.message);
            return settle("unknown");
          case "stop":
            recorder.attempted(history.soFar());
            return history.end("not_sent");
          case "unauthorized":
            recorder.attempted(history.soFar());
            why = "new_token";
            continue;
          case "again":
            break;
          default:
            verdict satisfies never;
        }

        const { code, message, cause, retryAfterMs } = verdict;
        if (sinceFirst === undefined) firstDeparture = judged.departure;
        sinceFirst ??= figures.attempts;
        isPerhapsItsOwn = cause === "failing";
        if (cause === "throttled" || retryAfterMs !== undefined) putOffs++;
        else tries++;
        if (tries >= settings.maxAttempts || putOffs >= maxPutOffs) {
          stopWithoutAnswer(message);
          // An attempt that was cut off says nothing: the event is tried again when the run goes on.
          const isCutOff = stop.reason !== undefined && result.kind === "unanswered";
          if (!isCutOff && (stop.reason === undefined || first.isAnswered)) {
            // What is known of before a pause stays known; what comes after it says nothing of before.
            const wasUpMeanwhile = isPerhapsItsOwn && spent.wasUpSince(sinceFirst);
            let hasFailed = spent.hasFailed({
              since: departureBefore === 0 ? lastDeparture : departureBefore,
              sinceFirst,
              firstDeparture,
              isPerhapsItsOwn,
              holdsBack: inHand.holdsBack?.() ?? false,
              probes,
              message,
            });
            if (hasFailed !== true) recorder.attempted(history.soFar());
            hasFailed = await hasFailed;
            if (hasFailed) return settle(history.isInDoubt() ? "unknown" : "failed");
            why = "retry";
            tries = 0;
            putOffs = 0;
            if (!wasUpMeanwhile) sinceFirst = undefined;
            continue;
          }
        }
        recorder.attempted(history.soFar());
        if (stop.reason !== undefined) break;
        figures.retries++;
        why = "retry";
        const isTooMuch = cause === "throttled" || cause === "overloaded";
        const random = clock.random();
        const delayMs = backoffMs({ attempts: tries + putOffs, throttled: isTooMuch, random });
        const { attempts } = history.soFar();
        ports.notify({ kind: "retry", row, event: event.index, attempts, delayMs, code, message });
        figures.backingOff++;
        await sleep(clock, delayMs, stop);
        figures.backingOff--;
      }
      return history.end("not_sent");
    } finally {
      isOver();
      hasPlace();
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

function unreachable({ origin }: Endpoint, message: string): StopReason {
  return {
    code: "unreachable",
    message: `No answer from ${origin} (${message}): check the address, and that the service is up.`,
  };
}
