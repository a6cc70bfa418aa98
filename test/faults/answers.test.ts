import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { endlessBody, gzipBomb, longBody, spoiltBody } from "./faults.ts";
import { endOf, importThrough, receiptsOfRows, rowOf, rowsToImport } from "./import-rows.ts";

/** What came of it, where the second row has to be delivered by its only attempt. */
function expectDelivered({ imported, server }: Awaited<ReturnType<typeof importThrough>>): void {
  expect(imported.status).toBe(0);
  expect(imported.summary).toMatchObject({ succeeded: 3, attempts: 3, unanswered: 0 });
  expect(endOf(imported, 2)).toMatchObject({
    ...{ status: "succeeded", httpStatus: "200", attempts: 1, unanswered: 0, error: "" },
  });
  expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
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
    const { imported, server } = await importThrough(
      (socket) => socket.write("HTTP/1.1 422 No\r\ncontent-length: 90\r\n\r\nno such plan"),
      ...["--timeout", "800ms"],
    );
    expect(imported.status).toBe(1);
    expect(endOf(imported, 2)).toMatchObject({
      ...{ status: "rejected", httpStatus: "422", attempts: 1, unanswered: 0 },
      error: expect.stringContaining("no such plan"),
    });
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
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
  test.each([
    ["200 OK", 0, "succeeded"],
    ["422 No", 1, "rejected"],
  ])("after %s", async (statusLine, status, ending) => {
    const head = `HTTP/1.1 ${statusLine}\r\ncontent-length: ${totalBytes}\r\n\r\n`;
    const body = longBody(head, totalBytes);
    const { imported, server } = await importThrough(body.fault);
    expect(imported.status).toBe(status);
    const end = endOf(imported, 2);
    expect(end).toMatchObject({ status: ending, attempts: 1, unanswered: 0 });
    expect(end.error.length).toBeLessThanOrEqual(500);
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
    // The client went away; what the system had in its buffers by then is not the client's.
    expect(server.connections).toBe(2);
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
  test.each([
    ["200 OK", 0, "succeeded"],
    ["422 No", 1, "rejected"],
  ])("a gzip bomb after %s is not unpacked", async (statusLine, status, ending) => {
    const bomb = gzipBomb(statusLine);
    const { imported, server } = await importThrough((socket) => socket.write(bomb, "latin1"));
    expect(imported.status).toBe(status);
    const end = endOf(imported, 2);
    expect(end).toMatchObject({ status: ending, attempts: 1, unanswered: 0 });
    expect(end.error.length).toBeLessThanOrEqual(500);
    expect(end.error).toMatch(/^\P{Cc}*$/u);
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
    expect(server.connections).toBe(1);
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
    const { imported, server } = await importThrough((socket) => socket.write(there));
    expect(imported.status).toBe(1);
    expect(endOf(imported, 2)).toMatchObject({
      ...{ status: "rejected", httpStatus: "307", attempts: 1, unanswered: 0 },
    });
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
    expect(elsewhere.connections).toBe(0);
  });
});
