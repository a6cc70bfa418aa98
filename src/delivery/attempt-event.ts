import type { LimitFunction } from "p-limit";
import type { LoadEvent } from "../domain/event.ts";
import { duration } from "../domain/quantities.ts";
import type { StopReason, StopSwitch } from "../domain/stop.ts";
import type { Attempt } from "./attempt.ts";
import { classify, type DeliveryMode, type Verdict } from "./classify.ts";
import type { Clock } from "./clock.ts";
import type { Endpoint, EventRequest } from "./endpoint.ts";
import type { EventUnderWay } from "./event-under-way.ts";
import type { FirstEvent } from "./first-event.ts";
import type { KeptToken } from "./keep-token.ts";
import type { DeliveryNotice } from "./notice.ts";
import type { Pace } from "./pace.ts";
import type { Poster } from "./post.ts";
import type { Health } from "./recent-health.ts";
import { createRefusalStreak } from "./refusal-streak.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { ServiceGate } from "./service-gate.ts";
import type { SpentEvents } from "./spent-events.ts";
import type { StatusRules } from "./status-rules.ts";
import type { Traffic } from "./traffic.ts";

export interface AttemptPorts {
  readonly post: Poster["post"];
  readonly request: (event: LoadEvent, importedAt: string) => EventRequest;
  readonly token: KeptToken;
  /** Bounds the requests on the wire. */
  readonly limit: LimitFunction;
  readonly pace: Pace;
  readonly traffic: Traffic;
  readonly gate: ServiceGate;
  readonly budget: RetryBudget;
  readonly spent: SpentEvents;
  readonly clock: Clock;
  readonly stop: StopSwitch;
  readonly notify: (notice: DeliveryNotice) => void;
}

export interface AttemptSettings {
  readonly endpoint: Endpoint;
  readonly mode: DeliveryMode;
  /** What the configuration says of statuses; default the usual rules. */
  readonly statuses?: StatusRules | undefined;
  /** Whether an earlier part of the run has delivered something; default it has not. */
  readonly isResumed?: boolean;
}

/** What delivery has done so far. */
export interface DeliveryFigures {
  inFlight: number;
  attempts: number;
  unanswered: number;
  retries: number;
  /** Events that wait for some time before another attempt. */
  backingOff: number;
}

export interface JudgedAttempt {
  readonly result: Attempt;
  readonly verdict: Verdict;
  /** Which attempt of the run it was, from 1, in the order in which they left. */
  readonly departure: number;
}

/** One POST in its turn; nothing where it did not leave, as the gate has closed or the run stopped. */
export type AttemptEvent = (underWay: EventUnderWay) => Promise<JudgedAttempt | undefined>;

/** A service that asks for more than this is left alone: the run stops and says when to come back. */
const longestRetryAfterMs = 15 * 60_000;

/**
 * Makes attempts, as many at a time as the limit allows. What an answer means for the other events
 * (a pause, a stop, the way being open) is in force before its place is free, so that the next one
 * cannot leave in between.
 *
 * @param hasPlace is called when an event has its place on the wire
 */
