import type { EventExplanation, MemberExplanation, Step } from "../../model/event.ts";
import { describePlace, describeProblem } from "../../model/place.ts";
import { cutTo, quote, quoteWhole } from "../../model/row.ts";
import type { Preview, PreviewedRequest } from "../../run/check/preview.ts";
import { wrapWords } from "./lines.ts";

type PreviewOfRow = Exclude<Preview, { kind: "no_such_row" }>;

/**
 * What an import would make of a row, for a person.
 *
 * @param columns width of the terminal, if there is one: requests are not wrapped, so that they can be copied
 */
export function renderPreview(preview: PreviewOfRow, columns?: number): string[] {
  const { row } = preview;
  const explain = (event: EventExplanation) =>
    ["", ...renderExplanation(event)].flatMap((line) => wrapWords(line, columns));
  switch (preview.kind) {
    case "invalid":
      return [
        ...preview.problems.map((problem) => describeProblem(row, problem)),
        ...(preview.explained ?? []).flatMap(explain),
      ];
    case "skipped":
      return [`${describePlace(row)} is left out: ${preview.why}`];
    case "requests": {
      const { requests, explained } = preview;
      if (explained === undefined) return requests.flatMap(renderRequest).slice(1);
      let made = 0;
      const parts = explained.flatMap((event) => {
        const request = event.leftOut === undefined ? requests[made++] : undefined;
        return [...(request === undefined ? [] : renderRequest(request)), ...explain(event)];
      });
      return parts.slice(1);
    }
    default:
      return preview satisfies never;
  }
}

function renderRequest({ method, url, headers, body }: PreviewedRequest): string[] {
  return [
    "",
    `${method} ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    ...JSON.stringify(JSON.parse(body), null, 2).split("\n"),
  ];
}

const maxValueShown = 200;
const widestName = 30;

/** For a person: each member of an event with the steps that lead to it, a line each. */
function renderExplanation({ index, resource, leftOut, members }: EventExplanation): string[] {
  if (leftOut !== undefined) return [`Event ${index} (${resource}) is left out: ${leftOut}`];
  const width = Math.min(widestName, Math.max(...members.map(({ name }) => name.length)));
  return [
    "How each value is made:",
    ...members.map((member) => `  ${member.name.padEnd(width)}  ${renderMember(member)}`),
  ];
}

function renderMember({ steps, problem }: MemberExplanation): string {
  const shown = steps.map(renderStep);
  return [...shown, ...(problem === undefined ? [] : [`invalid: ${problem.message}`])].join(" → ");
}

function renderStep({ by, of, gives }: Step): string {
  const said = of === undefined ? by : (labels[by]?.(of) ?? `${by} ${of}`);
  if (gives !== undefined) return `${said} ${showGives(gives)}`;
  return `${said} (${by === "meta" ? "known when it is sent" : "left out"})`;
}

/** Keys whose step reads better in other words. */
const labels: Record<string, (of: string) => string> = {
  column: (name) => `column ${quote(name)}`,
  empty: (policy) => `empty: ${policy}`,
  lookup: (file) => `lookup in ${file}`,
  template: (template) => `template ${quote(template)}`,
  transform: (step) => step,
  type: (type) => type,
  when: (wants) => `when requires ${wants}`,
};

function showGives(value: NonNullable<Step["gives"]> | null): string {
  return typeof value === "string" ? quote(value) : cutTo(maxValueShown, quoteWhole(value));
}
