import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { sandboxUnderTest, USERS } from "./sandbox-under-test.ts";

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

test("above 1 MiB a body is refused and read away, so the connection serves the next request", async () => {
  const sandbox = await sandboxUnderTest();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const statuses: (number | undefined)[] = [];
  const ports = new Set<number | undefined>();
  for (const body of [bodyOf(32 * MIB), bodyOf(MIB + 1), bodyOf(MIB)]) {
    const request = httpRequest(sandbox.url + USERS, { method: "POST", headers, agent });
    const answered = answerTo(request);
    const sent = new Promise((resolve) => request.end(body, () => resolve(undefined)));
    const answer = await answered;
    await sent;
    ports.add(request.socket?.localPort);
    statuses.push(answer.statusCode);
    await new Promise((resolve) => answer.resume().once("end", resolve));
  }
  expect(statuses).toEqual([413, 413, 202]);
  expect(ports.size).toBe(1);
});
