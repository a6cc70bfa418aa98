import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { Dispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Attempt } from "../../src/delivery/http/attempt.ts";
import { type AttemptRules, PendingEvent } from "../../src/delivery/pending-event.ts";
import { parseBaseUrl } from "../../src/model/endpoint.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import { createFakeClock, deadlineMs, type FakeClock } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";
import { createPoster, type Poster } from "./poster-under-test.ts";
import { answer, type RawServer, startRawServer } from "./raw-server.ts";

function posterFor(
  origin: string,
  clock: FakeClock = createFakeClock(),
  connections = 1,
  isSuccess?: (httpStatus: number) => boolean,
): { poster: Poster; clock: FakeClock; send: (path?: string) => Promise<Attempt> } {
  const endpoint = parseBaseUrl(origin, true);
  const poster = createPoster({
    ...{ endpoint, connections, clock },
    ...(isSuccess === undefined ? {} : { isSuccess }),
  });
  onTestFinished(() => poster.close());
  const headers = { authorization: "Bearer secret", "content-type": "application/json" };
  const send = (path = "/v1/users/events") =>
    poster.post({ method: "POST", path, headers, body: '{"event":"x"}' });
  return { poster, clock, send };
}

/** Sends, and lets the deadline pass when the server has what it waits for. */
async function sendUntilDeadline(
  server: RawServer,
  ready: () => boolean | Promise<void>,
): Promise<Attempt> {
  const { send, clock } = posterFor(server.origin);
  const attempt = send();
  await server.received(1);
  for (let result = ready(); result !== true; result = ready()) {
    if (result !== false) {
      await result;
      break;
    }
    await wait(1);
  }
  clock.advance(deadlineMs);
  return attempt;
}

describe("an attempt that never left", () => {
  test("nothing listens", async () => {
    const server = await startRawServer({});
    await server.close();
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ kind: "not_sent", code: "ECONNREFUSED" });
  });

  test("the host does not speak TLS", async () => {
    const server = await startRawServer({ onConnection: (socket) => socket.end("hello\r\n") });
    const { send } = posterFor(server.origin.replace("http:", "https:"));
    expect(await send()).toMatchObject({ kind: "not_sent" });
    expect(server.requests).toEqual([]);
  });

  test("the deadline passes while it waits for a connection, and it stays at home for good", async () => {
    const server = await startRawServer({});
    const { send, clock } = posterFor(server.origin);
    const first = send("/first");
    await server.received(1);
    const second = send("/second");
    clock.advance(deadlineMs);
    expect(await first).toMatchObject({ kind: "unanswered", code: "timeout" });
    expect(await second).toMatchObject({ kind: "not_sent", code: "timeout" });
    const third = send("/third");
    await server.received(2);
    expect(server.seen.map((line) => line.split(" ")[1])).toEqual(["/first", "/third"]);
    clock.advance(deadlineMs);
    await third;
  });

  test("the deadline passes while the TLS handshake goes on", async () => {
    const server = await startRawServer({});
    const { send, clock } = posterFor(server.origin.replace("http:", "https:"));
    const attempt = send();
    while (server.connections === 0) await wait(1);
    clock.advance(deadlineMs);
    expect(await attempt).toMatchObject({ kind: "not_sent", code: "timeout" });
  });
});

