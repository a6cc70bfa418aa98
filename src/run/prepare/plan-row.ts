import { isDeepStrictEqual } from "node:util";
import { goneEvent, type LoadEvent, type MappedRow } from "../../model/event.ts";
import {
  type EventStatus,
  holdsBackKey,
  holdsBackRow,
  type OnKeyFailure,
  type Outcome,
} from "../../model/outcome.ts";
import {
  type AccountLine,
  problemText,
  type Row,
  type RowLine,
  type RowProblem,
} from "../../model/row.ts";
import type { BoundMapping } from "./read-mapping.ts";

export interface PlannedRow {
  readonly events: readonly LoadEvent[];
  readonly problems: readonly RowProblem[];
  /** None where each event has one, with the cells of the row. */
  readonly lines: readonly RowLine[];
  readonly orderingKey?: string | undefined;
}

const noneOfRow: readonly never[] = [];

type Mapping = Pick<BoundMapping, "mapRow" | "onKeyFailure">;

/** Decides what a row gives: the events of the mapping or, of a row that is retried, those that are to be sent. */
export function planRow(row: Row, mapping: Mapping): PlannedRow {
  if (row.lines !== undefined) return planLines(row, row.lines, mapping);
  const mapped = mapping.mapRow(row);
  const { orderingKey } = mapped;
  switch (mapped.kind) {
    case "events":
      return { events: mapped.events, problems: noneOfRow, lines: noneOfRow, orderingKey };
    case "skipped": {
      const lines = [settled(row, skipped(mapped.code, mapped.message))];
      return { events: noneOfRow, problems: noneOfRow, lines, orderingKey };
    }
    case "invalid": {
      // Otherwise a retry would take it for a row of the input, whose events bring the key back.
      const event = row.isGone ? goneEvent : undefined;
      const lines = [settled(row, { ...invalidRow(mapped.problems), event })];
      return { events: noneOfRow, problems: mapped.problems, lines, orderingKey };
    }
    default:
      return mapped satisfies never;
  }
}

/**
 * Decides what becomes of a row that is retried, from the lines that the account has of it. If no event of it has
 * succeeded and all of it is sent, it may give other events than before, but has to keep those that may have arrived.
 * Otherwise each line stands for the event that it was written for.
 */
function planLines(
  row: Row,
  lines: readonly AccountLine[],
  { mapRow, onKeyFailure }: Mapping,
): PlannedRow {
  const mapped = lines.map(({ use, cells }) =>
    use === "send" ? mapRow({ ...row, cells }) : undefined,
  );
  const held = lines.map((line, at) => {
    // What cannot be mapped waits for nothing: it stays invalid, and says why.
    const isToBeSent = mapped[at] !== undefined && mapped[at].kind !== "invalid";
    return isToBeSent ? whyNotSent(line, at, lines, onKeyFailure) : undefined;
  });
  const sent = lines.filter(({ use }, at) => use === "send" && held[at] === undefined);
  const [first] = sent;
  const now = first && mapped[lines.indexOf(first)];
  const keys = mapped.map((one, at) => (held[at] === undefined ? one?.orderingKey : undefined));
  const orderingKey = keys.find((key) => key !== undefined);
  const mayLackLines = row.mayLackLines === true && first?.event !== undefined;
  const isAsBefore = (given: MappedRow) =>
    given.kind === "events" &&
    (mayLackLines || given.events.length === lines.length) &&
    lines.every(({ event }) => given.events.some(({ index }) => index === event));
  const isWhole = sent.length === lines.length;
  const areAlike = isWhole && sent.every(({ cells }) => isDeepStrictEqual(cells, first?.cells));
  const mayChange = areAlike && !mayLackLines && now?.kind === "events" && !isAsBefore(now);
  if (mayChange && hasAllThatMayHaveArrived(now.events, lines)) {
    return { events: now.events, problems: noneOfRow, lines: noneOfRow, orderingKey };
  }

  const events: LoadEvent[] = [];
  const problems: RowProblem[] = [];
  let isHeld = false;
  const planned = lines.map((line, at): RowLine => {
    const { cells, use } = line;
    const settle = (outcome: Outcome): RowLine => {
      const { event = outcome.event, attempts, unanswered } = line;
      const { eventId = line.eventId } = outcome;
      return settled(line, { ...outcome, event, eventId, attempts, unanswered });
    };
    const given = mapped[at];
    if (use === "skip") return settle(skipped("by_hand", "set to skipped by hand"));
    if (given === undefined) return { kind: "kept", text: line.text ?? "" };
    if (held[at] !== undefined) return settle(held[at]);
    if (isHeld && given.kind !== "invalid") return settle(blockedByUnsent(ofRow));
    const event = isAsBefore(given) && eventsOfMapped(given).find((one) => isSameEvent(one, line));
    if (event) return { kind: "sent", cells, place: events.push(event) - 1 };
    if (given.kind === "skipped" && isWhole) return settle(skipped(given.code, given.message));
    const found = given.kind === "invalid" ? given.problems : [otherEvents(lines.length, given)];
    problems.push(...found);
    isHeld = holdsBackKey("invalid", onKeyFailure);
    return settle(invalidRow(found));
  });
  return { events, problems, lines: planned, orderingKey };
}

