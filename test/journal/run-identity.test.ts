import { expect, test } from "vitest";
import { differences } from "../../src/journal/run-identity.ts";
import type { Imported } from "../../src/model/manifest.ts";
import { type RunSettings, usualSettings } from "../../src/model/run-settings.ts";
import { givenImport } from "./given-import.ts";

function runThat(settings: Partial<RunSettings>): Imported {
  return { ...givenImport, options: { ...usualSettings, ...settings } };
}

test.each<[Partial<RunSettings>, string]>([
  [{ skip: 5 }, "--skip was not given and is 5"],
  [{ shard: { index: 2, count: 3 } }, "--shard was not given and is 2/3"],
  [{ header: false }, "--no-header was not given and is given"],
  [{ quote: "" }, "quote (in eventload.yaml) was not given and is none"],
  [{ delivery: "at-most-once" }, "--delivery was at-least-once and is at-most-once"],
])("a run is not resumed with %j", (settings, difference) => {
  const [before, now] = [runThat({}), runThat(settings)];
  expect(differences(before, now)).toEqual([difference]);
  expect(differences(now, before)).toHaveLength(1);
});

test("a run of an earlier version, which does not know a setting, is resumed", () => {
  const { shard: _, header: __, ...known } = usualSettings;
  const before = { ...runThat({}), options: known as RunSettings };
  expect(differences(before, runThat({}))).toEqual([]);
});

test.each<Partial<RunSettings>>([
  { concurrency: 1, rate_per_second: 2, max_errors: "5%" },
  { allow_http: true, ca_files: ["ca.pem"], success_statuses: "2xx" },
  { rows_in_cells: true, check: false, strict: true },
])("a run is resumed with %j", (settings) => {
  expect(differences(runThat({}), runThat(settings))).toEqual([]);
});
