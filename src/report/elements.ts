import { type Content, foreign, type Html, html } from "../model/look/html.ts";

/** A `<data>` element: a number as people read it, with the exact value for programs. */
export function dataElement(name: string, value: number, shown: string): Html {
  return html`<data data-name="${name}" value="${value}">${shown}</data>`;
}

/** A table of lines with so many cells, or of lines that are made already. Columns that start with `#` hold numbers. */
export function table(
  label: string,
  columns: readonly string[],
  lines: readonly (Html | readonly Content[])[],
): Html {
  const classOf = (name = "") => name.startsWith("#") && html` class="num"`;
  const cell = (part: Content, at: number) => html`<td${classOf(columns[at])}>${part}</td>`;
  const head = columns.map(
    (name) => html`<th scope="col"${classOf(name)}>${foreign(name.replace(/^#/, ""))}</th>`,
  );
  return html`<table aria-label="${label}"><thead><tr>${head}</tr></thead>
<tbody>${lines.map((line) => ("html" in line ? line : html`<tr>${line.map(cell)}</tr>\n`))}</tbody></table>`;
}

/** `33.3 %`, `< 0.1 %` */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const share = (part / whole) * 100;
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9 && part < whole) return "> 99.9 %";
  return `${Number(share.toFixed(1))} %`;
}
