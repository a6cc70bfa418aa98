import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scenario } from "../scenarios/scenario.ts";

const pages = ["docs/mapping.md", "docs/mapping-recipes.md"];

const usualEvent = "user.imported";
const usual = { version: 1, resource: "users", event: usualEvent };

/** The sections of a page that show a mapping. */
function examplesOf(page: string) {
  return readFileSync(new URL(`../../${page}`, import.meta.url), "utf8")
    .split(/^##+ /m)
    .map((text) => {
      const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
      const of = (wanted: string) =>
        blocks.filter(([, language]) => language === wanted).map(([, , block = ""]) => block);
      const title = text.split("\n")[0] ?? "";
      return { title, csv: of("csv"), yaml: of("yaml"), js: of("js"), json: of("json") };
    })
    .filter(({ yaml, js }) => yaml.length + js.length > 0);
}

describe.each(pages)("%s", (page) => {
  it.each(examplesOf(page))("maps as it shows: $title", async ({ csv, yaml, js, json }) => {
    const { eventload, folder } = await scenario("readme");
    const write = (name: string, text: string | undefined) => {
      if (text !== undefined) writeFileSync(join(folder, name), text);
    };
    const [input, lookup] = csv;
    write("people.csv", input);
    const [module, mapping = ""] = [js[0], yaml[0]];
    write(/ file: ([\w-]+\.csv)/.exec(mapping)?.[1] ?? "", lookup);
    write("mapping.mjs", module);
    write("mapping.yaml", completed(mapping));

    const names = [
      "people.csv",
      "--mapping",
      module === undefined ? "mapping.yaml" : "mapping.mjs",
    ];
    const bodies: unknown[] = [];
    const { stdout: checked } = await eventload(["check", ...names, "--json"]);
    const { rows } = JSON.parse(checked);
    expect(rows).toBeGreaterThan(0);
    for (let row = 1; row <= rows; row++) {
      const { stdout } = await eventload(["check", ...names, "--row", String(row), "--json"]);
      for (const { body } of JSON.parse(stdout).requests ?? []) bodies.push(shown(body));
    }
    const expected = (json[0] ?? "")
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(bodies.slice(0, expected.length || undefined)).toEqual(json.length ? expected : bodies);
    // Of the file that all examples of docs/mapping.md read, only the first row is shown.
    if (input !== undefined) expect(bodies).toHaveLength(expected.length);
  });
});

/** A part of a mapping with the keys that it leaves out. */
function completed(part: string): string {
  const has = (key: string) => new RegExp(`^${key}:`, "m").test(part);
  const missing = Object.entries(usual).filter(
    ([key]) => !has(key) && !(key === "event" && has("events")),
  );
  return `${missing.map(([key, value]) => `${key}: ${value}\n`).join("")}${part}`;
}

function shown({ event, ...members }: { readonly event: string }): object {
  return event === usualEvent ? members : { event, ...members };
}
