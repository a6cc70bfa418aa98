import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createFakeClock, deadlineMs } from "../fake-clock.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { deliveryTo, offBeat, secret } from "./delivery-under-test.ts";
import { rowOf } from "./event-of.ts";
import { answer, startRawServer } from "./raw-server.ts";
import { accepted, byAttempt, type Reply, startService } from "./service-under-test.ts";

describe("one event", () => {
  test("is accepted", async () => {
    const service = await startService(() => accepted);
    const { send, delivery } = await deliveryTo(service.url, {
      idempotencyHeader: "idempotency-key",
    });
    expect(await send(1)).toEqual({
      status: "succeeded",
      event: 1,
      eventId: "id-1-1",
      httpStatus: 202,
      attempts: 1,
      unanswered: 0,
      finishedAt: "2026-03-01T12:00:00.000Z",
    });
    expect(service.receipts).toMatchObject([
      {
        path: "/v1/users/events",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/json",
          "idempotency-key": "id-1-1",
        },
      },
    ]);
    expect(delivery.figures).toEqual({ inFlight: 0, attempts: 1, unanswered: 0, retries: 0 });
  });

  test("is refused, and not sent again", async () => {
    const service = await startService(() => ({ status: 422, body: '{"message":"no such plan"}' }));
    const { send } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({
      status: "rejected",
      httpStatus: 422,
      attempts: 1,
      errorCode: "http_422",
      error: "no such plan",
    });
    expect(service.receipts).toHaveLength(1);
  });

  test("whose last attempt is cut at a stop has not ended, though others were accepted", async () => {
    let hangUp = (_: Reply) => {};
    const silent = new Promise<Reply>((resolve) => {
      hangUp = resolve;
    });
    const replies = byAttempt({ 2: [{ status: 500 }, "silence"] });
    const service = await startService((receipt) => {
      const reply = replies(receipt);
      return reply === "silence" ? silent : reply;
    });
    const { send, records, stop } = await deliveryTo(service.url, { maxAttempts: 2 });
    await send(1);
    const second = send(2);
    await service.received(3);
    await send(3);
    stop.abort({ code: "interrupted", message: "interrupted" });
    hangUp("cut");
    expect(await second).toMatchObject({ status: "not_sent", attempts: 2, unanswered: 1 });
    expect(records.at(-1)).toMatchObject({ kind: "attempted", rowOfRun: 2, unanswered: 1 });
  });

  test("is sent again, with the same bytes, until it is accepted", async () => {
    const service = await startService(
      byAttempt({ 1: [{ status: 500 }, { status: 502 }, accepted] }),
    );
    const { send, notices } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 3, unanswered: 0 });
    expect(new Set(service.receipts.map(({ body }) => body)).size).toBe(1);
    const retry = { kind: "retry", row: 1, event: 1 };
    expect(notices).toEqual([
      { ...retry, attempts: 1, delayMs: 50, code: "http_500", message: "status 500" },
      { ...retry, attempts: 2, delayMs: 100, code: "http_502", message: "status 502" },
    ]);
  });

  test("has failed when its attempts are exhausted and another has succeeded since", async () => {
    const service = await startService(byAttempt({ 2: [{ status: 500, body: "broken" }] }));
    const { send, delivery } = await deliveryTo(service.url, { maxAttempts: 4 });
    await send(1);
    const broken = send(2);
    await service.received(2);
    await send(3);
    expect(await broken).toMatchObject({
      ...{ status: "failed", attempts: 4, httpStatus: 500, error: "broken" },
    });
    expect(service.receipts).toHaveLength(6);
    expect(delivery.figures).toMatchObject({ attempts: 6, retries: 3 });
  });

  test("has failed also where nothing else is left, if the run has had a success", async () => {
    const service = await startService(byAttempt({ 2: [{ status: 500 }], 3: [{ status: 500 }] }));
    const { send, finish, stop } = await deliveryTo(service.url);
    await send(1);
    const outcomes = [send(2), send(3)];
    await finish();
    expect(await Promise.all(outcomes)).toMatchObject(
      Array(2).fill({ status: "failed", attempts: 3 }),
    );
    expect(stop.signal.reason).toBeUndefined();
  });

  test("has not failed where nothing has succeeded: that is an outage", async () => {
    const service = await startService(() => ({ status: 500 }));
    const { send, finish, stop, notices } = await deliveryTo(service.url, { maxOutageMs: 60_000 });
    const outcome = send(1);
    await finish();
    expect(await outcome).toMatchObject({ status: "not_sent", httpStatus: 500 });
    expect(stop.signal.reason).toMatchObject({ code: "outage" });
    expect(notices).toContainEqual(expect.objectContaining({ kind: "pause", reason: "outage" }));
  });

  test.each<Reply>([{ status: 502 }, { status: 503 }, { status: 504 }, "cut"])(
    "has not failed where %j is all that is left: that is the service's fault",
    async (reply) => {
      const service = await startService(byAttempt({ 2: [reply] }));
      const { send, finish, stop } = await deliveryTo(service.url, { maxOutageMs: 60_000 });
      await send(1);
      const outcome = send(2);
      await finish();
      expect(await outcome).toMatchObject({ status: "not_sent" });
      expect(stop.signal.reason).toMatchObject({ code: "outage" });
    },
  );

  test("has the attempts that were made while the breaker was open besides", async () => {
    let isUp = true;
    const seen = new Map<number, number>();
    const service = await startService((receipt): Reply => {
      const row = rowOf(receipt);
      if (row === 1 || row > 6) return isUp ? accepted : { status: 503 };
      if (row === 6) isUp = clock.now() > 10_000;
      if (!isUp) return { status: 503 };
      // One more failure, with the service up.
      seen.set(row, (seen.get(row) ?? 0) + 1);
      return seen.get(row) === 1 ? { status: 500 } : accepted;
    });
    const { send, clock, notices } = await deliveryTo(service.url, { maxAttempts: 3 });
    await send(1);
    isUp = false;
    const outcomes = Promise.all(Array.from({ length: 10 }, (_, at) => send(at + 2)));
    expect((await outcomes).map(({ status }) => status)).toEqual(Array(10).fill("succeeded"));
    expect(Math.max(...(await outcomes).map(({ attempts }) => attempts))).toBeGreaterThan(3);
    expect(notices).toContainEqual(expect.objectContaining({ kind: "open", reason: "outage" }));
  });

  test("that exhausts its attempts, with no success since, opens the breaker", async () => {
    const service = await startService(byAttempt({ 2: [{ status: 502 }] }));
    const { send, notices, stop, clock } = await deliveryTo(service.url, { maxAttempts: 2 });
    await send(1);
    const outcome = send(2);
    while (clock.now() < 60_000) await new Promise(setImmediate);
    const [first, second] = notices;
    expect([first, second]).toMatchObject([
      { kind: "retry", attempts: 1 },
      { kind: "pause", reason: "outage", message: "status 502" },
    ]);
    stop.abort({ code: "interrupted", message: "" });
    expect(await outcome).toMatchObject({ status: "not_sent" });
  });

  test("has failed at once where no outage is waited for", async () => {
    const service = await startService(() => ({ status: 503 }));
    const { send, stop } = await deliveryTo(service.url, { maxOutageMs: 0 });
    expect(await send(1)).toMatchObject({ status: "failed", attempts: 3, httpStatus: 503 });
    expect(stop.signal.reason).toBeUndefined();
  });

  test("carries in every attempt the time at which its first one was staged", async () => {
    const service = await startService(byAttempt({ 2: [{ status: 500 }, accepted] }));
    const { send, clock, records } = await deliveryTo(service.url, {
      write: ([intent]) =>
        new Promise((resolve) => {
          // Until its intent is on record, time goes by.
          const isFirst = intent?.rowOfRun === 2 && intent.attempt === 1;
          clock.schedule(isFirst ? 10_000 : 0, () => resolve(true));
        }),
    });
    await send(1);
    await send(2);
    const times = service.receipts.map(({ body }) => JSON.parse(body).importedAt);
    const intents = records.flatMap((record) => (record.kind === "intent" ? [record] : []));
    expect(intents.map(({ importedAt }) => importedAt)).toEqual(times);
    expect(times[1]).toBe(times[2]);
    expect(times[1] < "2026-03-01T12:00:10.000Z").toBe(true);
    expect(clock.now()).toBeGreaterThan(10_000);
  });
});

