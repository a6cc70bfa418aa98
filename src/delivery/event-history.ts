import type { LoadEvent } from "../domain/event.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { Ending, Outcome } from "../domain/outcome.ts";
import type { AttemptsSoFar, EventRecord, Intent } from "../domain/run-record.ts";
import type { Attempt } from "./attempt.ts";
import type { Verdict } from "./classify.ts";

/** The attempts of one event, those before an interruption among them. */
export interface EventHistory {
  readonly event: LoadEvent;
  readonly rowOfRun: number;
  attempts: number;
  unanswered: number;
  /** The time of the first attempt, which all of them carry. */
  importedAt: string | undefined;
  httpStatus: number | undefined;
  /** What the last attempt that did not succeed came to. */
  errorCode: string;
  error: string;
}

export function beginHistory(
  event: LoadEvent,
  rowOfRun: number,
  before: Exclude<EventRecord, { kind: "outcome" }> | undefined,
): EventHistory {
  const history: EventHistory = {
    event,
    rowOfRun,
    attempts: 0,
    unanswered: 0,
    importedAt: undefined,
    httpStatus: undefined,
    errorCode: "",
    error: "",
  };
  if (before === undefined) return history;

  history.unanswered = before.unanswered;
  history.importedAt = before.importedAt;
  if (before.kind === "attempted") {
    history.attempts = before.attempts;
    history.httpStatus = before.httpStatus;
    if (before.attempts === 0) history.importedAt = undefined; // it never left
  } else {
    history.attempts = before.attempt;
    history.unanswered++;
  }
  if (history.unanswered > 0) {
    history.errorCode = "perhaps_sent";
    history.error = "perhaps sent when the run was interrupted";
  }
  return history;
}

/** The next attempt, about to leave. The first one fixes the time that all of them carry. */
export function intentOf(history: EventHistory, now: Date): Intent {
  const { rowOfRun, event, attempts, unanswered } = history;
  history.importedAt ??= isoTime(now);
  const { importedAt } = history;
  return { rowOfRun, event: event.index, attempt: attempts + 1, unanswered, importedAt };
}

export function addAttempt(history: EventHistory, result: Attempt, verdict: Verdict): void {
  history.attempts++;
  if (result.kind === "answered") history.httpStatus = result.httpStatus;
  if (result.kind === "unanswered") history.unanswered++;
  if (verdict.kind === "accepted") return;
  history.errorCode = verdict.code;
  history.error = verdict.message;
}

export function attemptsSoFar(history: EventHistory): AttemptsSoFar {
  const { rowOfRun, event, attempts, unanswered, importedAt = "", httpStatus } = history;
  const soFar = { rowOfRun, event: event.index, attempts, unanswered, importedAt };
  return httpStatus === undefined ? soFar : { ...soFar, httpStatus };
}

/** Whether an attempt may have reached the service without an answer. */
export function isInDoubt({ unanswered }: EventHistory): boolean {
  return unanswered > 0;
}

/** How it ended; without a time where it did not. */
export function outcomeOf(history: EventHistory, ending: Ending, now?: Date): Outcome {
  const { event, attempts, unanswered, httpStatus, errorCode, error } = history;
  const outcome: Writable<Outcome> = {
    ending,
    event: event.index,
    eventId: event.id,
    attempts,
    unanswered,
  };
  if (httpStatus !== undefined) outcome.httpStatus = httpStatus;
  if (ending !== "succeeded" && errorCode !== "") {
    outcome.errorCode = errorCode;
    outcome.error = error;
  }
  if (now !== undefined) outcome.finishedAt = isoTime(now);
  return outcome;
}

/** Members are set one by one here: spreading them costs as much as all else that is done with one. */
type Writable<Type> = { -readonly [member in keyof Type]: Type[member] };
