import { goneEvent } from "../model/event.ts";
import { noCounts, type Outcome, type OutcomeStatus, type StatusCounts } from "../model/outcome.ts";

/** What lines add up to. */
export interface Tally {
  readonly counts: Readonly<StatusCounts>;
  readonly lines: number;
  readonly events: number;
  /** Events of which more than one attempt may have arrived. */
  readonly perhapsTwice: number;
  readonly attempts: number;
  readonly unanswered: number;
}

export function createTally() {
  const tally = {
    counts: noCounts(),
    ...{ lines: 0, events: 0, perhapsTwice: 0, attempts: 0, unanswered: 0 },
  };
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
  return {
    /** Always up to date. */
    tally: tally as Tally,
    addLine,
    add({ status, event, attempts, unanswered }: Outcome) {
      // The line of an invalid row says that it is of a gone key, but no event was made of it.
      const isEvent = event !== undefined && !(status === "invalid" && event === goneEvent);
      addLine(status, isEvent, attempts, unanswered);
    },
    /** The same with the attempts of events that have no outcome yet. */
    withOpen(open: Iterable<Pick<Outcome, "attempts" | "unanswered">>): Tally {
      const all = { ...tally, counts: { ...tally.counts } };
      for (const { attempts, unanswered } of open) {
        all.attempts += attempts;
        all.unanswered += unanswered;
        if (unanswered > 1) all.perhapsTwice++;
      }
      return all;
    },
  };
}
