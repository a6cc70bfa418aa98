import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openService, type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import {
  accepted,
  asPlanned,
  eventIn,
  peopleMapping,
  plannedRows,
  tableOf,
} from "./planned-people.ts";

const stops = fc.record({
  /** After which request the run is interrupted, and after how many more it is cut off. */
  after: fc.nat(20),
  cutOffAfter: fc.nat(6),
  isCutOff: fc.boolean(),
});

test("interrupted at any moment: what was received stands in the results, once, and rightly", async () => {
  await fc.assert(
    fc.asyncProperty(
      plannedRows,
      stops,
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom("at-least-once", "at-most-once"),
      async (rows, { after, cutOffAfter, isCutOff }, concurrency, delivery) => {
        const drain = new AbortController();
        const cutOff = new AbortController();
        const plan = asPlanned(rows);
        const silent = new Set<string>();
        const service = await openService(async (receipt): Promise<Reply> => {
          if (receipt.n === after) drain.abort();
          if (isCutOff && receipt.n >= after) {
            // Whatever leaves from here on gets no answer, until the run is cut off.
            silent.add(eventIn(receipt).id);
            setTimeout(() => cutOff.abort(), cutOffAfter);
            return "silence";
          }
          return plan.reply(receipt);
        });
        const workspace = await openWorkspace(tableOf(rows), peopleMapping(false));
        const summary = await workspace.import(service.url, {
          concurrency,
          delivery,
          signal: drain.signal,
          cutOffSignal: cutOff.signal,
        });
        await service.close();

        const isInterrupted = service.receipts.length > after;
        expect(summary.exitReason).toBe(isInterrupted ? "interrupted" : "complete");
        const received = new Set(service.receipts.map((receipt) => eventIn(receipt).id));
        if (summary.results === undefined) {
          // Nothing is worth a file where every answer was a refusal that leaves no trace.
          expect(workspace.has("people.results.csv")).toBe(false);
          expect(silent.size).toBe(0);
          expect([...plan.given.values()].flat()).not.toContainEqual(accepted);
          await workspace.remove();
          return;
        }
        const lines = await workspace.lines("people.results.csv");
        const ids = lines.map((line) => line.import_event_id).filter((id) => id !== "");
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of received) expect(ids).toContain(id);
        for (const line of lines) {
          const id = line.import_event_id ?? "";
          const answers = plan.given.get(id) ?? [];
          const last = answers.at(-1);
          if (silent.has(id)) expect(line.import_status).toBe("unknown");
          else if (line.import_status === "succeeded") expect(last).toEqual(accepted);
          else if (answers.includes("cut") && line.import_status !== "rejected") {
            expect(line.import_status).toBe("unknown");
          }
          if (typeof last === "object" && last.status === 202 && !silent.has(id)) {
            expect(line.import_status).toBe("succeeded");
          }
          if (!received.has(id)) expect(line.import_attempts).toBe("0");
        }
        const settled = lines.filter((line) => line.import_status !== "").length;
        const { not_sent: notSent, ...others } = summary.counts;
        expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(settled);
        expect(notSent > 0).toBe(
          summary.exitReason === "interrupted" &&
            (settled < lines.length ||
              Number(lines.at(-1)?.import_row) < rows.length ||
              notSent > 0),
        );
        await workspace.remove();
      },
    ),
    { numRuns: 60 },
  );
});

test("interrupted before it begins: nothing is sent and nothing left behind", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
  for (const options of [{ signal: AbortSignal.abort() }, { cutOffSignal: AbortSignal.abort() }]) {
    const { exitReason, results, counts } = await workspace.import(service.url, options);
    expect({ exitReason, results }).toEqual({ exitReason: "interrupted", results: undefined });
    expect(counts).toMatchObject({ succeeded: 0 });
  }
  expect(service.receipts).toEqual([]);
  expect(workspace.has("people.results.csv")).toBe(false);
});

test("interrupted while standard input is quiet: the run ends without waiting for more", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
  const interrupt = new AbortController();
  async function* quiet() {
    yield Buffer.from("name\nAnn\nBob\n");
    await new Promise(() => {});
  }
  const run = workspace.import(service.url, {
    input: quiet(),
    results: workspace.path("stdin.results.csv"),
    signal: interrupt.signal,
  });
  // The parser keeps the last row back until it knows that the line ends there.
  await service.received(1);
  interrupt.abort();
  const { exitReason, counts } = await run;
  expect(exitReason).toBe("interrupted");
  expect(counts.succeeded).toBe(service.receipts.length);
});

test("interrupted before standard input has said anything: the run ends, and left no file", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
  const interrupt = new AbortController();
  const silent: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
  };
  const run = workspace.import(service.url, {
    input: silent,
    results: workspace.path("stdin.results.csv"),
    signal: interrupt.signal,
  });
  setTimeout(() => interrupt.abort(), 20);
  expect(await run).toMatchObject({ exitReason: "interrupted", rows: 0, attempts: 0 });
  expect(workspace.has("stdin.results.csv")).toBe(false);
});

test("a run lets go of the signals that it was given", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
  const signals = [countedSignal(), countedSignal()] as const;
  for (let n = 0; n < 3; n++) {
    await workspace.import(service.url, {
      results: workspace.path(`${n}.results.csv`),
      signal: signals[0].signal,
      cutOffSignal: signals[1].signal,
    });
  }
  expect(signals.map(({ listeners }) => listeners())).toEqual([0, 0]);
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
