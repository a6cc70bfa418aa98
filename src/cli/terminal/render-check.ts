import { describeDialect } from "../../model/dialect.ts";
import { goneEvent } from "../../model/event.ts";
import { describeFinding, type Finding } from "../../model/finding.ts";
import { describePlace, describePlaces, describeProblem, type Place } from "../../model/place.ts";
import { count, grouped } from "../../model/quantities.ts";
import { cutTo, type ProblemCode, quote, type Row, type RowProblem } from "../../model/row.ts";
import type { FullCheckReport } from "../../run/check/check-report.ts";
import type { EventKind } from "../../run/check/count-events.ts";
import type { ProblemCase, ProblemGroup } from "../../run/check/group-problems.ts";
import type { CheckReport } from "../../run/options/run-events.ts";
import { differencesJson } from "./differences-json.ts";
import { explainedJson } from "./explained-json.ts";
import { asLine } from "./lines.ts";
import { renderFirstRows } from "./render-first-rows.ts";

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
    blank_lines: report.blankLines,
    read_as: report.readAs ?? report.dialect,
    problems_found: report.problems,
    problems,
    problem_groups: report.problemGroups.map(groupJson),
    problems_ungrouped: report.ungroupedProblems,
    event_kinds: report.eventKinds.map(kindJson),
    unused_columns: report.unusedColumns,
    ...(report.night === undefined
      ? {}
      : { differences: differencesJson(report.night.differences) }),
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

/**
 * The same for a person, a line each.
 *
 * @param terminalWidth undefined if there is no terminal
 */
export function renderCheck(report: FullCheckReport, terminalWidth?: number): string[] {
  const parts = [
    `${count(report.rows, "row")} ${report.rows === 1 ? "gives" : "give"} ${count(report.events, "event")}`,
    report.invalidRows === 0 ? "no row is invalid" : `${count(report.invalidRows, "row")} invalid`,
  ];
  if (report.skippedRows > 0) parts.push(`${count(report.skippedRows, "row")} left out`);
  if (report.blankLines > 0) parts.push(count(report.blankLines, "blank line"));
  return [
    ...describeReading(report),
    ...report.findings.flatMap(renderFinding),
    ...renderEventKinds(report.eventKinds),
    ...renderUnusedColumns(report.unusedColumns),
    ...renderFirstRows(report.firstRows, terminalWidth),
    ...(report.night?.sentences.map((sentence) => `${sentence}.`) ?? []),
    `${parts.join(", ")}. Nothing was sent.`,
  ];
}

function renderFinding(finding: Finding): string[] {
  const text = `finding: ${describeFinding(finding)}`;
  const { suggestion } = finding;
  return suggestion === undefined
    ? [text]
    : [text, `         perhaps in the mapping: ${suggestion}`];
}

const maxKindsShown = 20;

/** For people: the events by kind, and of each of the mapping's events how many have which member. */
function renderEventKinds(kinds: readonly EventKind[]): string[] {
  const shown = kinds.slice(0, maxKindsShown).map(({ count, event, resource }) => {
    const name = event === undefined ? "of other kinds" : quote(event);
    return `${grouped(count)} × ${name} (${resource})`;
  });
  const more = kinds.length - shown.length;
  const indexes = [...new Set(kinds.map(({ index = 0 }) => index))].toSorted((a, b) => a - b);
  return [
    ...(shown.length === 0 ? [] : [`Events: ${shown.join(", ")}`]),
    ...(more > 0 ? [`        and ${grouped(more)} more kinds`] : []),
    ...indexes.flatMap((index) => {
      const ofEvent = indexes.length > 1 ? ` of event ${index === goneEvent ? "gone" : index}` : "";
      return renderMembers(
        ofEvent,
        kinds.filter((kind) => (kind.index ?? 0) === index),
      );
    }),
  ];
}

function renderMembers(ofEvent: string, kinds: readonly EventKind[]): string[] {
  const events = kinds.reduce((sum, { count }) => sum + count, 0);
  const counts = new Map<string, number>();
  for (const { members } of kinds) {
    for (const { name, count } of members) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const members = [...counts].map(([name, count]) => ({ name: asLine(name), count }));
  const line = (where: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`Members${ofEvent} in ${where}: ${names.join(", ")}`];
  return [
    ...line(
      "all",
      members.filter(({ count }) => count === events).map(({ name }) => name),
    ),
    ...line(
      "some",
      members
        .filter(({ count }) => count > 0 && count < events)
        .toSorted((a, b) => b.count - a.count)
        .map(({ name, count }) => `${name} (${grouped(count)})`),
    ),
    ...line(
      "none",
      members.filter(({ count }) => count === 0).map(({ name }) => name),
    ),
  ];
}

const maxColumnsShown = 20;

function renderUnusedColumns(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, maxColumnsShown).map((name) => cutTo(maxNameChars, asLine(name)));
  const more = columns.length - shown.length;
  const others = more === 0 ? "" : ` and ${grouped(more)} more`;
  return [`Columns that no member uses: ${shown.join(", ")}${others}`];
}

