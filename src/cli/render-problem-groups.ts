import { describePlace, describeProblem, type ProblemCode, quote } from "../domain/row.ts";
import type { ProblemCase, ProblemGroup } from "../findings/group-problems.ts";
import { count, grouped } from "./summary.ts";

/** For people: problems by kind and column, with the cells that have them and where they are first. */
export function renderProblemGroups(groups: readonly ProblemGroup[], ungrouped = 0): string[] {
  const more = `and ${count(ungrouped, "problem")} of other kinds and columns`;
  return [...groups.flatMap(renderGroup), ...(ungrouped === 0 ? [] : [more])];
}

const mostCasesShown = 5;

function renderGroup(group: ProblemGroup): string[] {
  const { code, column, first, cases } = group;
  const [only] = first;
  const ofColumn = column === undefined ? {} : { column };
  if (group.count === 1 && only !== undefined) {
    return [describeProblem(only, { code, ...ofColumn, ...only })];
  }
  const what = group.message ?? meanings[code];
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  const title = `${grouped(group.count)} × ${where}${what}`;
  // Where there is no cell to tell apart, the rows say more.
  if (cases.length === 1 && group.message !== undefined && cases[0]?.value === undefined) {
    const more = group.count > first.length ? ", …" : "";
    return [title, `    in ${first.map(describePlace).join(", ")}${more}`];
  }
  const shown = cases.slice(0, mostCasesShown);
  const others = group.count - shown.reduce((sum, one) => sum + one.count, 0);
  return [
    title,
    ...shown.map((one) => `    ${renderCase(one, group.message === undefined)}`),
    ...(others === 0 ? [] : [`    and ${grouped(others)} more`]),
  ];
}

function renderCase(one: ProblemCase, withMessage: boolean): string {
  const value = one.value === undefined ? [] : [quote(one.value)];
  const what = [...value, ...(withMessage ? [one.message] : [])].join(" ");
  const place = describePlace(one.first);
  return one.count === 1
    ? `${what} in ${place}`
    : `${what}: ${grouped(one.count)} times, first in ${place}`;
}

/** What problems of a kind have in common, where their messages differ. */
const meanings = {
  error_cell: "holds an error or no value",
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
  nul_character: "holds a NUL",
  out_of_range: "is too small or too large",
  ragged_row: "has too many or too few cells",
  unknown_event: "which event of the row the line stands for is not known",
  unknown_status: "is no status",
  unknown_value: "is not among the values of the mapping",
  wrong_format: "does not have the form that the mapping asks for",
  wrong_length: "is too short or too long",
} satisfies Record<ProblemCode, string>;
