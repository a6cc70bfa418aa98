import type { NextCommands } from "../../model/next-step.ts";
import { statuses, wordOf } from "../../model/outcome.ts";
import type { OutcomeGroup } from "../../model/outcome-groups.ts";
import { describePlaces } from "../../model/place.ts";
import { count, grouped } from "../../model/quantities.ts";
import { pauseReasons } from "../../model/sending-state.ts";
import type { RunSummary } from "../../run/import-options.ts";
import { comparisonJson } from "./comparison.ts";

function summaryJson(summary: RunSummary): Record<string, unknown> {
  const { sending } = summary;
  return {
    rows: summary.rows,
    events: summary.events,
    ...summary.counts,
    unchanged: summary.unchanged,
    compared: summary.compared === undefined ? null : comparisonJson(summary.compared),
    attempts: summary.attempts,
    retries: sending?.retries ?? 0,
    unanswered: summary.unanswered,
    perhaps_twice: summary.perhapsTwice,
    elapsed_ms: Math.round(summary.elapsedMs),
    sending_ms: sending?.durationMs ?? 0,
    paused_ms: Object.fromEntries(
      pauseReasons.map((reason) => [reason, Math.round(sending?.pausedMs[reason] ?? 0)]),
    ),
    limited_by:
      summary.limitedBy === undefined
        ? null
        : {
            limit: summary.limitedBy.limit,
            share: Math.round(summary.limitedBy.share * 100) / 100,
          },
    latency: sending === undefined || sending.latency.answers === 0 ? null : sending.latency,
    results: summary.results ?? null,
    failed_rows: summary.failedRows ?? null,
    gone_rows: summary.goneRows ?? null,
    manifest: summary.manifest ?? null,
    exit_reason: summary.exitReason,
    message: summary.message ?? null,
  };
}

/** The summary as `--json` prints it, with what did not succeed and the next commands. */
export function wholeSummaryJson(
  summary: RunSummary,
  next: NextCommands = {},
): Record<string, unknown> {
  return {
    ...summaryJson(summary),
    problem_groups: summary.problems.map(outcomeGroupJson),
    problems_ungrouped: summary.ungroupedProblems,
    next: { resume: null, retry: null, report: null, ...next },
  };
}

/**
 * The summary for a log.
 *
 * @param hasCells whether it may hold texts of cells and of the service
 */
export function summaryForLog(
  summary: RunSummary,
  next: NextCommands,
  hasCells: boolean,
): Record<string, unknown> {
  const whole = wholeSummaryJson(summary, next);
  return hasCells ? whole : { ...whole, problem_groups: groupsByCode(summary.problems) };
}

const mostShown = 8;
const rowsShown = 3;
const longestMessage = 200;

/** For people: what did not succeed, grouped, with the first rows and what to do. */
export function renderOutcomeGroups(groups: readonly OutcomeGroup[], ungrouped: number): string[] {
  const rest = groups.slice(mostShown).reduce((sum, group) => sum + group.count, ungrouped);
  const lines = groups.slice(0, mostShown).flatMap((group) => {
    const { todo } = statuses[group.status];
    return [titleOf(group), `    ${placesOf(group)}`, ...(todo === "" ? [] : [`    ${todo}`])];
  });
  return rest === 0
    ? lines
    : [...lines, `and ${count(rest, "line")} of other kinds: the failed rows have all of them`];
}

function titleOf({ status, code, message, count }: OutcomeGroup): string {
  const times = `${grouped(count)} × ${wordOf(status)}`;
  const said = harmless(message);
  if (said === "") return code === "" ? times : `${times} (${code})`;
  // The message does not say the HTTP status; other codes would only repeat the message.
  return /^http_/.test(code)
    ? `${times} (${code.slice("http_".length)}): ${said}`
    : `${times}: ${said}`;
}

function placesOf({ first, count }: OutcomeGroup): string {
  const shown = first.slice(0, rowsShown);
  return describePlaces(shown, count > shown.length);
}

/** On one line, without control characters. */
function harmless(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return plain.length > longestMessage ? `${plain.slice(0, longestMessage)}…` : plain;
}

/** A group as `--json` prints it. */
function outcomeGroupJson({ status, code, message, count, first }: OutcomeGroup): object {
  return {
    ...{ status, code, message, count },
    first: first.map(({ row, line = null, source, resultsFile, message }) => ({
      ...{ row, line, message },
      ...(source === undefined ? {} : { source }),
      ...(resultsFile === undefined ? {} : { results_file: resultsFile }),
    })),
    todo: statuses[status].todo,
  };
}

const rowsByCode = 10;

/** Leaves out the messages, which may repeat cells: groups with the same status and code become one. */
function groupsByCode(groups: readonly OutcomeGroup[]): object[] {
  const byCode = new Map<string, OutcomeGroup>();
  for (const group of groups) {
    const key = `${group.status} ${group.code}`;
    const { count = 0, first = [] } = byCode.get(key) ?? {};
    const rows = [...first, ...group.first].toSorted((one, other) => one.row - other.row);
    byCode.set(key, { ...group, count: count + group.count, first: rows.slice(0, rowsByCode) });
  }
  return [...byCode.values()].map(({ status, code, count, first }) => ({
    ...{ status, code, count },
    first: first.map(({ row, line = null, source }) => ({
      ...{ row, line },
      ...(source === undefined ? {} : { source }),
    })),
    todo: statuses[status].todo,
  }));
}