const maxNameChars = 40;

/** How the input was read, if it is not the usual: a line, or one for each way of several files. */
function describeReading({ dialect, readAs }: Pick<CheckReport, "dialect" | "readAs">): string[] {
  const given = readAs ?? [{ name: undefined, dialect }];
  return given.flatMap(({ name, dialect: one }) => {
    const how = describeDialect(one);
    return how === undefined ? [] : [`${name === undefined ? "Read" : `${name} read`} as: ${how}`];
  });
}

/**
 * For people: problems by kind and column, with the cells that have them and where they are first. Where
 * there are few of a kind, each has a line of its own, in input order.
 */
export function renderProblemGroups(groups: readonly ProblemGroup[], ungrouped = 0): string[] {
  const [few, many] = [true, false].map((wanted) =>
    groups.filter(({ count, first }) => (count === first.length) === wanted),
  ) as [ProblemGroup[], ProblemGroup[]];
  const single = few
    .flatMap(({ code, column, first }) =>
      first.map((one) => ({ ...one, code, ...(column === undefined ? {} : { column }) })),
    )
    .toSorted((a, b) => a.row - b.row);
  return [
    ...many.flatMap(renderGroup),
    ...(ungrouped === 0 ? [] : [`${count(ungrouped, "problem")} of other kinds or columns`]),
    ...single.map((one) => describeProblem(one, one)),
  ];
}

const maxCasesShown = 5;

function renderGroup({ code, column, count, message, first, cases }: ProblemGroup): string[] {
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  const times = `${grouped(count)} × ${where}`;
  // Where all are the same, more of the rows say more.
  const [same] = cases;
  if (same !== undefined && same.count === count) {
    return [times + describeCase(same, true), `    in ${describePlaces(first, true)}`];
  }
  const shown = cases.slice(0, maxCasesShown);
  const others = count - shown.reduce((sum, one) => sum + one.count, 0);
  return [
    times + (message ?? meanings[code]),
    ...shown.map((one) => `    ${renderCase(one, message === undefined)}`),
    ...(others === 0 ? [] : [`    and ${grouped(others)} more`]),
  ];
}

function renderCase(one: ProblemCase, withMessage: boolean): string {
  const what = describeCase(one, withMessage);
  const place = describePlace(one.first);
  return one.count === 1
    ? `${what} in ${place}`
    : `${what}: ${grouped(one.count)} times, first in ${place}`;
}

function describeCase({ value, message }: ProblemCase, withMessage: boolean): string {
  const shown = value === undefined ? [] : [quote(value)];
  return [...shown, ...(withMessage ? [message] : [])].join(" ");
}

/** What problems of a kind have in common, where their messages differ. */
const meanings = {
  error_cell: "holds an error, or no value that can be sent",
  mapping_function: "the mapping's function failed, or made what cannot be sent",
  missing_event: "is blank, and it decides the kind of event",
  missing_value: "is blank, and the mapping requires it",
  not_a_boolean: "is neither true nor false",
  not_a_date: "is not a date as the mapping has it",
  not_a_datetime: "is not a date and time as the mapping has it",
  not_a_decimal: "is not a decimal number as the mapping has it",
  not_a_number: "is not a number as the mapping has it",
  not_an_integer: "is not a whole number as the mapping has it",
  not_json: "is not JSON",
  other_events: "other events than before",
  nul_character: "holds a NUL",
  out_of_range: "is too small or too large",
  ragged_row: "has too many or too few cells",
  stray_quote: "has a quote that may be text or not",
  too_long_for_pattern: "has more than 4,000 characters, the most that a pattern is tried on",
  unknown_event: "which event of the row the line stands for is not known",
  unknown_status: "is no status",
  unknown_value: "is not among the values of the mapping",
  wrong_format: "does not have the form that the mapping asks for",
  wrong_length: "is too short or too long",
} satisfies Record<ProblemCode, string>;

/** A problem as `--json` prints it. */
export function problemJson(row: Row, problem: RowProblem): object {
  const { code, column = null, value = null } = problem;
  return { ...placeJson(row), column, value, code, message: describeProblem(row, problem) };
}

/** Where a row is, with its file where there are several. */
export function placeJson({ row, line, source, resultsFile }: Place): object {
  return {
    ...{ row, line },
    ...(source === undefined ? {} : { source }),
    ...(resultsFile === undefined ? {} : { results_file: resultsFile }),
  };
}