export function createAttempts(
  ports: AttemptPorts,
  settings: AttemptSettings,
  first: FirstEvent,
  figures: DeliveryFigures,
  hasPlace: (underWay: EventUnderWay) => void,
): AttemptEvent {
  const { clock, stop, pace, traffic, gate, spent, token } = ports;
  const { endpoint, mode } = settings;
  const streak = createRefusalStreak(endpoint.baseUrl);

  /** Another token, or the end of the run. */
  const renewToken = async (
    verdict: Extract<Verdict, { kind: "unauthorized" }>,
    generation: number,
    hasNewToken: boolean,
  ): Promise<Verdict> => {
    const renewal = hasNewToken
      ? { kind: "no_other" as const, why: "A new one was not accepted either." }
      : await token.renew(generation);
    if (renewal.kind === "renewed") return verdict;
    const { code, message } = verdict.reason;
    const reason = { code, message: renewal.why === "" ? message : `${message} ${renewal.why}` };
    stop.request(reason);
    return { ...verdict, kind: "stop", reason };
  };

  const heed = (result: Attempt, verdict: Verdict, departure: number) => {
    switch (verdict.kind) {
      case "stop":
        return stop.request(verdict.reason);
      case "accepted":
        streak.succeeded();
        spent.answeredWell(departure);
        break;
      case "rejected": {
        const { httpStatus } = result as Extract<Attempt, { kind: "answered" }>;
        const reason = streak.refused(httpStatus, verdict.message);
        if (reason !== undefined) stop.request(reason);
        spent.answeredWell(departure);
        break;
      }
      case "doubtful":
        spent.doubtful(verdict.message);
        break;
      case "again":
      case "unauthorized":
        break;
      default:
        verdict satisfies never;
    }
    const { retryAfterMs } = verdict;
    if (retryAfterMs === undefined || retryAfterMs === 0) return;
    if (retryAfterMs > longestRetryAfterMs) {
      return stop.request(comeBackLater(retryAfterMs, clock.date()));
    }
    gate.close("asked", retryAfterMs, messageOf(verdict) || "it was asked for with a success");
  };

  const inTurn = async (underWay: EventUnderWay): Promise<JudgedAttempt | undefined> => {
    const { history, pass, errand } = underWay;
    const { event, importedAt = "" } = history;
    hasPlace(underWay);
    const turn = gate.lets(pass) ? pace.turn(stop, () => gate.lets(pass)) : undefined;
    if (turn !== undefined) await turn;
    while (token.renewing !== undefined) await token.renewing;
    if (stop.reason !== undefined || !gate.lets(pass)) return undefined;

    if (underWay.why === "first") ports.budget.first(clock.now());
    figures.inFlight++;
    const departure = ++figures.attempts;
    const { generation } = token;
    const left = traffic.departs(figures.inFlight, history.attempts > 0);
    const result = await ports.post(ports.request(event, importedAt));
    figures.inFlight--;
    if (result.kind === "unanswered") figures.unanswered++;
    let verdict = classify(result, {
      mode,
      first: underWay.isFirst && !first.isAnswered,
      canGoOn: first.isAnswered || settings.isResumed === true,
      url: endpoint.origin + endpoint.path(event.resource),
      now: clock.date(),
      statuses: settings.statuses,
      redact: token.redact,
    });
    if (verdict.kind === "unauthorized") {
      verdict = await renewToken(verdict, generation, underWay.hasNewToken);
    } else if (result.kind === "answered") {
      token.accepted(generation);
      if (verdict.kind !== "stop") first.answered();
    }
    const holdMs = traffic.arrives(left, result, verdict, figures.inFlight);
    heed(result, verdict, departure);
    const health = healthOf(verdict);
    const isItsOwnFault = health === "ill" && errand === "retry_of_its_own";
    if (pass.isProbe || !isItsOwnFault) gate.judge(pass, health, messageOf(verdict));
    if (holdMs !== undefined) gate.close("asked", holdMs, "its quota is used up");
    return { result, verdict, departure };
  };

  return (underWay) => ports.limit(inTurn, underWay);
}

/** What an attempt tells of the service, whatever became of its event. */
function healthOf(verdict: Verdict): Health {
  switch (verdict.kind) {
    case "doubtful":
      return "ill";
    case "again":
      return verdict.cause === "throttled" ? "throttling" : "ill";
    default:
      return "well";
  }
}

function messageOf(verdict: Verdict): string {
  return verdict.kind === "accepted" ? "" : verdict.message;
}

function comeBackLater(retryAfterMs: number, now: Date): StopReason {
  const when = new Date(now.getTime() + retryAfterMs);
  // Any number of seconds may be asked for; not every one leads to a date.
  const message = Number.isNaN(when.getTime())
    ? "The service asks to be left alone for longer than dates go: ask there when to go on."
    : `The service asks to be left alone until ${when.toISOString()} (for ${duration(retryAfterMs)}): go on after that.`;
  return { code: "throttled", message };
}
