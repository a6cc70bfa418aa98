import { mkdir, writeFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import { cutWhen, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: { column: name, required: true }\n  id: { meta: event_id }\n";
const accepted = { status: 202 };

async function workspaceOf(names: readonly string[]) {
  const workspace = await openWorkspace([["name"], ...names.map((name) => [name])], mapping);
  onTestFinished(workspace.remove);
  return workspace;
}

test("a run that goes on and is interrupted before it reads a row keeps its journal", async () => {
  const workspace = await workspaceOf(["Ann", "Bob"]);
  const interrupt = new AbortController();
  const service = await startService(({ n }) => {
    if (n > 0) return accepted;
    setImmediate(() => interrupt.abort());
    return cutWhen(interrupt.signal);
  });
  await workspace.import(service.url, { signal: interrupt.signal });
  expect(workspace.has("people.results.csv.journal")).toBe(true);
  await workspace.import(service.url, { resume: "must", signal: AbortSignal.abort() });
  expect(workspace.has("people.results.csv.journal")).toBe(true);
  expect(await workspace.import(service.url, { resume: "must" })).toMatchObject({
    exitReason: "complete",
    unanswered: 1,
  });
  expect(await workspace.lines("people.results.csv")).toMatchObject([
    { import_status: "succeeded", import_unanswered: "1" },
    { import_status: "succeeded", import_unanswered: "0" },
  ]);
});

test("a manifest that cannot be written is not named in the summary", async () => {
  const workspace = await workspaceOf(["Ann"]);
  const service = await startService(async ({ n }) => {
    if (n === 0) await mkdir(workspace.path("people.run.json"));
    return accepted;
  });
  const summary = await workspace.import(service.url);
  expect(summary.manifest).toBeUndefined();
});

test("results in a place that cannot be read cannot start", async () => {
  const workspace = await workspaceOf(["Ann"]);
  await writeFile(workspace.path("file"), "");
  const service = await startService(() => accepted);
  for (const results of ["no\u0000name.csv", "file/x.results.csv"]) {
    const run = workspace.import(service.url, { results: workspace.path(results), check: false });
    await expect(run).rejects.toBeInstanceOf(CannotStartError);
  }
});
