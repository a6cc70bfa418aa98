import { hasEnded, type NextCommands, nextStep } from "../../model/next-step.ts";
import {
  eventStatuses,
  isDone,
  type OutcomeStatus,
  statuses,
  statusOrder,
  wordOf,
} from "../../model/outcome.ts";
import { count, duration, grouped, shortTime, sum } from "../../model/quantities.ts";
import type { LimitedBy, SendingFigures } from "../../model/run-figures.ts";
import { type PauseReason, pauseReasons, type SendingLimit } from "../../model/sending-state.ts";
import type { RunSummary } from "../../run/import-options.ts";
import { wrapWords } from "./lines.ts";
import { capText, rateText } from "./rate-text.ts";
import { renderOutcomeGroups } from "./render-problems.ts";

/** What a summary shows besides the figures of the run. */
export interface SummaryDetails {
  readonly next: NextCommands;
  /** Whether the input could be read again. */
  readonly canResume: boolean;
  /** Whether the next command needs the token command again. */
  readonly needsTokenCommand: boolean;
  /** Further files that were written. */
  readonly report?: ReportMade | undefined;
  readonly log?: string | undefined;
  /** How wide the terminal is; undefined if there is none. */
  readonly columns?: number | undefined;
}

/** The report that was asked for: where it is, or why there is none. */
export type ReportMade =
  | { readonly output: string; readonly why?: undefined }
  | { readonly output?: undefined; readonly why: string };

/** The summary for a person, a line each. */
export function renderSummary(summary: RunSummary, details: SummaryDetails): string[] {
  // Without files there is nothing in which it could be fixed.
  const isKept = summary.results !== undefined;
  const groups = isKept ? renderOutcomeGroups(summary) : [];
  const said = [
    ...renderRetry(summary),
    renderHead(summary),
    ...(summary.message === undefined ? [] : [summary.message]),
    ...(wasRead(summary) && !isNothing(summary) ? renderCounts(summary) : []),
    ...renderUnchanged(summary),
    ...(summary.sending === undefined ? [] : renderSending(summary.attempts, summary.sending)),
    ...(summary.limitedBy === undefined ? [] : [renderLimit(summary.limitedBy)]),
    ...renderUnanswered(summary),
    ...(groups.length === 0 ? [] : ["", "What did not succeed:", ...groups, ""]),
  ];
  return [
    ...said.flatMap((line) => wrapWords(line, details.columns)),
    ...renderFiles(summary, details),
    ...renderNext(summary, details),
  ];
}

/** The summary under `--quiet`: what went wrong, and what to type next. */
export function renderBriefSummary(summary: RunSummary, details: SummaryDetails): string[] {
  const { counts, message, failedRows } = summary;
  const wrong = statusOrder.filter(
    (status) => !isDone(status) && status !== "not_sent" && counts[status] > 0,
  );
  const left = counts.not_sent;
  const why = details.report?.why;
  const noReport = why === undefined ? [] : [`eventload: no report was written: ${why}`];
  if (wrong.length === 0 && left === 0 && message === undefined) return noReport;
  const number = (statuses: readonly OutcomeStatus[]) =>
    sum(statuses.map((status) => counts[status]));
  const each = wrong.map((status) => `${grouped(counts[status])} ${wordOf(status)}`).join(", ");
  const of = count(number(statusOrder) - left, "line");
  const where = failedRows === undefined ? "" : `: see ${failedRows}`;
  const said = [
    ...(wrong.length === 0
      ? []
      : [`${grouped(number(wrong))} of ${of} did not succeed (${each})${where}`]),
    ...(left === 0 ? [] : [`${count(left, "row")} not settled yet`]),
  ];
  const { report: _, ...needed } = details.next;
  // A merge comes after every shard, whatever went wrong.
  const next = message === undefined && said.length === 0 ? {} : needed;
  return [
    ...(message === undefined ? [] : [`eventload: ${message}`]),
    ...(said.length === 0 ? [] : [`eventload: ${said.join("; ")}`]),
    ...noReport,
    ...renderNext(summary, { ...details, next }),
  ];
}

function renderCounts({ counts }: RunSummary): string[] {
  const all = sum(Object.values(counts));
  const width = grouped(all).length;
  const line = (word: string, number: number, meaning: string) =>
    `  ${word.padEnd(10)} ${grouped(number).padStart(width)}  ${meaning}`;
  const shown = ([...eventStatuses, "not_sent"] as const).filter(
    (status) => counts[status] > 0 || status === "succeeded",
  );
  const lines = shown.map((status) =>
    line(wordOf(status), counts[status], statuses[status].meaning),
  );
  // One number needs no sum, and rows that have not settled have no lines yet.
  if (shown.length === 1 || counts.not_sent > 0) return lines;
  return [...lines, line("in all", all, "lines in the results")];
}

