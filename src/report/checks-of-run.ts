import { type OutcomeStatus, statusOrder, wordOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import type { ReportedRun, ResultsAccount, UnreadResults } from "./reported-run.ts";

/** Numbers that come about in different places, and have to be the same. */
export interface Check {
  readonly name: string;
  readonly about: "run" | "file" | "charts";
  readonly what: string;
  readonly found: string;
  /** Absent where it is not known. */
  readonly holds: boolean | undefined;
}

/** All that has to be the same, and whether it is. */
export function checksOfRun(run: ReportedRun, found: ResultsAccount | UnreadResults): Check[] {
  return [...runChecks(run), ...fileChecks(run, found), ...chartChecks(run)];
}

function runChecks({ reconciliation, counts, exit_reason }: ReportedRun): Check[] {
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = reconciliation;
  const all = sum(Object.values(counts));
  const about = "run";
  const rows: Check = {
    name: "holds.rows",
    about,
    what: "Rows of the input = rows with an outcome + rows without",
    found: `${grouped(rows_read)} = ${grouped(rows_settled)} + ${grouped(rows_not_settled)}`,
    holds: rows_read === rows_settled + rows_not_settled,
  };
  if (exit_reason !== "complete") return [rows];
  return [
    rows,
    {
      name: "holds.written",
      about,
      what: "Rows of the input = rows that the run wrote to the results file",
      found: compared(rows_read, rows_written),
      holds: rows_read === rows_written,
    },
    {
      name: "holds.lines",
      about,
      what: "All statuses together = lines that the run wrote to the results file",
      found: compared(all, lines),
      holds: all === lines,
    },
  ];
}

/** Whether the file still is what the run wrote. */
function fileChecks(run: ReportedRun, found: ResultsAccount | UnreadResults): Check[] {
  const { lines } = run.reconciliation;
  const about = "file";
  const file = {
    name: "holds.file",
    about,
    what: "Lines that the run wrote = lines in the results file now",
  } as const;
  if ("isMissing" in found) {
    const why = found.isMissing ? "the file is not there" : found.problem;
    return [{ ...file, found: `${grouped(lines)}, and ${why}`, holds: false }];
  }
  const damage = found.problem === undefined ? "" : `, and then ${found.problem}`;
  const isWhole = lines === found.lines && found.problem === undefined;
  const checks: Check[] = [
    { ...file, found: `${compared(lines, found.lines)}${damage}`, holds: isWhole },
  ];
  if (run.exit_reason !== "complete") return checks;
  const differing = [
    ...differingEndings(run, found).map(
      (status) =>
        `${wordOf(status)}: ${grouped(run.counts[status] ?? 0)} and ${grouped(found.counts[status])}`,
    ),
    ...(found.unreadable > 0 ? [`${grouped(found.unreadable)} cannot be made out`] : []),
  ];
  checks.push({
    name: "holds.statuses",
    about,
    what: "Each status in the manifest = the same in the results file now",
    found: differing.length === 0 ? "all the same" : differing.join("; "),
    holds: differing.length === 0,
  });
  return checks;
}

function chartChecks(run: ReportedRun): Check[] {
  if (run.figures === undefined) return [];
  const drawn = linesDrawn(run);
  const ended = linesEnded(run);
  const cannotTell = drawn < ended && hasLostPart(run);
  return [
    {
      name: "holds.figures",
      about: "charts",
      what: "Lines with a status = lines in the figures over time",
      found: cannotTell
        ? `${grouped(ended)} and ${grouped(drawn)}: a part of the run was killed or met a full disk, and left no figures`
        : compared(ended, drawn),
      holds: cannotTell ? undefined : drawn === ended,
    },
  ];
}

function compared(one: number, other: number): string {
  return `${grouped(one)} ${one === other ? "=" : "≠"} ${grouped(other)}`;
}

type Account = Pick<ReportedRun, "figures" | "counts" | "attempts">;

/** Lines of the results that the figures cover. */
function linesDrawn({ figures }: Pick<Account, "figures">): number {
  if (figures === undefined) return 0;
  const { succeeded, not_succeeded, skipped } = figures.series;
  return sum(succeeded) + sum(not_succeeded) + sum(skipped);
}

/** Lines of the results that have a status. */
function linesEnded({ counts }: Pick<Account, "counts">): number {
  return sum(Object.values(counts)) - (counts.not_sent ?? 0);
}

/**
 * Whether the figures cover less than happened: a part of a run that is killed, or finds no room for its
 * manifest, leaves its outcomes and the number of its attempts in the journal, but no figures.
 */
export function hasLostPart(run: Account): boolean {
  if (run.figures === undefined) return false;
  return sum(run.figures.series.attempts) < run.attempts || linesDrawn(run) < linesEnded(run);
}

/** How the results file differs from what the run wrote, each difference a part of a sentence. */
export function compareResults(run: ReportedRun, found: ResultsAccount | UnreadResults): string[] {
  if ("isMissing" in found) return [found.isMissing ? "it is not there" : found.problem];
  const { lines } = run.reconciliation;
  return [
    ...(found.problem === undefined ? [] : [found.problem]),
    ...(found.lines === lines
      ? []
      : [`${count(found.lines, "line")} instead of ${grouped(lines)}`]),
    ...differingEndings(run, found).map(
      (status) =>
        `${grouped(found.counts[status])} ${wordOf(status)} instead of ${grouped(run.counts[status] ?? 0)}`,
    ),
    ...(found.unreadable === 0
      ? []
      : [`${count(found.unreadable, "line")} of which the status cannot be made out`]),
  ];
}

/** Statuses of which the file has more or fewer; not known for a run that stopped, as not all are in it yet. */
function differingEndings(run: ReportedRun, { counts }: ResultsAccount): OutcomeStatus[] {
  if (run.exit_reason !== "complete") return [];
  return statusOrder.filter(
    (status) => status !== "not_sent" && counts[status] !== (run.counts[status] ?? 0),
  );
}
