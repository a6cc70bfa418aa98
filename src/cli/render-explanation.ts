import type { EventExplanation, MemberExplanation, Step } from "../model/explanation.ts";
import { quote, quoteWhole } from "../model/row.ts";

const longestShown = 200;
const widestName = 30;

/** For a person: each member of an event with the steps that lead to it, a line each. */
export function renderExplanation({
  index,
  resource,
  leftOut,
  members,
}: EventExplanation): string[] {
  if (leftOut !== undefined) return [`Event ${index} (${resource}) is left out: ${leftOut}`];
  const width = Math.min(widestName, Math.max(...members.map(({ name }) => name.length)));
  return [
    "How it came about:",
    ...members.map((member) => `  ${member.name.padEnd(width)}  ${renderMember(member)}`),
  ];
}

function renderMember({ steps, problem }: MemberExplanation): string {
  const shown = steps.map(renderStep);
  return [...shown, ...(problem === undefined ? [] : [`invalid: ${problem.message}`])].join(" → ");
}

function renderStep({ by, of, gives }: Step): string {
  const said = of === undefined ? by : (labels[by]?.(of) ?? `${by} ${of}`);
  if (gives !== undefined) return `${said} ${show(gives)}`;
  return `${said} (${by === "meta" ? "known when it is sent" : "left out"})`;
}

/** Where the key alone says less than what it says, or the text has to be told from the rest. */
const labels: Record<string, (of: string) => string> = {
  column: (name) => `column ${quote(name)}`,
  empty: (policy) => `empty: ${policy}`,
  lookup: (file) => `lookup in ${file}`,
  template: (template) => `template ${quote(template)}`,
  transform: (step) => step,
  type: (type) => type,
};

function show(value: NonNullable<Step["gives"]> | null): string {
  if (typeof value === "string") return quote(value);
  const text = quoteWhole(value);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}…`;
}
