import { oneLine } from "../../model/escape-text.ts";
import { goneEvent } from "../../model/event.ts";
import { describeFinding, type Finding } from "../../model/finding.ts";
import { count, grouped, sum } from "../../model/quantities.ts";
import { describeDialect } from "../../model/reading.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { CheckReport } from "../../model/run-events.ts";
import type { FullCheckReport } from "../../run/check/check-report.ts";
import type { EventKind } from "../../run/check/count-events.ts";
import { renderFirstRows } from "./render-first-rows.ts";

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

/** A finding, with the line of the mapping that helps: what `--quiet` shows too. */
export function renderFinding(finding: Finding): string[] {
  const { suggestion } = finding;
  const hint = suggestion && [`         perhaps in the mapping: ${suggestion}`];
  return [`finding: ${describeFinding(finding)}`, ...(hint || [])];
}

const maxKindsShown = 20;

/** For people: the events by kind, and of each of the mapping's events how many have which member. */
function renderEventKinds(kinds: readonly EventKind[]): string[] {
  const shown = kinds.slice(0, maxKindsShown).map(({ count, event, resource, method }) => {
    const name = event === undefined ? "of other kinds" : quote(event);
    const to = method === "POST" ? resource : `${method} ${resource}`;
    return `${grouped(count)} × ${name} (${to})`;
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
  const events = sum(kinds.map(({ count }) => count));
  const counts = new Map<string, number>();
  for (const { members } of kinds) {
    for (const { name, count } of members) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  const members = [...counts].map(([name, count]) => ({ name: oneLine(name), count }));
  const some = members.filter(({ count }) => count > 0 && count < events);
  const names = {
    always: members.filter(({ count }) => count === events).map(({ name }) => name),
    sometimes: some
      .toSorted((a, b) => b.count - a.count)
      .map(({ name, count }) => `${name} (${grouped(count)})`),
    never: members.filter(({ count }) => count === 0).map(({ name }) => name),
  };
  return Object.entries(names).flatMap(([when, found]) =>
    found.length === 0 ? [] : [`Members${ofEvent} ${when} present: ${found.join(", ")}`],
  );
}

const maxNames = 20;

function renderUnusedColumns(columns: readonly string[]): string[] {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, maxNames).map((name) => cutTo(maxColumnNameChars, oneLine(name)));
  const more = columns.length - shown.length;
  const others = more === 0 ? "" : ` and ${grouped(more)} more`;
  return [`Columns that no member uses: ${shown.join(", ")}${others}`];
}

const maxColumnNameChars = 40;

/** How the input was read, if it is not the usual: a line, or one for each way of several files. */
function describeReading({ dialect, readAs }: Pick<CheckReport, "dialect" | "readAs">): string[] {
  const ways = readAs ?? [{ name: undefined, dialect }];
  return ways.flatMap(({ name, dialect: one }) => {
    const how = describeDialect(one);
    return how === undefined ? [] : [`${name === undefined ? "Read" : `${name} read`} as: ${how}`];
  });
}
