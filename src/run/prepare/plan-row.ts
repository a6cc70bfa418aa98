import { goneEvent, type LoadEvent, type MappedRow } from "../../model/event.ts";
import { holdsBackKey, type Outcome } from "../../model/outcome.ts";
import type { RowLine } from "../../model/pending-row.ts";
import { type AccountLine, problemText, type Row, type RowProblem } from "../../model/row.ts";
import type { BoundMapping } from "./read-mapping.ts";

/** What is to be done with a row. */
export interface PlannedRow {
  /** What is sent. */
  readonly events: readonly LoadEvent[];
  /** Why the row, or a line of it, is invalid. */
  readonly problems: readonly RowProblem[];
  /** What is known without sending anything. */
  readonly outcomes: readonly Outcome[];
  readonly orderingKey?: string | undefined;
  /** All lines of a row that is retried, in the order of its events. */
  readonly lines?: readonly RowLine[];
}

type Mapping = Pick<BoundMapping, "mapRow" | "onKeyFailure">;

/** Decides what a row gives: the events of the mapping or, of a row that is retried, those that are to be sent. */
export function planRow(row: Row, mapping: Mapping): PlannedRow {
  if (row.lines !== undefined) return planLines(row, row.lines, mapping);
  const mapped = mapping.mapRow(row);
  const { orderingKey } = mapped;
  switch (mapped.kind) {
    case "events":
      return { events: mapped.events, problems: [], outcomes: [], orderingKey };
    case "skipped":
      return {
        events: [],
        problems: [],
        orderingKey,
        outcomes: [skipped(mapped.code, mapped.message)],
      };
    case "invalid": {
      // Otherwise a retry would take it for a row of the input, whose events bring the key back.
      const event = row.isGone ? { event: goneEvent } : {};
      const outcomes = [{ ...invalid(mapped.problems), ...event }];
      return { events: [], problems: mapped.problems, outcomes, orderingKey };
    }
    default:
      return mapped satisfies never;
  }
}

/**
 * Plans a row that is retried, from the lines that the account has of it. If no event of it has succeeded and all of
 * it is sent, it may give other events than before, but has to keep those that may have arrived. Otherwise each line
 * stands for the event that it was written for.
 */
function planLines(
  row: Row,
  lines: readonly AccountLine[],
  { mapRow, onKeyFailure }: Mapping,
): PlannedRow {
  const sent = lines.filter(({ use }) => use === "send");
  const [first] = sent;
  const mapped = new Map(sent.map((line) => [line, mapRow({ ...row, cells: line.cells })]));
  const mayLackLines = row.mayLackLines === true && first?.event !== undefined;
  const isAsBefore = (now: MappedRow | undefined) =>
    now?.kind === "events" &&
    (mayLackLines || now.events.length === lines.length) &&
    lines.every(({ event }) => now.events.some(({ index }) => index === event));
  const isWhole = first !== undefined && sent.length === lines.length;
  if (isWhole && !mayLackLines && sent.every(({ cells }) => areSame(cells, first.cells))) {
    const now = mapped.get(first);
    if (now?.kind === "events" && !isAsBefore(now) && hasAllThatMayHaveArrived(now.events, lines)) {
      const { events, orderingKey } = now;
      const made = events.map(({ index: event }) => ({ kind: "sent", cells: first.cells, event }));
      return { events, problems: [], outcomes: [], orderingKey, lines: made as RowLine[] };
    }
  }

  const events: LoadEvent[] = [];
  const problems: RowProblem[] = [];
  const outcomes: Outcome[] = [];
  let orderingKey: string | undefined;
  let isHeld = false;
  const planned = lines.map((line): RowLine => {
    const { cells, use } = line;
    const settle = (outcome: Outcome): RowLine => {
      const { event, eventId, attempts, unanswered } = line;
      const own = event === undefined ? {} : { event };
      const settled = { ...outcome, ...own, attempts, unanswered };
      const known = settled.eventId === undefined ? { ...settled, eventId } : settled;
      outcomes.push(known);
      return { kind: "settled", cells, outcome: known };
    };
    switch (use) {
      case "keep":
        return { kind: "kept", text: line.text ?? "" };
      case "skip":
        return settle(skipped("by_hand", "set to skipped by hand"));
      case "superseded":
        return settle(superseded(line, row.row));
      case "blocked":
        return settle(blocked(line, row.row));
      case "send":
        break;
      default:
        use satisfies never;
    }
    const now = mapped.get(line) as MappedRow;
    orderingKey ??= now.orderingKey;
    if (isHeld && now.kind !== "invalid") {
      return settle(blocked({ because: row.row }, row.row));
    }
    const event =
      now.kind === "events" && isAsBefore(now)
        ? now.events.find(({ index }) => index === line.event)
        : undefined;
    if (event !== undefined) {
      events.push(event);
      return { kind: "sent", cells, event: event.index };
    }
    if (now.kind === "skipped" && isWhole) return settle(skipped(now.code, now.message));
    const found = now.kind === "invalid" ? now.problems : [otherEvents(lines.length, now)];
    problems.push(...found);
    isHeld = holdsBackKey("invalid", onKeyFailure);
    return settle(invalid(found));
  });
  return { events, problems, outcomes, orderingKey, lines: planned };
}

/** An event that vanished from the account could come back later, and arrive twice without a word. */
function hasAllThatMayHaveArrived(
  events: readonly LoadEvent[],
  lines: readonly AccountLine[],
): boolean {
  return lines.every(
    ({ unanswered, event }) => unanswered === 0 || events.some(({ index }) => index === event),
  );
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.every((cell, at) => cell === other[at]);
}

function otherEvents(before: number, now: MappedRow): RowProblem {
  const number = now.kind === "events" ? now.events.length : 0;
  return {
    code: "other_events",
    message: `the row gave ${before === 1 ? "1 event" : `${before} events`} and gives ${number} now, and a part of it is done, may have arrived, or is not selected: put its cells back, set the line to skipped, or import the row in a file of its own`,
  };
}

function superseded({ status, httpStatus, because }: AccountLine, row: number): Outcome {
  const later = because === row ? "a later event of its row" : ofSameKey(because);
  const why = `not sent, because ${later} has arrived, or may have: set it to skipped, or import it in a file of its own`;
  const before = httpStatus === undefined ? {} : { httpStatus };
  return { ...unsent(status ?? "failed", "superseded", why), ...before };
}

function blocked({ because }: Pick<AccountLine, "because">, row: number): Outcome {
  const earlier = because === row ? "an earlier event of its row" : ofSameKey(because);
  const why = `blocked, because ${earlier} is open and was not sent before it`;
  return unsent("blocked", "blocked", why);
}

function ofSameKey(row: number | undefined): string {
  return `row ${row} of the same ordering key`;
}

function invalid(problems: readonly RowProblem[]): Outcome {
  const mark = problems.find((problem) => problem.mark !== undefined)?.mark;
  const why = problems.map(problemText).join("; ");
  const outcome = unsent("invalid", problems[0]?.code ?? "", why);
  return mark === undefined ? outcome : { ...outcome, eventId: mark };
}

function skipped(code: string, message: string): Outcome {
  return unsent("skipped", code, message);
}

/** Of an event that is not sent, or a row that gives none. */
export function unsent(status: Outcome["status"], errorCode: string, error: string): Outcome {
  return { status, attempts: 0, unanswered: 0, errorCode, error };
}
