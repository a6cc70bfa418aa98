import type { Outcome } from "../domain/outcome.ts";
import type { AttemptsSoFar, Intent } from "../domain/run-record.ts";

/** Puts on record what is about to be sent and what became of it. */
export interface Recorder {
  /** @returns whether the attempt may leave: not where its intent could not be put on record */
  intend(intent: Intent): Promise<boolean>;
  /** The attempt is over, and its event has no outcome yet. */
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
}