describe("unanswered", () => {
  test("then accepted: succeeded, and it says that it may have arrived twice", async () => {
    const service = await startService(byAttempt({ 1: ["cut", accepted] }));
    const { send, delivery } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 2, unanswered: 1 });
    expect(delivery.figures.unanswered).toBe(1);
    expect(new Set(service.receipts.map(({ body }) => body)).size).toBe(1);
  });

  test("then exhausted by answers: unknown", async () => {
    const service = await startService(byAttempt({ 2: [{ status: 500 }, "cut", { status: 500 }] }));
    const { send, finish } = await deliveryTo(service.url);
    await send(1);
    const outcome = send(2);
    await finish();
    expect(await outcome).toMatchObject({ status: "unknown", attempts: 3, unanswered: 1 });
  });

  test("then refused: rejected, and counted", async () => {
    const service = await startService(byAttempt({ 1: ["cut", { status: 409 }] }));
    const { send } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "rejected", attempts: 2, unanswered: 1 });
  });

  test.each<Reply>(["cut", { status: 500 }, { status: 504 }, { status: 524 }, { status: 408 }])(
    "at-most-once: %j is unknown, and never sent again",
    async (reply) => {
      const service = await startService(byAttempt({ 2: [reply] }));
      const { send } = await deliveryTo(service.url, { mode: "at-most-once" });
      await send(1);
      expect(await send(2)).toMatchObject({ status: "unknown", attempts: 1 });
      expect(service.receipts).toHaveLength(2);
    },
  );

  test("at-most-once: what was turned away is sent again", async () => {
    const service = await startService(
      byAttempt({ 1: [{ status: 429 }, { status: 503 }, accepted] }),
    );
    const { send } = await deliveryTo(service.url, { mode: "at-most-once" });
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 3 });
  });

  test("silence until the deadline is unanswered", async () => {
    const service = await startService(byAttempt({ 1: ["silence", accepted] }));
    const { send, clock } = await deliveryTo(service.url);
    const outcome = send(1);
    await service.received(1);
    clock.advance(deadlineMs);
    expect(await outcome).toMatchObject({ status: "succeeded", attempts: 2, unanswered: 1 });
  });

  test("never left, until its attempts are exhausted: that is an outage, and no failure", async () => {
    const service = await startService(() => accepted);
    const { send, stop } = await deliveryTo(service.url, { maxOutageMs: 60_000 });
    await send(1);
    await service.close();
    expect(await send(2)).toMatchObject({ status: "not_sent", errorCode: "ECONNREFUSED" });
    expect(stop.signal.reason).toMatchObject({ code: "outage" });
  });
});

