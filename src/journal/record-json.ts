import type { Outcome } from "../domain/outcome.ts";
import type { JournalRecord } from "./record.ts";

/**
 * `JSON.stringify` of a record. The two that each event has, an intent and a plain success, are put
 * together here: their texts need no escapes, and it takes a third of the time.
 */
export function recordJson(record: JournalRecord): string {
  switch (record.kind) {
    case "intent": {
      const { rowOfRun, event, attempt, unanswered, importedAt } = record;
      return `{"kind":"intent","rowOfRun":${rowOfRun},"event":${event},"attempt":${attempt},"unanswered":${unanswered},"importedAt":"${importedAt}"}`;
    }
    case "outcome":
      return plainSuccess(record.rowOfRun, record.outcome) ?? JSON.stringify(record);
    default:
      return JSON.stringify(record);
  }
}

function plainSuccess(rowOfRun: number, outcome: Outcome): string | undefined {
  const { ending, event, eventId, attempts, unanswered, httpStatus, finishedAt } = outcome;
  if (ending !== "succeeded" || event === undefined || eventId === undefined) return undefined;
  if (httpStatus === undefined || finishedAt === undefined) return undefined;
  if (outcome.errorCode !== undefined || outcome.error !== undefined) return undefined;
  return `{"kind":"outcome","rowOfRun":${rowOfRun},"outcome":{"ending":"succeeded","event":${event},"eventId":"${eventId}","attempts":${attempts},"unanswered":${unanswered},"httpStatus":${httpStatus},"finishedAt":"${finishedAt}"}}`;
}
