/** HTML in which all text from outside is escaped. */
export interface Html {
  readonly html: string;
}

/** What is undefined or false is left out. */
type Part = Html | string | number | undefined | false | readonly Part[];

/**
 * A template tag for HTML. Parts that are not HTML are escaped, also in attributes, whose values are always
 * in double quotes.
 */
export function html(pieces: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = pieces[0] ?? "";
  parts.forEach((part, at) => {
    text += textOf(part) + (pieces[at + 1] ?? "");
  });
  return { html: text };
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (typeof part === "string") return escapeHtml(part);
  if (typeof part === "number") return String(part);
  return "html" in part ? part.html : part.map(textOf).join("");
}

/** Also makes control and direction characters visible, which a browser does not show. */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const code = character.codePointAt(0) ?? 0;
    return code < 128 && code >= 32 ? `&#${code};` : `\\u{${code.toString(16)}}`;
  });
}

/** Text from outside, isolated so that its writing direction does not affect the rest. */
export function foreign(text: string): Html {
  return html`<bdi>${text}</bdi>`;
}

/** A `<data>` element: a number as people read it, with the exact value for programs. */
export function dataElement(name: string, value: number, shown: string): Html {
  return html`<data data-name="${name}" value="${value}">${shown}</data>`;
}

/** A table of lines with so many cells, or of lines that are made already. Columns that start with `#` hold numbers. */
export function table(
  label: string,
  columns: readonly string[],
  lines: readonly (Html | readonly Part[])[],
): Html {
  const classOf = (name = "") => name.startsWith("#") && html` class="number"`;
  const cell = (part: Part, at: number) => html`<td${classOf(columns[at])}>${part}</td>`;
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
