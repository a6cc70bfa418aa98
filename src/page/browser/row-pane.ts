import { type Content, type Html, html } from "../../model/look/html.ts";
import { grouped } from "../../model/quantities.ts";
import type { ShownRow } from "./page.ts";

/** A row as it stands in the file, each cell beside what becomes of it. */
export function cellPairs(preview: ShownRow): Html {
  const { row, columns } = preview;
  const explained = preview.kind === "skipped" ? [] : (preview.explained ?? []);
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const made = explained.flatMap(({ members }) =>
    members.map(({ name, value, problem, steps: [first] }) => {
      return { ...{ by: first?.by, of: first?.of }, name, value, why: problem?.message };
    }),
  );
  const ofColumns = columns.map((column, at) => {
    const own = made.filter(({ by, of }) => by === "column" && of === column);
    const why = problems.find((problem) => problem.column === column)?.message;
    const all = own.length > 0 ? own : [{ name: "", value: undefined, why }];
    const cell = row.cells[at] ?? "";
    const shown = cell.trim() === "" ? html`<dd class="not">blank</dd>` : html`<dd>${cell}</dd>`;
    return all.map((one) => madeLine(column || "(no name)", shown, one));
  });
  const others = made.filter(({ by, name }) => by !== "column" && name !== "event");
  return html`${ofColumns}${others.map((one) => madeLine(`(${one.by ?? "the file"})`, html`<dd></dd>`, one))}`;
}

interface Made {
  readonly name: string;
  readonly value: unknown;
  readonly why: string | undefined;
}

function madeLine(from: string, cell: Html, { name, value, why }: Made): Html {
  const missing = name === "" ? "not sent" : "left out";
  const look = why !== undefined ? "why" : value === undefined ? "not" : "";
  return html`<div${why !== undefined && html` class="wrong"`}><dt>${from}</dt><dd class="field">${name}</dd>
${cell}<dd class="to ${look}">${why ?? JSON.stringify(value) ?? missing}</dd></div>`;
}

export function renderVerdict(preview: ShownRow): Html {
  const said = (look: string, word: string, more: Content) =>
    html`<span class="tag ${look}">${word}</span> <span class="quiet">line ${grouped(preview.row.line)} ${more}</span>`;
  switch (preview.kind) {
    case "requests":
      return said("good", "ready", "");
    case "skipped":
      return said("", "left out", preview.why);
    case "invalid": {
      const ofRow = preview.problems.filter(({ column }) => column === undefined);
      return said("warn", "not ready", ofRow.map(({ message }) => message).join(" "));
    }
    default:
      return preview satisfies never;
  }
}

export function requestsOf(preview: ShownRow): Html {
  if (preview.kind !== "requests") return html`<p class="quiet">Nothing of this row is sent.</p>`;
  return html`${preview.requests.map(
    ({ method, url, body }) => html`<p class="quiet">${method} ${url}</p>
<pre tabindex="0" role="group" aria-label="Body of the request">${JSON.stringify(JSON.parse(body), null, 2)}</pre>`,
  )}`;
}
