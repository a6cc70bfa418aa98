import { wordOf } from "../model/outcome.ts";
import { count, grouped } from "../model/quantities.ts";
import { percent } from "./html.ts";
import { reportFigures } from "./report-figures.ts";
import type { Reported } from "./reported-run.ts";
import { verdictOf } from "./verdict.ts";

const maxLines = 10;
const maxChars = 160;

/** The report in ten lines at most, for a mail. */
export function renderTextReport(reported: Reported): string[] {
  const { run, next } = reported;
  const { headline, story, remarks } = verdictOf(reported);
  const { problems, open, lines } = reportFigures(reported);
  const head = [`${run.input.name} to ${run.base_url}`, headline, story];
  const end = next === undefined ? [] : [`Next: ${next.before}${next.command}`];
  const free = maxLines - head.length - end.length;
  const said = remarks.slice(0, free - Math.min(problems.length, 3));
  const room = free - said.length;
  const shown = problems.slice(0, problems.length > room ? room - 1 : room);
  const rest = open - shown.reduce((all, { count: some }) => all + some, 0);
  return [
    ...head,
    ...said,
    ...shown.map(({ status, code, message, count: some, rows }) => {
      const what = [wordOf(status), code, message ?? ""].filter((word) => word !== "").join(" ");
      return `- ${grouped(some)} (${percent(some, lines)}) ${what}; first row ${rows[0] ?? ""}`;
    }),
    ...(rest > 0 && shown.length < room ? [`- ${count(rest, "line")} more did not succeed`] : []),
    ...end,
  ].map((line, at, all) => (at === all.length - 1 && end.length > 0 ? oneLine(line) : cut(line)));
}

function oneLine(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

function cut(line: string): string {
  const whole = [...oneLine(line)];
  return whole.length <= maxChars ? whole.join("") : `${whole.slice(0, maxChars - 1).join("")}…`;
}
