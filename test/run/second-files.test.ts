import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/results/manifest.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const people = [
  ["name", "country"],
  ["Ann", "Nederland"],
  ["Bo", "België"],
  ["Cy", "Narnia"],
];
const countries = "Name,Code\nNederland,NL\nBelgië,BE\n";
const mapping = `version: 1
resource: users
event: user.updated
members:
  name: name
  country: { column: country, lookup: { file: countries.csv, key: Name, value: Code }, required: true }
`;

async function given(text = mapping) {
  const workspace = await openWorkspace(people, text);
  await workspace.write("countries.csv", countries);
  return workspace;
}

describe("a file to look things up in", () => {
  test("is read once, beside the mapping, and stands in the manifest", async () => {
    const workspace = await given();
    const service = await startService(() => accepted);
    const summary = await workspace.import(service.url);
    expect(summary).toMatchObject({ rows: 3, counts: { succeeded: 2, invalid: 1 } });
    const bodies = service.receipts.map(({ body }) => JSON.parse(body) as { country: string });
    expect(bodies.map(({ country }) => country).sort()).toEqual(["BE", "NL"]);
    expect(await readManifest(workspace.path("people.run.json"))).toMatchObject({
      manifest: {
        mapping: {
          lookups: [{ path: workspace.path("countries.csv"), bytes: countries.length + 1 }],
        },
      },
    });
    const [, , lost] = await workspace.lines("people.results.csv");
    expect(lost?.import_error).toBe(
      'column "country": "Narnia" is not in column "Name" of countries.csv',
    );
  });

  test("that has changed keeps a run from going on, and is put back for it", async () => {
    const workspace = await given();
    const service = await startService(({ n }) => (n === 1 ? { status: 401 } : accepted));
    await workspace.import(service.url, { concurrency: 1 });
    const before = service.receipts.length;
    await workspace.write("countries.csv", `${countries}Narnia,NA\n`);
    await expect(workspace.import(service.url, { resume: "must" })).rejects.toMatchObject({
      code: "resume_differs",
      message: expect.stringContaining("countries.csv that the mapping uses has changed"),
    });
    expect(service.receipts).toHaveLength(before);
    await workspace.write("countries.csv", countries);
    const summary = await workspace.import(service.url, { resume: "must" });
    expect(summary).toMatchObject({ exitReason: "complete", counts: { succeeded: 2, invalid: 1 } });
  });

  test.each([
    ["countries.csv", "Name,Code\nA\n", "countries.csv: line 2 has 1 cell where the header has 2"],
    ["countries.csv", `Name,Code\n${"a,b\n".repeat(600_000)}`, "leave out what is not looked up"],
    ["other.csv", "", "cannot be read: there is no such file or folder"],
    ["countries.csv", "", "countries.csv is empty"],
  ])("that cannot be used is a problem of the mapping: %s", async (file, text, problem) => {
    const workspace = await given(mapping.replace("countries.csv", file));
    await workspace.write("countries.csv", text);
    const service = await startService(() => accepted);
    await expect(workspace.import(service.url)).rejects.toMatchObject({
      code: "mapping_invalid",
      details: [expect.stringContaining(problem)],
    });
    expect(service.receipts).toEqual([]);
  });
});

const functionText = `export const ordering_key = ["country"];
const codes = { Nederland: "NL" };
export default (row, { row: number, line }) => {
  if (row.name === "Cy") throw new Error("unheard of");
  if (row.name === "Bo") return null;
  return { resource: "users", body: { event: "user.updated", name: row.name, country: codes[row.country], number, line } };
};
`;

describe("a mapping that is a module", () => {
  test("is read again when it has changed: retry fixes with the fixed function", async () => {
    const workspace = await given();
    await workspace.write("people.mjs", functionText);
    const service = await startService(() => accepted);
    await workspace.import(service.url, { mapping: workspace.path("people.mjs") });
    await workspace.write("people.mjs", functionText.replace('"Cy"', '"nobody"'));
    const retry = { mapping: workspace.path("people.mjs") };
    const summary = await workspace.retry(service.url, "people.failed.csv", retry);
    expect(summary).toMatchObject({ counts: { succeeded: 2, skipped: 1 } });
  });

  test.each([
    ["export default (", "mapping_unreadable", "people.mjs cannot be read: "],
    ["export const a = 1;", "mapping_invalid", "a problem"],
    ["import './codes.mjs';", "mapping_unreadable", "it imports another file"],
    ['import a from "/tmp/x.mjs"', "mapping_unreadable", "it imports another file"],
    ["import('#x')", "mapping_unreadable", "it imports another file"],
    ["throw new Error('no');", "mapping_unreadable", "cannot be read: Error: no ("],
  ])("that cannot be loaded is refused: %s", async (text, code, message) => {
    const workspace = await given();
    await workspace.write("people.mjs", text);
    const mapped = workspace.import("http://127.0.0.1:9", {
      mapping: workspace.path("people.mjs"),
    });
    await expect(mapped).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