describe("the first event", () => {
  test("goes alone until it has its answer", async () => {
    let release = (_: Reply) => {};
    const held = new Promise<Reply>((resolve) => {
      release = resolve;
    });
    const service = await startService(({ n }) => (n === 0 ? held : accepted));
    const { send } = await deliveryTo(service.url);
    const outcomes = [1, 2, 3, 4].map((row) => send(row));
    await service.received(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(service.receipts).toHaveLength(1);
    release(accepted);
    expect(await Promise.all(outcomes)).toMatchObject(Array(4).fill({ status: "succeeded" }));
  });

  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [404, "not_found"],
    [405, "method_not_allowed"],
    [301, "redirected"],
    [308, "redirected"],
  ])("answered with %i stops the run: %s, after exactly one request", async (status, code) => {
    const service = await startService(() => ({
      status,
      headers: { location: "https://elsewhere.example/" },
    }));
    const { send, stop } = await deliveryTo(service.url);
    const outcomes = await Promise.all([1, 2, 3].map((row) => send(row)));
    expect(outcomes.map(({ status }) => status)).toEqual(["not_sent", "not_sent", "not_sent"]);
    expect(stop.signal.reason?.code).toBe(code);
    expect(service.receipts).toHaveLength(1);
  });

  test("that cannot find anyone stops the run when its attempts are exhausted", async () => {
    const service = await startService(() => accepted);
    await service.close();
    const { send, stop } = await deliveryTo(service.url);
    const outcomes = await Promise.all([1, 2].map((row) => send(row)));
    expect(outcomes).toMatchObject([
      { status: "not_sent", attempts: 3 },
      { status: "not_sent", attempts: 0 },
    ]);
    expect(stop.signal.reason).toMatchObject({ code: "unreachable" });
  });

  test("that meets no TLS stops the run at once", async () => {
    const server = await startRawServer({ onConnection: (socket) => socket.end("hello\r\n") });
    const { send, stop } = await deliveryTo(server.origin.replace("http:", "https:"));
    const outcomes = await Promise.all([1, 2].map((row) => send(row)));
    expect(outcomes.map(({ status }) => status)).toEqual(["not_sent", "not_sent"]);
    expect(stop.signal.reason?.code).toBe("unreachable");
    expect(server.connections).toBe(1);
  });

  test("that is never answered stops the run, which is left to say what became of it", async () => {
    const service = await startService(() => "cut");
    const { send, stop, records } = await deliveryTo(service.url);
    const outcomes = await Promise.all([1, 2].map((row) => send(row)));
    expect(outcomes).toMatchObject([
      { status: "not_sent", attempts: 3, unanswered: 3 },
      { status: "not_sent", attempts: 0 },
    ]);
    expect(stop.signal.reason?.code).toBe("unreachable");
    expect(records.at(-1)).toMatchObject({ kind: "attempted", attempts: 3, unanswered: 3 });
  });

  test("that is never answered stops the run also at-most-once, where it is sent once", async () => {
    const service = await startService(() => "cut");
    const { send, stop } = await deliveryTo(service.url, { mode: "at-most-once" });
    const outcomes = await Promise.all([1, 2].map((row) => send(row)));
    expect(outcomes).toMatchObject([
      { status: "unknown", attempts: 1, unanswered: 1 },
      { status: "not_sent", attempts: 0 },
    ]);
    expect(stop.signal.reason?.code).toBe("unreachable");
    expect(service.receipts).toHaveLength(1);
  });

  test("may fail: any answer opens the way for the others", async () => {
    const service = await startService(byAttempt({ 1: [{ status: 500 }] }));
    const { send, finish, stop } = await deliveryTo(service.url);
    const outcomes = [1, 2].map((row) => send(row));
    await finish();
    expect(await Promise.all(outcomes)).toMatchObject([
      { status: "failed" },
      { status: "succeeded" },
    ]);
    expect(stop.signal.reason).toBeUndefined();
  });
});

