import type { LoadEvent } from "../domain/event.ts";
import type { EventStatus, Outcome } from "../domain/outcome.ts";
import type { EventRecord } from "../domain/run-record.ts";
import type { StopReason } from "../domain/stop.ts";
import {
  type AttemptPorts,
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
  room(): Promise<void>;
  readonly figures: Readonly<DeliveryFigures>;
}

export interface DeliveryPorts extends AttemptPorts {
  readonly recorder: Recorder;
}

/**
 * A service that says when to come back has not failed the event, so such answers have a bound of
 * their own.
 */
const maxInvitedAttempts = 100;

export function createDelivery(ports: DeliveryPorts, settings: DeliverySettings): Delivery {
  const { clock, stop, recorder } = ports;
  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0, retries: 0 };
  const first = createFirstEvent(stop);
  const queue = createQueueBound(ports.limit.concurrency);
  const attempt = createAttempts(ports, settings, first, figures);

  return {
    figures,
    room: queue.room,
    async deliver({ event, row, rowOfRun, before }) {
      if (before?.kind === "outcome") return before.outcome;
      const history = createHistory(event, rowOfRun, before);
      const settle = (ending: EventStatus): Outcome => {
        const outcome = history.end(ending, clock.date());
        recorder.settle(rowOfRun, outcome);
        return outcome;
      };
      if (history.isInDoubt() && settings.mode === "at-most-once") return settle("unknown");

      const hasPlace = queue.enter();
      const isFirst = first.isAnswered ? false : await first.enter();
      const stopWithoutAnswer = (message: string) => {
        if (isFirst && !first.isAnswered) stop.request(unreachable(settings.endpoint, message));
      };
      let tries = 0;
      let invited = 0;

      while (stop.reason === undefined) {
        const intent = history.intent(clock.date());
        if (!(await recorder.intend(intent))) break;
        const { importedAt } = intent;
        const judged = await attempt(event, { isFirst, importedAt, hasPlace });
        if (judged === undefined) {
          recorder.attempted(history.soFar());
          break;
        }
        const { result, verdict } = judged;
        tries++;
        history.add(result, verdict);

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
          case "again":
            break;
          default:
            verdict satisfies never;
        }

        const { code, message, throttled, retryAfterMs } = verdict;
        if (retryAfterMs !== undefined) invited++;
        const isSpent = tries - invited >= settings.maxAttempts || invited >= maxInvitedAttempts;
        if (isSpent) {
          stopWithoutAnswer(message);
          // An attempt that was cut off says nothing: the event is tried again when the run goes on.
          const isCutOff = stop.reason !== undefined && result.kind === "unanswered";
          if (!isCutOff && (stop.reason === undefined || first.isAnswered)) {
            return settle(history.isInDoubt() ? "unknown" : "failed");
          }
        }
        recorder.attempted(history.soFar());
        if (stop.reason !== undefined) break;
        figures.retries++;
        const delayMs = backoffMs({ attempts: tries, throttled, random: clock.random() });
        const { attempts } = history.soFar();
        ports.notify({ kind: "retry", row, event: event.index, attempts, delayMs, code, message });
        await sleep(clock, delayMs, stop);
      }
      hasPlace();
      return history.end("not_sent");
    },
  };
}

function unreachable({ origin }: Endpoint, message: string): StopReason {
  return {
    code: "unreachable",
    message: `No answer from ${origin} (${message}): check the address, and that the service is up.`,
  };
}