export function settled({ cells }: Pick<Row, "cells">, outcome: Outcome): RowLine {
  return { kind: "settled", cells, outcome };
}

function eventsOfMapped(mapped: MappedRow): readonly LoadEvent[] {
  return mapped.kind === "events" ? mapped.events : [];
}

/** Why a line that is to be sent is not, in the order of its row and its key. */
function whyNotSent(
  line: AccountLine,
  at: number,
  lines: readonly AccountLine[],
  onKeyFailure: OnKeyFailure,
): Outcome | undefined {
  const [before, behind] = [lines.slice(0, at), lines.slice(at + 1)];
  if (behind.some((other) => other.use === "keep" && mayHaveArrived(other))) {
    return superseded(line, "a later event of its row");
  }
  if (
    before.some((other) => other.use === "keep" && holdsBack(other, holdsBackRow, onKeyFailure))
  ) {
    return blockedByUnsent(ofRow);
  }
  const { blockedBy, supersededBy } = line;
  if (blockedBy !== undefined) return blockedByUnsent(ofSameKey(blockedBy));
  return supersededBy === undefined ? undefined : superseded(line, ofSameKey(supersededBy));
}

interface Known extends Pick<AccountLine, "unanswered"> {
  readonly status?: EventStatus | undefined;
}

/** Whether the service has the event of a line, or may have it. */
export function mayHaveArrived({ status, unanswered }: Known): boolean {
  return status === "succeeded" || status === "unknown" || unanswered > 0;
}

/** Whether a line that is not sent holds back others. A blocked event waits for one before it, and those behind it for both. */
export function holdsBack(
  { status = "failed" }: Pick<Known, "status">,
  within: typeof holdsBackKey,
  onKeyFailure: OnKeyFailure,
): boolean {
  return status === "blocked" || within(status, onKeyFailure);
}

/** An event that vanished from the account could come back later, and arrive twice without a word. */
function hasAllThatMayHaveArrived(
  events: readonly LoadEvent[],
  lines: readonly AccountLine[],
): boolean {
  return lines.every(
    (line) => line.unanswered === 0 || events.some((event) => isSameEvent(event, line)),
  );
}

/** An event that may have arrived has to say what it said, if that is known; a rejected one left nothing. */
function isSameEvent({ index, id }: LoadEvent, line: AccountLine): boolean {
  const { unanswered, status, eventId } = line;
  const mayChange = unanswered === 0 || status === "rejected" || eventId === "";
  return index === line.event && (mayChange || id === eventId);
}

function otherEvents(before: number, now: MappedRow): RowProblem {
  const number = now.kind === "events" ? now.events.length : 0;
  const gave = `gave ${before === 1 ? "1 event" : `${before} events`} and gives ${number} now`;
  return {
    code: "other_events",
    message: `the row ${before === number ? "gives another event now" : gave}, and a part of it is done, may have arrived, or is not selected: put its cells back, set the line to skipped, or import the row in a file of its own`,
  };
}

function superseded({ status, httpStatus }: AccountLine, later: string): Outcome {
  const why = `not sent, because ${later} has arrived, or may have: set it to skipped, or import it in a file of its own`;
  return { ...unsent(status ?? "failed", "superseded", why), httpStatus };
}

function blockedByUnsent(earlier: string): Outcome {
  const why = `blocked, because ${earlier} is open and was not sent before it`;
  return unsent("blocked", "blocked", why);
}

const ofRow = "an earlier event of its row";

function ofSameKey(row: number): string {
  return `row ${row} of the same ordering key`;
}

function invalidRow(problems: readonly RowProblem[]): Outcome {
  const eventId = problems.find((problem) => problem.mark !== undefined)?.mark;
  const why = problems.map(problemText).join("; ");
  return { ...unsent("invalid", problems[0]?.code ?? "", why), eventId };
}

function skipped(code: string, message: string): Outcome {
  return unsent("skipped", code, message);
}

/** Of an event that is not sent, or a row that gives none. */
export function unsent(status: Outcome["status"], errorCode: string, error: string): Outcome {
  return { status, attempts: 0, unanswered: 0, errorCode, error };
}
