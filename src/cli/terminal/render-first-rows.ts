import type { EventExplanation, MemberExplanation } from "../../model/explanation.ts";
import { count } from "../../model/quantities.ts";
import { quoteWhole } from "../../model/row.ts";
import type { FirstRow } from "../../run/check/first-rows.ts";
import { asLine } from "./lines.ts";

const widthWithoutTerminal = 100;
const minValueWidth = 12;
const maxMembersShown = 40;
const indent = "  ";
const gap = "  ";

/**
 * For people: what the mapping makes of the first rows, a table for each of its events. Each line has the
 * columns that a member is from, the member, and its value in each row.
 *
 * @param terminalWidth undefined if there is no terminal
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
  const lines = membersOf(seen);
  const shown = lines.slice(0, maxMembersShown);
  const hasColumns = shown.some(({ columns }) => columns !== "");
  const names = hasColumns
    ? [
        ["column", ...shown.map(({ columns }) => columns)],
        ["member", ...shown.map(({ name }) => name)],
      ]
    : [["member", ...shown.map(({ name }) => name)]];
  const values = seen.map(({ row }, at) => [
    `row ${row}`,
    ...shown.map((line) => line.values[at] ?? ""),
  ]);

  const maxNameWidth = Math.min(24, Math.max(8, Math.floor(totalWidth / 5)));
  const nameWidths = names.map((texts) => Math.min(maxNameWidth, widest(texts)));
  const forNames = nameWidths.reduce((sum, width) => sum + width + gap.length, indent.length);
  const forValues = totalWidth - forNames;
  const fitting = Math.floor((forValues + gap.length) / (minValueWidth + gap.length));
  const table = values.slice(0, Math.max(1, fitting));
  const valueWidths = shareWidth(
    table.map(widest),
    Math.max(minValueWidth, forValues - gap.length * (table.length - 1)),
  );

  const cells = [...names, ...table];
  const widths = [...nameWidths, ...valueWidths];
  const body = Array.from({ length: shown.length + 1 }, (_, line) =>
    (
      indent + cells.map((texts, at) => toWidth(texts[line] ?? "", widths[at] ?? 0)).join(gap)
    ).trimEnd(),
  );
  const title = `First ${table.length === 1 ? "row" : count(table.length, "row")}${ofEvent}:`;
  const more = lines.length - shown.length;
  return [title, ...body, ...(more > 0 ? [`${indent}… and ${count(more, "more member")}`] : [])];
}

interface MemberLine {
  readonly columns: string;
  readonly name: string;
  /** By row. */
  readonly values: readonly string[];
}

/** The members of an event in the order of the mapping, each with its values. */
function membersOf(seen: readonly SeenEvent[]): MemberLine[] {
  const names = new Set(seen.flatMap(({ event }) => event.members.map(({ name }) => name)));
  // Where all rows have the same kind of event, it is said elsewhere.
  const isEventShown = seen.some(({ event: { members, leftOut } }) => {
    const event = members.find(({ name, steps }) => name === "event" && steps.length > 0);
    return leftOut !== undefined || event?.steps.some(({ by }) => by === "column") === true;
  });
  if (isEventShown) return ["event", ...names].filter(isFirst).map((name) => lineOf(name, seen));
  return [...names].filter((name) => name !== "event").map((name) => lineOf(name, seen));
}

function isFirst(name: string, at: number, names: readonly string[]): boolean {
  return names.indexOf(name) === at;
}

function lineOf(name: string, seen: readonly SeenEvent[]): MemberLine {
  const found = seen.map(({ event }) => event.members.find((member) => member.name === name));
  const steps = found.flatMap((member) => member?.steps ?? []);
  const columns = new Set(steps.flatMap(({ by, of }) => (by === "column" ? (of ?? []) : [])));
  return {
    columns: [...columns].map(asLine).join(", "),
    name: asLine(name),
    values: found.map((member, at) => {
      const leftOut = seen[at]?.event.leftOut !== undefined;
      if (leftOut) return name === "event" ? "(left out)" : "";
      return member === undefined ? absent : showValue(member, isInvalid(seen[at]?.event));
    }),
  };
}

const absent = "–";

function isInvalid(event: EventExplanation | undefined): boolean {
  return event?.members.some(({ problem }) => problem !== undefined) === true;
}

function showValue({ steps, value, problem }: MemberExplanation, isInvalidEvent: boolean): string {
  if (problem !== undefined) {
    const what = problem.value === undefined ? "" : `${quoteWhole(problem.value)} `;
    return `invalid: ${what}${problem.message}`;
  }
  if (value !== undefined) return quoteWhole(value);
  const isKnownLater = !isInvalidEvent && steps.some(({ by }) => by === "meta");
  return isKnownLater ? "(when it is sent)" : absent;
}

/** Widths that fit together: what short texts leave over is shared by the long ones. */
function shareWidth(wanted: readonly number[], total: number): number[] {
  const widths: number[] = [];
  let left = total;
  const shortestFirst = wanted.map((width, at) => ({ width, at }));
  shortestFirst.sort((a, b) => a.width - b.width);
  shortestFirst.forEach(({ width, at }, done) => {
    const given = Math.min(width, Math.floor(left / (wanted.length - done)));
    widths[at] = given;
    left -= given;
  });
  return widths;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map(widthOf));
}

/** A text as wide as its cell: cut, with a mark, or padded. */
function toWidth(text: string, width: number): string {
  const own = widthOf(text);
  if (own <= width) return text + " ".repeat(width - own);
  let cut = "";
  let used = 0;
  for (const character of text) {
    const next = used + widthOfCharacter(character);
    if (next > width - 1) break;
    cut += character;
    used = next;
  }
  return `${cut}…${" ".repeat(width - 1 - used)}`;
}

/** How many places of a terminal a text takes; a text that is wider than any terminal counts as such. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (width > maxTerminalWidth) break;
    width += widthOfCharacter(character);
  }
  return width;
}

const maxTerminalWidth = 1000;

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** East Asian characters and emoji take two places (Unicode Standard Annex 11). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
