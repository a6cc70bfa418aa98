import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DiskError } from "../../src/model/errors.ts";
import { noCounts } from "../../src/model/outcome.ts";
import { type Manifest, readManifest, writeManifest } from "../../src/results/manifest.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const manifest: Manifest = {
  version: 2,
  eventload: "0.1.0",
  input: {
    path: null,
    name: "stdin",
    called: "stdin",
    id: "0123456789abcdef",
    bytes: null,
    sha256: null,
  },
  mapping: { path: "/x/people.yaml", bytes: 10, sha256: "aa", lookups: [] },
  base_url: "https://example.com",
  options: {
    concurrency: 32,
    rate_per_second: null,
    max_attempts: 5,
    max_errors: null,
    timeout_ms: 30_000,
    adaptive: true,
    max_outage_ms: 900_000,
    delivery: "at-least-once",
    durability: "power",
    idempotency_header: null,
    allow_http: false,
    ca_files: ["/x/ca.pem"],
    success_statuses: "2xx,409",
    retry_statuses: null,
    reject_statuses: null,
    shard: null,
    skip: 0,
    limit: null,
    check: true,
    strict: false,
  },
  parts: [
    {
      part: 1,
      command: "import",
      started_at: "2026-03-01T12:00:00.000Z",
      finished_at: null,
      rows: 1,
      counts: { ...noCounts(), succeeded: 1 },
      attempts: 1,
      unanswered: 0,
      exit_reason: null,
      is_over: false,
      concurrency: 32,
      rate_per_second: null,
      adaptive: true,
      timeout_ms: 30_000,
      max_attempts: 5,
      max_errors: null,
      max_outage_ms: 900_000,
      durability: "power",
    },
  ],
  started_at: "2026-03-01T12:00:00.000Z",
  finished_at: "2026-03-01T12:00:01.000Z",
  elapsed_ms: 1000,
  rows: 1,
  events: 1,
  counts: { ...noCounts(), succeeded: 1 },
  attempts: 1,
  unanswered: 0,
  perhaps_twice: 0,
  reconciliation: {
    rows_read: 1,
    rows_settled: 1,
    rows_not_settled: 0,
    rows_written: 1,
    lines: 1,
    adds_up: true,
  },
  exit_reason: "complete",
  message: null,
  results: "/x/people.results.csv",
  failed_rows: null,
  results_file: { bytes: 10, sha256: "bb" },
  failed_rows_file: null,
};

test("is read as it was written, and nothing else is left behind", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "people.run.json");
  await writeManifest(path, manifest);
  expect(await readManifest(path)).toMatchObject({ kind: "manifest", manifest });
  expect(await readdir(folder)).toEqual(["people.run.json"]);
  expect(await readFile(path, "utf8")).toMatch(/^\{\n {2}"version": 2,[\s\S]*\}\n$/);
});

test("that is not there is absent", async () => {
  expect(await readManifest(join(await temporaryFolder(), "x.run.json"))).toEqual({
    kind: "absent",
  });
});

test.each([
  ["no JSON", "{"],
  ["something else", '{"version":2}'],
  ["one of another version", JSON.stringify({ ...manifest, version: 1 })],
])("%s in its place is unreadable", async (_, text) => {
  const path = join(await temporaryFolder(), "x.run.json");
  await writeFile(path, text);
  expect(await readManifest(path)).toMatchObject({ kind: "unreadable" });
});

test("with figures that somebody has bent is one without figures", async () => {
  const path = join(await temporaryFolder(), "x.run.json");
  await writeFile(path, JSON.stringify({ ...manifest, figures: { buckets: "many" } }));
  const read = await readManifest(path);
  expect(read).toMatchObject({ kind: "manifest", manifest: { base_url: manifest.base_url } });
  expect(read.kind === "manifest" && read.manifest.figures).toBeUndefined();
});

test("that cannot be written is an error of the disk, and no part of it stays", async () => {
  const folder = await temporaryFolder();
  await expect(writeManifest(join(folder, "no", "x.run.json"), manifest)).rejects.toThrow(
    DiskError,
  );
  // A folder stands where it would go: only the last step fails.
  const path = join(folder, "people.run.json");
  await mkdir(path);
  await expect(writeManifest(path, manifest)).rejects.toThrow(`${path} cannot be written`);
  expect(await readdir(folder)).toEqual(["people.run.json"]);
});

test("a pipe in its place is unreadable, and is not waited for", async () => {
  const path = join(await temporaryFolder(), "people.run.json");
  execFileSync("mkfifo", [path]);
  expect(await readManifest(path)).toMatchObject({ kind: "unreadable" });
});