/** Not all were sent again: an event that ends as unknown may have been sent once. */
function renderUnanswered({ unanswered, perhapsTwice }: RunSummary): string[] {
  if (unanswered === 0) return [];
  const what =
    perhapsTwice === 0
      ? `${unanswered === 1 ? "that event" : "those events"} may have arrived all the same`
      : `${count(perhapsTwice, "event")} may have arrived twice`;
  return [`${count(unanswered, "attempt")} unanswered: ${what} (import_unanswered)`];
}

function renderFiles(summary: RunSummary, { report, log }: SummaryDetails): string[] {
  const files: [string, string | undefined][] = [
    ["Results:", summary.results],
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
  const { next, canResume, needsTokenCommand, report, columns } = details;
  const isNight = summary.unchangedRows !== undefined;
  if (isNothing(summary)) return [];
  if (results === undefined) {
    return said("Nothing was written, so the same command can be given again.");
  }
  const lines: string[] = [];
  const step = nextStep(summary, next);
  if (step !== undefined) lines.push(...commandAfter(`Next: ${step.before}`, step.command));
  if (lines.length > 0 && needsTokenCommand) {
    lines.push(...said("The token is not stored: give the same --token-command again."));
  }
  if (!hasEnded(exitReason) && isNight) {
    lines.push(...said("Next: give the same command again; it sends what is left."));
  } else if (!hasEnded(exitReason) && !canResume) {
    lines.push(
      ...said(
        "Standard input cannot be read again, so this run cannot be resumed: save it to a file and import the rest with --skip <last import_row of the results> and other --results. What was not read of it is not counted here.",
      ),
    );
  }
  if (next.report !== undefined && report?.output === undefined) {
    lines.push(...commandAfter("For a report, type: ", next.report));
  }
  return lines;

  function said(line: string): string[] {
    return wrapWords(line, columns);
  }

  /** A command that may take several lines begins one, so that it is plain what is to be typed. */
  function commandAfter(before: string, command: string): string[] {
    const line = before + command;
    return line.length <= (columns ?? line.length)
      ? [line]
      : [...said(before.trimEnd()), `  ${command}`];
  }
}

/** `Complete: 1,312 rows, 1,280 events in 37.7 s`: the time is that of this process. */
function renderHead(summary: RunSummary): string {
  const { exitReason, rows, events, counts, elapsedMs, sending, wasComplete } = summary;
  const what = `${count(rows, "row")}, ${count(events, "event")}`;
  const soFar = counts.not_sent === 0 ? what : `${grouped(rows - counts.not_sent)} of ${what}`;
  const time = duration(elapsedMs);
  if (summary.shards !== undefined) {
    const byShards = `${what} by ${count(summary.shards, "shard")}`;
    return wasComplete
      ? `Merged already, so nothing was written: ${byShards}`
      : `Complete: ${byShards} in ${time}`;
  }
  if (wasComplete) return `Complete already, so nothing was sent: ${what}`;
  if (isRetry(summary) && summary.isOver) return `The import now: ${what}`;
  const { parts = 1, hasLostPart = false } = sending ?? {};
  const isOne = parts === 1 && !hasLostPart;
  if (isNothing(summary)) {
    const { left_out: leftOut = 0 } = summary.differences ?? {};
    const keys = `all of their keys unchanged${leftOut === 0 ? "" : " or left out"}`;
    return `Nothing differs: ${count(summary.unchangedRows ?? 0, "row")}, ${keys}`;
  }
  if (!wasRead(summary)) return `Stopped after ${time}`;
  if (exitReason !== "complete") {
    return `Stopped after ${time}${isOne ? "" : " of this part"}: ${soFar}`;
  }
  if (isOne) return `Complete: ${what} in ${time}`;
  if (hasLostPart) return `Complete: ${what}; this part of the run took ${time}`;
  return `Complete: ${what} in ${parts} parts; this one took ${time}`;
}

function isRetry({ part }: RunSummary): boolean {
  return part !== undefined && part.number > 1;
}

/**
 * `Retry complete: 12 rows in 0.2 s; lines: 10 succeeded, 2 rejected`: what this part did, before what the
 * account says.
 */
function renderRetry(summary: RunSummary): string[] {
  const { part, elapsedMs, isOver = false } = summary;
  if (part === undefined || !isRetry(summary) || !isOver) return [];
  const counts = statusOrder.filter((status) => part.counts[status] > 0);
  const each = counts.map((status) => `${grouped(part.counts[status])} ${wordOf(status)}`);
  const rows = `${count(part.rows, "row")} in ${duration(elapsedMs)}`;
  return [`Retry complete: ${rows}; lines: ${each.join(", ")}`];
}

/** Whether a night has found that nothing differs. */
function isNothing({ exitReason, unchangedRows, results }: RunSummary): boolean {
  return unchangedRows !== undefined && results === undefined && exitReason === "complete";
}

function renderUnchanged(summary: RunSummary): string[] {
  const { unchangedRows = 0 } = summary;
  if (unchangedRows === 0 || isNothing(summary)) return [];
  return [
    `${count(unchangedRows, "row")} of keys that do not differ: not sent, and not in the results`,
  ];
}

/** Whether any row was read: a run may stop before the first. */
function wasRead({ exitReason, rows }: RunSummary): boolean {
  return exitReason === "complete" || rows > 0;
}

/**
 * How the sending went, a line each.
 *
 * @param attempts of all parts of the run, also of those of which no more is known
 */
function renderSending(attempts: number, sending: SendingFigures): string[] {
  const { hasLostPart } = sending;
  const known = renderKnownSending(sending);
  if (!hasLostPart) return known;
  const all = `${count(attempts, "attempt")} in all parts of the run`;
  if (known.length === 0) return [all];
  return [
    all,
    "Without the part that was killed, was stopped at once or met a full disk, and left no times:",
    ...known.map((line) => `  ${line}`),
  ];
}

function renderKnownSending(sending: SendingFigures): string[] {
  if (sending.attempts === 0) return [];
  const { attempts, retries, latency, pausedMs, pauses, parts, durationMs } = sending;
  const repeats = retries === 0 ? "" : `, ${grouped(retries)} of them retries`;
  const time = parts === 1 ? "" : ` in ${duration(durationMs)} of sending`;
  // One alone has no rate.
  const perSecond = (attempts * 1000) / Math.max(1, durationMs);
  const rate = attempts === 1 ? "" : ` (${rateText(perSecond, "request")})`;
  const made = `${count(attempts, "attempt")}${time}${rate}${repeats}`;
  const reasons = pauseReasons.filter((reason) => pausedMs[reason] > 0);
  // A pause may continue for another reason than it began for.
  const inAll =
    reasons.length > pauses
      ? ` of ${duration(sum(reasons.map((reason) => pausedMs[reason])))}`
      : "";
  const paused =
    pauses === 0 || reasons.length === 0
      ? []
      : [
          `${count(pauses, "pause")}${inAll}: ${reasons.map((reason) => `${duration(pausedMs[reason])} ${pauseWords[reason]}`).join(", ")}`,
        ];
  return [made, ...renderLatency(latency), ...paused];
}

function renderLatency({ answers, p50Ms, p95Ms, p99Ms, maxMs }: SendingFigures["latency"]) {
  const all = shortTime(maxMs);
  switch (answers) {
    case 0:
      return [];
    case 1:
      return [`Answered within ${all}`];
    default:
      return [
        `Answered within ${shortTime(p50Ms)} (half), ${shortTime(p95Ms)} (95 %), ${shortTime(p99Ms)} (99 %), ${all} (the longest)`,
      ];
  }
}

/** `Limited for 96 % of the time by --rate (20 requests/s)`. */
function renderLimit({ limit, share, perSecond: rate, allowed }: LimitedBy): string {
  return `Limited for ${Math.round(share * 100)} % of the time by ${limitText(limit, rate, allowed)}`;
}

function limitText(limit: SendingLimit, rate: number | undefined, allowed: number): string {
  switch (limit) {
    case "rate":
      return `--rate (${capText(rate ?? 0, "request")})`;
    case "throttling":
      return `the service, which takes about ${rateText(rate ?? 0, "request")}`;
    case "quota":
      return "the service's quota";
    case "retry_budget":
      return "failed attempts: only retries were left to send, and the retry budget bounds them";
    case "adapted_concurrency":
      return `the service, which copes with about ${count(allowed, "request")} at a time`;
    case "concurrency":
      return `the time that answers take, with ${count(allowed, "request")} at a time`;
    default:
      return limit satisfies never;
  }
}

const pauseWords: Record<PauseReason, string> = {
  asked: "as the service asked",
  outage: "because it was unavailable",
};
