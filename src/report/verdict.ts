import type { Manifest, ManifestPart } from "../model/manifest.ts";
import { count, duration, grouped, sum } from "../model/quantities.ts";
import { nameOfIncident } from "./incidents.ts";
import { isUtc } from "./moments.ts";
import { isComplete, openOf, type Reported, settledOf } from "./reported-run.ts";

/** How an import went: its story in a few sentences. */
export interface Verdict {
  readonly kind: "delivered" | "open" | "stopped" | "not_reconciled";
  /** Its colour and size. */
  readonly look: "good" | "few" | "many" | "bad";
  readonly headline: string;
  /** How and when it was done. */
  readonly story: string;
  /** What else a reader has to know. */
  readonly remarks: readonly string[];
}

/** So many open lines of all are few. */
const few = 0.01;

export function verdictOf(reported: Reported): Verdict {
  const { run, missing, damage, isMasked } = reported;
  const open = openOf(run.counts);
  const remarks = [
    ...(damage === undefined ? [] : [damage]),
    ...(run.message === null || isMasked ? [] : [run.message]),
    ...(run.never_begun === undefined ? [] : [`${count(run.never_begun, "row")} ${neverBegun}`]),
    ...(run.perhaps_twice === 0 ? [] : [`${count(run.perhaps_twice, "event")} ${perhapsTwice}`]),
    ...(run.failed_rows !== null && missing.includes(run.failed_rows) ? [failedRowsGone] : []),
    ...(reported.failed?.isEdited === true ? [`${run.failed_rows} was edited since.`] : []),
  ];
  const common = { story: storyOf(reported), remarks };
  if (run.exit_reason === "not_reconciled" || (isComplete(run) && !run.reconciliation.adds_up)) {
    const headline = "The counts do not reconcile: do not rely on them.";
    return { kind: "not_reconciled", look: "bad", headline, ...common };
  }
  if (!isComplete(run)) {
    return { kind: "stopped", look: "bad", headline: stopped(run), ...common };
  }
  const headline = `${subject(run)}: ${outcomes(run.counts)}${outageIn(reported)}.`;
  if (open === 0) return { kind: "delivered", look: "good", headline, ...common };
  const look = open <= few * settledOf(run.counts) ? "few" : "many";
  return { kind: "open", look, headline, ...common };
}

/** `50,000 rows`, or `50,000 rows, 61,000 events` where that is not the same. */
function subject({ rows, events, counts }: Manifest): string {
  const isRowEach = settledOf(counts) === rows;
  return isRowEach ? count(rows, "row") : `${count(rows, "row")}, ${count(events, "event")}`;
}

/** `49,999 delivered, 1 open` */
function outcomes(counts: Manifest["counts"], isSoFar = false): string {
  const { succeeded = 0, skipped = 0 } = counts;
  const open = openOf(counts);
  if (settledOf(counts) === 0) return "nothing to send";
  if (open === 0 && skipped === 0 && !isSoFar) {
    return succeeded === 1 ? "delivered" : "all delivered";
  }
  return [
    `${grouped(succeeded)} delivered`,
    ...(open === 0 ? [] : [`${grouped(open)} open`]),
    ...(skipped === 0 ? [] : [`${grouped(skipped)} left out`]),
  ].join(", ");
}

function stopped(run: Manifest): string {
  const { not_sent: left = 0 } = run.counts;
  const isRetry = (run.parts.at(-1)?.part ?? 1) > 1;
  if (left > 0) return `Stopped with ${grouped(left)} of ${count(run.rows, "row")} to go.`;
  const which = isRetry ? "A retry stopped. Before it, " : "Ended early. ";
  return `${which}${subject(run)}: ${outcomes(run.counts)}.`;
}

/** When it was done, in local time and in UTC, and in how many parts. */
function storyOf({ run, moments }: Reported): string {
  const { parts, started_at: from, finished_at: to, unchanged_rows: unchanged = 0 } = run;
  const verb = isComplete(run) ? "Done" : `Stopped (${reasonIn(run.exit_reason)}) after`;
  const parted = parts.length > 1 ? count(parts.length, "part") : duration(run.elapsed_ms);
  const how = isComplete(run) ? `in ${parted}` : parted;
  const zone = isUtc(moments.zone) ? "" : ` Local time is ${moments.zone}.`;
  const night = unchanged === 0 ? "" : ` ${count(unchanged, "row")} had not changed.`;
  const isSoFar = !isComplete(run) && settledOf(run.counts) > 0;
  const soFar = isSoFar ? `${outcomes(run.counts, true)} so far. ` : "";
  const when = `${moments.day(from)}, ${moments.span(from, to, from)}`;
  return `${soFar}${verb} ${how}, ${when}.${zone}${night}`;
}

function reasonIn(exitReason: string): string {
  return exitReason.replaceAll("_", " ");
}

export function whatPartDid({
  command,
  exit_reason: reason,
  finished_at,
  counts,
}: ManifestPart): string {
  const stopped =
    reason === null || reason === "complete" ? "" : `; then it stopped (${reasonIn(reason)})`;
  const end = finished_at === null ? "; then it was killed" : stopped;
  return `${command}: ${outcomes(counts)}${end}`;
}

/** What an outage cost, as the end of the headline. */
function outageIn({ run }: Reported): string {
  const pauses = run.figures?.pauses.longest ?? [];
  const outages = pauses.filter(({ reason }) => reason === "outage");
  const durationMs = sum(outages.map(({ duration_ms: ms }) => ms));
  // A shorter one is some requests in a row that failed: no news for a headline.
  if (durationMs < 1000) return "";
  const name = nameOfIncident({ reason: "outage", count: outages.length, durationMs });
  const { failed = 0, unknown = 0 } = run.counts;
  const cost = failed + unknown + run.perhaps_twice === 0 ? " cost nothing" : "";
  return `. ${name}${cost}`;
}

const perhapsTwice =
  "may have arrived twice, after an attempt that was never answered: in the results, import_unanswered says which.";

const neverBegun = "of the input were never begun: the account was closed before.";

const failedRowsGone =
  "The file of the failed rows is missing. Retry the results instead: they have the same lines.";