describe("later", () => {
  test("may fail and then meet what would have stopped it: that is its own refusal", async () => {
    const service = await startService(byAttempt({ 1: [{ status: 500 }, { status: 404 }] }));
    const { send, stop } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "rejected", httpStatus: 404, attempts: 2 });
    expect(stop.signal.reason).toBeUndefined();
  });

  test("may be forbidden often, as long as others are taken between", async () => {
    const service = await startService((receipt) =>
      rowOf(receipt) % 6 === 1 ? accepted : { status: 403 },
    );
    const { send, stop } = await deliveryTo(service.url);
    for (let row = 1; row <= 30; row++) await send(row);
    expect(service.receipts).toHaveLength(30);
    expect(stop.signal.reason).toBeUndefined();
  });

  test("401 stops the run; what was accepted meanwhile stays so", async () => {
    const service = await startService(byAttempt({ 3: [{ status: 401, body: "expired" }] }));
    const { send, stop } = await deliveryTo(service.url, { concurrency: 1 });
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map((row) => send(row)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "not_sent",
      "not_sent",
      "not_sent",
    ]);
    expect(outcomes[2]).toMatchObject({ attempts: 1, httpStatus: 401, error: "expired" });
    expect(stop.signal.reason?.message).toContain("It says: expired");
    expect(service.receipts).toHaveLength(3);
  });

  test("401: what the service says ends before our next sentence begins", async () => {
    const service = await startService(() => ({ status: 401, body: "nope" }));
    const tokenSource = { kind: "command", command: ["echo", secret] } as const;
    const { send, stop } = await deliveryTo(service.url, { tokenSource });
    await send(1);
    expect(stop.signal.reason?.message).toMatch(
      / It says: nope\. The token command still gives the same token\.$/,
    );
  });

  test("401: nothing leaves with the old token while another is being had", async () => {
    const folder = await temporaryFolder();
    const [begun, go] = [join(folder, "begun"), join(folder, "go")];
    const command = `touch "${begun}"; while [ -d "${folder}" ] && [ ! -e "${go}" ]; do sleep 0.02; done; echo new-token`;
    const service = await startService((receipt) =>
      rowOf(receipt) === 1 || receipt.headers.authorization === "Bearer new-token"
        ? accepted
        : { status: 401 },
    );
    const { send } = await deliveryTo(service.url, { tokenSource: { kind: "command", command } });
    await send(1);
    const second = send(2);
    while (!existsSync(begun)) await new Promise((resolve) => setTimeout(resolve, 5));
    const third = send(3);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await writeFile(go, "");
    expect(await Promise.all([second, third])).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
  });

  test("401 while the file of the token is being replaced: it is looked for again", async () => {
    const path = join(await temporaryFolder(), "token");
    await writeFile(path, "old-token", { mode: 0o600 });
    const service = await startService((receipt) =>
      rowOf(receipt) === 1 || receipt.headers.authorization === "Bearer new-token"
        ? accepted
        : { status: 401 },
    );
    const { send, clock, notices, stop } = await deliveryTo(service.url, {
      tokenSource: { kind: "file", path },
      clock: createFakeClock({ waitsForDisk: true }),
    });
    await send(1);
    await rm(path);
    const second = send(2);
    await service.received(2);
    clock.schedule(2000, () => void writeFile(path, "new-token", { mode: 0o600 }));
    expect(await second).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(stop.signal.reason).toBeUndefined();
    expect(notices).toEqual([{ kind: "token_renewed" }]);
    expect(Math.floor(clock.now() / 1000)).toBe(3);
  });

  test("401 twice for one event stops the run, though others are taken with each new token", async () => {
    const folder = await temporaryFolder();
    const command = `echo x >> "${folder}/runs"; echo token-$(wc -l < "${folder}/runs" | tr -d " ")`;
    let others = 2;
    const service = await startService(async (receipt) => {
      if (rowOf(receipt) !== 2) return accepted;
      await send(++others);
      return { status: 401 };
    });
    const { send, stop } = await deliveryTo(service.url, {
      tokenSource: { kind: "command", command },
    });
    await send(1);
    expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 2 });
    expect(stop.signal.reason?.message).toContain("A new one was not accepted either.");
  });

  test("401 twice for one event goes on where the service answered otherwise between", async () => {
    const folder = await temporaryFolder();
    const command = `echo x >> "${folder}/runs"; echo token-$(wc -l < "${folder}/runs" | tr -d " ")`;
    const service = await startService(
      byAttempt({ 2: [{ status: 401 }, { status: 503 }, { status: 401 }, accepted] }),
    );
    const { send, stop } = await deliveryTo(service.url, {
      tokenSource: { kind: "command", command },
    });
    await send(1);
    expect(await send(2)).toMatchObject({ status: "succeeded", attempts: 4 });
    expect(stop.signal.reason).toBeUndefined();
  });

  test("401 after an attempt without an answer stops the run, and that attempt stays on record", async () => {
    const service = await startService(byAttempt({ 2: ["cut", { status: 401 }] }));
    const { send, records } = await deliveryTo(service.url);
    await send(1);
    expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 2, unanswered: 1 });
    expect(records.at(-1)).toMatchObject({ kind: "attempted", attempts: 2, unanswered: 1 });
  });

  test.each([403, 404, 405, 302])("%i is a refusal of that event", async (status) => {
    const service = await startService(byAttempt({ 2: [{ status }] }));
    const { send, stop } = await deliveryTo(service.url);
    await send(1);
    expect(await send(2)).toMatchObject({ status: "rejected", httpStatus: status });
    expect(stop.signal.reason).toBeUndefined();
  });
});

