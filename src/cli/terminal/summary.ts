import { hasEnded, type NextCommands, nextStep } from "../../model/next-step.ts";
import {
  eventStatuses,
  isDone,
  outcomeStatuses,
  statusMeanings,
  wordOf,
} from "../../model/outcome.ts";
import {
  asTypedRate,
  count,
  countWithGone,
  duration,
  grouped,
  rowsOrUnknown,
  shortTime,
  sum,
} from "../../model/quantities.ts";
import type { RunSummary } from "../../model/run-events.ts";
import {
  type LimitedBy,
  type PauseReason,
  pauseReasons,
  type SendingFigures,
} from "../../model/sending-state.ts";
import { tellCommand } from "../../model/typed-command.ts";
import { describeChangedBy } from "../../run/state/compare.ts";
import { rateText, type TextStyle, wrapWords } from "./lines.ts";
import { renderOutcomeGroups } from "./render-problems.ts";

export interface SummaryDetails {
  readonly next: NextCommands;
  readonly needsTokenCommand: boolean;
  readonly report?: ReportMade | undefined;
  readonly log?: string | undefined;
  readonly columns?: number | undefined;
}

export type ReportMade =
  | { readonly output: string; readonly why?: undefined }
  | { readonly output?: undefined; readonly why: string };

export function renderSummary(summary: RunSummary, details: SummaryDetails): string[] {
  // Without files there is nothing in which it could be fixed.
  const isKept = summary.results !== undefined;
  const groups = isKept ? renderOutcomeGroups(summary) : [];
  const { unchangedRows = 0, differences } = summary;
  const unchanged = `${count(unchangedRows, "row")} unchanged: not sent, and not in the results`;
  const said = [
    ...renderRetry(summary),
    renderHead(summary),
    ...(summary.message === undefined ? [] : [summary.message]),
    ...(wasRead(summary) && !hadNothingToSend(summary) ? renderCounts(summary) : []),
    ...(unchangedRows === 0 || hadNothingToSend(summary) ? [] : [unchanged]),
    ...(differences === undefined ? [] : describeChangedBy(differences)),
    ...renderSending(summary),
    ...renderUnanswered(summary),
    ...renderNeverBegun(summary),
    ...(groups.length === 0 ? [] : ["", headOfGroups(summary), ...groups, ""]),
  ];
  return [
    ...said.flatMap((line) => wrapWords(line, details.columns)),
    ...renderFiles(summary, details),
    ...renderNext(summary, details),
  ];
}

/** A line is in the group of each of its problems. */
function headOfGroups({ counts, problems, ungroupedProblems }: RunSummary): string {
  const notDone = sum(eventStatuses.map((status) => (isDone(status) ? 0 : counts[status])));
  const found = sum(problems.map((group) => group.count)) + ungroupedProblems;
  const several = found > notDone ? " (a line with several problems is counted in each)" : "";
  return `What did not succeed${several}:`;
}

/** What stands out in a summary: how it ended, what did not succeed, and what to type next. */
export function styleOf(line: string): TextStyle | undefined {
  if (/^(Complete|Retry complete|Merged|Nothing differs)/.test(line)) return "green";
  if (/^(Stopped|What did not succeed)/.test(line)) return "red";
  return /^Next:/.test(line) ? "bold" : undefined;
}

function renderCounts({ counts }: RunSummary): string[] {
  const all = sum(Object.values(counts));
  const width = grouped(all).length;
  const line = (word: string, number: number, meaning: string) =>
    `  ${word.padEnd(10)} ${grouped(number).padStart(width)}  ${meaning}`;
  const shown = outcomeStatuses.filter((status) => counts[status] > 0 || status === "succeeded");
  const lines = shown.map((status) =>
    line(wordOf(status), counts[status], statusMeanings[status].meaning),
  );
  // One number needs no sum, and rows that have not settled have no lines yet.
  if (shown.length === 1 || counts.not_sent > 0) return lines;
  return [...lines, line("total", all, "").trimEnd()];
}

