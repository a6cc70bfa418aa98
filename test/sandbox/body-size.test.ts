import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { post, sandboxUnderTest, USERS } from "./sandbox-under-test.ts";

const MIB = 1024 * 1024;
const headers = { authorization: "Bearer x", "content-type": "application/json" };

function bodyOf(bytes: number): string {
  const frame = '{"event":"a","text":""}';
  return frame.replace('""}', `"${"x".repeat(bytes - frame.length)}"}`);
}

function answerTo(request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.once("error", reject);
  });
}

test("1 MiB is accepted, a byte more is not", async () => {
  const sandbox = await sandboxUnderTest();
  expect((await post(sandbox, { body: bodyOf(MIB) })).status).toBe(202);
  const answer = await post(sandbox, { body: bodyOf(MIB + 1) });
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.text).error).toEqual({
    code: "payload_too_large",
    message: "The body is larger than 1 MiB.",
  });
});

test("the rest of a large body is read away, so the connection serves the next request", async () => {
  const sandbox = await sandboxUnderTest();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const statuses: (number | undefined)[] = [];
  const ports = new Set<number | undefined>();
  for (const body of [bodyOf(32 * MIB), bodyOf(100)]) {
    const request = httpRequest(sandbox.url + USERS, { method: "POST", headers, agent });
    const answered = answerTo(request);
    const sent = new Promise((resolve) => request.end(body, () => resolve(undefined)));
    const answer = await answered;
    await sent;
    ports.add(request.socket?.localPort);
    statuses.push(answer.statusCode);
    await new Promise((resolve) => answer.resume().once("end", resolve));
  }
  expect(statuses).toEqual([413, 202]);
  expect(ports.size).toBe(1);
});

test("a client that leaves in the middle of its body is counted and not accepted", async () => {
  const sandbox = await sandboxUnderTest();
  const request = httpRequest(sandbox.url + USERS, { method: "POST", headers });
  request.on("error", () => {});
  request.write('{"event":');
  await expect.poll(() => sandbox.counts().requests).toBe(1);
  request.destroy();
  await expect.poll(() => sandbox.counts().brokenOff).toBe(1);
  expect(sandbox.counts().accepted.users).toBe(0);
});
