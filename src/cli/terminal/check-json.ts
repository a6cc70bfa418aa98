import type { EventExplanation, MemberExplanation } from "../../model/event.ts";
import type { Finding } from "../../model/finding.ts";
import { describeProblem, type Place } from "../../model/place.ts";
import type { Row, RowProblem } from "../../model/row.ts";
import type { FullCheckReport } from "../../run/check/check-report.ts";
import type { ProblemGroup } from "../../run/check/group-problems.ts";
import type { Preview } from "../../run/check/preview.ts";
import type { Differences } from "../../run/options/run-events.ts";

/** @param problems those that are listed */
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
    blank_lines: report.blankLines,
    read_as: report.readAs ?? report.dialect,
    problems_found: report.problems,
    problems,
    problem_groups: report.problemGroups.map(groupJson),
    problems_ungrouped: report.ungroupedProblems,
    event_kinds: report.eventKinds.map(({ event = null, index = null, ...kind }) => ({
      ...kind,
      event,
      index,
    })),
    unused_columns: report.unusedColumns,
    differences: report.night && differencesJson(report.night.differences),
    preview: report.firstRows.map(({ events, ...place }) => ({
      ...placeJson(place),
      explained: explainedJson(events),
    })),
    findings: report.findings.map(findingJson),
    warnings,
  };
}

function groupJson({ code, column, count, message, first, cases }: ProblemGroup): object {
  return {
    code,
    column: column ?? null,
    count,
    message: message ?? null,
    first: first.map(({ value = null, message, ...place }) => ({
      ...placeJson(place),
      value,
      message,
    })),
    cases: cases.map((one) => ({ ...one, first: placeJson(one.first), value: one.value ?? null })),
  };
}

function findingJson(finding: Finding): object {
  const { kind, column = null, count, first, message, suggestion = null } = finding;
  const seen = first.map(({ value, ...place }) => ({ ...placeJson(place), value }));
  return { kind, column, count, first: seen, message, suggestion };
}

/** What an import would make of a row, as `--json` prints it. */
export function previewJson(preview: Exclude<Preview, { kind: "no_such_row" }>): object {
  const place = placeJson(preview.row);
  switch (preview.kind) {
    case "invalid":
      return {
        ...place,
        problems: preview.problems.map((one) => problemJson(preview.row, one)),
        explained: explainedJson(preview.explained),
      };
    case "skipped":
      return { ...place, skipped: preview.why };
    case "requests":
      return {
        ...place,
        requests: preview.requests.map((request) => ({
          ...request,
          body: JSON.parse(request.body) as unknown,
        })),
        explained: explainedJson(preview.explained),
      };
    default:
      return preview satisfies never;
  }
}

export function problemJson(row: Row, problem: RowProblem): object {
  const { code, column = null, value = null } = problem;
  return { ...placeJson(row), column, value, code, message: describeProblem(row, problem) };
}

/** Where a row is, with its file where there are several; JSON leaves out what is undefined. */
export function placeJson({ row, line, source, resultsFile }: Place): object {
  return { row, line: line ?? null, source, results_file: resultsFile };
}

function explainedJson(explained: readonly EventExplanation[] | undefined): object | null {
  return (
    explained?.map(({ index, resource, leftOut = null, members, orderingKey }) => ({
      index,
      resource,
      left_out: leftOut,
      members: members.map(memberJson),
      ordering_key: orderingKey?.map(memberJson),
    })) ?? null
  );
}

function memberJson({ name, steps, value, problem }: MemberExplanation): object {
  return { name, steps, value, code: problem?.code, message: problem?.message };
}

/** How the input of a night differs from what the service has, as `--json` prints it: keys, but for events and unreadable rows. */
export function differencesJson(found: Differences): object {
  const { makesGoneEvents: _1, missing: _2, newlyMissing: _3, ...known } = found;
  const { unreadableRows, blankBetween, changedBy = [], ...shown } = known;
  return {
    ...shown,
    unreadable_rows: unreadableRows,
    blank_lines_between: blankBetween,
    changed_by: changedBy,
  };
}
