import type { Outcome } from "../model/outcome.ts";
import type { StopController } from "../model/stop.ts";
import { type ErrorBound, isMoreThan, maxErrorsText } from "./max-errors.ts";

/** Ends the run when more of this part of it has gone wrong than may. */
export interface ErrorLimit {
  /** A row has been read, and will be counted below. */
  read(): void;
  /** A row has ended; only what it came to in this part of the run is given. */
  ended(outcomes: readonly Outcome[]): void;
}

/** A share of fewer says little. */
const minForShare = 100;

/**
 * Counts what was rejected, failed, is unknown or invalid. What is blocked follows from these, and
 * what is skipped was not tried, so neither is counted.
 *
 * @param advice what to do, a sentence of the message
 */
export function createErrorLimit(
  maxErrors: ErrorBound | undefined,
  stop: StopController,
  advice: () => string,
): ErrorLimit {
  if (maxErrors === undefined) return { read() {}, ended() {} };
  const codes = new Map<string, number>();
  let settled = 0;
  let errors = 0;
  let rowsRead = 0;
  let rowsEnded = 0;
  /** Invalid rows whose turn has not come: the error of each, and how many rows were before it. */
  const early: { readonly outcome: Outcome; readonly rowsBefore: number }[] = [];

  const count = ({ status, errorCode = status }: Outcome) => {
    switch (status) {
      case "blocked":
      case "skipped":
      case "not_sent":
        return;
      case "succeeded":
        settled++;
        return;
      case "rejected":
      case "failed":
      case "unknown":
      case "invalid":
        settled++;
        errors++;
        codes.set(errorCode, (codes.get(errorCode) ?? 0) + 1);
        return;
      default:
        status satisfies never;
    }
  };
  const judge = () => {
    if (stop.signal.aborted) return;
    if (maxErrors.kind === "share" && settled < minForShare) return;
    if (!isMoreThan(maxErrors, errors, settled)) return;
    const [code, times] = [...codes].reduce((most, next) => (next[1] > most[1] ? next : most));
    const events = settled === 1 ? "event" : "events";
    const found = `${grouped(errors)} of ${grouped(settled)} ${events} did not succeed`;
    const allowed = `more than --max-errors ${maxErrorsText(maxErrors)} allows`;
    const message = `${found}, ${allowed}; most often ${code} (${grouped(times)}). ${advice()}`;
    stop.abort({ code: "too_many_errors", message });
  };

  return {
    read() {
      rowsRead++;
    },
    ended(outcomes) {
      const [outcome] = outcomes;
      // It is known to be invalid as soon as it is read, while those before it are still on their
      // way. In a share it counts when as many rows as were before it have ended: a reader that is
      // ahead would make it larger than it is.
      if (maxErrors.kind === "share" && outcome?.status === "invalid") {
        early.push({ outcome, rowsBefore: rowsRead - 1 });
      } else {
        rowsEnded++;
        outcomes.forEach(count);
      }
      for (let [next] = early; next !== undefined && next.rowsBefore <= rowsEnded; [next] = early) {
        early.shift();
        rowsEnded++;
        count(next.outcome);
      }
      judge();
    },
  };
}

function grouped(number: number): string {
  return number.toLocaleString("en-US");
}
