import { goneEvent } from "../model/event.ts";
import { noCounts, type Outcome, type OutcomeStatus } from "../model/outcome.ts";
import type { EventRecord, Tally } from "../model/run-record.ts";

/** Adds up outcomes. */
export interface RunningTally {
  /** Always up to date. */
  readonly tally: Tally;
  add(outcomes: readonly Pick<Outcome, "status" | "event" | "attempts" | "unanswered">[]): void;
  /** A line as it stands in a file of results. */
  addLine(status: OutcomeStatus, hasEvent: boolean, attempts: number, unanswered: number): void;
  /** Those of an event that has no outcome yet. */
  addAttempts(soFar: Pick<Outcome, "attempts" | "unanswered">): void;
  /** What a journal says of an event. */
  addRecord(record: EventRecord): void;
  /** Lines that stay as an earlier part wrote them. */
  keep(lines: number): void;
  copy(): Tally;
}

/** @param from a tally to continue; default none */
export function createTally(from?: Tally): RunningTally {
  const nothing = { events: 0, perhapsTwice: 0, lines: 0, kept: 0, attempts: 0, unanswered: 0 };
  const tally = { ...nothing, ...from, counts: { ...(from?.counts ?? noCounts()) } };
  const addLine: RunningTally["addLine"] = (status, hasEvent, attempts, unanswered) => {
    tally.counts[status]++;
    tally.lines++;
    if (hasEvent) tally.events++;
    tally.attempts += attempts;
    tally.unanswered += unanswered;
    if (unanswered + (status === "succeeded" ? 1 : 0) > 1) tally.perhapsTwice++;
  };
  const add: RunningTally["add"] = (outcomes) => {
    for (const { status, event, attempts, unanswered } of outcomes) {
      // The line of an invalid row says that it is of a gone key, but no event was made of it.
      const isEvent = event !== undefined && !(status === "invalid" && event === goneEvent);
      addLine(status, isEvent, attempts, unanswered);
    }
  };
  const addAttempts: RunningTally["addAttempts"] = ({ attempts, unanswered }) => {
    tally.attempts += attempts;
    tally.unanswered += unanswered;
    if (unanswered > 1) tally.perhapsTwice++;
  };
  return {
    tally,
    add,
    addLine,
    addAttempts,
    addRecord(record) {
      if (record.kind === "outcome") add([record.outcome]);
      else if (record.kind === "attempted") addAttempts(record);
      else addAttempts({ attempts: record.attempt, unanswered: record.unanswered + 1 });
    },
    keep(lines) {
      tally.kept += lines;
    },
    copy: () => ({ ...tally, counts: { ...tally.counts } }),
  };
}
