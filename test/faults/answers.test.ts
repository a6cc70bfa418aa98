import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { endlessBody, gzipBomb, longBody, spoiltBody } from "./faults.ts";
import { endOf, importThrough, receiptsOfRows, rowOf, rowsToImport } from "./import-rows.ts";

type Ended = Awaited<ReturnType<typeof importThrough>>;

/** The second row has had one attempt, which was answered. @returns what is told of it */
function expectAnswered({ imported, server }: Ended, httpStatus: string): string {
  const isRefused = httpStatus !== "200";
  expect(imported.status).toBe(isRefused ? 1 : 0);
  const { error, ...end } = endOf(imported, 2);
  const status = isRefused ? "rejected" : "succeeded";
  expect(end).toMatchObject({ status, httpStatus, attempts: 1, unanswered: 0 });
  expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
  return error;
}

/** The second row has to be delivered by its only attempt. */
function expectDelivered(ended: Ended): void {
  expect(expectAnswered(ended, "200")).toBe("");
  expect(ended.imported.summary).toMatchObject({ succeeded: 3, attempts: 3, unanswered: 0 });
}

const modes = ["at-least-once", "at-most-once"];

describe("a status line is an answer, whatever happens to the body", () => {
  test.each(Object.entries(spoiltBody))("%s", async (_, fault) => {
    const runs = modes.map((mode) => importThrough(fault, "--delivery", mode));
    for (const ended of await Promise.all(runs)) {
      expectDelivered(ended);
      expect(ended.server.connections).toBe(2);
    }
  });

  test.each(Object.entries(endlessBody))(
    "%s, until the deadline frees its place",
    async (_, fault) => {
      const ended = await importThrough(fault, "--timeout", "800ms");
      expectDelivered(ended);
      expect(ended.server.connections).toBe(2);
    },
  );

  test("a refusal whose body drips is a refusal, with the part of its body that came", async () => {
    const ended = await importThrough(
      (socket) => socket.write("HTTP/1.1 422 No\r\ncontent-length: 90\r\n\r\nno such plan"),
      ...["--timeout", "800ms"],
    );
    expect(expectAnswered(ended, "422")).toContain("no such plan");
  });
});

test("what comes after an answer's end never answers the next event", async () => {
  const smuggled = answer("200 OK", "ok");
  const server = await startRawServer({
    onRequest(socket, request) {
      const more = rowOf(request) === 2 ? smuggled : "";
      socket.write(answer(rowOf(request) === 3 ? "422 No" : "200 OK", "ok") + more);
    },
  });
  const rows = await rowsToImport(3);
  const imported = await rows.import(server.origin, "--concurrency", "1");
  expect(imported.status).toBe(1);
  expect(endOf(imported, 2)).toMatchObject({ status: "succeeded", attempts: 1 });
  expect(endOf(imported, 3)).toMatchObject({ status: "rejected", attempts: 1, unanswered: 0 });
  expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
  expect(server.connections).toBe(2);
});

const totalBytes = 20 * 1024 * 1024;

describe("20 MB are not taken", () => {
  test.each(["200", "422"])("after %s", async (status) => {
    const head = `HTTP/1.1 ${status} So\r\ncontent-length: ${totalBytes}\r\n\r\n`;
    const body = longBody(head, totalBytes);
    const ended = await importThrough(body.fault);
    expect(expectAnswered(ended, status).length).toBeLessThanOrEqual(500);
    // The client went away; what the system had in its buffers by then is not the client's.
    expect(ended.server.connections).toBe(2);
    expect(body.sent()).toBeLessThan(totalBytes);
  });

  test("nor a body without end", async () => {
    const body = longBody("HTTP/1.1 200 OK\r\n\r\n", Number.POSITIVE_INFINITY);
    const ended = await importThrough(body.fault);
    expectDelivered(ended);
    while (ended.server.open.size > 0) await wait(1);
  });
});

describe("content codings that nobody asked for", () => {
  test.each(["200", "422"])("a gzip bomb after %s is not unpacked", async (status) => {
    const bomb = gzipBomb(`${status} So`);
    const ended = await importThrough((socket) => socket.write(bomb, "latin1"));
    const error = expectAnswered(ended, status);
    expect(error.length).toBeLessThanOrEqual(500);
    expect(error).toMatch(/^\P{Cc}*$/u);
    expect(ended.server.connections).toBe(1);
  });

  test("a gzip bomb that also goes on for ever in flight is cut off", async () => {
    const bomb = longBody(
      "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
      Number.POSITIVE_INFINITY,
    );
    const ended = await importThrough(bomb.fault);
    expectDelivered(ended);
    while (ended.server.open.size > 0) await wait(1);
  });

  test("the client asks for none", async () => {
    const { server } = await importThrough((socket) => socket.write(answer("200 OK")));
    for (const { head } of server.requests) expect(head).not.toMatch(/^accept-encoding:/im);
  });
});

describe("a redirect to another host", () => {
  const statuses = ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"];

  test.each(statuses)("%s on the first event stops the run", async (status) => {
    const elsewhere = await startRawServer({});
    const location = `${elsewhere.origin.replace("127.0.0.1", "localhost")}/v1/users/events`;
    const server = await startRawServer({
      onRequest: (socket) => socket.write(answer(status, "", [`location: ${location}`])),
    });
    const rows = await rowsToImport(3);
    const imported = await rows.import(server.origin);
    expect(imported.status).toBe(3);
    expect(imported.summary).toMatchObject({ exit_reason: "redirected", attempts: 1 });
    expect(imported.stderr).toContain(location);
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 0, 0]);
    expect(elsewhere.connections).toBe(0);
  });

  test("later it is a refusal of that row, and the token does not go there either", async () => {
    const elsewhere = await startRawServer({});
    const there = answer("307 Temporary", "", [`location: ${elsewhere.origin}/v1/users/events`]);
    expectAnswered(await importThrough((socket) => socket.write(there)), "307");
    expect(elsewhere.connections).toBe(0);
  });
});
