import { describe, expect, test } from "vitest";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { openWorkspace, type Workspace } from "./import-under-test.ts";

async function workspaceOf(rows: number): Promise<Workspace> {
  const names = Array.from({ length: rows }, (_, at) => [`name ${at + 1}`]);
  const mapping = "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: name\n";
  return openWorkspace([["name"], ...names], mapping);
}

describe("a wait that the service asks for with its first answer", () => {
  const answerFirst = (retryAfter: string) =>
    startService(({ n }) =>
      n === 0 ? { status: 429, headers: { "retry-after": retryAfter } } : accepted,
    );

  test("is kept where it is too long for the run: the next one sends nothing before it is over", async () => {
    const workspace = await workspaceOf(3);
    const service = await answerFirst("4000");
    expect(await workspace.import(service.url)).toMatchObject({
      exitReason: "throttled",
      results: workspace.path("people.results.csv"),
    });
    await expect(workspace.import(service.url)).rejects.toMatchObject({ code: "run_unfinished" });
    const early = await workspace.import(service.url, { resume: "must" });
    expect([early.exitReason, service.receipts.length]).toEqual(["throttled", 1]);

    workspace.clock.advance(4_000_000);
    expect(await workspace.import(service.url, { resume: "must" })).toMatchObject({
      exitReason: "complete",
      counts: { succeeded: 3 },
    });
  });

  test("is kept where the run is interrupted as it waits", async () => {
    const workspace = await workspaceOf(3);
    const service = await answerFirst("30");
    const interrupt = new AbortController();
    const { clock } = workspace;
    const stopped = await workspace.import(service.url, {
      signal: interrupt.signal,
      onNotice({ kind }) {
        if (kind === "pause") clock.schedule(3000, () => interrupt.abort());
      },
    });
    expect(stopped.exitReason).toBe("interrupted");
    const askedMs = clock.now() - 3000;
    const resumed = await workspace.import(service.url, { resume: "must" });
    expect(resumed).toMatchObject({ exitReason: "complete", counts: { succeeded: 3 } });
    expect(clock.now() - askedMs).toBeGreaterThanOrEqual(30_000);
  });
});
