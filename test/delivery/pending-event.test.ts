import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import type { Dispatcher } from "undici";
import { describe, expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { type AttemptRules, PendingEvent, PendingRow } from "../../src/delivery/pending-event.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";
import { deadlineMs } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";
import { posterTo } from "./poster-under-test.ts";
import { answer, startRawServer } from "./raw-server.ts";

describe("an attempt that never left", () => {
  test("the host ends the connection before the TLS handshake", async () => {
    const server = await startRawServer({ onConnection: (socket) => socket.end() });
    const { send } = await posterTo(server.origin.replace("http:", "https:"));
    expect(await send()).toMatchObject({ kind: "not_sent" });
    expect(server.requests).toEqual([]);
  });

  test("the deadline passes while it waits for a connection, and it stays at home for good", async () => {
    const server = await startRawServer({});
    const { send, clock } = await posterTo(server.origin);
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
});

/** An event that is not sent: what undici would call is called by the test. */
function eventInHand() {
  const row = new PendingRow({ row: 7, line: 8, cells: [] }, 5);
  const event = new PendingEvent(eventOf(7, 2), row, 0);
  const attempts: [PendingEvent, Attempt][] = [];
  let aborted = 0;
  const controller = { abort: () => aborted++ } as unknown as Dispatcher.DispatchController;
  const rules: AttemptRules = {
    statuses: createStatusRules({}),
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
});

/** What the server does with a request that it has read. */
const faults: Readonly<Record<string, (socket: Socket) => unknown>> = {
  answer: (socket) => socket.write(answer("202 Accepted")),
  reset: (socket) => socket.resetAndDestroy(),
  "late reset": (socket) => setImmediate(() => socket.resetAndDestroy()),
  end: (socket) => socket.end(),
  garbage: (socket) => socket.write("\u0000\u0001garbage\r\n"),
  silence: () => {},
};

test("whatever the server saw is never called not sent, and what it answered is answered", async () => {
  const anyFault = fc.constantFrom("answer", ...Object.keys(faults));
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFault, { minLength: 1, maxLength: 25 }),
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
            const fault = plan[Number(path.slice(1))] ?? "silence";
            if (fault === "answer") answered.add(path);
            faults[fault]?.(socket);
          },
        });
        const { send, cutOff, close, clock } = await posterTo(server.origin, { connections });
        const results = plan.map((_, at) => send(`/${at}`));
        let settled = 0;
        for (const result of results) void result.then(() => settled++);
        for (let turn = 0; settled < plan.length; turn++) {
          if (turn === cutAfter && cutAfter % 2 === 0) cutOff();
          if (turn > 10 && turn % 10 === 0) clock.advance(deadlineMs);
          await wait(1);
        }
        await close();
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
