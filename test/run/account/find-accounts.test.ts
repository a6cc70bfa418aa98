import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalRecord } from "../../../src/journal/read-journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import { writeManifest } from "../../../src/results/manifest.ts";
import { findAccounts } from "../../../src/run/account/find-accounts.ts";
import { beginOf, intentOf, journalOf, lineOf } from "../../journal/given-import.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { manifestOf, run } from "./account-on-disk.ts";

/** What status says of an import that was killed: two rows have a line, and a third was in flight. */
async function statusOf(killed: RunIdentity, ...more: JournalRecord[]) {
  const folder = await temporaryFolder();
  const path = join(folder, "people.results.csv");
  const lines = [lineOf(1, { status: "rejected" }), lineOf(2), intentOf(3)];
  await writeFile(`${path}.journal.1`, journalOf([beginOf(killed), ...lines, ...more]));
  await writeManifest(join(folder, "people.run.json"), manifestOf(null, false));
  const [found] = await findAccounts(folder);
  return { found, resume: ["eventload", "resume", path] };
}

test("an import that was killed has what its journal says", async () => {
  const { found, resume } = await statusOf({ ...run, rowsTotal: 5 });
  expect(found).toMatchObject({
    ...{ state: "unfinished", reason: "interrupted", part: 1, rows_settled: 2, rows_total: 5 },
    ...{ succeeded: 1, open: 1, next: resume },
  });
});

test("so has one that was killed in its last step", async () => {
  const end = { manifest: manifestOf("any") };
  const { found, resume } = await statusOf(run, { kind: "end", end });
  expect(found).toMatchObject({ state: "unfinished", reason: "interrupted", next: resume });
});

test("of a retry that was killed in its last step, it says what the part has", async () => {
  const end = { manifest: manifestOf("any", true, 2) };
  const retry = { ...run, kind: "retry", part: 2, rowsTotal: 7 } as const;
  const { found } = await statusOf(retry, { kind: "end", end });
  expect(found).toMatchObject({ rows_settled: 2, rows_total: 7, succeeded: 1, open: 1 });
});

test("where no check has counted the rows, their number is not known", async () => {
  const { found } = await statusOf(run);
  expect(found).toMatchObject({ rows_settled: 2, rows_total: null });
});

test("a night has a command of its own, and is not resumed", async () => {
  const imported = { ...run.imported, state: "/x/people.state.jsonl" };
  const { found } = await statusOf({ ...run, imported });
  expect(found).toMatchObject({ state: "unfinished", next: undefined });
});

test("an import of standard input needs the copy of it", async () => {
  const { imported } = run;
  const input = { ...imported.input, path: null };
  const { found } = await statusOf({ ...run, imported: { ...imported, input } });
  expect(found?.reason).toContain("people.results.csv.input is missing");
});

test("all that a user has to know of how an account ended is said", async () => {
  const path = join(await temporaryFolder(), "people.results.csv");
  const ended = { exit_reason: "input_changed" as const, superseded: 2 };
  await writeFile(path, "results");
  const manifest = JSON.stringify({ ...manifestOf("results"), ...ended });
  await writeFile(path.replace("results.csv", "run.json"), manifest);
  const [found] = await findAccounts(path);
  expect(found?.reason).toBe("input_changed; 2 superseded: skip or import them");
});