function renderSending({ sending, limitedBy }: RunSummary): string[] {
  if (sending === undefined) return [];
  const share = Math.round((limitedBy?.share ?? 0) * 100);
  const [which, time] =
    sending.processes === 1 ? ["Limited", "the time"] : ["The last part was limited", "its time"];
  return [
    ...(sending.attempts === 0 ? [] : renderFigures(sending)),
    ...(limitedBy === undefined
      ? []
      : [`${which} for ${share} % of ${time} by ${limitText(limitedBy)}`]),
  ];
}

function renderFigures(sending: SendingFigures): string[] {
  const { attempts, retries, latency, pausedMs, pauses, processes, durationMs } = sending;
  const { p50_ms, p95_ms, p99_ms, max_ms } = latency;
  const [half, most, nearlyAll, all] = [p50_ms, p95_ms, p99_ms, max_ms].map(shortTime);
  const repeats =
    retries === 0 ? "" : `, ${grouped(retries)} of them ${retries === 1 ? "a retry" : "retries"}`;
  const time = processes === 1 ? "" : ` in ${duration(durationMs)} of sending`;
  const rate = rateText((attempts * 1000) / Math.max(1, durationMs), "request");
  // One alone has no rate.
  const made = `${count(attempts, "attempt")}${time}${attempts === 1 ? "" : ` (${rate})`}${repeats}`;
  const answered =
    latency.answers === 1
      ? `Latency: ${all}`
      : `Latency: median ${half}, 95 % ${most}, 99 % ${nearlyAll}, longest ${all}`;
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] >= shortestPauseMs);
  const each = reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`);
  return [
    made,
    ...(latency.answers === 0 ? [] : [answered]),
    ...(each.length === 0 ? [] : [`${count(pauses, "pause")}: ${each.join(", ")}`]),
  ];
}

function limitText({ limit, perSecond = 0, allowed, refusedWith }: LimitedBy): string {
  switch (limit) {
    case "rate":
      return `--rate (${asTypedRate(perSecond)})`;
    case "throttling":
      if (perSecond === 0) return "the service, which took more requests as time went on";
      return `the service, which takes about ${rateText(perSecond, "request")}${beyondThat(perSecond, refusedWith)}`;
    case "quota":
      return "the service's quota";
    case "adapted_concurrency":
      return `the service, which handles about ${count(allowed, "request")} at a time`;
    case "concurrency":
      return `latency, with ${count(allowed, "request")} in flight`;
    default:
      return limit satisfies never;
  }
}

/** A service that answers 503 does not say that it limits the rate. */
function beyondThat(perSecond: number, status: number | undefined): string {
  if (status === undefined) return "";
  if (status !== 503) return ` and answers ${status} beyond that`;
  // A little less avoids refusals.
  const rate = 0.95 * perSecond;
  const avoids = rate >= 1 ? `${Math.floor(rate)}/s` : `${Math.max(1, Math.floor(60 * rate))}/m`;
  return ` and answers 503 beyond that, like a rate limit: --rate ${avoids} would avoid it`;
}

/** A shorter one would be shown as 0.0 s. */
const shortestPauseMs = 50;

const pauseWords: Record<PauseReason, string> = {
  asked: "as the service asked",
  outage: "during an outage",
};

/** Not all were sent again: an event that ends as unknown may have been sent once. */
function renderUnanswered({ unanswered, perhapsTwice }: RunSummary): string[] {
  if (unanswered === 0) return [];
  const what =
    perhapsTwice === 0
      ? `${unanswered === 1 ? "that event" : "those events"} may have arrived`
      : `${count(perhapsTwice, "event")} may have arrived twice`;
  return [`${count(unanswered, "attempt")} unanswered: ${what} (import_unanswered)`];
}

/** A retry of an account that was closed cannot send them either. */
function renderNeverBegun({ neverBegun = 0, message }: RunSummary): string[] {
  if (neverBegun === 0 || message !== undefined) return [];
  return [`Never begun, as the account was closed before: ${rowsOrUnknown(neverBegun)}`];
}

function renderFiles(summary: RunSummary, { report, log }: SummaryDetails): string[] {
  const { results } = summary;
  // Until the part is complete, its lines are in the journal.
  const isYetToCome = results !== undefined && summary.isOver === false;
  const files: [string, string | undefined][] = [
    ["Results:", isYetToCome ? `${results}, once it is complete` : results],
    ["Failed rows:", summary.failedRows],
    ["Manifest:", summary.manifest],
    ["Report:", report?.output ?? (report && `none: ${report.why}`)],
    ["Log:", log],
  ];
  return files.flatMap(([what, path]) =>
    path === undefined ? [] : [`${what.padEnd(12)} ${path}`],
  );
}

function renderNext(summary: RunSummary, details: SummaryDetails): string[] {
  const { exitReason, results } = summary;
  const { next, needsTokenCommand, report, columns } = details;
  const said = (line: string) => wrapWords(line, columns);
  if (hadNothingToSend(summary)) return [];
  if (results === undefined) {
    return said("No results were written: give the same command again.");
  }
  // Commands are not wrapped: what the terminal wraps can be copied as it is.
  const lines: string[] = [];
  const step = nextStep(summary, next);
  if (step !== undefined) lines.push(`Next: ${step.before}${tellCommand(...step.command)}`);
  if (step !== undefined && needsTokenCommand) {
    lines.push(...said("The token is not stored: give the same --token-command again."));
  }
  if (next.export !== undefined) {
    const why = "A spreadsheet program rewrites cells of CSV. To fix them in one, run";
    lines.push(`${why}: ${tellCommand(...next.export)}`);
  }
  if (!hasEnded(exitReason) && summary.unchangedRows !== undefined) {
    const how = exitReason === "too_many_errors" ? " with a higher --max-errors" : "";
    lines.push(...said(`Next: give the same command again${how}; it sends what is left.`));
  }
  if (next.report !== undefined && report?.output === undefined) {
    lines.push(`For a report, run: ${tellCommand(...next.report)}`);
  }
  return lines;
}

/** `Complete: 1,312 rows, 1,280 events in 37.7 s`: the time is that of this process. */
function renderHead(summary: RunSummary): string {
  const { exitReason, rows, events, counts, elapsedMs, sending, wasComplete } = summary;
  const { gone = 0 } = summary.differences ?? {};
  const what = `${countWithGone(rows - gone, gone)}, ${count(events, "event")}`;
  const soFar = counts.not_sent === 0 ? what : `${grouped(rows - counts.not_sent)} of ${what}`;
  const time = duration(elapsedMs);
  if (summary.shards !== undefined) {
    const byShards = `${what} by ${count(summary.shards, "shard")}`;
    return wasComplete
      ? `Merged already, so nothing was written: ${byShards}`
      : `Complete: ${byShards} in ${time}`;
  }
  if (wasComplete) return `Complete already, so nothing was sent: ${what}`;
  if (renderRetry(summary).length > 0) return `The whole import: ${what}`;
  if (hadNothingToSend(summary)) {
    const { left_out: leftOut = 0 } = summary.differences ?? {};
    const unchanged = `unchanged${leftOut === 0 ? "" : " or left out"}`;
    return `Nothing differs: ${count(summary.unchangedRows ?? 0, "row")} ${unchanged}`;
  }
  if (!wasRead(summary)) return `Stopped after ${time}`;
  if (exitReason !== "complete") return `Stopped after ${time}: ${soFar}`;
  const isWhole = (sending?.processes ?? 1) === 1;
  return `Complete: ${what}${isWhole ? ` in ${time}` : `; this part of the run took ${time}`}`;
}

/** What a retry did: `Retry complete: 12 rows in 0.2 s (10 succeeded, 2 rejected)`. */
function renderRetry({ part, elapsedMs, isOver }: RunSummary): string[] {
  if (part === undefined || part.number === 1 || !isOver) return [];
  const counts = outcomeStatuses.filter((status) => part.counts[status] > 0);
  const each = counts.map((status) => `${grouped(part.counts[status])} ${wordOf(status)}`);
  const rows = `${count(part.rows, "row")} in ${duration(elapsedMs)}`;
  return [`Retry complete: ${rows} (${each.join(", ")})`];
}

function hadNothingToSend({ exitReason, unchangedRows, results }: RunSummary): boolean {
  return unchangedRows !== undefined && results === undefined && exitReason === "complete";
}

function wasRead({ exitReason, rows }: RunSummary): boolean {
  return exitReason === "complete" || rows > 0;
}
