import { goneEvent } from "../model/event.ts";
import { noCounts, type Outcome, type OutcomeStatus } from "../model/outcome.ts";
import type { EventRecord, Tally } from "../model/run-record.ts";

type Attempts = Pick<Outcome, "attempts" | "unanswered">;

export type RunningTally = ReturnType<typeof createTally>;

/** @param from a tally to continue; default none */
export function createTally(from?: Tally) {
  const nothing = { events: 0, perhapsTwice: 0, lines: 0, kept: 0, attempts: 0, unanswered: 0 };
  const tally = { ...nothing, ...from, counts: { ...(from?.counts ?? noCounts()) } };
  /** A line as it stands in a file of results. */
  const addLine = (
    status: OutcomeStatus,
    hasEvent: boolean,
    attempts: number,
    unanswered: number,
  ) => {
    tally.counts[status]++;
    tally.lines++;
    if (hasEvent) tally.events++;
    tally.attempts += attempts;
    tally.unanswered += unanswered;
    if (unanswered + (status === "succeeded" ? 1 : 0) > 1) tally.perhapsTwice++;
  };
  const add = (outcomes: readonly (Attempts & Pick<Outcome, "status" | "event">)[]) => {
    for (const { status, event, attempts, unanswered } of outcomes) {
      // The line of an invalid row says that it is of a gone key, but no event was made of it.
      const isEvent = event !== undefined && !(status === "invalid" && event === goneEvent);
      addLine(status, isEvent, attempts, unanswered);
    }
  };
  /** Those of an event that has no outcome yet. */
  const addAttempts = ({ attempts, unanswered }: Attempts) => {
    tally.attempts += attempts;
    tally.unanswered += unanswered;
    if (unanswered > 1) tally.perhapsTwice++;
  };
  return {
    /** Always up to date. */
    tally: tally as Tally,
    add,
    addLine,
    addAttempts,
    /** What a journal says of an event. */
    addRecord(record: EventRecord) {
      if (record.kind === "outcome") add([record.outcome]);
      else if (record.kind === "attempted") addAttempts(record);
      else addAttempts({ attempts: record.attempt, unanswered: record.unanswered + 1 });
    },
    /** Lines that stay as an earlier part wrote them. */
    keep(lines: number) {
      tally.kept += lines;
    },
    copy: (): Tally => ({ ...tally, counts: { ...tally.counts } }),
  };
}
