import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { answer, startRawServer } from "../delivery/raw-server.ts";
import { cutShort, endless, type Fault } from "./faults.ts";
import {
  endOf,
  importThrough,
  mapping,
  receiptsOfRows,
  rowOf,
  rowsToImport,
} from "./import-rows.ts";

/** Only what is never answered takes so long. */
const timeout = ["--timeout", "800ms"];

/** What an attempt without an answer comes to, in either mode. */
async function expectUnanswered(fault: Fault, code: string, ...args: readonly string[]) {
  const [again, never] = await Promise.all([
    importThrough(fault, ...args),
    importThrough(fault, "--delivery", "at-most-once", ...args),
  ]);

  expect(again.imported.status).toBe(0);
  expect(again.imported.summary).toMatchObject({ succeeded: 3, attempts: 4, unanswered: 1 });
  expect(endOf(again.imported, 2)).toMatchObject({
    ...{ status: "succeeded", attempts: 2, unanswered: 1, code: "", error: "" },
  });
  expect(receiptsOfRows(again.server.requests, 3)).toEqual([1, 2, 1]);
  // Nothing is said on a connection any more that has shown itself unfit.
  expect(again.server.connections).toBe(2);

  expect(never.imported.status).toBe(1);
  expect(never.imported.summary).toMatchObject({ succeeded: 2, unknown: 1, attempts: 3 });
  expect(endOf(never.imported, 2)).toMatchObject({
    ...{ status: "unknown", httpStatus: "", attempts: 1, unanswered: 1 },
    code: expect.stringMatching(code),
    // For people, and on one line.
    error: expect.stringMatching(/^no answer, may have arrived: (?!.*assert).+$/),
  });
  expect(receiptsOfRows(never.server.requests, 3)).toEqual([1, 1, 1]);
  expect(never.server.connections).toBe(2);
}

const lengthCodes = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HTTPParserError|^HPE_";

const codes: Record<keyof typeof cutShort, string> = {
  "a reset": "ECONNRESET",
  "an end": "UND_ERR_SOCKET",
  garbage: "HTTPParserError|^HPE_",
  "garbage without an end of line": "HTTPParserError|^HPE_",
  "half a status line and an end": "UND_ERR_SOCKET|HTTPParserError|^HPE_",
  "headers that break off": "UND_ERR_SOCKET|HTTPParserError|^HPE_",
  "headers that are no headers": "HTTPParserError|^HPE_",
  "two content-lengths that differ": lengthCodes,
  "two content-lengths that agree": lengthCodes,
  "a content-length that is no number": "HTTPParserError|^HPE_",
  "a switch to another protocol": ".",
};

test.each(Object.entries(codes))(
  "sent again, or not at all where it must not be: everything is read, then comes: %s",
  async (name, code) => {
    await expectUnanswered(cutShort[name as keyof typeof cutShort], code);
  },
);

test.each(Object.entries(endless))(
  "the deadline frees the place that is held by: %s",
  async (_, fault) => {
    await expectUnanswered(fault, "timeout", ...timeout);
  },
);

describe("interim answers that nobody asked for", () => {
  test("a 103 or two before the answer change nothing", async () => {
    const hint = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    const { imported, server } = await importThrough((socket) =>
      socket.write(hint + hint + answer("202 Accepted")),
    );
    expect(imported.status).toBe(0);
    expect(endOf(imported, 2)).toMatchObject({ status: "succeeded", attempts: 1, unanswered: 0 });
    expect(receiptsOfRows(server.requests, 3)).toEqual([1, 1, 1]);
    expect(server.connections).toBe(1);
  });

  // undici takes the connection down at a 100: what comes after it is never read.
  test("after a 100 nothing on that connection counts as an answer", async () => {
    const fault = (socket: Socket) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer("202 Accepted")}`);
    await expectUnanswered(fault, "UND_ERR_SOCKET");
  });

  test("a service that always says 100 first is detected by its first event", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer("202 Accepted")}`),
    });
    const rows = await rowsToImport(3);
    const { status, summary } = await rows.import(server.origin, "--max-attempts", "2");
    expect(status).toBe(3);
    expect(summary).toMatchObject({ exit_reason: "unreachable", attempts: 2, unanswered: 2 });
    expect(receiptsOfRows(server.requests, 3)).toEqual([2, 0, 0]);
  });
});

