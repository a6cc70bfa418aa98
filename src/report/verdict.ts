import { lastPart, type Manifest, type ManifestPart } from "../model/manifest.ts";
import { count, duration, grouped, rowsOrUnknown, sum } from "../model/quantities.ts";
import { nameOfIncident } from "./incidents.ts";
import {
  countLines,
  isRowEach,
  notDoneOf,
  type Reported,
  ranToItsEnd,
  rowsAndGone,
  settledOf,
} from "./reported-run.ts";

/** How an import went: its story in a few sentences. */
export interface Verdict {
  readonly kind: "delivered" | "open" | "stopped" | "not_reconciled";
  readonly headline: string;
  /** What became of lines that did not succeed, and what an outage cost. */
  readonly story: string;
  readonly when: string;
  /** What else a reader has to know. */
  readonly remarks: readonly string[];
}

export function verdictOf(reported: Reported): Verdict {
  const { run, missing, isMasked } = reported;
  // That of a close has the rows that were never begun.
  const message = isMasked ? null : run.message;
  const lacking = message === null ? run.never_begun : undefined;
  const remarks = [
    ...(message === null ? [] : [message]),
    ...(lacking === undefined ? [] : [`${neverBegun}: ${rowsOrUnknown(lacking)}.`]),
    ...(run.perhaps_twice === 0 ? [] : [`${count(run.perhaps_twice, "event")} ${perhapsTwice}`]),
    ...(run.failed_rows !== null && missing.includes(run.failed_rows) ? [failedRowsGone] : []),
    ...(reported.failed?.isEdited === true ? [`${run.failed_rows} was edited since.`] : []),
  ];
  const common = { story: storyOf(run), when: whenOf(reported), remarks };
  if (run.exit_reason === "not_reconciled" || (ranToItsEnd(run) && !run.reconciliation.adds_up)) {
    const headline = "The counts do not reconcile: do not rely on them.";
    return { kind: "not_reconciled", headline, ...common };
  }
  if (!ranToItsEnd(run)) return { kind: "stopped", headline: stopped(run), ...common };
  const kind = notDoneOf(run.counts) === 0 ? "delivered" : "open";
  return { kind, headline: outcomes(run), ...common };
}

/** `289 of 401 rows delivered, 112 still open`, `All 401 rows delivered` */
function outcomes(run: Manifest): string {
  const { rows, counts } = run;
  const { succeeded = 0, skipped = 0 } = counts;
  const notDone = notDoneOf(counts);
  if (settledOf(counts) === 0) return "Nothing had to be sent";
  const isOf = isRowEach(run);
  const all = isOf ? count(rows, "row") : `${count(succeeded, "event")} of ${rowsAndGone(run)}`;
  const isAll = notDone === 0 && skipped === 0 && ranToItsEnd(run);
  const head = isOf && !isAll ? `${grouped(succeeded)} of ${all}` : all;
  return [
    `${isAll && (!isOf || rows > 1) ? `All ${head}` : head} delivered`,
    ...(notDone === 0 ? [] : [`${isOf ? grouped(notDone) : count(notDone, "line")} still open`]),
    ...(skipped === 0 ? [] : [`${grouped(skipped)} left out`]),
  ].join(", ");
}

function stopped(run: Manifest): string {
  const { not_sent: left = 0 } = run.counts;
  if (left > 0) return `Stopped with ${grouped(left)} of ${count(run.rows, "row")} to go`;
  const isRetry = (run.parts.at(-1)?.part ?? 1) > 1;
  return `${isRetry ? "A retry stopped: " : "Ended early: "}${outcomes(run)}`;
}

function storyOf(run: Manifest): string {
  const { counts, unchanged_rows: unchanged = 0 } = run;
  const { succeeded = 0, invalid = 0, rejected = 0, failed = 0, unknown = 0, blocked = 0 } = counts;
  const isSoFar = !ranToItsEnd(run) && settledOf(counts) > 0;
  const verb = (lines: number, one: string, several: string) => (lines === 1 ? one : several);
  const sentences: [number, string][] = [
    [Number(isSoFar), `${grouped(succeeded)} delivered so far.`],
    [
      invalid,
      `${countLines(invalid, run)} ${verb(invalid, "was not sent, because its", "were not sent, because their")} cells do not fit the mapping.`,
    ],
    [rejected, `The service refused ${grouped(rejected)}.`],
    [failed, `${grouped(failed)} failed in every attempt.`],
    [unknown, `${grouped(unknown)} may have arrived: no answer came.`],
    [blocked, `${grouped(blocked)} ${verb(blocked, "waits", "wait")} for another event.`],
    [unchanged, `${count(unchanged, "row")} had not changed.`],
  ];
  const told = sentences.filter(([lines]) => lines > 0).map(([, sentence]) => sentence);
  return [...told, ...outageIn(run)].join(" ") || "Nothing is left to do.";
}

function outageIn({ figures, counts, perhaps_twice: twice, exit_reason: why }: Manifest): string[] {
  const outages = (figures?.pauses.longest ?? []).filter(({ reason }) => reason === "outage");
  const durationMs = sum(outages.map(({ duration_ms: ms }) => ms));
  // A shorter one is some requests in a row that failed: no news for a verdict.
  if (durationMs < 1000) return [];
  const name = nameOfIncident({ reason: "outage", count: outages.length, durationMs });
  const { failed = 0, unknown = 0 } = counts;
  const isFree = failed + unknown + twice === 0;
  const comma = outages.length > 1 ? "," : "";
  const cost = isFree ? "cost nothing" : "got in the way";
  return [`${name}${comma} ${why === "outage" ? "stopped the run" : cost}.`];
}

/** `24 Nov 2026, 02:10:03 to 02:10:17 (01:10:03 to 01:10:17 UTC), in 2 parts` */
function whenOf({ run, moments }: Reported): string {
  const { parts, started_at: from, finished_at: to } = run;
  const last = lastPart(parts);
  const how = last > 1 ? `${last} parts` : `${duration(run.elapsed_ms)} of sending`;
  return `${moments.day(from)}, ${moments.span(from, to, from)}, in ${how}`;
}

/** What an import, a resume or a retry was, and how it ended, where that is not as usual. */
export function nameOfPart({
  command,
  exit_reason: reason,
  finished_at: end,
}: ManifestPart): string {
  if (end === null) return `${command}, killed`;
  const isWhole = reason === null || reason === "complete";
  return isWhole ? command : `${command}, stopped (${reason.replaceAll("_", " ")})`;
}

const perhapsTwice =
  "may have arrived twice, after an attempt that was never answered: in the results, import_unanswered says which.";

const neverBegun = "Never begun, as the account was closed before";

const failedRowsGone =
  "The file of the failed rows is missing. Retry the results instead: they have the same lines.";
