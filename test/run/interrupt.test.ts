import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openService, type Reply, startService } from "../delivery/service-under-test.ts";
import { openWorkspace } from "./import-under-test.ts";
import {
  accepted,
  asPlanned,
  eventIn,
  eventsOf,
  peopleMapping,
  plannedRows,
  tableOf,
} from "./planned-people.ts";

const stops = fc.record({
  /** After which request the run is interrupted, and after how many milliseconds connections end. */
  after: fc.nat(20),
  cutAfterMs: fc.nat(6),
  isSilent: fc.boolean(),
});

test("interrupted at any moment and resumed: what was received stands in the results, once, and rightly", async () => {
  await fc.assert(
    fc.asyncProperty(
      plannedRows,
      stops,
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom("at-least-once", "at-most-once"),
      async (rows, { after, cutAfterMs, isSilent }, concurrency, delivery) => {
        const drain = new AbortController();
        const plan = asPlanned(rows);
        const silent = new Set<string>();
        let isFirst = true;
        let ignored = 0;
        const service = await openService(async (receipt): Promise<Reply> => {
          if (isFirst && receipt.n === after) drain.abort();
          if (isFirst && isSilent && receipt.n >= after) {
            // Whatever leaves from here on gets no answer, and then its connection ends.
            silent.add(eventIn(receipt).id);
            await new Promise((resolve) => setTimeout(resolve, cutAfterMs));
            return "cut";
          }
          return plan.reply(receipt);
        });
        const workspace = await openWorkspace(tableOf(rows), peopleMapping(false));
        // What fails always is the service here and there, and no outage.
        const options = { concurrency, delivery, maxOutageMs: 0 } as const;
        let summary = await workspace.import(service.url, {
          ...options,
          signal: drain.signal,
        });
        isFirst = false;

        const isInterrupted = service.receipts.length > after;
        expect(summary.exitReason).toBe(isInterrupted ? "interrupted" : "complete");
        expect(workspace.has("people.results.csv.journal")).toBe(
          isInterrupted && summary.results !== undefined,
        );
        if (summary.results === undefined) {
          // Nothing is worth a file where every answer was a refusal that leaves no trace.
          expect(workspace.has("people.results.csv")).toBe(false);
          expect(silent.size).toBe(0);
          expect([...plan.given.values()].flat()).not.toContainEqual(accepted);
          plan.given.clear();
          ignored = service.receipts.length;
        } else {
          // What stands in the results has ended, and stays as it is.
          const name = isInterrupted ? "people.results.csv.part" : "people.results.csv";
          const lines = await workspace.lines(name);
          for (const line of lines) expect(line.import_status).not.toBe("");
          const settled = Object.entries(summary.counts)
            .filter(([status]) => status !== "not_sent")
            .reduce((sum, [, count]) => sum + count, 0);
          expect(lines.length).toBeLessThanOrEqual(settled);
          if (isInterrupted) {
            await expect(workspace.import(service.url, options)).rejects.toMatchObject({
              code: "run_unfinished",
            });
          }
        }
        for (let turn = 0; turn < 30 && summary.exitReason !== "complete"; turn++) {
          summary = await workspace.import(service.url, { ...options, resume: "if-unfinished" });
        }
        await service.close();
        expect(summary).toMatchObject({ exitReason: "complete", counts: { not_sent: 0 } });
        expect(workspace.has("people.results.csv.journal")).toBe(false);

        const received = service.receipts.slice(ignored).map((receipt) => eventIn(receipt).id);
        const lines = await workspace.lines("people.results.csv");
        const ids = lines.map((line) => line.import_event_id).filter((id) => id !== "");
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of received) expect(ids).toContain(id);
        expect(lines.map((line) => [line.import_row, line.import_event])).toEqual(
          rows.flatMap((row, at) => {
            const events = eventsOf(row);
            return (events.length === 0 ? [""] : events).map((event) => [`${at + 1}`, `${event}`]);
          }),
        );
        for (const line of lines) {
          if (line.import_event === "") continue;
          const id = line.import_event_id ?? "";
          const answers = plan.given.get(id) ?? [];
          const times = received.filter((other) => other === id).length;
          const unanswered =
            answers.filter((reply) => reply === "cut").length + Number(silent.has(id));
          // What was in flight then may not have been received, and is unanswered all the same.
          if (!isSilent) expect(line.import_attempts).toBe(`${times}`);
          if (!isSilent) expect(line.import_unanswered).toBe(`${unanswered}`);
          expect(Number(line.import_attempts)).toBeGreaterThanOrEqual(times);
          expect(Number(line.import_unanswered)).toBeGreaterThanOrEqual(unanswered);
          // An answer may be cut off on its way; then the results say that there was none.
          const isAnswerLost = isSilent && Number(line.import_unanswered) > unanswered;
          // Nothing is sent again after its answer was that it has been taken.
          if (!isAnswerLost) expect(answers.slice(0, -1)).not.toContainEqual(accepted);
          const last = answers.at(-1);
          if (silent.has(id) && delivery === "at-most-once") expect(times).toBe(answers.length + 1);
          if (typeof last === "object" && last.status === 202) {
            const isUnknown = delivery === "at-most-once" && (silent.has(id) || isAnswerLost);
            expect(line.import_status).toBe(isUnknown ? "unknown" : "succeeded");
          } else expect(line.import_status).not.toBe("succeeded");
          if (delivery === "at-most-once" && silent.has(id)) {
            expect(line.import_status).toBe("unknown");
          }
        }
        for (const [status, count] of Object.entries(summary.counts)) {
          const standing = lines.filter((line) => line.import_status === status).length;
          expect([status, standing]).toEqual([status, count]);
        }
        const manifest = JSON.parse(await workspace.text("people.run.json"));
        expect(manifest.reconciliation).toMatchObject({ adds_up: true, rows_written: rows.length });
        await workspace.remove();
      },
    ),
    { numRuns: 30 },
  );
});

test("interrupted before it begins: nothing is sent and nothing left behind", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
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
  onTestFinished(workspace.remove);
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
  onTestFinished(workspace.remove);
  const interrupt = new AbortController();
  async function* quiet() {
    yield Buffer.from("name,plan\nAnn,\nBob,\n");
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

test("a run lets go of the signal that it was given", async () => {
  const service = await startService(() => accepted);
  const workspace = await openWorkspace([["name"], ["Ann"]], simpleMapping);
  onTestFinished(workspace.remove);
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
