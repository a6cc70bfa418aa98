import { todoOf, wordOf } from "../../model/outcome.ts";
import type { OutcomeGroup } from "../../model/outcome-groups.ts";
import { describePlace, describePlaces, describeProblem } from "../../model/place.ts";
import { count, grouped } from "../../model/quantities.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { ProblemCase, ProblemGroup } from "../../run/check/group-problems.ts";

const maxProblemsShown = 8;
const rowsShown = 3;
const maxMessageShown = 200;
const longestCell = 40;

/** For people: what did not succeed, grouped, with the first rows and what to do. */
export function renderOutcomeGroups({
  problems: groups,
  ungroupedProblems: ungrouped,
  delivery,
  failedRows,
}: Pick<RunSummary, "problems" | "ungroupedProblems" | "delivery" | "failedRows">): string[] {
  const rest = groups.slice(maxProblemsShown).reduce((sum, group) => sum + group.count, ungrouped);
  const said = new Set([""]);
  const lines = groups.slice(0, maxProblemsShown).flatMap((group) => {
    const todo = todoOf(group.status, delivery, group.code);
    const isNew = !said.has(todo);
    said.add(todo);
    const rows = group.first.slice(0, rowsShown);
    const hasMore = group.count > rows.length;
    const cells = rows.flatMap((one) =>
      one.cell === undefined ? [] : `${cutTo(longestCell, one.cell)} in ${describePlace(one)}`,
    );
    const places =
      cells.length === 0 || onlyCell(group) !== undefined
        ? describePlaces(rows, hasMore)
        : [...cells, ...(hasMore ? ["…"] : [])].join(", ");
    return [titleOf(group), `    ${places}`, ...(isNew ? [`    ${todo}`] : [])];
  });
  const where = failedRows === undefined ? "" : `: see ${failedRows}`;
  return rest === 0 ? lines : [...lines, `and ${count(rest, "line")} of other kinds${where}`];
}

/** What a group says, with the column of cells that do not fit, and the cell where it is the only one. */
export function reasonOfGroup(group: OutcomeGroup): string {
  const { status, column, message } = group;
  if (status !== "invalid" || column === undefined) return message;
  const cell = onlyCell(group);
  return `column ${quote(column)}: ${cell === undefined ? "" : `${cell} `}${message}`;
}

function onlyCell({ count, first }: OutcomeGroup): string | undefined {
  const cells = new Set(first.map(({ cell }) => cell));
  return cells.size === 1 && count <= first.length ? first[0]?.cell : undefined;
}

function titleOf(group: OutcomeGroup): string {
  const { status, code, column, count } = group;
  const message = reasonOfGroup(group);
  const times = `${grouped(count)} × ${wordOf(status)}`;
  const plain = message.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  if (plain === "") return code === "" ? times : `${times} (${code})`;
  // The message does not say the HTTP status; other codes would only repeat the message.
  const answer = /^http_/.test(code) ? ` (${code.slice("http_".length)})` : "";
  // A service may call the column otherwise.
  const isNamed = column === undefined || inWords(plain).includes(inWords(column));
  const where = isNamed ? "" : `, column ${quote(column)}`;
  return `${times}${answer}${where}: ${cutTo(maxMessageShown, plain)}`;
}

/** A text as its words, so that the column "Mail" is not in "email". */
function inWords(text: string): string {
  return ` ${text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(" ")} `;
}

/**
 * For people: problems by kind and column, with the cells that have them and where they are first. One
 * that is alone of its kind has a line, in input order.
 */
export function renderProblemGroups(groups: readonly ProblemGroup[], ungrouped = 0): string[] {
  const [few, many] = [true, false].map((wanted) =>
    groups.filter((group) => (group.count === 1) === wanted),
  ) as [ProblemGroup[], ProblemGroup[]];
  const single = few
    .flatMap(({ code, column, first }) => first.map((one) => ({ ...one, code, column })))
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
  // Where all are the same, the rows say more.
  const [same] = cases;
  if (same !== undefined && same.count === count) {
    return [
      times + describeCase(same, true),
      `    in ${describePlaces(first, count > first.length)}`,
    ];
  }
  const shown = cases.slice(0, maxCasesShown);
  const others = count - shown.reduce((sum, one) => sum + one.count, 0);
  return [
    times + (message ?? code.replaceAll("_", " ")),
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
