import type { LoadEvent, MappedRow, SkipCode } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import { type EarlierOutcome, problemText, type Row, type RowProblem } from "../model/row.ts";

/** What is to be done with a row. */
export type PlannedRow =
  | { readonly kind: "send"; readonly events: readonly LoadEvent[]; readonly orderingKey?: string }
  /** Its outcome is known without sending anything. */
  | {
      readonly kind: "settled";
      readonly outcome: Outcome;
      readonly problems: readonly RowProblem[];
      /** Where it did not succeed: the key in whose order it takes its place. */
      readonly orderingKey?: string;
    }
  /** Nothing needs to be sent; each of its events has an outcome. */
  | {
      readonly kind: "unchanged";
      readonly outcomes: readonly Outcome[];
      readonly orderingKey?: string;
    };

/**
 * Decides what a row gives: the events of the mapping, less what an earlier run has done already.
 * A line of a results file stands for one event of its row, and whatever becomes of it says which.
 *
 * @param retryUnknown whether an event that may have arrived may be sent again
 */
export function planRow(
  row: Row,
  mapRow: (row: Row) => MappedRow,
  retryUnknown: boolean,
): PlannedRow {
  const { earlier } = row;
  const settle = (
    outcome: Outcome,
    problems: readonly RowProblem[] = [],
    orderingKey?: string,
  ): PlannedRow => ({
    kind: "settled",
    outcome: { ...identityOf(earlier), ...outcome },
    problems,
    ...(orderingKey === undefined ? {} : { orderingKey }),
  });
  if (row.problem === undefined && earlier !== undefined) {
    const kept = keepEarlier(earlier, retryUnknown);
    if (kept?.status === "unknown") return settle(kept, [], mapRow(row).orderingKey);
    if (kept !== undefined) return settle(kept);
  }
  const mapped = mapRow(row);
  switch (mapped.kind) {
    case "invalid":
      return settle(invalid(mapped.problems), mapped.problems, mapped.orderingKey);
    case "skipped":
      return settle(skipped(mapped.code, mapped.message));
    case "unchanged": {
      const outcome = skipped("unchanged", mapped.message);
      const outcomes = mapped.events.map(({ id, index }) => ({
        ...outcome,
        event: index,
        eventId: id,
      }));
      const { orderingKey } = mapped;
      return { kind: "unchanged", outcomes, ...(orderingKey === undefined ? {} : { orderingKey }) };
    }
    case "events": {
      const hasLostItsEvent = earlier?.event === undefined && stoodForOneEvent(earlier);
      if (hasLostItsEvent && mapped.events.length > 1) {
        return settle(invalid([lostEvent]), [lostEvent], mapped.orderingKey);
      }
      const { events, orderingKey } = mapped;
      return orderingKey === undefined
        ? { kind: "send", events }
        : { kind: "send", events, orderingKey };
    }
  }
}

const lostEvent: RowProblem = {
  code: "unknown_event",
  column: "import_event",
  message:
    "is blank, so which of the row's events this line stands for is not known; put it back, or clear import_status and import_event_id too to send every event of the row",
};

/** Whether the line was written for an event, and not for a row of which nothing had been sent. */
function stoodForOneEvent(earlier: EarlierOutcome | undefined): boolean {
  if (earlier === undefined) return false;
  const { status, errorCode } = earlier;
  return (
    ["rejected", "failed", "unknown", "blocked"].includes(status ?? "") ||
    (status === "invalid" && errorCode === lostEvent.code) ||
    isEventId(earlier.eventId)
  );
}

/** Of a row that could not be mapped, the column of the id holds the mark of its cells. */
export function isEventId(text: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}

/** Which event a line stands for, so that a later retry of it knows that too. */
function identityOf(earlier: EarlierOutcome | undefined): Pick<Outcome, "event" | "eventId"> {
  if (earlier === undefined) return {};
  const { event, eventId } = earlier;
  return {
    ...(event === undefined ? {} : { event }),
    ...(isEventId(eventId) ? { eventId } : {}),
  };
}

/** The outcome of a line that needs nothing more, or must not be sent again. */
function keepEarlier(earlier: EarlierOutcome, retryUnknown: boolean): Outcome | undefined {
  switch (earlier.status) {
    case "succeeded":
      return skipped("already_succeeded", "succeeded in an earlier run");
    case "skipped":
      return skipped("skipped_before", earlier.error || "skipped in an earlier run");
    case "unknown":
      if (retryUnknown) return undefined;
      return {
        status: "unknown",
        attempts: 0,
        unanswered: 0,
        errorCode: earlier.errorCode,
        error: earlier.error,
      };
    default:
      return undefined;
  }
}

function invalid(problems: readonly RowProblem[]): Outcome {
  const mark = problems.find((problem) => problem.mark !== undefined)?.mark;
  return {
    status: "invalid",
    attempts: 0,
    unanswered: 0,
    errorCode: problems[0]?.code ?? "",
    error: problems.map(problemText).join("; "),
    ...(mark === undefined ? {} : { eventId: mark }),
  };
}

function skipped(code: SkipCode, message: string): Outcome {
  return { status: "skipped", attempts: 0, unanswered: 0, errorCode: code, error: message };
}
