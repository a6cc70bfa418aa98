import { oneLine } from "../model/escape-text.ts";
import { wordOf } from "../model/outcome.ts";
import { grouped } from "../model/quantities.ts";
import { cutTo } from "../model/row.ts";
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
  const { problems, lines } = reportFigures(reported);
  const said = problems.map(({ status, code, message, count, rows: [first] }) => {
    const what = [wordOf(status), code, message ?? ""].filter((word) => word !== "").join(" ");
    return `- ${grouped(count)} (${percent(count, lines)}) ${what}; first row ${first ?? ""}`;
  });
  const head = [`${run.input.name} to ${run.base_url}`, headline, story, ...remarks.slice(0, 3)];
  // The command is not cut.
  const end = next === undefined ? [] : [oneLine(`Next: ${next.before}${next.command}`)];
  return [...[...head, ...said].slice(0, maxLines - end.length).map(cut), ...end];
}

function cut(line: string): string {
  return cutTo(maxChars, oneLine(line));
}