describe("an attempt that may have left", () => {
  test("the connection is reset as it is accepted", async () => {
    const server = await startRawServer({ onConnection: (socket) => socket.resetAndDestroy() });
    const { send } = posterFor(server.origin);
    const attempt = await send();
    expect(attempt.kind).toBe(server.seen.length > 0 ? "unanswered" : attempt.kind);
    expect(attempt.kind).not.toBe("answered");
    expect(server.connections).toBe(1);
  });

  test("everything is read, then the connection is reset", async () => {
    const server = await startRawServer({ onRequest: (socket) => socket.resetAndDestroy() });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ kind: "unanswered", code: "ECONNRESET" });
    expect(server.requests).toHaveLength(1);
  });

  test("everything is read, then the connection is closed", async () => {
    const server = await startRawServer({ onRequest: (socket) => socket.end() });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ kind: "unanswered" });
    expect(server.requests).toHaveLength(1);
  });

  test("silence until the deadline", async () => {
    const server = await startRawServer({});
    const attempt = await sendUntilDeadline(server, () => true);
    expect(attempt).toMatchObject({ kind: "unanswered", code: "timeout" });
  });

  test("headers that drip past the deadline", async () => {
    let dripped = 0;
    const server = await startRawServer({
      onRequest(socket) {
        socket.write("HTTP/1.1 200 OK\r\n");
        const drip = setInterval(() => socket.write(`x-${dripped++}: 1\r\n`), 1);
        socket.on("close", () => clearInterval(drip));
      },
    });
    const attempt = await sendUntilDeadline(server, () => dripped > 5);
    expect(attempt).toMatchObject({ kind: "unanswered", code: "timeout" });
  });

  test("interim answers without end", async () => {
    let interim = 0;
    const server = await startRawServer({
      onRequest(socket) {
        const drip = setInterval(() => {
          socket.write("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n");
          interim++;
        }, 1);
        socket.on("close", () => clearInterval(drip));
      },
    });
    const attempt = await sendUntilDeadline(server, () => interim > 5);
    expect(attempt).toMatchObject({ kind: "unanswered", code: "timeout" });
  });

  test.each([
    ["garbage", "what do you want?\r\n\r\n"],
    ["a protocol that was not asked for", "HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n"],
    ["half a status line", "HTTP/1.1 2"],
  ])("%s instead of an answer", async (_, text) => {
    const server = await startRawServer({ onRequest: (socket) => socket.end(text) });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ kind: "unanswered" });
    expect(server.requests).toHaveLength(1);
  });

  test("it is cut off in flight; one that waits behind it never leaves", async () => {
    const server = await startRawServer({});
    const { send, poster } = posterFor(server.origin);
    const first = send("/first");
    await server.received(1);
    const second = send("/second");
    poster.cutOff();
    expect(await first).toMatchObject({ kind: "unanswered", code: "interrupted" });
    expect(await second).toMatchObject({ kind: "not_sent", code: "interrupted" });
    await wait(20);
    expect(server.seen).toHaveLength(1);
  });
});

