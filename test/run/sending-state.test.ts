import { expect, test } from "vitest";
import type { SendProgress } from "../../src/model/run-events.ts";
import type { SendingState, SendingWait } from "../../src/model/sending-state.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import { type Receipt, type Reply, startService } from "../delivery/service-under-test.ts";
import { createFakeClock } from "../fake-clock.ts";
import { openWorkspace } from "./import-under-test.ts";

const mapping =
  "version: 1\nresource: users\nevent: user.updated\nmembers:\n  name: { column: name, required: true }\n";
const accepted: Reply = { status: 202 };

/** What whoever watches an import of some rows was told of the sending. */
async function watched(
  rows: number,
  reply: (receipt: Receipt, nowMs: number) => Reply,
  options: Partial<ImportOptions> = {},
) {
  const names = Array.from({ length: rows }, (_, at) => [`n${at}`]);
  const workspace = await openWorkspace([["name"], ...names], mapping);
  const clock = createFakeClock({ waitsForDisk: true });
  const service = await startService((receipt) => reply(receipt, clock.now()));
  const seen: SendProgress[] = [];
  const onProgress: ImportOptions["onProgress"] = (progress) => {
    if (progress.phase === "send") seen.push(progress);
  };
  const summary = await workspace.import(service.url, { ...options, clock, onProgress });
  const states: readonly SendingState[] = seen.map(({ sending }) => sending);
  const waits = states.flatMap(({ waitsFor }) => waitsFor ?? []);
  return { summary, seen, states, waits };
}

function pauses(waits: readonly SendingWait[]) {
  return waits.flatMap((wait) => (wait.kind === "pause" ? wait : []));
}

test("a pause that the service asked for is counted down", async () => {
  const { summary, waits } = await watched(30, ({ n }) =>
    n === 10 ? { status: 429, headers: { "retry-after": "6" } } : accepted,
  );
  expect(summary.counts.succeeded).toBe(30);
  const told = pauses(waits);
  expect(told.every(({ reason }) => reason === "asked")).toBe(true);
  const left = told.map(({ forMs }) => forMs);
  expect(Math.max(...left)).toBeGreaterThan(5000);
  expect(left).toEqual(left.toSorted((one, other) => other - one));
  expect(summary.sending).toMatchObject({ pauses: 1, retries: 1, attempts: 31 });
});
test("in an outage events wait for another attempt", async () => {
  const { summary, states, waits } = await watched(60, ({ n }, nowMs) =>
    n >= 5 && nowMs < 8000 ? { status: 503 } : accepted,
  );
  expect(summary.counts.succeeded).toBe(60);
  const told = pauses(waits);
  expect(told.length).toBeGreaterThan(10);
  expect(told.every(({ reason }) => reason === "outage")).toBe(true);
  expect(Math.max(...states.map(({ toRetry }) => toRetry))).toBeGreaterThan(0);
  expect(states.at(-1)).toMatchObject({ toRetry: 0, inFlight: 0 });
});

test("a cap is what it waits for, and what is allowed and left is reported beside it", async () => {
  const { seen, states, waits } = await watched(30, () => accepted, {
    ratePerSecond: 5,
    concurrency: 3,
  });
  expect(waits).toContainEqual({ kind: "rate", bound: "rate" });
  expect(states.every(({ allowed, inFlight }) => allowed === 3 && inFlight <= allowed)).toBe(true);
  expect(states.every(({ perSecond }) => perSecond === 5)).toBe(true);
  expect(seen.every(({ eventsTotal }) => eventsTotal === 30)).toBe(true);
});

test("after an interrupt it waits for what is in flight", async () => {
  const controller = new AbortController();
  const { summary, waits } = await watched(
    300,
    ({ n }) => {
      if (n === 20) controller.abort();
      return accepted;
    },
    { signal: controller.signal },
  );
  expect(summary.exitReason).toBe("interrupted");
  expect(waits.at(-1)).toEqual({ kind: "stop" });
});
