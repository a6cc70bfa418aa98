import { type Content, foreign, type Html, html } from "../model/look/html.ts";

/** A `<data>` element: a number as people read it, with the exact value for programs. */
export function dataElement(name: string, value: number, shown: string): Html {
  return html`<data data-name="${name}" value="${value}">${shown}</data>`;
}

/** A table of lines with a cell for each column, whose look is a class. */
export function table(
  label: string | undefined,
  columns: readonly (string | readonly [name: string, look: string])[],
  lines: readonly (readonly Content[])[],
): Html {
  const all = columns.map((column) => [column].flat());
  const classOf = (at: number) => all[at]?.[1] && html` class="${all[at][1]}"`;
  const head = all.map(
    ([name = ""], at) => html`<th scope="col"${classOf(at)}>${foreign(name)}</th>`,
  );
  const cell = (part: Content, at: number) => html`<td${classOf(at)}>${part}</td>`;
  return html`<table${label !== undefined && html` aria-label="${label}"`}><thead><tr>${head}</tr></thead>
<tbody>${lines.map((line) => html`<tr>${line.map(cell)}</tr>\n`)}</tbody></table>`;
}

/** `33.3 %`, `< 0.1 %` */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (part / whole) * 100;
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9 && part < whole) return "> 99.9 %";
  return `${Number(share.toFixed(1))} %`;
}
