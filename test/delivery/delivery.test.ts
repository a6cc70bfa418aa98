import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type DeliveryUnderTestSettings, deliveryTo, offBeat } from "./delivery-under-test.ts";
import { rowOf } from "./event-of.ts";
import { answer, startRawServer } from "./raw-server.ts";
import {
  accepted,
  byAttempt,
  heldReply,
  type Receipt,
  type Reply,
  startService,
} from "./service-under-test.ts";

const interrupted = { code: "interrupted", message: "" } as const;
const tooLong: Reply = { status: 202, headers: { "x-long": "x".repeat(20_000) } };

interface Case {
  /** The answers to its attempts; the last stands for all further ones. */
  readonly replies: readonly Reply[];
  readonly outcome: Partial<Outcome>;
  readonly settings?: DeliveryUnderTestSettings;
  readonly stopped?: string;
}

/** Of an event after one that was accepted. */
const cases: Record<string, Case> = {
  "always answered with 500: its own fault, as the run has had a success": {
    replies: [{ status: 500 }],
    outcome: { status: "failed", attempts: 3 },
  },
  "unanswered, then exhausted by answers": {
    replies: [{ status: 500 }, "cut", { status: 500 }],
    outcome: { status: "unknown", attempts: 3, unanswered: 1 },
  },
  "unanswered, then refused": {
    replies: ["cut", { status: 409 }],
    outcome: { status: "rejected", attempts: 2, unanswered: 1 },
  },
  "unanswered, then met by a token that is not accepted any more": {
    replies: ["cut", { status: 401 }],
    outcome: { status: "not_sent", attempts: 2, unanswered: 1 },
    stopped: "unauthorized",
  },
  "answered with headers that are too long, so that its status is not known": {
    replies: [tooLong],
    outcome: { status: "not_sent", errorCode: "UND_ERR_HEADERS_OVERFLOW" },
    settings: { maxOutageMs: 10_000 },
    stopped: "outage",
  },
  "the same at-most-once": {
    replies: [tooLong],
    outcome: {
      ...{ status: "unknown", attempts: 1, unanswered: 1, errorCode: "UND_ERR_HEADERS_OVERFLOW" },
      error: expect.stringMatching(
        /^unreadable answer.*: its headers are longer than 16 KiB; NODE_OPTIONS=/,
      ),
    },
    settings: { mode: "at-most-once" },
  },
};
for (const reply of [{ status: 502 }, { status: 503 }, { status: 504 }, "cut"] as const) {
  cases[`the last one, answered with ${JSON.stringify(reply)}: the service's fault`] = {
    replies: [reply],
    outcome: { status: "not_sent" },
    settings: { maxOutageMs: 60_000 },
    stopped: "outage",
  };
}
describe("an event", () => {
  test.each(Object.entries(cases))("%s", async (_, given) => {
    const { replies, outcome, settings, stopped } = given;
    const service = await startService(byAttempt({ 2: replies }));
    const { send, finish, stop, records } = await deliveryTo(service.url, settings);
    await send(1);
    const ended = send(2);
    await finish();
    expect(await ended).toMatchObject(outcome);
    expect(stop.signal.reason?.code).toBe(stopped);
    const bodies = service.receipts.slice(1).map(({ body }) => body);
    expect(bodies).toHaveLength((await ended).attempts);
    expect(new Set(bodies).size).toBe(1);
    expect(offBeat(records)).toEqual([]);
  });

  test("is told of with each retry", async () => {
    const service = await startService(
      byAttempt({ 1: [{ status: 500 }, { status: 502 }, accepted] }),
    );
    const { send, notices } = await deliveryTo(service.url);
    await send(1);
    const retry = { kind: "retry", row: 1, event: 1 };
    expect(notices).toEqual([
      { ...retry, attempts: 1, delayMs: 50, code: "http_500", message: "status 500" },
      { ...retry, attempts: 2, delayMs: 100, code: "http_502", message: "status 502" },
    ]);
  });
});

