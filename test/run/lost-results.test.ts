import { readdirSync } from "node:fs";
import { appendFile, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { accepted, type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: { column: name, required: true }\n  id: { meta: event_id }\n";

/** Ten rows, of which the third is invalid. */
async function workspaceOf(rows = 10): Promise<Workspace> {
  const names = Array.from({ length: rows }, (_, at) => [at === 2 ? "" : `name ${at + 1}`, "x"]);
  const workspace = await openWorkspace([["name", "note"], ...names], mapping);
  onTestFinished(workspace.remove);
  return workspace;
}

/** Answers the event of row 5 with 422, and does something before it answers the nth. */
function service(at: number, act: () => Promise<unknown>) {
  return startService(async ({ n, body }): Promise<Reply> => {
    if (n === at) await act();
    return body.includes('"name 5"') ? { status: 422 } : accepted;
  });
}

const lasting = ({ import_finished_at, ...others }: Record<string, string>) => others;

/** The lines of a run that nobody disturbs. */
async function undisturbed() {
  const workspace = await workspaceOf();
  const { url } = await service(-1, async () => {});
  await workspace.import(url);
  return {
    lines: (await workspace.lines("people.results.csv")).map(lasting),
    failed: (await workspace.lines("people.failed.csv")).map(lasting),
  };
}

describe("at the end of a run, results that", () => {
  const changes: [string, (path: string) => Promise<unknown>][] = [
    ["were removed", (path) => rm(path)],
    ["were moved", (path) => rename(path, `${path}.moved`)],
    ["were replaced", (path) => rm(path).then(() => writeFile(path, "mine"))],
    ["were cut", (path) => truncate(path, 20)],
    ["were added to", (path) => appendFile(path, "more\n")],
  ];

  test.each(changes)("%s: status 3, and resume writes them again", async (_, change) => {
    const expected = await undisturbed();
    const workspace = await workspaceOf();
    const results = workspace.path("people.results.csv");
    const { url, receipts } = await service(8, () => change(results));
    const ended = await workspace.import(url, { concurrency: 1 });
    expect(ended).toMatchObject({ exitReason: "files_changed", counts: { succeeded: 8 } });
    expect(ended.message).toContain(results);
    expect(workspace.has("people.results.csv.journal")).toBe(true);
    expect(receipts).toHaveLength(9);

    expect(await workspace.import(url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 8, rejected: 1, invalid: 1 },
    });
    expect(receipts).toHaveLength(9);
    expect((await workspace.lines("people.results.csv")).map(lasting)).toEqual(expected.lines);
    expect((await workspace.lines("people.failed.csv")).map(lasting)).toEqual(expected.failed);
    expect(workspace.has("people.results.csv.journal")).toBe(false);
  });

  test("were replaced are kept under another name", async () => {
    const workspace = await workspaceOf();
    const results = workspace.path("people.results.csv");
    const { url } = await service(8, () => rm(results).then(() => writeFile(results, "mine")));
    await workspace.import(url, { concurrency: 1 });
    await workspace.import(url, { resume: "must" });
    const kept = readdirSync(workspace.folder).find((name) => name.includes(".replaced."));
    expect(await workspace.text(kept ?? "")).toBe("mine");
  });

  test("are there, while the failed rows are not", async () => {
    const workspace = await workspaceOf();
    const { url, receipts } = await service(8, async () => {
      // It is written a moment after its first row has failed; while this answer is out, that clock stands.
      for (let n = 0; !workspace.has("people.failed.csv"); n++) {
        if (n % 50 === 0) workspace.clock.advance(100);
        await new Promise((go) => setImmediate(go));
      }
      await rm(workspace.path("people.failed.csv"));
    });
    const ended = await workspace.import(url, { concurrency: 1 });
    expect(ended).toMatchObject({ exitReason: "files_changed" });
    expect(ended.message).toContain("people.failed.csv is not there any more");
    expect(await workspace.import(url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
    });
    expect(receipts).toHaveLength(9);
    expect((await workspace.lines("people.failed.csv")).map(lasting)).toEqual(
      (await undisturbed()).failed,
    );
  });
});

/** A run that was stopped by the answer to its eighth event, and has cut its journal back. */
async function stopped() {
  const workspace = await workspaceOf();
  let isStopped = true;
  const { url, receipts } = await startService(({ n, body }): Reply => {
    if (isStopped && n >= 7) return { status: 401 };
    return body.includes('"name 5"') ? { status: 422 } : accepted;
  });
  const ended = await workspace.import(url, { concurrency: 1 });
  expect(ended).toMatchObject({ exitReason: "unauthorized", counts: { succeeded: 6 } });
  isStopped = false;
  return {
    workspace,
    url,
    receipts,
    again(from: number) {
      isStopped = from === 0;
    },
  };
}

describe("an unfinished run whose results are gone", () => {
  test("goes on, and what only they knew is unknown and not sent", async () => {
    const { workspace, url, receipts } = await stopped();
    await rm(workspace.path("people.results.csv"));
    await rm(workspace.path("people.failed.csv"));
    const before = receipts.length;
    const ended = await workspace.import(url, { resume: "must" });
    expect(ended).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 2, unknown: 7, invalid: 1 },
    });
    expect(receipts.slice(before).map(({ body }) => JSON.parse(body).name)).toEqual([
      "name 9",
      "name 10",
    ]);
    expect(workspace.notices).toContainEqual({
      kind: "warning",
      message: expect.stringMatching(/without the outcomes of 8 rows, which are unknown now\.$/),
    });
    const lines = await workspace.lines("people.results.csv");
    const { lines: expected } = await undisturbed();
    for (const name of ["name", "import_row", "import_event_id", "import_line"]) {
      expect(lines.map((line) => line[name])).toEqual(expected.map((line) => line[name]));
    }
    const unknown = lines.filter(({ import_status }) => import_status === "unknown");
    for (const line of unknown) {
      expect(line).toMatchObject({ import_error_code: "results_lost", import_unanswered: "1" });
    }
    // A retry sends them under the ids that they had.
    const sentAgain = receipts.length;
    await workspace.retry(url, "people.failed.csv", { mapping: workspace.path("people.yaml") });
    const ids = receipts.slice(sentAgain).map(({ body }) => JSON.parse(body).id);
    expect(ids.sort()).toEqual(unknown.map((line) => line.import_event_id).sort());
  });

  test("may be interrupted meanwhile: what is unknown stays so", async () => {
    const { workspace, url, receipts, again } = await stopped();
    await rm(workspace.path("people.results.csv"));
    await rm(workspace.path("people.failed.csv"));
    again(0);
    const interrupted = await workspace.import(url, { resume: "must" });
    expect(interrupted).toMatchObject({ exitReason: "unauthorized", counts: { unknown: 7 } });
    again(1);
    const before = receipts.length;
    await rm(workspace.path("people.results.csv"));
    await rm(workspace.path("people.failed.csv"));
    expect(await workspace.import(url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 2, unknown: 7, invalid: 1 },
    });
    expect(receipts).toHaveLength(before + 2);
  });

  test("stays so where it is interrupted before it reads a row", async () => {
    const { workspace, url, receipts } = await stopped();
    await rm(workspace.path("people.results.csv"));
    await rm(workspace.path("people.failed.csv"));
    const before = receipts.length;
    await workspace.import(url, { resume: "must", signal: AbortSignal.abort() });
    expect(await workspace.import(url, { resume: "must" })).toMatchObject({
      counts: { succeeded: 2, unknown: 7, invalid: 1 },
    });
    expect(receipts).toHaveLength(before + 2);
  });

  test("is refused while the failed rows are there, and where another file is in its place", async () => {
    const { workspace, url } = await stopped();
    const results = workspace.path("people.results.csv");
    const text = await workspace.text("people.results.csv");
    await rm(results);
    await expect(workspace.import(url, { resume: "must" })).rejects.toMatchObject({
      code: "results_gone",
      message: expect.stringContaining("people.failed.csv is there: put the results back"),
    });
    for (const other of [text.slice(0, -1), text.replace("name", "nom"), "mine"]) {
      await writeFile(results, other);
      await expect(workspace.import(url, { resume: "must" })).rejects.toMatchObject({
        code: "results_changed",
      });
      expect(await readFile(results, "utf8")).toBe(other);
    }
    await writeFile(results, text);
    expect(await workspace.import(url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 8, unknown: 0 },
    });
  });

  test("makes its failed rows again where only they are gone", async () => {
    const { workspace, url } = await stopped();
    const failed = await workspace.text("people.failed.csv");
    await rm(workspace.path("people.failed.csv"));
    // What stands beyond what is on record is written again, and does not count.
    const [, line] = failed.split("\n");
    await appendFile(workspace.path("people.results.csv"), `${line}\n`);
    await workspace.import(url, { resume: "must" });
    expect(await workspace.text("people.failed.csv")).toBe(failed);
  });
});
