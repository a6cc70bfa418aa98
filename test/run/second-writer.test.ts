import { rm } from "node:fs/promises";
import { expect, test } from "vitest";
import type { RunSummary } from "../../src/model/run-events.ts";
import { runNextPart } from "../../src/run/account/next-part.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import { type ImportPorts, thisMachine } from "../../src/run/send/run-context.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

/** Two runs write the same results, as from two machines that share a folder: no lock keeps them apart. */

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: name\n  id: { meta: event_id }\n";
const ports = { ...thisMachine, acquireLock: async () => ({ release: async () => {} }) };

async function given(rows: number) {
  const names = Array.from({ length: rows }, (_, at) => [`name ${at + 1}`]);
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const start = (baseUrl: string, more: Partial<ImportOptions>): Promise<RunSummary> =>
    startWith(ports, baseUrl, more);
  const startWith = (on: ImportPorts, baseUrl: string, more: Partial<ImportOptions>) =>
    runNextPart(
      {
        ...{ input: workspace.path("people.csv"), mapping: workspace.path("people.yaml"), baseUrl },
        ...{ token: "a-token", concurrency: 4, adaptive: false, ...more },
      },
      "import",
      on,
    );
  return { workspace, start, startWith };
}

test("a run that another takes over stops with status 3, and nothing is sent twice in silence", async () => {
  const { workspace, start } = await given(400);
  let second: Promise<RunSummary> | undefined;
  const service = await startService(async ({ n }) => {
    if (n === 60) second = start(service.url, { resume: "must" });
    await new Promise((resolve) => setTimeout(resolve, 2));
    return accepted;
  });
  const first = await start(service.url, {});
  const completed = await second;
  expect(first.exitReason).toBe("files_changed");
  expect(first.message).toContain("another eventload has taken the run over");
  expect(completed).toMatchObject({
    exitReason: "complete",
    rows: 400,
    counts: { succeeded: 400 },
  });
  const receipts = new Map<string, number>();
  for (const { body } of service.receipts) {
    const { id } = JSON.parse(body);
    receipts.set(id, (receipts.get(id) ?? 0) + 1);
  }
  const lines = await workspace.lines("people.results.csv");
  expect(lines).toHaveLength(400);
  for (const { import_event_id: id = "", import_unanswered } of lines) {
    expect(receipts.get(id)).toBeLessThanOrEqual(1 + Number(import_unanswered));
  }
  // Nothing of the account is the first one's any more.
  expect(first.manifest).toBeUndefined();
  expect(JSON.parse(await workspace.text("people.run.json")).exit_reason).toBe("complete");
  for (const number of [1, 2]) {
    expect(workspace.has(`people.results.csv.journal.${number}`)).toBe(false);
  }
});

test("a run whose journal was removed stops with status 3, and can be resumed", async () => {
  const { workspace, start } = await given(400);
  const service = await startService(async ({ n }) => {
    if (n === 60) await rm(workspace.path("people.results.csv.journal.1"));
    await new Promise((resolve) => setTimeout(resolve, 2));
    return accepted;
  });
  const first = await start(service.url, {});
  expect(first).toMatchObject({ exitReason: "files_changed" });
  expect(first.message).toContain("people.results.csv.journal.1 is not there any more");
  expect(service.receipts.length).toBeLessThan(300);
  expect(await start(service.url, { resume: "must" })).toMatchObject({
    exitReason: "complete",
    counts: { succeeded: 400 },
  });
  expect(service.receipts).toHaveLength(400);
  expect(await workspace.lines("people.results.csv")).toHaveLength(400);
});

test("a run whose part another has ended does not bring its journal back", async () => {
  const { workspace, start } = await given(400);
  const service = await startService(async ({ n }) => {
    if (n === 60) {
      await workspace.write("people.results.csv", "what the other has rendered\n");
      await rm(workspace.path("people.results.csv.journal.1"));
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    return accepted;
  });
  expect(await start(service.url, {})).toMatchObject({ exitReason: "files_changed" });
  expect(workspace.has("people.results.csv.journal.1")).toBe(false);
});

test("a night is not stopped by a resume from elsewhere, which is refused", async () => {
  const { workspace, start } = await given(200);
  await workspace.write("people.yaml", `${mapping}ordering_key: [name]\n`);
  const results = workspace.path("people.results.csv");
  let refused: Promise<unknown> | undefined;
  const service = await startService(async ({ n }) => {
    if (n === 60) {
      refused = start(service.url, { resume: "must", results }).catch((error: unknown) => error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
    return accepted;
  });
  const night = { results, state: workspace.path("people.state.jsonl") };
  expect(await start(service.url, night)).toMatchObject({ exitReason: "complete", rows: 200 });
  expect(await refused).toMatchObject({ code: "night_unfinished" });
});

test.each(["has ended", "goes on"])(
  "an import that begins beside another, which %s, sends nothing",
  async (what) => {
    const { workspace, start, startWith } = await given(100);
    const service = await startService(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return accepted;
    });
    let other: Promise<RunSummary> | undefined;
    const disk: ImportPorts["disk"] = {
      ...thisMachine.disk,
      // The account was read, and the journal is made next.
      async freeBytes() {
        other ??= start(service.url, { check: false });
        if (what === "has ended") await other;
        else await expect.poll(() => service.receipts.length).toBeGreaterThan(10);
        return undefined;
      },
    };
    const refused = await startWith({ ...ports, disk }, service.url, {}).catch(
      (error: unknown) => error,
    );
    expect(refused).toMatchObject({ code: "locked" });
    expect(await other).toMatchObject({ exitReason: "complete", counts: { succeeded: 100 } });
    expect(service.receipts).toHaveLength(100);
    expect(await workspace.lines("people.results.csv")).toHaveLength(100);
  },
);
