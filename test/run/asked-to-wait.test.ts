import { expect, onTestFinished, test } from "vitest";
import { run } from "../../src/run/import.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";

test("a run that was asked to wait goes on by itself, on the clock of the system", async () => {
  const names = Array.from({ length: 60 }, (_, at) => [`name ${at + 1}`]);
  const mapping = "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: name\n";
  const workspace = await openWorkspace([["name"], ...names], mapping);
  onTestFinished(workspace.remove);
  let refusedMs: number | undefined;
  const early: number[] = [];
  const service = await startService(({ n }) => {
    const now = performance.now();
    if (n >= 20 && n < 25) {
      refusedMs ??= now;
      return { status: 429, headers: { "retry-after": "1" } };
    }
    if (refusedMs !== undefined && n >= 30 && now - refusedMs < 1000) early.push(n);
    return accepted;
  });
  const summary = await run(
    {
      ...{ input: workspace.path("people.csv"), mapping: workspace.path("people.yaml") },
      ...{ baseUrl: service.url, token: "a-token", concurrency: 4 },
    },
    "import",
  );
  expect(summary).toMatchObject({ exitReason: "complete", counts: { succeeded: 60 } });
  expect(early).toEqual([]);
});
