import { type Ending, eventStatuses } from "../domain/outcome.ts";
import { count, duration, grouped } from "../domain/quantities.ts";
import { shellWord } from "../domain/shell-word.ts";
import type { ExitReason, RunSummary } from "../import-options.ts";

export { count, grouped };

/** The summary as `--json` prints it. */
export function summaryJson(summary: RunSummary): Record<string, unknown> {
  return {
    rows: summary.rows,
    events: summary.events,
    ...summary.counts,
    unchanged: summary.unchanged,
    attempts: summary.attempts,
    unanswered: summary.unanswered,
    elapsed_ms: Math.round(summary.elapsedMs),
    results: summary.results ?? null,
    failed_rows: summary.failedRows ?? null,
    manifest: summary.manifest ?? null,
    exit_reason: summary.exitReason,
    message: summary.message ?? null,
  };
}

const meanings: Record<Ending, string> = {
  succeeded: "the service accepted it",
  rejected: "the service refused it",
  failed: "all attempts were used up",
  unknown: "may have arrived: no answer came",
  invalid: "could not be mapped; nothing was sent",
  blocked: "held back behind one of the same key that did not succeed",
  skipped: "left out",
  not_sent: "not reached before the run stopped",
};

/**
 * The summary for a person, a line each.
 *
 * @param canResume whether the input could be read again
 */
export function renderSummary(summary: RunSummary, canResume: boolean): string[] {
  const { counts, rows, events, unchanged, elapsedMs, attempts, unanswered } = summary;
  const head = summary.exitReason === "complete" ? "Complete" : "Stopped";
  const lines = [
    `${head}: ${count(rows, "row")}, ${count(events, "event")} in ${duration(elapsedMs)}`,
  ];
  if (summary.message !== undefined) lines.push(summary.message);
  const width = Math.max(...Object.values(counts).map((number) => grouped(number).length));
  for (const ending of [...eventStatuses, "not_sent"] as const) {
    const number = counts[ending];
    if (number === 0 && ending !== "succeeded") continue;
    const word = ending.replace("_", " ").padEnd(10);
    const isPartly = ending === "skipped" && unchanged > 0;
    const meaning = isPartly
      ? `left out, ${unchanged === number ? "as unchanged" : `${grouped(unchanged)} of them as unchanged`}`
      : meanings[ending];
    lines.push(`  ${word} ${grouped(number).padStart(width)}  ${meaning}`);
  }
  if (attempts > events - unchanged - counts.not_sent)
    lines.push(`${count(attempts, "attempt")} in all`);
  if (unanswered > 0) {
    lines.push(
      `${count(unanswered, "attempt")} unanswered: those events may have arrived twice (import_unanswered)`,
    );
  }
  if (summary.results !== undefined) lines.push(`Results:     ${summary.results}`);
  if (summary.failedRows !== undefined) lines.push(`Failed rows: ${summary.failedRows}`);
  lines.push(...nextSteps(summary, canResume));
  return lines;
}

function nextSteps({ exitReason, results, failedRows }: RunSummary, canResume: boolean): string[] {
  if (results === undefined) {
    return ["Nothing was written, so the same command can be given again."];
  }
  if (exitReason !== "complete") {
    if (noResumeHelps.has(exitReason)) return [];
    return [
      canResume
        ? `Next: go on where it stopped: eventload resume ${shellWord(results)}`
        : "Standard input cannot be read again, so this run cannot be resumed: save it to a file and import that.",
    ];
  }
  if (failedRows === undefined) return [];
  return [`Next: mend ${failedRows}, then type: eventload retry ${shellWord(failedRows)}`];
}

/** After these the input is not one to go on with. */
const noResumeHelps: ReadonlySet<string> = new Set<ExitReason>([
  "accounts_differ",
  "input_changed",
  "input_damaged",
]);
