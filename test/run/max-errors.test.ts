import { describe, expect, test } from "vitest";
import type { MaxErrors } from "../../src/model/max-errors.ts";
import { startService } from "../delivery/service-under-test.ts";
import { linesSoFar } from "../lines-so-far.ts";
import { accepted, eventIn, workspaceOf } from "./planned-people.ts";

describe("too many errors", () => {
  test("stop a run, which counts all of the part when it is resumed", async () => {
    const workspace = await workspaceOf(Array.from({ length: 60 }, (_, at) => `n${at}`));
    const service = await startService((receipt) =>
      eventIn(receipt).row % 5 === 0 ? { status: 422 } : accepted,
    );
    const options = { concurrency: 1, maxErrors: 2 };
    const first = await workspace.import(service.url, options);
    expect(first).toMatchObject({
      exitReason: "too_many_errors",
      message: `3 of 15 lines did not succeed, more than --max-errors 2 allows.`,
      counts: { rejected: 3 },
    });
    expect(JSON.parse(await workspace.text("people.run.json"))).toMatchObject({
      exit_reason: "too_many_errors",
      options: { max_errors: 2 },
    });
    const written = await linesSoFar(workspace.path("people.results.csv"));
    expect(written.filter((line) => line.import_status === "rejected")).toHaveLength(3);

    const second = await workspace.import(service.url, { ...options, resume: "must" });
    expect(second).toMatchObject({ exitReason: "too_many_errors", counts: { rejected: 3 } });
    expect(
      await workspace.import(service.url, { concurrency: 1, resume: "must", maxErrors: "20%" }),
    ).toMatchObject({ exitReason: "complete", counts: { succeeded: 48, rejected: 12 } });
    expect(service.receipts).toHaveLength(60);
  });

  test("do not count twice what was settled before a resume and not yet written down", async () => {
    const workspace = await workspaceOf(Array.from({ length: 20 }, (_, at) => `n${at}`));
    let isResumed = false;
    const service = await startService((receipt) => {
      const { row } = eventIn(receipt);
      if (isResumed || row === 1) return accepted;
      return { status: row === 2 ? 500 : 422 };
    });
    const options = { concurrency: 3, maxErrors: 2 };
    expect(await workspace.import(service.url, options)).toMatchObject({
      exitReason: "too_many_errors",
    });
    // The second row waits for another attempt, so those behind it stand in the journal alone.
    expect(await linesSoFar(workspace.path("people.results.csv"))).toHaveLength(1);
    isResumed = true;
    const more = { ...options, maxErrors: 5, resume: "must" } as const;
    const summary = await workspace.import(service.url, more);
    expect(summary.exitReason).toBe("complete");
    expect(summary.counts.rejected).toBeGreaterThanOrEqual(3);
  });

  test("let what is in flight come to its end", async () => {
    const workspace = await workspaceOf(Array.from({ length: 60 }, (_, at) => `n${at}`));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const service = await startService(async (receipt) => {
      const { row } = eventIn(receipt);
      if (row === 2) {
        await service.received(4);
        return { status: 422 };
      }
      if (row > 2) await held;
      return accepted;
    });
    const summary = await workspace.import(service.url, {
      ...{ concurrency: 3, maxErrors: 0 },
      onNotice: ({ kind }) => kind === "not_succeeded" && setImmediate(release),
    });
    expect(summary).toMatchObject({ exitReason: "too_many_errors", counts: { rejected: 1 } });
    expect(summary.counts.succeeded).toBe(service.receipts.length - 1);
    expect(summary.unanswered).toBe(0);
    expect(service.receipts.length).toBeLessThan(10);
  });

  test.each<[MaxErrors, number, boolean]>([
    [2, 2, true],
    [1, 2, false],
    [0, 0, true],
    ["20%", 2, true],
    ["19%", 2, false],
  ])("in the check, with %j and %i of 10 rows invalid, sending: %s", async (most, bad, isSent) => {
    const workspace = await workspaceOf(
      Array.from({ length: 10 }, (_, at) => (at < bad ? "" : "n")),
    );
    const service = await startService(() => accepted);
    const run = workspace.import(service.url, { maxErrors: most });
    if (isSent) {
      expect(await run).toMatchObject({ exitReason: "complete", counts: { invalid: bad } });
      return;
    }
    await expect(run).rejects.toMatchObject({
      code: "too_many_invalid",
      message: expect.stringMatching(
        /^people\.csv: 2 of 10 rows cannot be mapped, more than --max-errors (1|19%) allows/,
      ),
    });
    expect(service.receipts).toEqual([]);
    expect(workspace.has("people.results.csv")).toBe(false);
  });

  test("before anything was sent leave nothing behind", async () => {
    const workspace = await workspaceOf(["", "n"]);
    const service = await startService(() => accepted);
    const summary = await workspace.import(service.url, { check: false, maxErrors: 0 });
    expect(summary).toMatchObject({
      exitReason: "too_many_errors",
      message: "1 of 1 line did not succeed, more than --max-errors 0 allows.",
    });
    expect(summary.results).toBeUndefined();
    expect(service.receipts).toEqual([]);
  });

  test("of a part whose rows are all done leave no row behind", async () => {
    const workspace = await workspaceOf(["a", "b", "c", "d", "e"]);
    const service = await startService(({ n }) => (n === 4 ? { status: 422 } : accepted));
    const options = { check: false, concurrency: 1, maxErrors: 0 };
    const first = await workspace.import(service.url, options);
    expect(first.exitReason).toBe("too_many_errors");
    const again = await workspace.import(service.url, { ...options, resume: "must" });
    expect(again.counts).toMatchObject({ succeeded: 4, rejected: 1, not_sent: 0 });
    expect(again.rows).toBe(5);
  });
});
