import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { runNextPart } from "../../src/run/account/next-part.ts";
import { thisMachine } from "../../src/run/send/run-context.ts";
import { accepted, startService } from "../delivery/service-under-test.ts";
import { hurry } from "../hurry.ts";
import { openWorkspace } from "./import-under-test.ts";

test("interrupted before it begins: nothing is sent and nothing left behind", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  const options = { signal: AbortSignal.abort() };
  const { exitReason, results, counts } = await workspace.import(service.url, options);
  expect({ exitReason, results }).toEqual({ exitReason: "interrupted", results: undefined });
  expect(counts).toMatchObject({ succeeded: 0 });
  expect(service.receipts).toEqual([]);
  expect(workspace.has("people.results.csv")).toBe(false);
});

test("resumed and interrupted before it begins: what only the journal knows is not sent again", async () => {
  const workspace = await openWorkspace(
    [["key"], ["first"], ["second"]],
    "version: 1\nresource: users\nevent: a\nmembers: { row: { meta: row }, key: key }\n",
  );
  const stop = new AbortController();
  const service = await startService(({ n }) => {
    // The first row waits for its next attempt, so that nothing stands in the results.
    if (n === 0) return { status: 500 };
    if (n === 1) stop.abort();
    return accepted;
  });
  const again = { concurrency: 1, resume: "if-unfinished" } as const;
  const first = await workspace.import(service.url, { ...again, signal: stop.signal });
  expect(first).toMatchObject({ exitReason: "interrupted", counts: { not_sent: 1 } });
  const second = await workspace.import(service.url, { ...again, signal: AbortSignal.abort() });
  expect(second.exitReason).toBe("interrupted");
  const last = await workspace.import(service.url, again);
  expect(last).toMatchObject({ exitReason: "complete", counts: { succeeded: 2 } });
  expect(service.receipts.map(({ body }) => JSON.parse(body).key)).toEqual([
    ...["first", "second", "first"],
  ]);
});

test("interrupted while standard input is quiet: the run ends without waiting for more", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  const interrupt = new AbortController();
  async function* quiet(isQuiet: () => void) {
    yield Buffer.from("name,plan\nAnn,\nBob,\n");
    isQuiet();
    await new Promise(() => {});
  }
  const run = workspace.import(service.url, {
    input: quiet(() => setImmediate(() => interrupt.abort())),
    results: workspace.path("stdin.results.csv"),
    signal: interrupt.signal,
  });
  const { exitReason } = await run;
  expect(exitReason).toBe("interrupted");
  // Half an input is none.
  expect(service.receipts).toEqual([]);
  expect(readdirSync(workspace.path(""))).not.toContainEqual(expect.stringMatching(/^stdin/));
});

test("interrupted while the service does not answer: it waits for the grace, and not for the time-out", async () => {
  hurry(100);
  const service = await startService(() => new Promise(() => {}));
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  const interrupt = new AbortController();
  const options = { timeoutMs: 24 * 60 * 60_000, signal: interrupt.signal };
  const run = workspace.import(service.url, options);
  await service.received(1);
  interrupt.abort();
  const { exitReason, unanswered, elapsedMs } = await run;
  expect({ exitReason, unanswered }).toEqual({ exitReason: "interrupted", unanswered: 1 });
  expect(elapsedMs).toBeGreaterThanOrEqual(8000);
});

test("a run lets go of the signal that it was given", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  const { signal, listeners } = countedSignal();
  for (let n = 0; n < 3; n++) {
    await workspace.import(service.url, {
      results: workspace.path(`${n}.results.csv`),
      signal,
    });
  }
  expect(listeners()).toBe(0);
});

const simpleMapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: name\n  id: { meta: event_id }\n";

function countedSignal() {
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  return { signal, listeners: () => listeners };
}

test("interrupted once every row has its outcome: the run is complete, and says so for good", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  const interrupt = new AbortController();
  const disk: typeof thisMachine.disk = {
    ...thisMachine.disk,
    create(path) {
      if (path.endsWith(".new")) interrupt.abort();
      return thisMachine.disk.create(path);
    },
  };
  const options = {
    ...{ input: workspace.path("people.csv"), mapping: workspace.path("people.yaml") },
    ...{ baseUrl: service.url, token: "a-token", signal: interrupt.signal },
  };
  const first = await runNextPart(options, "import", { ...thisMachine, disk });
  expect(interrupt.signal.aborted).toBe(true);
  expect(first).toMatchObject({ exitReason: "complete", counts: { succeeded: 1 } });
  const again = await workspace.import(service.url, { resume: "must" });
  expect(again).toMatchObject({ exitReason: "complete", wasComplete: true });
});
