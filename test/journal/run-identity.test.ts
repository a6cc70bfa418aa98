import { expect, test } from "vitest";
import {
  differences,
  journalVersion,
  type RunIdentity,
  type RunOptions,
} from "../../src/journal/run-identity.ts";

function runThat(options: Partial<RunOptions>): RunIdentity {
  const file = { path: "/people.csv", name: "people.csv", bytes: 1, sha256: "f" };
  return {
    version: journalVersion,
    kind: "import",
    part: 1,
    input: { ...file, called: "people.csv", id: "0123456789abcdef" },
    results: "people.results.csv",
    mapping: { path: "/people.yaml", bytes: 1, sha256: "e" },
    baseUrl: "https://example.com",
    options: {
      ...{ delivery: "at-least-once", idempotencyHeader: null, allowHttp: false },
      ...{ skip: 0, limit: null, ...options },
    },
    startedAt: "2026-01-01T00:00:00.000Z",
    parts: [],
    rowsTotal: null,
  };
}

test("a run is resumed if an option says what it had detected, and not if it says something else", () => {
  const readAs = { encoding: "UTF-8", delimiter: ";", quote: '"' };
  const found = runThat({ reading: {}, readAs });
  const told = runThat({ reading: { encoding: "utf-8", delimiter: ";" }, readAs });
  const other = runThat({ reading: { delimiter: "," }, readAs: { ...readAs, delimiter: "," } });
  const old = runThat({ reading: {} });
  expect(differences(found, told)).toEqual([]);
  expect(differences(told, found)).toEqual([]);
  expect(differences(found, other)).toEqual(["--delimiter was not given and is ,"]);
  expect(differences(old, other)).toEqual(["--delimiter was not given and is ,"]);
});

test.each<[Partial<RunOptions>, string]>([
  [{ skip: 5 }, "--skip was 0 and is 5"],
  [{ limit: 10 }, "--limit was not given and is 10"],
  [{ delivery: "at-most-once" }, "--delivery was at-least-once and is at-most-once"],
  [{ idempotencyHeader: "x-id" }, "--idempotency-header was not given and is x-id"],
])("a run is not resumed with %j", (options, difference) => {
  const [before, now] = [runThat({}), runThat(options)];
  expect(differences(before, now)).toEqual([difference]);
  expect(differences(now, before)).toHaveLength(1);
});
