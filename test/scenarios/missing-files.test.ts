import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startService } from "../delivery/service-under-test.ts";
import { scenario } from "./scenario.ts";

const table = (...names: string[]) =>
  `Email,First Name,Code\n${names.map((name) => `${name}@x.org,${name},1\n`).join("")}`;

/** Six people, of whom the service refuses those that are called `no`. */
async function people() {
  const service = await startService(({ body }) => ({
    status: JSON.parse(body).first_name.startsWith("no") ? 422 : 202,
  }));
  const place = await scenario("plain");
  const at = (file: string) => join(place.folder, file);
  await writeFile(at("people.csv"), table("a", "b", "c", "no1", "no2", "d"));
  const importTo = (results: string, ...more: string[]) =>
    place.eventload([
      ...["import", "people.csv", "--base-url", service.url, "--results", results],
      ...more,
    ]);
  return { service, place, at, importTo };
}

it.each([
  ["people.csv", "There is no file"],
  ["people.yaml", "There is no mapping file"],
])("resume without %s says so, and goes on when it is put back", async (file, said) => {
  const { service, place, at, importTo } = await people();
  expect((await importTo("out/n.results.csv", "--max-errors", "1", "-c", "1")).status).toBe(3);
  const resume = () => place.eventload("resume out/n.results.csv --max-errors 9");
  const before = service.receipts.length;
  await rename(at(file), at("away"));
  expect(await resume()).toMatchObject({ status: 2, stderr: expect.stringContaining(said) });
  expect(service.receipts).toHaveLength(before);
  await rename(at("away"), at(file));
  expect((await resume()).status).toBe(1);
});

const neverWas =
  "There is no account of missing.results.csv: it was never started, or its files are elsewhere.";

it.each([
  ["report", neverWas],
  ["status", neverWas],
  ["resume", neverWas],
  ["retry", "There is no file missing.results.csv"],
])("%s of results that never were says so", async (command, said) => {
  const { place } = await people();
  const { status, stderr } = await place.eventload(`${command} missing.results.csv`);
  expect(status).toBe(2);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("import");
});
