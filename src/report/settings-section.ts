import { count, duration, grouped } from "../model/quantities.ts";
import { foreign, type Html, html } from "./html.ts";
import type { ReportedRun } from "./reported-run.ts";

/** What the run was told, and the files that it read and wrote. @param missing those that it wrote and that are not there */
export function settingsSection(run: ReportedRun, missing: readonly string[]): Html {
  const { input, inputs, mapping, options } = run;
  const inputFiles = inputs ?? [{ ...input, path: input.path ?? input.name }];
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<p class="note">As the manifest has them; the token is in none of a run's files.</p>
<dl class="settings">${flat(options).map(
    ([name, value]) => html`<div><dt>${foreign(name)}</dt><dd>${foreign(value)}</dd></div>
`,
  )}</dl>
</section>
<section aria-labelledby="files"><h2 id="files">Files</h2>
<table class="files" aria-labelledby="files"><thead><tr><th scope="col">What</th><th scope="col">Where, how long, and its SHA-256</th></tr></thead>
<tbody>${inputFiles.map((file) => fileLine("input", file))}${fileLine("mapping", mapping)}${fileLine("results", { path: run.results, isMissing: missing.includes(run.results) })}${
    run.failed_rows === null
      ? undefined
      : fileLine("failed rows", {
          path: run.failed_rows,
          isMissing: missing.includes(run.failed_rows),
        })
  }</tbody></table>
</section>
`;
}

function fileLine(
  what: string,
  file: {
    readonly path: string;
    readonly bytes?: number | null;
    readonly sha256?: string | null;
    readonly isMissing?: boolean;
  },
): Html {
  const { path, bytes, sha256, isMissing = false } = file;
  return html`<tr><th scope="row">${what}</th><td>${foreign(path)}${
    isMissing ? html` <strong class="bad">not there</strong>` : undefined
  }${
    typeof bytes === "number" ? html`<span class="file">${count(bytes, "byte")}</span>` : undefined
  }${
    typeof sha256 === "string" ? html`<span class="file hash">${foreign(sha256)}</span>` : undefined
  }</td></tr>
`;
}

/** What is not given is left out; what is in an object stands beside the rest. */
function flat(options: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(options).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const words = name.replace(/_ms$/, "").replaceAll("_", " ");
    if (Array.isArray(value)) return value.length === 0 ? [] : [[words, value.join(", ")]];
    if (typeof value === "object") {
      return flat(value as Record<string, unknown>).map(([inner, of]) => [
        `${words}: ${inner}`,
        of,
      ]);
    }
    return [[words, shown(name, value)]];
  });
}

function shown(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  return name.endsWith("_ms") ? duration(value) : grouped(value);
}