describe("an answer whose headers are too long", () => {
  const tooLong: Reply = { status: 202, headers: { "x-long": "x".repeat(20_000) } };
  const why = /^unreadable answer.*: its headers are longer than 16 KiB; NODE_OPTIONS=/;

  test.each([
    ["at-least-once", "not_sent"],
    ["at-most-once", "unknown"],
  ] as const)("is reported as that, and not as no answer (%s)", async (mode, status) => {
    const service = await startService(byAttempt({ 2: [tooLong] }));
    const { send, finish } = await deliveryTo(service.url, { mode, maxOutageMs: 10_000 });
    await send(1);
    const outcome = send(2);
    await finish();
    // Its status is not known, so the event may have been taken.
    expect(await outcome).toMatchObject({ status, errorCode: "UND_ERR_HEADERS_OVERFLOW" });
    expect((await outcome).unanswered).toBeGreaterThan(0);
    expect((await outcome).error).toMatch(why);
  });

  test("to the first event stops the run with what to do", async () => {
    const service = await startService(() => tooLong);
    const { send, stop } = await deliveryTo(service.url);
    await send(1);
    expect(stop.signal.reason).toEqual({
      code: "unreachable",
      message: `The answer from ${service.url} cannot be read (unreadable answer: its headers are longer than 16 KiB; NODE_OPTIONS=--max-http-header-size=65536 takes longer ones).`,
    });
  });
});