describe("the first event", () => {
  test.each<[Reply, string, number]>([
    [{ status: 401 }, "unauthorized", 1],
    [{ status: 403 }, "forbidden", 1],
    [{ status: 404 }, "not_found", 1],
    [{ status: 405 }, "method_not_allowed", 1],
    [{ status: 301, headers: { location: "https://elsewhere.example/" } }, "redirected", 1],
    [{ status: 308, headers: { location: "https://elsewhere.example/" } }, "redirected", 1],
    ["cut", "unreachable", 3],
    [tooLong, "unreachable", 3],
  ])("answered with %j stops the run: %s, after %i requests", async (reply, code, requests) => {
    const service = await startService(() => reply);
    const { send, stop, records } = await deliveryTo(service.url);
    const outcomes = await Promise.all([1, 2, 3].map((row) => send(row)));
    expect(outcomes).toMatchObject([
      { status: "not_sent", attempts: requests },
      { status: "not_sent", attempts: 0 },
      { status: "not_sent", attempts: 0 },
    ]);
    expect(stop.signal.reason?.code).toBe(code);
    expect(service.receipts).toHaveLength(requests);
    // The run is left to say what became of it.
    expect(records.at(-1)).toMatchObject({ kind: "attempt", attempts: requests });
    if (reply !== tooLong) return;
    expect(stop.signal.reason?.message).toBe(
      `The answer from ${service.url} cannot be read (unreadable answer: its headers are longer than 16 KiB; NODE_OPTIONS=--max-http-header-size=65536 takes longer ones).`,
    );
  });

  test("that always fails is sent as often as it may be, as rows after it show that the service is up", async () => {
    const service = await startService((receipt) =>
      rowOf(receipt) === 1 ? { status: 500 } : accepted,
    );
    const { delivery, send, finish, notices } = await deliveryTo(service.url, { maxAttempts: 1 });
    const sending = [send(1)];
    for (let row = 2; row <= 5; row++) {
      await delivery.room();
      // The file is read while nothing is in flight.
      await new Promise((resolve) => setImmediate(resolve));
      sending.push(send(row));
    }
    await finish();
    const statuses = (await Promise.all(sending)).map(({ status }) => status);
    expect(statuses).toEqual(["failed", ...Array(4).fill("succeeded")]);
    expect(service.receipts.filter((receipt) => rowOf(receipt) === 1)).toHaveLength(1);
    expect(notices.filter(({ kind }) => kind === "pause")).toEqual([]);
  });
});

describe("401", () => {
  test.each([0, 1])(
    "after %i events: nothing else is staged while another token is read, and the refused event goes first",
    async (accepts) => {
      const folder = await temporaryFolder();
      const [begun, go] = [join(folder, "begun"), join(folder, "go")];
      const command = `touch "${begun}"; while [ -d "${folder}" ] && [ ! -e "${go}" ]; do sleep 0.02; done; echo new-token`;
      const service = await startService(({ n, headers }) =>
        n < accepts || headers.authorization === "Bearer new-token" ? accepted : { status: 401 },
      );
      const tokenSource = { kind: "command", command } as const;
      const { send, records } = await deliveryTo(service.url, { tokenSource });
      for (let row = 1; row <= accepts; row++) await send(row);
      const refused = accepts + 1;
      const sending = [send(refused)];
      while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 5));
      sending.push(send(refused + 1), send(refused + 2));
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      expect(records.filter(({ kind }) => kind === "intent")).toHaveLength(refused);
      await writeFile(go, "");
      expect(await Promise.all(sending)).toMatchObject([
        ...[{ attempts: 2 }, { attempts: 1 }, { attempts: 1 }],
      ]);
      expect(service.receipts.slice(accepts, accepts + 2).map(rowOf)).toEqual([refused, refused]);
    },
  );

  /** A run whose token is another one each time that it is asked for, after a first event. */
  async function withEverNewTokens(reply: (receipt: Receipt) => Reply | Promise<Reply>) {
    const folder = await temporaryFolder();
    const command = `echo x >> "${folder}/runs"; echo token-$(wc -l < "${folder}/runs" | tr -d " ")`;
    const service = await startService(reply);
    const tokenSource = { kind: "command", command } as const;
    const run = await deliveryTo(service.url, { tokenSource });
    await run.send(1);
    return run;
  }

  test("twice for one event stops the run, though others are taken with each new token", async () => {
    let others = 2;
    const { send, stop } = await withEverNewTokens(async (receipt) => {
      if (rowOf(receipt) !== 2) return accepted;
      await send(++others);
      return { status: 401 };
    });
    expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 2 });
    expect(stop.signal.reason?.message).toContain("A new one was not accepted either.");
  });

  test("twice for one event goes on where the service answered otherwise between", async () => {
    const replies: Reply[] = [{ status: 401 }, { status: 503 }, { status: 401 }, accepted];
    const { send, stop } = await withEverNewTokens(byAttempt({ 2: replies }));
    expect(await send(2)).toMatchObject({ status: "succeeded", attempts: 4 });
    expect(stop.signal.reason).toBeUndefined();
  });
});