describe("an attempt that was answered", () => {
  test("status, body and the headers that matter", async () => {
    const server = await startRawServer({
      onRequest: (socket) =>
        socket.end(answer("503 Busy", "come back", ["retry-after: 7", "location: /x"])),
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toEqual({
      kind: "answered",
      httpStatus: 503,
      retryAfter: ["7"],
      location: "/x",
      body: "come back",
    });
  });

  test("the answer comes after interim ones", async () => {
    const server = await startRawServer({
      onRequest: (socket) =>
        socket.write(
          `HTTP/1.1 103 Early Hints\r\nretry-after: 9\r\n\r\n${answer("202 Accepted", "ok")}`,
        ),
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toEqual({ kind: "answered", httpStatus: 202, body: "" });
  });

  test("200, then a body that stalls past the deadline", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    });
    const attempt = await sendUntilDeadline(server, () => wait(20));
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: 200 });
  });

  test("an error whose body drips past the deadline keeps what came", async () => {
    let dripped = 0;
    const server = await startRawServer({
      onRequest(socket) {
        socket.write("HTTP/1.1 500 Oops\r\ncontent-length: 1000\r\n\r\n");
        const drip = setInterval(() => {
          socket.write("x");
          dripped++;
        }, 1);
        socket.on("close", () => clearInterval(drip));
      },
    });
    const attempt = await sendUntilDeadline(server, () => dripped > 10);
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: 500 });
    expect(attempt).toHaveProperty("body", expect.stringMatching(/^x+$/));
  });

  test.each(["resetAndDestroy", "end"] as const)("and its body is cut short by %s", async (how) => {
    const server = await startRawServer({
      onRequest(socket) {
        socket.write("HTTP/1.1 500 Oops\r\ncontent-length: 90\r\n\r\nhalf", () => {
          setTimeout(() => socket[how](), 20);
        });
      },
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ kind: "answered", httpStatus: 500, body: "half" });
  });

  test.each(["200 OK", "500 Oops"])("%s with 20 MB is not read to its end", async (status) => {
    let sent = 0;
    let isCut = false;
    const chunk = "x".repeat(64 * 1024);
    const server = await startRawServer({
      onRequest(socket) {
        socket.on("close", () => {
          isCut = true;
        });
        socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 20971520\r\n\r\n`);
        const more = () => {
          if (socket.destroyed || sent >= 20_971_520) return;
          sent += chunk.length;
          socket.write(chunk, () => setImmediate(more));
        };
        more();
      },
    });
    const { send } = posterFor(server.origin);
    const attempt = await send();
    expect(attempt).toMatchObject({ kind: "answered", httpStatus: Number(status.slice(0, 3)) });
    if (attempt.kind === "answered") expect(attempt.body.length).toBeLessThanOrEqual(64 * 1024);
    while (!isCut) await wait(1);
    expect(sent).toBeLessThan(20_971_520);
  });

  test("a redirect is an answer; the token never goes to where it points", async () => {
    const elsewhere = await startRawServer({});
    const server = await startRawServer({
      onRequest: (socket) =>
        socket.write(answer("307 Temporary", "", [`location: ${elsewhere.origin}/v1`])),
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({
      kind: "answered",
      httpStatus: 307,
      location: `${elsewhere.origin}/v1`,
    });
    expect(elsewhere.connections).toBe(0);
  });

  test.each([
    ["422 No", "no such plan"],
    ["200 OK", ""],
  ])("%s that is packed: its body is %j", async (status, body) => {
    const packed = gzipSync("no such plan");
    const server = await startRawServer({
      onRequest(socket) {
        const head = `content-encoding: gzip\r\ncontent-length: ${packed.length}`;
        socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n`);
        socket.write(packed);
      },
    });
    const { send, clock } = posterFor(server.origin);
    const httpStatus = Number(status.slice(0, 3));
    expect(await send()).toEqual({ kind: "answered", httpStatus, body });
    expect(clock.waiting).toBe(0);
    expect(await send()).toMatchObject({ httpStatus });
    expect(server.connections).toBe(1);
  });

  test("a packed body of 20 MB, a bomb, gives no text", async () => {
    const packed = gzipSync(Buffer.alloc(20 * 1024 * 1024, "x"));
    const server = await startRawServer({
      onRequest(socket) {
        const head = `content-encoding: gzip\r\ncontent-length: ${packed.length}`;
        socket.write(`HTTP/1.1 500 Oops\r\n${head}\r\n\r\n`);
        socket.write(packed);
      },
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toEqual({ kind: "answered", httpStatus: 500, body: "" });
  });

  test("what counts as success, and so has no body that is wanted, can be configured", async () => {
    const server = await startRawServer({
      onRequest: (socket, { path }) => socket.write(answer(path.slice(1), "said")),
    });
    const { send } = posterFor(server.origin, createFakeClock(), 1, (status) => status === 409);
    expect(await send("/409")).toMatchObject({ httpStatus: 409, body: "" });
    expect(await send("/200")).toMatchObject({ httpStatus: 200, body: "said" });
  });

  test("what it tells of limits is kept as it came, also of a success", async () => {
    const fields = [
      ...["RateLimit: limit=10, remaining=1, reset=7", "RateLimit-Policy: 10;w=60"],
      ...["RateLimit-Policy: 100;w=3600", "X-RateLimit-Reset: 1700000000"],
    ];
    const server = await startRawServer({
      onRequest: (socket, { path }) =>
        socket.write(answer("202 Accepted", "", path === "/with" ? fields : [])),
    });
    const { send } = posterFor(server.origin);
    expect(await send("/with")).toMatchObject({
      rateLimit: {
        ratelimit: "limit=10, remaining=1, reset=7",
        "ratelimit-policy": "10;w=60, 100;w=3600",
        "x-ratelimit-reset": "1700000000",
      },
    });
    expect(await send("/without")).not.toHaveProperty("rateLimit");
  });

  test("several Retry-After are all kept", async () => {
    const server = await startRawServer({
      onRequest: (socket) =>
        socket.write(answer("429 Slow", "", ["retry-after: 3", "Retry-After: 8"])),
    });
    const { send } = posterFor(server.origin);
    expect(await send()).toMatchObject({ retryAfter: ["3", "8"] });
  });
});