describe("421", () => {
  /** Says that a connection is another server's, where it has carried another request before. */
  async function startMisdirecting() {
    const used = new Map<object, number>();
    const server = await startRawServer({
      onRequest(socket, { body }) {
        const requests = (used.get(socket) ?? 0) + 1;
        used.set(socket, requests);
        const isMisdirected = rowOf({ body }) === 9 && requests > 1;
        socket.write(answer(isMisdirected ? "421 Misdirected Request" : "202 Accepted"));
      },
    });
    return server;
  }

  test.each(["at-least-once", "at-most-once"] as const)(
    "is retried on a fresh connection, and on no other that is kept (%s)",
    async (mode) => {
      const server = await startMisdirecting();
      const { send, steps } = await deliveryTo(server.origin, { mode, concurrency: 4 });
      await send(1);
      await Promise.all([2, 3, 4, 5].map((row) => send(row)));
      const kept = server.connections;
      expect(kept).toBeGreaterThan(1);
      expect(await send(9)).toMatchObject({ status: "succeeded", attempts: 2, unanswered: 0 });
      expect(server.connections).toBeGreaterThan(kept);
      const requests = steps.filter((step) => step.includes("request 9"));
      expect(requests).toEqual(["request 9/1", "request 9/1 fresh"]);
    },
  );
});

describe("the token is reported nowhere", () => {
  const padding = "x".repeat(490);

  test.each([
    ["as it is", `bad token ${secret}`],
    ["where the text is cut", `${padding}${secret}`],
    ["with the slashes of JSON escaped", `{"seen":"${secret.replaceAll("/", "\\/")}"}`],
    ["as in a URL", `?token=${encodeURIComponent(secret)}`],
    ["as in HTML", `<b>${secret.replaceAll("/", "&#x2F;").replaceAll("+", "&#43;")}</b>`],
  ])("when the service repeats it %s", async (_, body) => {
    const retryAfter = { "retry-after": "1" };
    const service = await startService(
      byAttempt({
        1: [
          { status: 429, body, headers: retryAfter },
          { status: 500, body },
          { status: 422, body },
        ],
        2: [{ status: 401, body }],
      }),
    );
    const { send, stop, notices } = await deliveryTo(service.url);
    const told = JSON.stringify([await send(1), await send(2), stop.signal.reason, notices]);
    expect(new Set(notices.map(({ kind }) => kind))).toEqual(new Set(["pause", "retry", "open"]));
    expect(told).not.toContain("s3cr3t");
  });

  test("when a redirect repeats it", async () => {
    const location = `https://elsewhere.example/?token=${secret}`;
    const service = await startService(() => ({ status: 302, headers: { location } }));
    const { send, stop } = await deliveryTo(service.url);
    await send(1);
    expect(stop.signal.reason?.message).toContain("https://elsewhere.example/");
    expect(stop.signal.reason?.message).not.toContain("s3cr3t");
  });
});