test("while the reader waits for the keys of rows that it has read, many that fail at the same time are an outage", async () => {
  const service = await startService((receipt) =>
    rowOf(receipt) > 10 ? { status: 500 } : accepted,
  );
  const { send, stop } = await deliveryTo(service.url, { isReaderWaiting: true, maxAttempts: 3 });
  await send(1, "a");
  const sending = ["a", "b", "c", "d", "e", "f"].map((key, at) => send(11 + at, key));
  const outcomes = await Promise.all(sending);
  expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill("not_sent"));
  expect(stop.signal.reason).toMatchObject({ code: "outage" });
});

test.each(["at-least-once", "at-most-once"] as const)(
  "421 closes its connection, and the event is retried (%s)",
  async (mode) => {
    const used = new Set<object>();
    const server = await startRawServer({
      onRequest(socket, { body }) {
        const isMisdirected = rowOf({ body }) === 9 && used.has(socket);
        used.add(socket);
        socket.write(answer(isMisdirected ? "421 Misdirected Request" : "202 Accepted"));
      },
    });
    const { send } = await deliveryTo(server.origin, { mode, concurrency: 1 });
    await send(1);
    expect(await send(9)).toMatchObject({ status: "succeeded", attempts: 2, unanswered: 0 });
    expect(server.connections).toBe(2);
  },
);

describe("room for more rows", () => {
  /** A run with two at a time, in which there is no more room until all are answered. */
  async function fullRun() {
    const { reply, release } = heldReply();
    const service = await startService(({ n }) => (n === 0 ? accepted : reply));
    const run = await deliveryTo(service.url, { concurrency: 2 });
    await run.send(1);
    const sending: Promise<unknown>[] = [];
    while (sending.length < 1000 && run.delivery.room() === undefined) {
      sending.push(run.send(2 + sending.length));
    }
    return { ...run, sending, answerAll: () => release(accepted), room: run.delivery.room() };
  }

  test("is there until some have to wait, and again when these have been staged", async () => {
    const { sending, room, answerAll, delivery } = await fullRun();
    expect(sending.length).toBeGreaterThan(13);
    expect(sending.length).toBeLessThan(38);
    expect(room).toBeInstanceOf(Promise);
    answerAll();
    await room;
    expect(delivery.room()).toBeUndefined();
    await Promise.all(sending);
  });

  test("is reported when the run stops", async () => {
    const { room, answerAll, stop, delivery } = await fullRun();
    stop.abort(interrupted);
    await room;
    expect(delivery.room()).toBeUndefined();
    answerAll();
  });
});

