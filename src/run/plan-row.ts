import { digestOf } from "../model/digest.ts";
import { goneEvent, type LoadEvent, type MappedRow, type SkipCode } from "../model/event.ts";
import { createHashTable } from "../model/hash-table.ts";
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
      /** What other retries sent, or may have sent, for those that are sent. */
      readonly sentBefore?: readonly EventSentBefore[];
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

/** What other retries of the same file sent last, or may have sent, for an event of a row. */
export interface SentBefore {
  /** Name of the results of the last of them. */
  readonly results: string;
  /** Which of the retries since the file was written that is, from 1; 0 if it is of before. */
  readonly retry: number;
  /** `perhaps`: there was no answer. `unknown`: the same, and it must not be sent again. */
  readonly status: "delivered" | "unknown" | "perhaps";
  /** Whether the event that was sent last is this one, with the same data. */
  readonly isSameEvent: boolean;
  /** Attempts of all retries that got no answer. */
  readonly unanswered: number;
  readonly errorCode: string;
}

export interface EventSentBefore extends SentBefore {
  /** The index of the event. */
  readonly event: number;
}

/** Finds it for an event that the mapping made of a line; undefined if no other retry sent one. */
export type FindSentBefore = (row: Row, event: LoadEvent) => SentBefore | undefined;

/** Decides by the order of a key what of it may be left out. Each pass over the rows needs its own. */
export interface KeyOrder {
  /** @returns whether an event that a retry delivered last may be left out */
  leavesOut(key: string, retry: number): boolean;
  /** An event of the key is sent. */
  sends(key: string): void;
}

/**
 * An event is left out only if the events of its key before it were delivered before it, and are left out
 * too. Otherwise an older state of the key would arrive last.
 */
export function createKeyOrder(): KeyOrder {
  /** The last retry that delivered an event of the key. */
  const lastRetries = createHashTable(1);
  const entryOf = (key: string) => {
    const { high, low } = digestOf(key);
    return lastRetries.entry(high, low);
  };
  return {
    leavesOut(key, retry) {
      const last = entryOf(key);
      // What the run that wrote the file sent of the key after that is not known.
      if (retry === 0 || retry < (last[0] ?? 0)) return false;
      last[0] = retry;
      return true;
    },
    sends(key) {
      entryOf(key)[0] = isSentNow;
    },
  };
}

/** Later than each retry before. */
const isSentNow = 0xffff_ffff;

/** What is known of other retries of the same file. */
export interface OtherRetries {
  readonly find: FindSentBefore;
  readonly keyOrder: KeyOrder;
}

/** The same, for a pass over the rows; undefined if there are no other retries. */
export function otherRetries(find: FindSentBefore | undefined): OtherRetries | undefined {
  return find === undefined ? undefined : { find, keyOrder: createKeyOrder() };
}

/**
 * Decides what a row gives: the events of the mapping, less what an earlier run has done already.
 * A line of a results file stands for one event of its row, and whatever becomes of it says which.
 *
 * @param retryUnknown whether an event that may have arrived may be sent again
 * @param others what other retries of the same file sent
 */
export function planRow(
  row: Row,
  mapRow: (row: Row) => MappedRow,
  retryUnknown: boolean,
  others?: OtherRetries,
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
      const [settled] =
        others === undefined || mapped.kind !== "events"
          ? []
          : compareWithOthers(row, mapped.events, undefined, others).settledBefore;
      const isDelivered =
        settled?.status === "succeeded" && areOfOneEvent(settled.outcome, earlier);
      if (isDelivered) return { ...settle(settled.outcome), settledBefore: [settled] };
      return settle(kept, [], mapped.orderingKey);
    }
    if (kept !== undefined) return settle(kept);
  }
  const mapped = mapRow(row);
  switch (mapped.kind) {
    case "invalid": {
      // Otherwise a retry would take it for a row of the input, whose events bring the key back.
      const event = row.isGone ? { event: goneEvent } : {};
      const outcome = { ...invalid(mapped.problems), ...event };
      return settle(outcome, mapped.problems, mapped.orderingKey);
    }
    case "skipped":
      return settle(skipped(mapped.code, mapped.message));
    case "events": {
      const hasLostItsEvent = earlier?.event === undefined && stoodForOneEvent(earlier);
      if (hasLostItsEvent && mapped.events.length > 1) {
        return settle(invalid([lostEvent]), [lostEvent], mapped.orderingKey);
      }
      const { events, orderingKey } = mapped;
      const { settledBefore, sentBefore } =
        others === undefined ? nothingBefore : compareWithOthers(row, events, orderingKey, others);
      const [settled] = settledBefore;
      if (settled !== undefined && events.length === 1) {
        return { ...settle(settled.outcome, [], orderingKey), settledBefore };
      }
      const send: PlannedRow =
        orderingKey === undefined
          ? { kind: "send", events }
          : { kind: "send", events, orderingKey };
      if (settled === undefined && sentBefore.length === 0) return send;
      return {
        ...send,
        ...(settled === undefined ? {} : { settledBefore }),
        ...(sentBefore.length === 0 ? {} : { sentBefore }),
      };
    }
  }
}

interface ComparedWithOthers {
  readonly settledBefore: readonly EventSettledBefore[];
  readonly sentBefore: readonly EventSentBefore[];
}

const nothingBefore: ComparedWithOthers = { settledBefore: [], sentBefore: [] };

/** Tells which events of a row other retries have settled, and what they sent for the others. */
function compareWithOthers(
  row: Row,
  events: readonly LoadEvent[],
  orderingKey: string | undefined,
  { find, keyOrder }: OtherRetries,
): ComparedWithOthers {
  const settledBefore: EventSettledBefore[] = [];
  const sentBefore: EventSentBefore[] = [];
  for (const event of events) {
    const before = find(row, event);
    if (before !== undefined && isSettled(before, orderingKey, keyOrder)) {
      const { results, unanswered, errorCode } = before;
      const status = before.status === "delivered" ? "succeeded" : "unknown";
      const settled: SettledBefore = { results, status, unanswered, errorCode };
      const outcome = { ...outcomeBefore(settled), event: event.index, eventId: event.id };
      settledBefore.push({ ...settled, outcome });
      continue;
    }
    if (orderingKey !== undefined) keyOrder.sends(orderingKey);
    if (before !== undefined) sentBefore.push({ ...before, event: event.index });
  }
  return { settledBefore, sentBefore };
}

function isSettled(
  { isSameEvent, status, retry }: SentBefore,
  orderingKey: string | undefined,
  keyOrder: KeyOrder,
): boolean {
  if (!isSameEvent || status === "perhaps") return false;
  if (status === "unknown" || orderingKey === undefined) return true;
  return keyOrder.leavesOut(orderingKey, retry);
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

function skipped(code: SkipCode, message: string): Outcome {
  return { status: "skipped", attempts: 0, unanswered: 0, errorCode: code, error: message };
}
