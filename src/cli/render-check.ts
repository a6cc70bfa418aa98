import type { EventKind } from "../model/count-events.ts";
import { type Finding, tellFinding } from "../model/finding.ts";
import type { ProblemGroup } from "../model/group-problems.ts";
import { count, grouped } from "../model/quantities.ts";
import { describeChanges } from "../run/changes-since.ts";
import type { FullCheckReport } from "../run/check.ts";
import { describeReading } from "./describe-reading.ts";
import { placeJson } from "./problem-json.ts";
import { renderEventKinds } from "./render-event-kinds.ts";

/**
 * What a check found as `--json` prints it.
 *
 * @param problems those that are listed
 * @param warnings of what is odd about the input as a whole
 */
export function checkJson(
  report: FullCheckReport,
  problems: readonly object[],
  warnings: readonly string[],
): object {
  return {
    rows: report.rows,
    events: report.events,
    invalid_rows: report.invalidRows,
    skipped_rows: report.skippedRows,
    unchanged_rows: report.unchangedRows,
    blank_lines: report.blankLines,
    read_as: report.readAs ?? report.dialect,
    problems_found: report.problems,
    problems,
    problem_groups: report.problemGroups.map(groupJson),
    problems_ungrouped: report.ungroupedProblems,
    event_kinds: report.eventKinds.map(kindJson),
    findings: report.findings.map(findingJson),
    warnings,
    ...(report.changes.compared === 0 ? {} : { changes: report.changes }),
  };
}

function groupJson({ code, column, count, message, first, cases }: ProblemGroup): object {
  return {
    ...{ code, column: column ?? null, count, message: message ?? null },
    first: first.map(({ value, message, ...place }) => ({
      ...placeJson(place),
      ...{ value: value ?? null, message },
    })),
    cases: cases.map((one) => ({
      ...one,
      ...{ first: placeJson(one.first), value: one.value ?? null },
    })),
  };
}

function kindJson({ resource, event, index, count, members }: EventKind): object {
  return { resource, event: event ?? null, index: index ?? null, count, members };
}

function findingJson(finding: Finding): object {
  const { kind, column = null, count, first, message, suggestion = null } = finding;
  const seen = first.map(({ value, ...place }) => ({
    ...placeJson(place),
    ...(value === undefined ? {} : { value }),
  }));
  return { kind, column, count, first: seen, message, suggestion };
}

/** The same for a person, a line each; with `quiet` only what is a warning. */
export function renderCheck(report: FullCheckReport, quiet: boolean): string[] {
  if (quiet) return [];
  const changes = describeChanges(report.changes);

  const parts = [
    `${count(report.rows, "row")} ${report.rows === 1 ? "gives" : "give"} ${count(report.events, "event")}`,
    report.invalidRows === 0 ? "none is invalid" : `${grouped(report.invalidRows)} invalid`,
  ];
  if (report.skippedRows > 0) parts.push(`${grouped(report.skippedRows)} left out`);
  if (report.unchangedRows > 0) parts.push(`${grouped(report.unchangedRows)} unchanged`);
  if (report.blankLines > 0) parts.push(count(report.blankLines, "blank line"));
  return [
    ...describeReading(report),
    ...report.findings.flatMap(renderFinding),
    ...(changes === undefined ? [] : [`note: ${changes}`]),
    ...renderEventKinds(report.eventKinds),
    `${parts.join(", ")}. Nothing was sent.`,
  ];
}

function renderFinding(finding: Finding): string[] {
  const told = `finding: ${tellFinding(finding)}`;
  const { suggestion } = finding;
  return suggestion === undefined
    ? [told]
    : [told, `         perhaps in the mapping: ${suggestion}`];
}
