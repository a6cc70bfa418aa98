import type { LimitFunction } from "p-limit";
import type { LoadEvent } from "../domain/event.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { StopSwitch } from "../domain/stop.ts";
import { backoffMs } from "./backoff.ts";
import { classify, type DeliveryMode, type Verdict } from "./classify.ts";
import { type Clock, sleep } from "./clock.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import { createFirstEvent } from "./first-event.ts";
import type { DeliveryNotice } from "./notice.ts";
import type { Pace } from "./pace.ts";
import type { Attempt, Poster } from "./post.ts";

export interface DeliveryPorts {
  readonly post: Poster["post"];
  readonly request: (event: LoadEvent, importedAt: string) => EventRequest;
  readonly redact: (text: string) => string;
  /** Bounds the requests on the wire. */
  readonly limit: LimitFunction;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly stop: StopSwitch;
  readonly notify: (notice: DeliveryNotice) => void;
}

export interface DeliverySettings {
  readonly endpoint: Endpoint;
  readonly mode: DeliveryMode;
  /** Attempts for an event at most, from 1. */
  readonly maxAttempts: number;
}

/** What delivery has done so far. */
export interface DeliveryFigures {
  inFlight: number;
  attempts: number;
  unanswered: number;
  retries: number;
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

/** A service that asks for more than this is left alone: the run stops and says when to come back. */
const longestRetryAfterMs = 15 * 60_000;

/**
 * A service that says when to come back has not failed the event, so such answers have a bound of
 * their own.
 */
const maxInvitedAttempts = 100;

export function createDelivery(ports: DeliveryPorts, settings: DeliverySettings): Delivery {
  const { clock, stop, pace } = ports;
  const figures: DeliveryFigures = { inFlight: 0, attempts: 0, unanswered: 0, retries: 0 };
  const first = createFirstEvent(stop);
  const queue = createQueueBound(ports.limit.concurrency);

  /** One POST in its turn; nothing where the run stopped before it could leave. */
  const attempt = (
    event: LoadEvent,
    importedAt: string,
    begins: () => void,
  ): Promise<Attempt | undefined> =>
    ports.limit(async () => {
      begins();
      await pace.turn(stop);
      if (stop.reason !== undefined) return undefined;
      figures.inFlight++;
      figures.attempts++;
      const result = await ports.post(ports.request(event, importedAt));
      figures.inFlight--;
      if (result.kind === "unanswered") figures.unanswered++;
      return result;
    });

  const judge = (result: Attempt, event: LoadEvent, isFirst: boolean): Verdict =>
    classify(result, {
      mode: settings.mode,
      first: isFirst && !first.isAnswered,
      url: settings.endpoint.origin + settings.endpoint.path(event.resource),
      now: clock.date(),
    });

  return {
    figures,
    room: queue.room,
    async deliver(event, row) {
      const leaveQueue = queue.enter();
      const isFirst = first.isAnswered ? false : await first.enter();
      const importedAt = clock.date().toISOString();
      let attempts = 0;
      let invited = 0;
      let unanswered = 0;
      let inDoubt = false;
      let httpStatus: number | undefined;
      let last = { code: "", message: "" };

      const end = (ending: Outcome["ending"]): Outcome => ({
        ending,
        event: event.index,
        eventId: event.id,
        ...(httpStatus === undefined ? {} : { httpStatus }),
        attempts,
        unanswered,
        ...(ending === "succeeded" || last.code === ""
          ? {}
          : { errorCode: last.code, error: ports.redact(last.message) }),
        ...(ending === "not_sent" ? {} : { finishedAt: clock.date().toISOString() }),
      });

      while (stop.reason === undefined) {
        const result = await attempt(event, importedAt, leaveQueue);
        if (result === undefined) break;
        attempts++;
        if (result.kind === "answered") httpStatus = result.httpStatus;
        if (result.kind === "unanswered") {
          unanswered++;
          inDoubt = true;
        }

        const verdict = judge(result, event, isFirst);
        if (verdict.kind !== "accepted") last = verdict;
        if (result.kind === "answered" && verdict.kind !== "stop") first.answered();
        switch (verdict.kind) {
          case "accepted":
            return end("succeeded");
          case "rejected":
            return end("rejected");
          case "doubtful":
            return end("unknown");
          case "stop":
            stop.request({ ...verdict.reason, message: ports.redact(verdict.reason.message) });
            return end(inDoubt ? "unknown" : "not_sent");
          case "again":
            break;
          default:
            verdict satisfies never;
        }

        const { retryAfterMs, throttled } = verdict;
        if (retryAfterMs !== undefined) {
          invited++;
          if (retryAfterMs > longestRetryAfterMs) {
            stop.request(comeBackLater(retryAfterMs, clock.date()));
            break;
          }
          pace.pause(retryAfterMs);
          ports.notify({ kind: "pause", durationMs: retryAfterMs, message: verdict.message });
        }
        const spent = attempts - invited >= settings.maxAttempts || invited >= maxInvitedAttempts;
        if (spent) {
          if (isFirst && !first.isAnswered) {
            stop.request(unreachable(settings.endpoint, ports.redact(verdict.message)));
            break;
          }
          return end(inDoubt ? "unknown" : "failed");
        }
        figures.retries++;
        const delayMs = backoffMs({ attempts, throttled, random: clock.random() });
        ports.notify({
          kind: "retry",
          row,
          event: event.index,
          attempts,
          delayMs,
          code: verdict.code,
          message: ports.redact(verdict.message),
        });
        await sleep(clock, delayMs, stop);
      }
      leaveQueue();
      return end(inDoubt ? "unknown" : "not_sent");
    },
  };
}

/** Counts the events that wait for their first attempt, and holds back who would add too many. */
function createQueueBound(most: number) {
  let waiting = 0;
  let wake = () => {};
  return {
    enter() {
      let isWaiting = true;
      waiting++;
      return () => {
        if (!isWaiting) return;
        isWaiting = false;
        waiting--;
        if (waiting < most) wake();
      };
    },
    async room() {
      while (waiting >= most) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function unreachable(endpoint: Endpoint, message: string) {
  return {
    code: "unreachable" as const,
    message: `No answer from ${endpoint.origin} (${message}): check the address, and that the service is up.`,
  };
}

function comeBackLater(retryAfterMs: number, now: Date) {
  const when = new Date(now.getTime() + retryAfterMs).toISOString();
  return {
    code: "throttled" as const,
    message: `The service asks to be left alone until ${when}: go on after that.`,
  };
}
