import type { NextCommands } from "../../model/next-step.ts";
import { todoOf } from "../../model/outcome.ts";
import type { OutcomeGroup } from "../../model/outcome-groups.ts";
import type { DeliveryMode } from "../../model/run-settings.ts";
import { pauseReasons } from "../../model/sending-state.ts";
import { typedCommand } from "../../model/typed-command.ts";
import type { RunSummary } from "../../run/options/run-events.ts";
import { differencesJson, placeJson } from "./check-json.ts";

/** The summary as `--json` prints it, with what did not succeed and the next commands. */
export function wholeSummaryJson(
  summary: RunSummary,
  next: NextCommands = {},
): Record<string, unknown> {
  const { sending, limitedBy, part, differences, rows, events, attempts, unanswered } = summary;
  const paused = pauseReasons.map((reason) => [reason, Math.round(sending?.pausedMs[reason] ?? 0)]);
  const hasAnswers = sending !== undefined && sending.latency.answers > 0;
  const share = Math.round((limitedBy?.share ?? 0) * 100) / 100;
  return {
    rows,
    events,
    ...summary.counts,
    attempts,
    retries: sending?.retries ?? 0,
    unanswered,
    perhaps_twice: summary.perhapsTwice,
    elapsed_ms: Math.round(summary.elapsedMs),
    sending_ms: sending?.durationMs ?? 0,
    paused_ms: Object.fromEntries(paused),
    limited_by: limitedBy === undefined ? null : { limit: limitedBy.limit, share },
    latency: hasAnswers ? sending.latency : null,
    results: summary.results ?? null,
    failed_rows: summary.failedRows ?? null,
    manifest: summary.manifest ?? null,
    unchanged_rows: summary.unchangedRows ?? null,
    never_begun: summary.neverBegun ?? 0,
    differences: differences === undefined ? null : differencesJson(differences),
    exit_reason: summary.exitReason,
    part: part === undefined ? null : { number: part.number, rows: part.rows, ...part.counts },
    was_complete: summary.wasComplete ?? false,
    message: summary.message ?? null,
    problem_groups: summary.problems.map((group) => outcomeGroupJson(group, summary.delivery)),
    problems_ungrouped: summary.ungroupedProblems,
    next: {
      resume: typedCommand(next.resume),
      retry: typedCommand(next.retry),
      merge: typedCommand(next.merge),
      report: typedCommand(next.report),
      export: typedCommand(next.export),
    },
  };
}

/** The summary for a log: without the messages of groups, which may repeat cells. */
export function summaryForLog(summary: RunSummary, next: NextCommands): Record<string, unknown> {
  const groups = summary.problems.map((group) => {
    const { message: _, ...others } = outcomeGroupJson(group, summary.delivery);
    return { ...others, first: group.first.map(placeJson) };
  });
  return { ...wholeSummaryJson(summary, next), problem_groups: groups };
}

function outcomeGroupJson(
  { status, code, message, count, first }: OutcomeGroup,
  delivery: DeliveryMode,
) {
  return {
    status,
    code,
    message,
    count,
    first: first.map(({ message, ...place }) => ({ ...placeJson(place), message })),
    todo: todoOf(status, delivery, code),
  };
}
