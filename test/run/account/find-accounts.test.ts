import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalOf } from "../../../src/journal/journal.ts";
import type { RunIdentity } from "../../../src/journal/run-identity.ts";
import type { JournalRecord } from "../../../src/journal/unfinished-run.ts";
import { sendingOf } from "../../../src/model/run-settings.ts";
import { findAccounts } from "../../../src/run/account/find-accounts.ts";
import { beginning } from "../../../src/run/send/open-run.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { manifestOf, run } from "./account-on-disk.ts";

/** What status says of an import that was killed: of a row it has a line, of another an outcome, and a third was in flight. */
async function statusOf(killed: RunIdentity, ...more: JournalRecord[]) {
  const folder = await temporaryFolder();
  const path = join(folder, "people.results.csv");
  const { imported } = killed;
  const sending = sendingOf(imported.options);
  const start = beginning();
  const outcome = { status: "succeeded", event: 1, attempts: 1, unanswered: 0 } as const;
  const counts = { ...start.tally.counts, rejected: 1 };
  const records: JournalRecord[] = [
    { kind: "run", run: { ...killed, parts: [{ startedAt: imported.started_at, sending }] } },
    { kind: "checkpoint", checkpoint: { ...start, rows: 1, tally: { ...start.tally, counts } } },
    { kind: "outcome", rowOfRun: 2, outcome },
    {
      kind: "intent",
      rowOfRun: 3,
      event: 1,
      attempt: 1,
      unanswered: 0,
      importedAt: imported.started_at,
    },
    ...more,
  ];
  await writeFile(`${path}.journal`, journalOf(records));
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
  const end = { from: "people.results.csv.part", manifest: manifestOf("any") };
  const { found, resume } = await statusOf(run, { kind: "end", end });
  expect(found).toMatchObject({ state: "unfinished", reason: "interrupted", next: resume });
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
