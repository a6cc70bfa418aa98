import { sum } from "../model/quantities.ts";
import type { ReportedRun } from "./reported-run.ts";

type Account = Pick<ReportedRun, "figures" | "counts" | "attempts">;

/** Lines of the results that the figures tell of. */
export function linesDrawn({ figures }: Pick<Account, "figures">): number {
  if (figures === undefined) return 0;
  const { succeeded, not_succeeded, skipped } = figures.series;
  return sum(succeeded) + sum(not_succeeded) + sum(skipped);
}

/** Lines of the results that have a status. */
export function linesEnded({ counts }: Pick<Account, "counts">): number {
  return sum(Object.values(counts)) - (counts.not_sent ?? 0);
}

/**
 * Whether the figures tell of less than happened: a part of a run that is killed leaves its outcomes
 * and the number of its attempts in the journal, but no figures.
 */
export function hasLostPart(run: Account): boolean {
  if (run.figures === undefined) return false;
  return sum(run.figures.series.attempts) < run.attempts || linesDrawn(run) < linesEnded(run);
}
