import { truncateSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import { type Reply, startService } from "../delivery/service-under-test.ts";
import { isOpen } from "../temporary-folder.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: { column: name, required: true }\n  id: { meta: event_id }\n";
const accepted: Reply = { status: 202 };

async function workspaceOf(rows: number, note = "x"): Promise<Workspace> {
  const lines = Array.from({ length: rows }, (_, at) => [`name ${at + 1}`, note]);
  return openWorkspace([["name", "note"], ...lines], mapping);
}

test("interrupted while it is checked: nothing is read, written, or said to be on record", async () => {
  const workspace = await workspaceOf(20);
  const service = await startService(() => accepted);
  const interrupt = new AbortController();
  const summary = await workspace.import(service.url, {
    signal: interrupt.signal,
    onProgress: ({ phase }) => {
      if (phase === "check") interrupt.abort();
    },
  });
  expect(summary).toMatchObject({
    exitReason: "interrupted",
    message: "Interrupted while checking; nothing was sent.",
    rows: 0,
  });
  expect(summary.results).toBeUndefined();
  expect(workspace.notices.map(({ kind }) => kind)).not.toContain("checked");
  expect(workspace.has("people.results.csv.journal.1")).toBe(false);
  expect(service.receipts).toEqual([]);
});

describe("the input", () => {
  test.each([true, false])(
    "changes by one letter while it is sent: not complete (checked: %s)",
    async (check) => {
      // Larger than what is read ahead of sending.
      const workspace = await workspaceOf(700, "x".repeat(3000));
      const file = await open(workspace.path("people.csv"), "r+");
      const service = await startService(async ({ n }) => {
        if (n !== 3) return accepted;
        const { size } = await file.stat();
        await file.write("y", size - 10);
        await file.close();
        return accepted;
      });
      const summary = await workspace.import(service.url, { check });
      expect(summary).toMatchObject({ exitReason: "input_changed", counts: { succeeded: 700 } });
      expect(workspace.has("people.results.csv.journal.1")).toBe(false);
    },
  );

  test.each([
    ["are in the results", "none"],
    ["wait for another", "name 2"],
  ])(
    "loses rows that an earlier part of the run sent, which %s: the journal stays",
    async (_, late) => {
      const workspace = await workspaceOf(700, "x".repeat(3000));
      const input = workspace.path("people.csv");
      const interrupt = new AbortController();
      const cut = await readFile(input, "utf8");
      const service = await startService(({ n, body }) => {
        if (n === 300) interrupt.abort();
        const isLate = !interrupt.signal.aborted && body.includes(`"${late}"`);
        return isLate ? { status: 500 } : accepted;
      });
      const first = { concurrency: 1, maxAttempts: 1000, signal: interrupt.signal };
      await workspace.import(service.url, first);
      const options = { resume: "must", concurrency: 1, maxAttempts: 1000 } as const;
      const summary = await workspace.import(service.url, {
        ...options,
        onNotice: ({ kind }) => {
          if (kind === "resumed") truncateSync(input, cut.indexOf(`"name 50"`));
        },
      });
      expect(summary).toMatchObject({ exitReason: "files_changed" });
      expect(summary.message).toContain("put the input back, then resume");

      await writeFile(input, cut);
      expect(await workspace.import(service.url, options)).toMatchObject({
        exitReason: "complete",
        counts: { succeeded: 700 },
      });
      const once = service.receipts.map(({ body }) => body).filter((body) => !body.includes(late));
      expect(new Set(once).size).toBe(once.length);
    },
  );
});

describe("a disk that breaks under", () => {
  test("the failed rows stops the run; what was sent is on record", async () => {
    const workspace = await workspaceOf(10);
    const service = await startService(async ({ n }) => {
      if (n === 0) await writeFile(workspace.path("people.failed.csv"), "mine");
      return n === 5 ? { status: 422 } : accepted;
    });
    const summary = await workspace.import(service.url, { concurrency: 1 });
    expect(summary.exitReason).toBe("files_changed");
    expect(summary.message).not.toContain("Error");
    expect(await workspace.text("people.failed.csv")).toBe("mine");
    expect(summary.failedRows).toBeUndefined();
    const received = service.receipts.length;

    await rm(workspace.path("people.failed.csv"));
    expect(await workspace.import(service.url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 9, rejected: 1 },
      unanswered: 0,
    });
    expect(service.receipts).toHaveLength(10);
    expect(received).toBeLessThanOrEqual(10);
    const manifest = JSON.parse(await workspace.text("people.run.json"));
    expect(manifest.parts).toMatchObject([{ concurrency: 1 }, { concurrency: 1 }]);
    expect(await workspace.lines("people.failed.csv")).toMatchObject([
      { import_row: "6", import_status: "rejected" },
    ]);
  });

  test("the manifest is reported in plain words, and it is written when the run goes on", async () => {
    const workspace = await workspaceOf(2);
    const service = await startService(async ({ n }) => {
      if (n > 0) return accepted;
      await rm(workspace.path("people.run.json"));
      await mkdir(workspace.path("people.run.json"));
      return accepted;
    });
    const summary = await workspace.import(service.url);
    expect(summary.exitReason).toBe("disk");
    expect(summary.message).toMatch(/^\/.*people\.run\.json cannot be written: it is a directory/);

    await rm(workspace.path("people.run.json"), { recursive: true, force: true });
    expect(await workspace.import(service.url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 2 },
    });
    expect(service.receipts).toHaveLength(2);
    expect(workspace.has("people.run.json")).toBe(true);
    expect(workspace.has("people.results.csv.journal.1")).toBe(false);
  });
});