describe("room for more rows", () => {
  test("is there until some have to wait, and again when these have been staged", async () => {
    let answerAll = () => {};
    const held = new Promise<void>((resolve) => {
      answerAll = resolve;
    });
    const service = await startService(async ({ n }) => {
      if (n > 0) await held;
      return accepted;
    });
    const { send, delivery } = await deliveryTo(service.url, { concurrency: 2 });
    await send(1);
    let row = 2;
    const sending: Promise<unknown>[] = [];
    while (row < 1000 && delivery.room() === undefined) sending.push(send(row++));
    expect(row).toBeGreaterThan(15);
    expect(row).toBeLessThan(40);
    const room = delivery.room();
    expect(room).toBeInstanceOf(Promise);
    answerAll();
    await room;
    expect(delivery.room()).toBeUndefined();
    await Promise.all(sending);
  });

  test("is reported when the run stops", async () => {
    let releaseAll = (_: Reply) => {};
    const held = new Promise<Reply>((resolve) => {
      releaseAll = resolve;
    });
    const service = await startService(({ n }) => (n === 0 ? accepted : held));
    const { send, stop, delivery } = await deliveryTo(service.url, { concurrency: 2 });
    await send(1);
    for (let row = 2; row < 1000 && delivery.room() === undefined; row++) void send(row);
    const room = delivery.room();
    stop.abort({ code: "interrupted", message: "" });
    await room;
    expect(delivery.room()).toBeUndefined();
    releaseAll(accepted);
  });
});

describe("a stop", () => {
  test("wakes everything that waits, and nothing leaves after it", async () => {
    const service = await startService(
      byAttempt({ 2: [{ status: 503, headers: { "retry-after": "600" } }] }),
    );
    const { send, stop } = await deliveryTo(service.url, { concurrency: 2 });
    await send(1);
    const waiting = [2, 3, 4, 5].map((row) => send(row));
    await service.received(3);
    stop.abort({ code: "interrupted", message: "" });
    const outcomes = await Promise.all(waiting);
    expect(outcomes.filter(({ status }) => status === "not_sent").length).toBeGreaterThan(0);
    expect(service.receipts.length).toBe(
      1 + outcomes.reduce((sum, { attempts }) => sum + attempts, 0),
    );
  });

  test.each([
    ["at-least-once", "not_sent"],
    ["at-most-once", "unknown"],
  ] as const)(
    "lets what is in flight have its answer; without one, it is unanswered (%s: %s)",
    async (mode, status) => {
      let release = (_: Reply) => {};
      const held = new Promise<Reply>((resolve) => {
        release = resolve;
      });
      let hangUp = (_: Reply) => {};
      const silent = new Promise<Reply>((resolve) => {
        hangUp = resolve;
      });
      const service = await startService((receipt) =>
        rowOf(receipt) === 2 ? held : rowOf(receipt) === 3 ? silent : accepted,
      );
      const { send, stop, records } = await deliveryTo(service.url, { mode });
      await send(1);
      const drained = send(2);
      const cut = send(3);
      await service.received(3);
      stop.abort({ code: "interrupted", message: "" });
      release(accepted);
      expect(await drained).toMatchObject({ status: "succeeded" });
      hangUp("cut");
      expect(await cut).toMatchObject({ status, unanswered: 1 });
      // What got no answer is on record as unanswered, whether it may be sent again or not.
      expect(records.at(-1)).toMatchObject(
        mode === "at-least-once"
          ? { kind: "attempted", rowOfRun: 3, attempts: 1, unanswered: 1 }
          : { kind: "outcome", rowOfRun: 3, outcome: { status: "unknown", unanswered: 1 } },
      );
    },
  );
});

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
  expect(delivery.figures.inFlight).toBe(0);
  expect(offBeat(records)).toEqual([]);
});

test("a run that ends while the service wants to be left alone leaves no timer behind", async () => {
  const later = { "retry-after": "600" };
  const service = await startService(byAttempt({ 2: [{ status: 202, headers: later }] }));
  const { send, finish, delivery, clock } = await deliveryTo(service.url);
  await send(1);
  await send(2);
  expect(delivery.pausedForMs()).toBeGreaterThan(0);
  await finish();
  await delivery.close();
  expect(clock.waiting).toBe(0);
});
