import { oneLine } from "../../model/escape-text.ts";
import type { EventExplanation, MemberExplanation } from "../../model/event.ts";
import { count, sum } from "../../model/quantities.ts";
import { cutTo, quoteWhole } from "../../model/row.ts";
import type { FirstRow } from "../../run/check/check-report.ts";

const widthWithoutTerminal = 100;
const minValueWidth = 12;
const maxMembersShown = 40;
const indent = "  ";
const gap = "  ";

/**
 * For people: what the mapping makes of the first rows, a table for each of its events. Each line has the
 * columns that a member is from, the member, and its value in each row.
 */
export function renderFirstRows(
  rows: readonly FirstRow[],
  terminalWidth: number | undefined,
): string[] {
  const indexes = [...new Set(rows.flatMap(({ events }) => events.map(({ index }) => index)))];
  return indexes.flatMap((index) => {
    const seen = rows.flatMap(({ row, events }) => {
      const event = events.find((one) => one.index === index);
      return event === undefined ? [] : [{ row, event }];
    });
    const ofEvent = indexes.length > 1 ? ` of event ${index}` : "";
    return renderTable(ofEvent, seen, terminalWidth ?? widthWithoutTerminal);
  });
}

interface SeenEvent {
  readonly row: number;
  readonly event: EventExplanation;
}

function renderTable(ofEvent: string, seen: readonly SeenEvent[], totalWidth: number): string[] {
  const lines = membersOfEvents(seen);
  const shown = lines.slice(0, maxMembersShown);
  const columns = ["column", ...shown.map(({ columns }) => columns)];
  const members = ["member", ...shown.map(({ name }) => name)];
  const names = columns.slice(1).some((text) => text !== "") ? [columns, members] : [members];
  const values = seen.map(({ row }, at) => [
    `row ${row}`,
    ...shown.map((line) => line.values[at] ?? ""),
  ]);

  const maxNameWidth = Math.min(24, Math.max(8, Math.floor(totalWidth / 5)));
  const nameWidths = names.map((texts) => Math.min(maxNameWidth, widest(texts)));
  const forValues = totalWidth - indent.length - sum(nameWidths) - gap.length * names.length;
  const fitting = Math.floor((forValues + gap.length) / (minValueWidth + gap.length));
  const table = values.slice(0, Math.max(1, fitting));
  const share = Math.floor((forValues + gap.length) / table.length) - gap.length;
  const maxValueWidth = Math.max(minValueWidth, share);
  const valueWidths = table.map((texts) => Math.min(maxValueWidth, widest(texts)));

  const cells = [...names, ...table];
  const widths = [...nameWidths, ...valueWidths];
  const body = ["", ...shown].map((_, line) => {
    const texts = cells.map((texts, at) => {
      const [text = "", width = 0] = [texts[line], widths[at]];
      return (text.length <= width ? text : cutTo(width - 1, text)).padEnd(width);
    });
    return (indent + texts.join(gap)).trimEnd();
  });
  const title = `First ${table.length === 1 ? "row" : count(table.length, "row")}${ofEvent}:`;
  const more = lines.length - shown.length;
  return [title, ...body, ...(more > 0 ? [`${indent}… and ${count(more, "more member")}`] : [])];
}

/** The members of an event in the order of the mapping, each with its values. */
function membersOfEvents(seen: readonly SeenEvent[]) {
  const names = new Set(seen.flatMap(({ event }) => event.members.map(({ name }) => name)));
  // Where all rows have the same kind of event, it is said elsewhere.
  const isEventShown = seen.some(({ event: { members, leftOut } }) => {
    const event = members.find(({ name, steps }) => name === "event" && steps.length > 0);
    return leftOut !== undefined || event?.steps.some(({ by }) => by === "column") === true;
  });
  names.delete("event");
  return [...(isEventShown ? ["event"] : []), ...names].map((name) => valuesLine(name, seen));
}

function valuesLine(name: string, seen: readonly SeenEvent[]) {
  const found = seen.map(({ event }) => event.members.find((member) => member.name === name));
  const steps = found.flatMap((member) => member?.steps ?? []);
  const columns = new Set(steps.flatMap(({ by, of }) => (by === "column" ? (of ?? []) : [])));
  return {
    columns: [...columns].map(oneLine).join(", "),
    name: oneLine(name),
    values: found.map((member, at) => {
      const { leftOut, members = [] } = seen[at]?.event ?? {};
      if (leftOut !== undefined) return name === "event" ? "(left out)" : "";
      const isInvalid = members.some(({ problem }) => problem !== undefined);
      return member === undefined ? absent : showValue(member, isInvalid);
    }),
  };
}

const absent = "–";

function showValue({ steps, value, problem }: MemberExplanation, isInvalidEvent: boolean): string {
  if (problem !== undefined) {
    const what = problem.value === undefined ? "" : `${quoteWhole(problem.value)} `;
    return `invalid: ${what}${problem.message}`;
  }
  if (value !== undefined) return quoteWhole(value);
  const isKnownLater = !isInvalidEvent && steps.some(({ by }) => by === "meta");
  return isKnownLater ? "(when it is sent)" : absent;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}
