import type { LoadEvent } from "../domain/event.ts";
import { isoTime } from "../domain/iso-time.ts";
import type { Ending, Outcome } from "../domain/outcome.ts";
import type { AttemptsSoFar, EventRecord, Intent } from "../domain/run-record.ts";
import type { Attempt } from "./attempt.ts";
import type { Verdict } from "./classify.ts";

/** The attempts of one event, those before an interruption among them. */
export interface EventHistory {
  /** The next attempt, about to leave. The first one fixes the time that all of them carry. */
  intent(now: Date): Intent;
  add(result: Attempt, verdict: Verdict): void;
  soFar(): AttemptsSoFar;
  /** Whether an attempt may have reached the service without an answer. */
  isInDoubt(): boolean;
  /** How it ended; without a time where it did not. */
  end(ending: Ending, now?: Date): Outcome;
}

export function createHistory(
  event: LoadEvent,
  rowOfRun: number,
  before: Exclude<EventRecord, { kind: "outcome" }> | undefined,
): EventHistory {
  let attempts = 0;
  let unanswered = 0;
  let importedAt: string | undefined;
  let httpStatus: number | undefined;
  let last = { code: "", message: "" };

  if (before !== undefined) {
    ({ unanswered, importedAt } = before);
    if (before.kind === "attempted") {
      ({ attempts, httpStatus } = before);
      if (attempts === 0) importedAt = undefined; // it never left
    } else {
      attempts = before.attempt;
      unanswered++;
    }
    if (unanswered > 0) {
      last = { code: "perhaps_sent", message: "perhaps sent when the run was interrupted" };
    }
  }

  return {
    intent(now) {
      importedAt ??= isoTime(now);
      return { rowOfRun, event: event.index, attempt: attempts + 1, unanswered, importedAt };
    },
    add(result, verdict) {
      attempts++;
      if (result.kind === "answered") httpStatus = result.httpStatus;
      if (result.kind === "unanswered") unanswered++;
      if (verdict.kind !== "accepted") last = verdict;
    },
    soFar: () => ({
      rowOfRun,
      event: event.index,
      attempts,
      unanswered,
      importedAt: importedAt ?? "",
      ...(httpStatus === undefined ? {} : { httpStatus }),
    }),
    isInDoubt: () => unanswered > 0,
    end(ending, now) {
      const { index, id } = event;
      const outcome: Writable<Outcome> = {
        ending,
        event: index,
        eventId: id,
        attempts,
        unanswered,
      };
      if (httpStatus !== undefined) outcome.httpStatus = httpStatus;
      if (ending !== "succeeded" && last.code !== "") {
        outcome.errorCode = last.code;
        outcome.error = last.message;
      }
      if (now !== undefined) outcome.finishedAt = isoTime(now);
      return outcome;
    },
  };
}

/** Members are set one by one here: spreading them costs as much as all else that is done with one. */
type Writable<Type> = { -readonly [member in keyof Type]: Type[member] };
