import { request } from "undici";
import { expect, test } from "vitest";
import type { SandboxCounts } from "../../src/sandbox/sandbox-counts.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import {
  CONTACTS,
  fateOf,
  post,
  readRecord,
  sandboxUnderTest,
  temporaryPath,
} from "./sandbox-under-test.ts";

async function fatesOf(sandbox: Sandbox, count: number): Promise<(number | "reset")[]> {
  const fates: (number | "reset")[] = [];
  for (let i = 0; i < count; i++) fates.push(await fateOf(sandbox));
  return fates;
}

function sumOf(counts: SandboxCounts): number {
  const statuses = [...Object.values(counts.refused), ...Object.values(counts.failed)];
  return (
    counts.accepted.users +
    counts.accepted.contacts +
    counts.throttled +
    counts.resets.beforeAccepting +
    counts.hangs.beforeAccepting +
    statuses.reduce((sum, count) => sum + count, 0)
  );
}

test("resets come before and after accepting, and only the latter are recorded", async () => {
  const recordFile = await temporaryPath("record.jsonl");
  const sandbox = await sandboxUnderTest({ resetRate: 1, seed: 3, recordFile });
  const fates = await fatesOf(sandbox, 20);
  await sandbox.stop();

  expect(new Set(fates)).toEqual(new Set(["reset"]));
  const { resets, accepted } = sandbox.counts();
  expect(resets.beforeAccepting).toBeGreaterThan(0);
  expect(resets.afterAccepting).toBeGreaterThan(0);
  expect(resets.beforeAccepting + resets.afterAccepting).toBe(20);
  expect(accepted.users).toBe(resets.afterAccepting);
  expect(await readRecord(recordFile)).toHaveLength(resets.afterAccepting);
});

test("above the rate limit comes 429 with whole seconds to wait", async () => {
  const sandbox = await sandboxUnderTest({ rateLimitPerSecond: 0.01 });
  expect((await post(sandbox)).status).toBe(202);
  const answer = await post(sandbox);
  expect(answer.status).toBe(429);
  expect(answer.headers["retry-after"]).toMatch(/^(9\d|100)$/);
  expect(JSON.parse(answer.text).error.code).toBe("too_many_requests");
  expect(sandbox.counts()).toMatchObject({ throttled: 1, accepted: { users: 1 } });
});

test("latency delays the answer but not the accepting, nor refusals", async () => {
  const sandbox = await sandboxUnderTest({ latencyMs: 500 });
  const startMs = performance.now();
  const accepted = post(sandbox);
  await expect.poll(() => sandbox.counts().accepted.users, { interval: 5 }).toBe(1);
  const first = await Promise.race([accepted, post(sandbox, { body: "" })]);
  expect(first.status).toBe(400);
  expect((await accepted).status).toBe(202);
  // Timers may fire a millisecond early by another clock.
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(499);
});

test.each([
  ["an answer", {}],
  ["a failure", { failRate: 1 }],
  ["a reset", { resetRate: 1 }],
])("a client that leaves before %s does no harm", async (_fate, rates) => {
  const sandbox = await sandboxUnderTest({ ...rates, latencyMs: 100 });
  const leaving = AbortSignal.timeout(30);
  const left = request(sandbox.url + CONTACTS, {
    method: "POST",
    headers: { authorization: "Bearer x", "content-type": "application/json" },
    body: '{"event":"a"}',
    signal: leaving,
  });
  await expect(left).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect((await post(sandbox, { body: "" })).status).toBe(400);
});

test("an event that comes again is counted, by its id, else by endpoint and body", async () => {
  const sandbox = await sandboxUnderTest();
  const id = (id: string) => ({ headers: { "idempotency-key": id } });
  const sent = [{}, { path: CONTACTS }, { body: '{"event":"other"}' }, id("a"), id("b")];
  for (const one of sent) await post(sandbox, one);
  expect(sandbox.counts().repeats).toBe(0);
  for (const one of [{}, { ...id("a"), body: '{"event":"other"}' }]) await post(sandbox, one);
  expect(sandbox.counts()).toMatchObject({ accepted: { users: 6, contacts: 1 }, repeats: 2 });
});

test("a request that hangs is not answered, and may have been accepted", async () => {
  const sandbox = await sandboxUnderTest({ hangRate: 1, seed: 3 });
  const hanging = Array.from({ length: 10 }, () => post(sandbox).catch(() => "no answer"));
  await expect.poll(() => sandbox.counts().requests).toBe(10);
  await sandbox.stop();
  expect(new Set(await Promise.all(hanging))).toEqual(new Set(["no answer"]));
  const { hangs, accepted } = sandbox.counts();
  expect(hangs.beforeAccepting + hangs.afterAccepting).toBe(10);
  expect(hangs.beforeAccepting).toBeGreaterThan(0);
  expect(accepted.users).toBe(hangs.afterAccepting);
});

test("every request is counted once", async () => {
  const rates = { failRate: 0.3, resetRate: 0.3, rejectRate: 0.2, rateLimitPerSecond: 30 };
  const sandbox = await sandboxUnderTest({ ...rates, seed: 1 });
  const wrong = [{ path: "/" }, { body: "[]" }, { headers: { authorization: "no" } }];
  const sent = Array.from({ length: 120 }, (_, i) => wrong[i % 9] ?? {});
  await Promise.all(sent.map((one) => fateOf(sandbox, one)));
  expect(sandbox.counts().requests).toBe(120);
  expect(sumOf(sandbox.counts())).toBe(120);
});