test("what cannot start leaves no file open and no file behind", async () => {
  const workspace = await workspaceOf(2);
  const service = await startService(() => accepted);
  const input = workspace.path("people.csv");
  await writeFile(workspace.path("taken.failed.csv"), "");
  await mkdir(workspace.path("blocked.results.csv.journal.1"));
  const faults = [
    { results: workspace.path("taken.results.csv") },
    { results: workspace.path("blocked.results.csv"), check: false },
    { results: workspace.path("no\u0000name.results.csv"), check: false },
    { results: workspace.path("people.csv/x.results.csv"), check: false },
    { token: "two words" },
    { mapping: workspace.path("none.yaml") },
    { strict: true, check: false },
    { concurrency: 0 },
  ];
  for (const fault of faults) {
    const error = await workspace.import(service.url, fault).catch((reason: unknown) => reason);
    expect([fault, error]).toEqual([fault, expect.any(CannotStartError)]);
  }
  expect(service.receipts).toEqual([]);
  expect(isOpen(input)).toBe(false);
  expect((await readdir(workspace.folder)).sort()).toEqual([
    ...["blocked.results.csv.journal.1", "people.csv", "people.yaml", "taken.failed.csv"],
  ]);
});

test("what a listener throws ends the run, and is thrown when all is recorded", async () => {
  const workspace = await workspaceOf(50);
  const service = await startService(({ n }) => (n === 1 ? { status: 500 } : accepted));
  const run = workspace.import(service.url, {
    concurrency: 4,
    onNotice: ({ kind }) => {
      if (kind === "retry") throw new Error("from the listener");
    },
  });
  await expect(run).rejects.toThrow("from the listener");
  const received = service.receipts.length;
  expect(received).toBeLessThan(50);
  expect(workspace.has("people.run.json")).toBe(true);

  const summary = await workspace.import(service.url, { resume: "must" });
  expect(summary).toMatchObject({ exitReason: "complete", unanswered: 0 });
  // The one that stumbled was sent twice, and nothing else.
  expect(service.receipts).toHaveLength(51);
  const lines = await workspace.lines("people.results.csv");
  expect(lines.filter((line) => line.import_status === "succeeded")).toHaveLength(50);
  expect(lines.map((line) => line.import_attempts).sort()).toEqual([...Array(49).fill("1"), "2"]);
});