test.each([
  ["at-least-once", "not_sent"],
  ["at-most-once", "unknown"],
] as const)(
  "a stop lets what is in flight have its answer; without one, it is unanswered (%s: %s)",
  async (mode, status) => {
    const [held, silent] = [heldReply(), heldReply()];
    const service = await startService((receipt) =>
      rowOf(receipt) === 2 ? held.reply : rowOf(receipt) === 3 ? silent.reply : accepted,
    );
    const { send, stop, records } = await deliveryTo(service.url, { mode });
    await send(1);
    const drained = send(2);
    const cut = send(3);
    await service.received(3);
    stop.abort(interrupted);
    held.release(accepted);
    expect(await drained).toMatchObject({ status: "succeeded" });
    silent.release("cut");
    expect(await cut).toMatchObject({ status, unanswered: 1 });
    // What got no answer is on record as unanswered, whether it may be sent again or not.
    expect(records.at(-1)).toMatchObject(
      mode === "at-least-once"
        ? { kind: "attempt", rowOfRun: 3, attempts: 1, unanswered: 1 }
        : { kind: "outcome", rowOfRun: 3, outcome: { status: "unknown", unanswered: 1 } },
    );
  },
);

test("thousands of events leave no listener, no timer and no rejection behind", async () => {
  const service = await startService(({ n }) => (n % 100 === 1 ? { status: 500 } : accepted));
  const { delivery, clock, listeners, records, send, finish } = await deliveryTo(service.url, {
    concurrency: 32,
  });
  const before = listeners();
  const sending = Array.from({ length: 4000 }, (_, row) => send(row));
  await finish();
  const outcomes = await Promise.all(sending);
  expect(outcomes.every(({ status }) => status === "succeeded")).toBe(true);
  expect(service.mostAtOnce).toBeLessThanOrEqual(32);
  await delivery.close();
  expect(clock.waiting).toBe(0);
  expect(listeners()).toBe(before);
  expect(delivery.state().inFlight).toBe(0);
  expect(offBeat(records)).toEqual([]);
});

test("a Retry-After of an answer after which nothing is sent again is noted once, and not obeyed", async () => {
  const later = { "retry-after": "600" };
  const service = await startService(
    byAttempt({ 1: [{ status: 202, headers: later }], 2: [{ status: 422, headers: later }] }),
  );
  const { send, finish, delivery, clock, notices, waits } = await deliveryTo(service.url);
  for (let row = 1; row <= 3; row++) await send(row);
  expect(notices).toEqual([{ kind: "wait_ignored", forMs: 600_000 }]);
  expect(waits).toEqual([]);
  expect(clock.now()).toBeLessThan(1000);
  await finish();
  await delivery.close();
  expect(clock.waiting).toBe(0);
});

describe("a success that is a page for a browser", () => {
  const page: Reply = {
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "<!doctype html><title>App</title>",
  };

  test("as the first one stops the run, after one request", async () => {
    const service = await startService(() => page);
    const { send, stop } = await deliveryTo(service.url);
    const outcomes = await Promise.all([1, 2, 3].map((row) => send(row)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(3).fill("not_sent"));
    expect(service.receipts).toHaveLength(1);
    expect(stop.signal.reason).toEqual({
      code: "not_found",
      message: `${service.url}/v1/users/events answers with a page for a browser (200, text/html), as a wrong address does: check the base URL. If it is right, put accept_html: true into eventload.yaml.`,
    });
  });

  test.each<[string, Reply, DeliveryUnderTestSettings]>([
    ["if the service answers so, and the configuration says it", page, { acceptHtml: true }],
    ["after another success", accepted, {}],
  ])("is one %s", async (_, first, settings) => {
    const service = await startService(({ n }) => (n === 0 ? first : page));
    const { send } = await deliveryTo(service.url, settings);
    for (const row of [1, 2]) expect(await send(row)).toMatchObject({ status: "succeeded" });
  });
});
