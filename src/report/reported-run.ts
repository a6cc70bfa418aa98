import type { Manifest } from "../model/manifest.ts";
import type { NextStep } from "../model/next-step.ts";
import { count, countWithGone, sum } from "../model/quantities.ts";
import type { CommandWords } from "../model/typed-command.ts";
import type { FailedRows } from "./failed-rows.ts";
import type { Moments } from "./moments.ts";

export interface Reported {
  /** The manifest of the account, whose files are called by their names alone. */
  readonly run: Manifest;
  /** Undefined if there are no failed rows, or they are missing. */
  readonly failed: FailedRows | undefined;
  readonly moments: Moments;
  readonly next: NextStep | undefined;
  /** How the commands of a text are typed: `npx eventload` if it was started so. */
  asTyped(text: string): string;
  /** Writes the failed rows as a workbook; undefined if they are fixed as they are. */
  readonly toFix: CommandWords | undefined;
  /** Shows the mapping beside the input; undefined if its cells fit, or the input is elsewhere. */
  readonly map: CommandWords | undefined;
  /** Names of files of the account that are missing. */
  readonly missing: readonly string[];
  /** Whether cells, keys, ids, and the messages that may quote them, are left out. */
  readonly isMasked: boolean;
}

export function ranToItsEnd({ exit_reason }: Manifest): boolean {
  return exit_reason === "complete";
}

/** Lines that did not succeed and were not skipped. */
export function notDoneOf(counts: Manifest["counts"]): number {
  const { succeeded = 0, skipped = 0 } = counts;
  return settledOf(counts) - succeeded - skipped;
}

/** How many lines have a status: rows that have not settled have none yet. */
export function settledOf(counts: Manifest["counts"]): number {
  return sum(Object.values(counts)) - (counts.not_sent ?? 0);
}

/** Whether each line is one row: then it is called so. An event of a gone key is of no row. */
export function isRowEach({ rows, counts, night }: Manifest): boolean {
  return sum(Object.values(counts)) === rows && (night?.gone ?? 0) === 0;
}

export function rowsAndGone({ rows, night }: Manifest): string {
  const { gone = 0 } = night ?? {};
  return countWithGone(rows - gone, gone);
}

/** `15 rows`; `15 lines` of the results where a row may have several. */
export function countLines(lines: number, run: Manifest): string {
  return count(lines, isRowEach(run) ? "row" : "line");
}
