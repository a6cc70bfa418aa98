import { goneEvent } from "../model/event.ts";
import { noCounts, type Outcome } from "../model/outcome.ts";
import type { Tally } from "../model/run-record.ts";

/** Adds up outcomes. */
export interface RunningTally {
  /** Always up to date. */
  readonly tally: Required<Tally>;
  add(outcomes: readonly Pick<Outcome, "status" | "event" | "attempts" | "unanswered">[]): void;
  copy(): Tally;
}

/** @param from a tally to continue; default none */
export function createTally(from?: Tally): RunningTally {
  const nothing = { events: 0, perhapsTwice: 0, lines: 0, attempts: 0 };
  const start = { ...nothing, unanswered: 0, ...from };
  const tally = { ...start, counts: { ...(from?.counts ?? noCounts()) } };
  return {
    tally,
    add(outcomes) {
      for (const { status, event, attempts, unanswered } of outcomes) {
        tally.counts[status]++;
        tally.lines++;
        // The line of an invalid row says that it is of a gone key, but no event was made of it.
        const isEvent = event !== undefined && !(status === "invalid" && event === goneEvent);
        if (isEvent) tally.events++;
        tally.attempts += attempts;
        tally.unanswered += unanswered;
        if (unanswered + (status === "succeeded" ? 1 : 0) > 1) tally.perhapsTwice++;
      }
    },
    copy: () => ({ ...tally, counts: { ...tally.counts } }),
  };
}