test("events that are never answered keep nothing else from being sent, by a resume or a retry", async () => {
  let silent = [5, 6];
  const server = await startRawServer({
    onRequest(socket, request) {
      if (silent.includes(rowOf(request))) socket.destroy();
      else socket.write(answer("202 Accepted"));
    },
  });
  const rows = await rowsToImport(6);
  const once = ["--max-attempts", "1", "--concurrency", "1", "--max-outage", "100ms"];
  const imported = await rows.import(server.origin, ...once);
  expect(imported.status).toBe(3);
  const stuck = await rows.resume();
  expect(stuck.status).toBe(3);
  expect(stuck.stderr).toContain("--max-outage 0");

  const resumed = await rows.resume("--max-outage", "0");
  expect(resumed.status).toBe(1);
  expect(resumed.summary).toMatchObject({ succeeded: 4, unknown: 2 });
  silent = [5];
  const retried = await rows.retry(...once);
  expect(retried.status).toBe(1);
  expect(retried.summary).toMatchObject({ succeeded: 5, unknown: 1 });
  expect(receiptsOfRows(server.requests, 6).slice(0, 4)).toEqual([1, 1, 1, 1]);
});

test.each([
  ["403 Forbidden", "forbidden", "rejected"],
  ["307 Temporary Redirect", "redirected", "rejected"],
  ["nothing", "unreachable", "unknown"],
])(
  "a resume of a service that answers all with %s stops after ten events, one at a time",
  async (now, reason, status) => {
    let say = "202 Accepted";
    let isRefused = (row: number) => row > 5;
    const server = await startRawServer({
      onRequest(socket, request) {
        const said = isRefused(rowOf(request)) ? say : "202 Accepted";
        if (said === "nothing") socket.destroy();
        else socket.write(answer(said));
      },
    });
    const rows = await rowsToImport(40);
    say = "401 Unauthorized";
    const imported = await rows.import(server.origin);
    expect(imported.summary).toMatchObject({ exit_reason: "unauthorized", succeeded: 5 });
    const { length: before } = server.requests;
    say = now;
    const stopped = await rows.resume("--max-attempts", "1", "--max-outage", "0");
    expect(stopped.summary).toMatchObject({ exit_reason: reason, succeeded: 5, rejected: 0 });
    expect(server.requests.length - before).toBe(10);
    // If it refuses some alone, the others are sent.
    isRefused = (row) => row > 5 && row < 11;
    const resumed = await rows.resume("--max-attempts", "1", "--max-outage", "0");
    expect(resumed.status).toBe(1);
    expect(Number(resumed.summary.succeeded) + Number(resumed.summary[status])).toBe(40);
    expect(resumed.summary[status]).toBeGreaterThanOrEqual(5);
  },
);

test("a resume that is refused rejects no event that a later one of its key would overtake", async () => {
  let say = "401 Unauthorized";
  let isRefused = (row: number) => row > 3;
  const server = await startRawServer({
    onRequest(socket, request) {
      socket.write(answer(isRefused(rowOf(request)) ? say : "202 Accepted"));
    },
  });
  const rows = await rowsToImport(12);
  const lines = [..."abcabcabcabc"].map((key, at) => `${at + 1},${key}`);
  await writeFile(rows.path("rows.csv"), `N,Key\n${lines.join("\n")}\n`);
  await writeFile(rows.path("rows.yaml"), `${mapping}ordering_key: [Key]\n`);
  await rows.import(server.origin);
  say = "404 Not Found";
  const stopped = await rows.resume();
  expect(stopped.summary).toMatchObject({ exit_reason: "not_found", succeeded: 3, rejected: 0 });
  expect(stopped.stderr).toContain("put reject_statuses: 404 into a file");
  // If it refuses some alone, they can be rejected.
  isRefused = (row) => row === 4;
  await writeFile(rows.path("these.yaml"), "reject_statuses: 404\n");
  const { summary } = await rows.resume("--config", rows.path("these.yaml"));
  expect(summary).toMatchObject({ succeeded: 11, rejected: 1 });
});
