import type { Clock } from "../delivery/clock.ts";
import type { PauseReason } from "../delivery/notice.ts";
import { isDone } from "../domain/outcome.ts";
import type { ImportProgress, SendProgress } from "../import-options.ts";
import { count, grouped } from "./summary.ts";

/** A piece of the progress line. */
export interface ProgressPart {
  readonly long: string;
  /** The same for a narrow terminal. */
  readonly short: string;
  /** 1 goes last when there is no room. */
  readonly importance: number;
  /** Means nothing any more when the run has ended. */
  readonly isPassing?: true;
}

export interface ProgressDescription {
  readonly phase: string;
  /** From 0 to 1; nothing where the end is not known. */
  readonly share: number | undefined;
  /** In the order in which they stand. */
  readonly parts: readonly ProgressPart[];
}

/** Puts progress into words. It watches the time, so one describer is for one run. */
export function describeProgress(
  clock: Pick<Clock, "now">,
): (progress: ImportProgress) => ProgressDescription {
  let begun: { readonly atMs: number; readonly rows: number } | undefined;
  return (progress) => {
    switch (progress.phase) {
      case "baseline":
      case "check": {
        const { rows, invalidRows, bytesRead, totalBytes } = progress;
        return {
          phase: progress.phase === "check" ? "checking" : "comparing",
          share: shareOf(bytesRead, totalBytes),
          parts: [
            { long: count(rows, "row"), short: count(rows, "row"), importance: 1 },
            ...(invalidRows === 0 ? [] : [alike(`${grouped(invalidRows)} invalid`, 2)]),
          ],
        };
      }
      case "send": {
        // A run that goes on where it was has rows that ended long before.
        begun ??= { atMs: clock.now(), rows: progress.rowsEnded };
        const seconds = (clock.now() - begun.atMs) / 1000;
        const rate = seconds > 0 ? (progress.rowsEnded - begun.rows) / seconds : 0;
        return {
          phase: "sending",
          share: shareOf(progress.rowsEnded, progress.rowsTotal),
          parts: partsOf(progress, rate),
        };
      }
    }
  };
}

function partsOf(progress: SendProgress, rate: number): ProgressPart[] {
  const { counts, rowsEnded: done, rowsTotal: total, inFlight, pausedForMs } = progress;
  let notSucceeded = 0;
  for (const [ending, number] of Object.entries(counts)) {
    if (!isDone(ending as keyof typeof counts)) notSucceeded += number;
  }
  const isPassing = true;
  const parts: ProgressPart[] = [
    {
      long: total === undefined ? count(done, "row") : `${grouped(done)} of ${count(total, "row")}`,
      short: total === undefined ? grouped(done) : `${grouped(done)}/${grouped(total)}`,
      importance: 1,
    },
    alike(`${grouped(Math.round(rate))}/s`, 2),
    alike(`${grouped(counts.succeeded)} succeeded`, 6),
    { ...alike(`${grouped(notSucceeded)} not`, 3), long: `${grouped(notSucceeded)} did not` },
    { ...alike(`${inFlight} in flight`, 5), isPassing },
  ];
  const { pausedBecause } = progress;
  if (pausedBecause !== undefined) {
    const wait = `${grouped(Math.ceil(pausedForMs / 1000))} s`;
    const long = `${pauses[pausedBecause]} ${wait}`;
    return [...parts, { long, short: `waits ${wait}`, importance: 4, isPassing }];
  }
  if (total === undefined || done >= total) return parts;
  const [long, short] = timeLeft((total - done) / rate);
  return [...parts, { long: `ETA ${long}`, short: `ETA ${short}`, importance: 4, isPassing }];
}

const pauses: Record<PauseReason, string> = {
  asked: "service asked to wait,",
  outage: "paused: service unavailable, next probe in",
  retry_budget: "paused: too much to repeat, next probe in",
};

function alike(text: string, importance: number): ProgressPart {
  return { long: text, short: text, importance };
}

function shareOf(done: number, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total === 0 ? 1 : Math.min(1, done / total);
}

const mostHours = 999;

/** `42 s`, `3 min 20 s`, `2 h 5 min`, and in short. What nobody can tell is unknown. */
function timeLeft(exactly: number): [long: string, short: string] {
  const seconds = Math.ceil(exactly);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (!Number.isFinite(seconds) || hours > mostHours) return ["unknown", "unknown"];
  if (minutes === 0) return [`${seconds} s`, `${seconds} s`];
  if (hours === 0) return [`${minutes} min ${seconds % 60} s`, `${minutes} min`];
  return [`${hours} h ${minutes % 60} min`, `${hours} h`];
}
