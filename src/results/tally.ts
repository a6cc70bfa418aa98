import { goneEvent } from "../model/event.ts";
import { noCounts, type Outcome, type StatusCounts } from "../model/outcome.ts";

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
  return {
    /** Always up to date. */
    tally: tally as Tally,
    add(line: Pick<Outcome, "status" | "event" | "attempts" | "unanswered">) {
      const { status, event, attempts, unanswered } = line;
      tally.counts[status]++;
      tally.lines++;
      // The line of an invalid row says that it is of a gone key, but no event was made of it.
      if (event !== undefined && !(status === "invalid" && event === goneEvent)) tally.events++;
      tally.attempts += attempts;
      tally.unanswered += unanswered;
      if (unanswered + (status === "succeeded" ? 1 : 0) > 1) tally.perhapsTwice++;
    },
    /** The tally with the attempts of events that have no outcome yet. */
    withUnsettled(unsettled: Iterable<Pick<Outcome, "attempts" | "unanswered">>): Tally {
      const all = { ...tally, counts: { ...tally.counts } };
      for (const { attempts, unanswered } of unsettled) {
        all.attempts += attempts;
        all.unanswered += unanswered;
        if (unanswered > 1) all.perhapsTwice++;
      }
      return all;
    },
  };
}
