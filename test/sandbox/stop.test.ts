import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { post, readRecord, sandboxUnderTest, temporaryPath, USERS } from "./sandbox-under-test.ts";

const headers = { authorization: "Bearer x", "content-type": "application/json" };

test("stop closes idle, silent, sending and waiting connections, and frees the port", async () => {
  const sandbox = await sandboxUnderTest({ latencyMs: 60_000 });
  await post(sandbox, { path: "/leaves-an-idle-connection" });
  const silent = connect(sandbox.port, "127.0.0.1");
  const silentClosed = new Promise((resolve) => silent.on("error", () => {}).on("close", resolve));
  const waiting = post(sandbox).catch((error: { code?: string }) => error.code);
  const sending = httpRequest(sandbox.url + USERS, { method: "POST", headers });
  const sendingFailed = new Promise((resolve) => sending.on("error", resolve));
  sending.write("{");
  await expect.poll(() => sandbox.counts().requests).toBe(2);

  await sandbox.stop();
  const next = await sandboxUnderTest({ port: sandbox.port });
  // The first one may go to a connection of before that has just been closed.
  const answer = await post(next).catch(() => post(next));
  expect(answer.status).toBe(202);

  await Promise.all([silentClosed, sendingFailed]);
  expect(await waiting).not.toBe(undefined);
});

test("an event accepted but not yet answered is in the record after stop", async () => {
  const recordFile = await temporaryPath("record.jsonl");
  const sandbox = await sandboxUnderTest({ latencyMs: 60_000, recordFile });
  const unanswered = post(sandbox).catch(() => "no answer");
  await expect.poll(() => sandbox.counts().accepted.users).toBe(1);
  await sandbox.stop();
  expect(await unanswered).toBe("no answer");
  expect(await readRecord(recordFile)).toHaveLength(1);
});

test("a port that is taken fails the start", async () => {
  const sandbox = await sandboxUnderTest();
  const recordFile = await temporaryPath("record.jsonl");
  await expect(startSandbox({ port: sandbox.port, recordFile })).rejects.toThrow("EADDRINUSE");
});
