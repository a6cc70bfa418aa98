import type { LimitFunction } from "p-limit";
import type { LoadEvent } from "../domain/event.ts";
import type { StopReason, StopSwitch } from "../domain/stop.ts";
import { classify, type DeliveryMode, type Verdict } from "./classify.ts";
import type { Clock } from "./clock.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import type { FirstEvent } from "./first-event.ts";
import type { DeliveryNotice } from "./notice.ts";
import type { Pace } from "./pace.ts";
import type { Attempt, Poster } from "./post.ts";
import type { Redact } from "./redact.ts";

export interface AttemptPorts {
  readonly post: Poster["post"];
  readonly request: (event: LoadEvent, importedAt: string) => EventRequest;
  readonly redact: Redact;
  /** Bounds the requests on the wire. */
  readonly limit: LimitFunction;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly stop: StopSwitch;
  readonly notify: (notice: DeliveryNotice) => void;
}

export interface AttemptSettings {
  readonly endpoint: Endpoint;
  readonly mode: DeliveryMode;
}

/** What delivery has done so far. */
export interface DeliveryFigures {
  inFlight: number;
  attempts: number;
  unanswered: number;
  retries: number;
}

export interface JudgedAttempt {
  readonly result: Attempt;
  readonly verdict: Verdict;
}

/** What an attempt needs besides its event. */
export interface AttemptDetails {
  readonly isFirst: boolean;
  /** The time that the event's first attempt was put on record; every attempt carries it. */
  readonly importedAt: string;
  /** Called when it has its place on the wire. */
  readonly hasPlace: () => void;
}

/** One POST in its turn; nothing where the run stopped before it could leave. */
export type AttemptEvent = (
  event: LoadEvent,
  details: AttemptDetails,
) => Promise<JudgedAttempt | undefined>;

/** A service that asks for more than this is left alone: the run stops and says when to come back. */
const longestRetryAfterMs = 15 * 60_000;

/**
 * Makes attempts, as many at a time as the limit allows. What an answer means for the other events
 * (a pause, a stop, the way being open) is in force before its place is free, so that the next one
 * cannot leave in between.
 */
export function createAttempts(
  ports: AttemptPorts,
  settings: AttemptSettings,
  first: FirstEvent,
  figures: DeliveryFigures,
): AttemptEvent {
  const { clock, stop, pace, redact } = ports;

  const heed = (result: Attempt, verdict: Verdict) => {
    if (verdict.kind === "stop") return stop.request(verdict.reason);
    if (result.kind === "answered") first.answered();
    if (verdict.kind === "accepted" || verdict.retryAfterMs === undefined) return;
    const { retryAfterMs, message } = verdict;
    if (retryAfterMs > longestRetryAfterMs) {
      return stop.request(comeBackLater(retryAfterMs, clock.date()));
    }
    pace.pause(retryAfterMs);
    ports.notify({ kind: "pause", durationMs: retryAfterMs, message });
  };

  return (event, { isFirst, importedAt, hasPlace }) =>
    ports.limit(async () => {
      hasPlace();
      await pace.turn(stop);
      if (stop.reason !== undefined) return undefined;
      figures.inFlight++;
      figures.attempts++;
      const result = redacted(await ports.post(ports.request(event, importedAt)), redact);
      figures.inFlight--;
      if (result.kind === "unanswered") figures.unanswered++;
      const verdict = classify(result, {
        mode: settings.mode,
        first: isFirst && !first.isAnswered,
        url: settings.endpoint.origin + settings.endpoint.path(event.resource),
        now: clock.date(),
        redact,
      });
      heed(result, verdict);
      return { result, verdict };
    });
}

/**
 * Takes the token out of an answer as it came. What is unescaped or cut after that is redacted once
 * more where it is, in {@link classify}: neither an escaped token nor a part of one is known here.
 */
function redacted(result: Attempt, redact: Redact): Attempt {
  if (result.kind !== "answered") return { ...result, message: redact(result.message) };
  const { location, body, isCut } = result;
  return {
    ...result,
    body: redact(body, isCut),
    ...(location === undefined ? {} : { location: redact(location) }),
  };
}

function comeBackLater(retryAfterMs: number, now: Date): StopReason {
  const when = new Date(now.getTime() + retryAfterMs);
  // Any number of seconds may be asked for; not every one leads to a date.
  const message = Number.isNaN(when.getTime())
    ? "The service asks to be left alone for longer than dates go: ask there when to go on."
    : `The service asks to be left alone until ${when.toISOString()}: go on after that.`;
  return { code: "throttled", message };
}