describe("connections", () => {
  test("are kept, and one that was closed while idle is replaced", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write(answer("202 Accepted")),
    });
    const { send } = posterFor(server.origin);
    await send();
    await send();
    expect(server.connections).toBe(1);
    for (const socket of server.open) socket.end();
    while (server.open.size > 0) await wait(1);
    expect(await send()).toMatchObject({ kind: "answered", httpStatus: 202 });
    expect(server.connections).toBe(2);
  });

  test("one that must be fresh is not one that is kept, and is not kept itself", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write(answer("202 Accepted")),
    });
    const { send, poster } = posterFor(server.origin);
    await send();
    const fresh = await poster.post(
      { method: "POST", path: "/fresh", headers: {}, body: "{}" },
      true,
    );
    expect(fresh).toMatchObject({ kind: "answered", httpStatus: 202 });
    expect(server.connections).toBe(2);
    while (server.open.size > 1) await wait(1);
    await send();
    expect(server.connections).toBe(2);
  });

  test("no timer is left behind by an answer", async () => {
    const server = await startRawServer({
      onRequest: (socket) => socket.write(answer("202 Accepted")),
    });
    const { send, clock } = posterFor(server.origin);
    for (let n = 0; n < 5; n++) await send();
    expect(clock.waiting).toBe(0);
  });
});

/** An event that is not sent: what undici would call is called by the test. */
function eventInHand() {
  const row = new PendingRow<PendingEvent>({ row: 7, line: 8, cells: [] }, 5);
  const event = new PendingEvent(eventOf(7, 2), row, 0);
  const attempts: [PendingEvent, Attempt][] = [];
  let aborted = 0;
  const controller = { abort: () => aborted++ } as unknown as Dispatcher.DispatchController;
  const rules: AttemptRules = {
    ...{ isSuccess: (status) => status === 202, blame: (error) => error },
    onEnd: (ended, attempt) => attempts.push([ended, attempt]),
  };
  const answerWith = (to: PendingEvent, httpStatus: number) => {
    to.onResponseStart(controller, httpStatus, {});
    to.onResponseEnd();
  };
  return { event, attempts, controller, rules, answerWith, aborted: () => aborted };
}

