import type { LoadEvent, MappedRow, SkipCode } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import { type EarlierOutcome, problemText, type Row, type RowProblem } from "../model/row.ts";

/** What is to be done with a row. */
export type PlannedRow =
  | {
      readonly kind: "send";
      readonly events: readonly LoadEvent[];
      readonly orderingKey?: string;
      /** Those of the events that are not sent, as another retry has settled them. */
      readonly settledBefore?: readonly EventSettledBefore[];
    }
  /** Its outcome is known without sending anything. */
  | {
      readonly kind: "settled";
      readonly outcome: Outcome;
      readonly problems: readonly RowProblem[];
      /** Where it did not succeed: the key in whose order it takes its place. */
      readonly orderingKey?: string;
      /** Where another retry has settled it. */
      readonly settledBefore?: readonly EventSettledBefore[];
    }
  /** Nothing needs to be sent; each of its events has an outcome. */
  | {
      readonly kind: "unchanged";
      readonly outcomes: readonly Outcome[];
      readonly orderingKey?: string;
    };

/** What another retry of the same file has made of an event that must not be sent again. */
export interface SettledBefore {
  /** Name of its results. */
  readonly results: string;
  readonly status: "succeeded" | "unknown";
  readonly unanswered: number;
  readonly errorCode: string;
}

interface EventSettledBefore extends SettledBefore {
  readonly outcome: Outcome;
}

/** Finds it by the id of the event; undefined for an event that may be sent. */
export type FindSettled = (eventId: string) => SettledBefore | undefined;

/**
 * Decides what a row gives: the events of the mapping, less what an earlier run has done already.
 * A line of a results file stands for one event of its row, and whatever becomes of it says which.
 *
 * @param retryUnknown whether an event that may have arrived may be sent again
 * @param findSettled what other retries of the same file have settled
 */
export function planRow(
  row: Row,
  mapRow: (row: Row) => MappedRow,
  retryUnknown: boolean,
  findSettled?: FindSettled,
): PlannedRow {
  const { earlier } = row;
  const settle = (
    outcome: Outcome,
    problems: readonly RowProblem[] = [],
    orderingKey?: string,
  ): Extract<PlannedRow, { kind: "settled" }> => ({
    kind: "settled",
    outcome: { ...identityOf(earlier), ...outcome },
    problems,
    ...(orderingKey === undefined ? {} : { orderingKey }),
  });
  if (row.problem === undefined && earlier !== undefined) {
    const kept = keepEarlier(earlier, retryUnknown);
    if (kept?.status === "unknown") {
      const mapped = mapRow(row);
      const [settled] = findSettled === undefined ? [] : settledEvents(mapped, findSettled);
      const isDelivered =
        settled?.status === "succeeded" && areOfOneEvent(settled.outcome, earlier);
      if (isDelivered) return { ...settle(settled.outcome), settledBefore: [settled] };
      return settle(kept, [], mapped.orderingKey);
    }
    if (kept !== undefined) return settle(kept);
  }
  const mapped = mapRow(row);
  switch (mapped.kind) {
    case "invalid":
      return settle(invalid(mapped.problems), mapped.problems, mapped.orderingKey);
    case "skipped":
      return settle(skipped(mapped.code, mapped.message));
    case "unchanged": {
      const outcome = mapped.isUnknown
        ? unknownBefore(mapped.message)
        : skipped("unchanged", mapped.message);
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
      const settledBefore = findSettled === undefined ? [] : settledEvents(mapped, findSettled);
      const [settled] = settledBefore;
      if (settled !== undefined && events.length === 1) {
        return { ...settle(settled.outcome, [], orderingKey), settledBefore };
      }
      const send: PlannedRow =
        orderingKey === undefined
          ? { kind: "send", events }
          : { kind: "send", events, orderingKey };
      return settled === undefined ? send : { ...send, settledBefore };
    }
  }
}

function settledEvents(mapped: MappedRow, findSettled: FindSettled): EventSettledBefore[] {
  if (mapped.kind !== "events") return [];
  return mapped.events.flatMap(({ id, index }) => {
    const settled = findSettled(id);
    return settled === undefined
      ? []
      : { ...settled, outcome: { ...outcomeBefore(settled), event: index, eventId: id } };
  });
}

function outcomeBefore({ results, status, unanswered, errorCode }: SettledBefore): Outcome {
  if (status === "succeeded") return skipped("already_succeeded", `succeeded in ${results}`);
  return {
    ...{ status, attempts: 0, unanswered: 0, unansweredBefore: unanswered, errorCode },
    error: `unknown since ${results}, and not sent again`,
  };
}

function areOfOneEvent({ eventId }: Outcome, earlier: EarlierOutcome): boolean {
  return eventId === earlier.eventId.toLowerCase();
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

function unknownBefore(message: string): Outcome {
  const error = `${message}, and at-most-once does not send it again`;
  return { status: "unknown", attempts: 0, unanswered: 0, errorCode: "unknown_before", error };
}

function skipped(code: SkipCode, message: string): Outcome {
  return { status: "skipped", attempts: 0, unanswered: 0, errorCode: code, error: message };
}
