import { todoOf, wordOf } from "../../model/outcome.ts";
import type { OutcomeGroup } from "../../model/outcome-groups.ts";
import { describePlaces } from "../../model/place.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { DeliveryMode } from "../../model/run-settings.ts";
import type { RunSummary } from "../../run/options/run-events.ts";

const maxShown = 8;
const rowsShown = 3;
const longestMessage = 200;

/** For people: what did not succeed, grouped, with the first rows and what to do. */
export function renderOutcomeGroups({
  problems: groups,
  ungroupedProblems: ungrouped,
  delivery,
}: Pick<RunSummary, "problems" | "ungroupedProblems" | "delivery">): string[] {
  const rest = groups.slice(maxShown).reduce((sum, group) => sum + group.count, ungrouped);
  const lines = groups.slice(0, maxShown).flatMap((group) => {
    const todo = todoOf(group.status, delivery, group.code);
    return [titleOf(group), `    ${placesOf(group)}`, ...(todo === "" ? [] : [`    ${todo}`])];
  });
  return rest === 0
    ? lines
    : [...lines, `and ${count(rest, "line")} of other kinds: the failed rows have all of them`];
}

function titleOf({ status, code, message, count }: OutcomeGroup): string {
  const times = `${grouped(count)} × ${wordOf(status)}`;
  const said = asPlainLine(message);
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
function asPlainLine(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return plain.length > longestMessage ? `${plain.slice(0, longestMessage)}…` : plain;
}

/** A group as `--json` prints it. */
export function outcomeGroupJson(
  { status, code, message, count, first }: OutcomeGroup,
  delivery: DeliveryMode,
): object {
  return {
    ...{ status, code, message, count },
    first: first.map(({ row, line = null, source, resultsFile, message }) => ({
      ...{ row, line, message },
      ...(source === undefined ? {} : { source }),
      ...(resultsFile === undefined ? {} : { results_file: resultsFile }),
    })),
    todo: todoOf(status, delivery, code),
  };
}

const rowsByCode = 10;

/** Leaves out the messages, which may repeat cells: groups with the same status and code become one. */
export function groupsByCode(groups: readonly OutcomeGroup[], delivery: DeliveryMode): object[] {
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
    todo: todoOf(status, delivery, code),
  }));
}