describe("the object of an event", () => {
  test("is the same for the next attempt where undici is done with the last", () => {
    const { event, attempts, controller, rules, answerWith } = eventInHand();
    for (const status of [500, 502, 202]) {
      const next = event.forNextAttempt();
      expect(next).toBe(event);
      next.begin(rules);
      next.onRequestStart(controller);
      answerWith(next, status);
    }
    const statuses = attempts.map(([, attempt]) => "httpStatus" in attempt && attempt.httpStatus);
    expect(statuses).toEqual([500, 502, 202]);
  });

  test("is another where undici is not: what comes late is not taken for the next attempt", () => {
    const { event, attempts, controller, rules, answerWith, aborted } = eventInHand();
    Object.assign(event, { attempts: 3, unanswered: 1, importedAt: "then", tries: 2 });
    event.begin(rules);
    event.onRequestStart(controller);
    event.giveUp("timeout", "no answer in time");
    expect(aborted()).toBe(1);
    const next = event.forNextAttempt();
    expect(next).not.toBe(event);
    expect(next).toMatchObject({ attempts: 3, unanswered: 1, importedAt: "then", tries: 2 });
    next.begin(rules);
    answerWith(event, 202);
    event.onResponseError(undefined, new Error("aborted"));
    next.onRequestStart(controller);
    answerWith(next, 500);
    expect(attempts).toEqual([
      [event, { kind: "unanswered", code: "timeout", message: "no answer in time" }],
      [next, { kind: "answered", httpStatus: 500, body: "" }],
    ]);
    expect(next.forNextAttempt()).toBe(next);
  });

  test("that was given up before it left does not leave", () => {
    const { event, attempts, controller, rules, aborted } = eventInHand();
    event.begin(rules);
    event.giveUp("timeout", "no answer in time");
    expect(aborted()).toBe(0);
    event.onRequestStart(controller);
    expect(aborted()).toBe(1);
    expect(attempts).toMatchObject([[{}, { kind: "not_sent", code: "timeout" }]]);
  });

  test("knows what the journal has to know of it", () => {
    const { event } = eventInHand();
    const place = { rowOfRun: 5, event: 2 };
    expect(event.record()).toBeUndefined();
    event.isIntended = true;
    event.importedAt = "then";
    const counts = { attempt: 1, unanswered: 0, importedAt: "then" };
    expect(event.record()).toEqual({ kind: "intent", ...place, ...counts });
    Object.assign(event, { isIntended: false, attempts: 1, unanswered: 1 });
    const soFar = { attempts: 1, unanswered: 1, importedAt: "then" };
    expect(event.record()).toEqual({ kind: "attempted", ...place, ...soFar });
    Object.assign(event, { attempts: 2, httpStatus: 500 });
    const withStatus = { ...soFar, attempts: 2, httpStatus: 500 };
    expect(event.record()).toEqual({ kind: "attempted", ...place, ...withStatus });
    event.isIntended = true;
    expect(event.record()).toMatchObject({ kind: "intent", attempt: 3, unanswered: 1 });
  });
});

type Fault = "answer" | "reset" | "end" | "garbage" | "silence" | "late_reset";

test("whatever the server saw is never called not sent, and what it answered is answered", async () => {
  const faults = fc.constantFrom<Fault>(
    "answer",
    "answer",
    "reset",
    "end",
    "garbage",
    "silence",
    "late_reset",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(faults, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(25),
      async (plan, resetsOnAccept, connections, cutAfter) => {
        let resets = resetsOnAccept;
        const answered = new Set<string>();
        const server = await startRawServer({
          onConnection(socket) {
            if (resets-- > 0 && resets % 3 === 0) socket.resetAndDestroy();
          },
          onRequest(socket, { path }) {
            switch (plan[Number(path.slice(1))]) {
              case "answer":
                answered.add(path);
                socket.write(answer("202 Accepted"));
                break;
              case "reset":
                socket.resetAndDestroy();
                break;
              case "late_reset":
                setImmediate(() => socket.resetAndDestroy());
                break;
              case "end":
                socket.end();
                break;
              case "garbage":
                socket.write("\u0000\u0001garbage\r\n");
                break;
              default:
                break;
            }
          },
        });
        const { poster, send, clock } = posterFor(server.origin, createFakeClock(), connections);
        const results = plan.map((_, at) => send(`/${at}`));
        let settled = 0;
        for (const result of results) void result.then(() => settled++);
        for (let turn = 0; settled < plan.length; turn++) {
          if (turn === cutAfter && cutAfter % 2 === 0) poster.cutOff();
          if (turn > 10 && turn % 10 === 0) clock.advance(deadlineMs);
          await wait(1);
        }
        await poster.close();
        await server.close();
        const seen = new Set(server.seen.map((line) => line.split(" ")[1]));
        for (const [at, result] of results.entries()) {
          const { kind } = await result;
          if (seen.has(`/${at}`)) expect(kind).not.toBe("not_sent");
          if (kind === "answered") expect(answered).toContain(`/${at}`);
        }
        // Nothing is sent a second time behind the caller's back.
        expect(server.seen.length).toBe(seen.size);
      },
    ),
    { numRuns: 40 },
  );
});
