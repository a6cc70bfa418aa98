import type { LoadEvent } from "../domain/event.ts";
import type { Outcome } from "../domain/outcome.ts";
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
import { createFirstEvent } from "./first-event.ts";
import { createQueueBound } from "./queue-bound.ts";

export type { DeliveryFigures };

export interface DeliverySettings extends AttemptSettings {
  /** Attempts for an event at most, from 1. */
  readonly maxAttempts: number;
}

export interface Delivery {
  /** Sends one event until it has an outcome, or the run stops. Never rejects. */
  deliver(event: LoadEvent, row: number): Promise<Outcome>;
  /**
   * Resolves when there is use for more events. Who waits for it keeps the queue for a place on the
   * wire short, so that memory stays small, and a retry waits behind a few others and not behind
   * all that has been read.
   */
  room(): Promise<void>;
  readonly figures: Readonly<DeliveryFigures>;
}

/**
 * A service that says when to come back has not failed the event, so such answers have a bound of
 * their own.
 */
const maxInvitedAttempts = 100;

export function createDelivery(ports: AttemptPorts, settings: DeliverySettings): Delivery {
  const { clock, stop } = ports;
  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0, retries: 0 };
  const first = createFirstEvent(stop);
  const queue = createQueueBound(ports.limit.concurrency);
  const attempt = createAttempts(ports, settings, first, figures);

  return {
    figures,
    room: queue.room,
    async deliver(event, row) {
      const leaveQueue = queue.enter();
      const isFirst = first.isAnswered ? false : await first.enter();
      let firstLeft: string | undefined;
      let attempts = 0;
      let invited = 0;
      let unanswered = 0;
      let httpStatus: number | undefined;
      let last = { code: "", message: "" };

      // Every attempt carries the same bytes, so this is fixed by the first of them.
      const importedAt = () => {
        firstLeft ??= clock.date().toISOString();
        return firstLeft;
      };
      const marks = { hasPlace: leaveQueue, importedAt };
      const end = (ending: Outcome["ending"]): Outcome => ({
        ending,
        event: event.index,
        eventId: event.id,
        ...(httpStatus === undefined ? {} : { httpStatus }),
        attempts,
        unanswered,
        ...(ending === "succeeded" || last.code === ""
          ? {}
          : { errorCode: last.code, error: last.message }),
        ...(ending === "not_sent" ? {} : { finishedAt: clock.date().toISOString() }),
      });
      const endWithoutAnswer = (message: string) => {
        if (isFirst && !first.isAnswered) stop.request(unreachable(settings.endpoint, message));
      };

      while (stop.reason === undefined) {
        const judged = await attempt(event, isFirst, marks);
        if (judged === undefined) break;
        const { result, verdict } = judged;
        attempts++;
        if (result.kind === "answered") httpStatus = result.httpStatus;
        if (result.kind === "unanswered") unanswered++;
        if (verdict.kind !== "accepted") last = verdict;

        switch (verdict.kind) {
          case "accepted":
            return end("succeeded");
          case "rejected":
            return end("rejected");
          case "doubtful":
            endWithoutAnswer(verdict.message);
            return end("unknown");
          case "stop":
            return end(unanswered > 0 ? "unknown" : "not_sent");
          case "again":
            break;
          default:
            verdict satisfies never;
        }

        const { code, message, throttled, retryAfterMs } = verdict;
        if (retryAfterMs !== undefined) invited++;
        const isSpent = attempts - invited >= settings.maxAttempts || invited >= maxInvitedAttempts;
        if (isSpent) {
          endWithoutAnswer(message);
          if (stop.reason === undefined || first.isAnswered) {
            return end(unanswered > 0 ? "unknown" : "failed");
          }
        }
        if (stop.reason !== undefined) break;
        figures.retries++;
        const delayMs = backoffMs({ attempts, throttled, random: clock.random() });
        ports.notify({ kind: "retry", row, event: event.index, attempts, delayMs, code, message });
        await sleep(clock, delayMs, stop);
      }
      leaveQueue();
      return end(unanswered > 0 ? "unknown" : "not_sent");
    },
  };
}

function unreachable({ origin }: Endpoint, message: string): StopReason {
  return {
    code: "unreachable",
    message: `No answer from ${origin} (${message}): check the address, and that the service is up.`,
  };
}
