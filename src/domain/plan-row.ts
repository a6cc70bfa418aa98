import type { LoadEvent, MappedRow, SkipCode } from "./event.ts";
import type { Outcome } from "./outcome.ts";
import { describeFinding, type EarlierOutcome, type Row, type RowProblem } from "./row.ts";

/** What is to be done with a row. */
export type PlannedRow =
  | { readonly kind: "send"; readonly events: readonly LoadEvent[]; readonly orderKey?: string }
  /** Its outcome is known without sending anything. */
  | {
      readonly kind: "settled";
      readonly outcome: Outcome;
      readonly problems: readonly RowProblem[];
    };

/**
 * Decides what a row gives: the events of the mapping, less what an earlier run has done already.
 *
 * @param retryUnknown whether an event that may have arrived may be sent again
 */
export function planRow(
  row: Row,
  mapRow: (row: Row) => MappedRow,
  retryUnknown: boolean,
): PlannedRow {
  const { earlier } = row;
  if (row.problem === undefined && earlier !== undefined) {
    const kept = keepEarlier(earlier, retryUnknown);
    if (kept !== undefined) return { kind: "settled", outcome: kept, problems: [] };
  }
  const mapped = mapRow(row);
  switch (mapped.kind) {
    case "invalid":
      return { kind: "settled", outcome: invalid(mapped.problems), problems: mapped.problems };
    case "skipped":
      return { kind: "settled", outcome: skipped(mapped.code, mapped.message), problems: [] };
    case "events": {
      if (earlier?.event === undefined) {
        const { events, orderKey } = mapped;
        // The line stood for one event, and the column that says which one is lost.
        if (wasSent(earlier) && events.length > 1) {
          return { kind: "settled", outcome: invalid([lostEvent]), problems: [lostEvent] };
        }
        return orderKey === undefined
          ? { kind: "send", events }
          : { kind: "send", events, orderKey };
      }
      // A line of a results file stands for one event of its row; the others have lines of their own.
      const wanted = mapped.events.filter(({ index }) => index === earlier.event);
      if (wanted.length > 0) return { ...mapped, kind: "send", events: wanted };
      const message = `the mapping makes no event ${earlier.event} of this row any more`;
      return { kind: "settled", outcome: skipped("event_gone", message), problems: [] };
    }
  }
}

const lostEvent: RowProblem = {
  code: "unknown_event",
  column: "import_event",
  message: "is blank, so which of the row's events this line stands for is not known; put it back",
};

function wasSent(earlier: EarlierOutcome | undefined): boolean {
  return ["rejected", "failed", "unknown", "blocked"].includes(earlier?.status ?? "");
}

/** The outcome of a line that needs nothing more, or must not be sent again. */
function keepEarlier(earlier: EarlierOutcome, retryUnknown: boolean): Outcome | undefined {
  const { event, eventId, status } = earlier;
  const same = {
    ...(event === undefined ? {} : { event }),
    ...(eventId === "" ? {} : { eventId }),
  };
  switch (status) {
    case "succeeded":
      return { ...skipped("already_succeeded", "succeeded in an earlier run"), ...same };
    case "skipped":
      return {
        ...skipped("skipped_before", earlier.error || "skipped in an earlier run"),
        ...same,
      };
    case "unknown":
      if (retryUnknown) return undefined;
      return {
        ending: "unknown",
        attempts: 0,
        unanswered: earlier.unanswered,
        errorCode: earlier.errorCode,
        error: earlier.error,
        ...same,
      };
    default:
      return undefined;
  }
}

function invalid(problems: readonly RowProblem[]): Outcome {
  const mark = problems.find((problem) => problem.mark !== undefined)?.mark;
  return {
    ending: "invalid",
    attempts: 0,
    unanswered: 0,
    errorCode: problems[0]?.code ?? "",
    error: problems.map(describeFinding).join("; "),
    ...(mark === undefined ? {} : { eventId: mark }),
  };
}

function skipped(code: SkipCode, message: string): Outcome {
  return { ending: "skipped", attempts: 0, unanswered: 0, errorCode: code, error: message };
}
