import { describe, expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/http/attempt.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import { createFakeClock } from "../fake-clock.ts";
import { createVirtualClock } from "../virtual-clock.ts";
import { deliveryTo } from "./delivery-under-test.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { accepted, byAttempt, type Reply, startService } from "./service-under-test.ts";
import { connectTo, noJournal, noTap, openSimulated } from "./simulated-wire.ts";

/** When nothing leaves: because the service asks for it, or is down. */

const slowDown = (retryAfter: string): Reply => ({
  status: 429,
  headers: { "retry-after": retryAfter },
  body: "slow down",
});

describe("Retry-After", () => {
  test.each([
    ["seconds", "30"],
    ["a date", "Sun, 01 Mar 2026 12:00:30 GMT"],
  ])("as %s holds back every event, in full", async (_, value) => {
    const times: number[] = [];
    const reply = byAttempt({ 2: [slowDown(value), accepted] });
    const service = await startService((receipt) => {
      times.push(clock.now());
      const said = reply(receipt);
      // By its own clock, which is this one's here.
      const date = clock.date().toUTCString();
      return typeof said === "string" ? said : { ...said, headers: { ...said.headers, date } };
    });
    const { send, clock, delivery } = await deliveryTo(service.url, { concurrency: 1 });
    const outcomes = await Promise.all([1, 2, 3, 4].map((row) => send(row)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill("succeeded"));
    const [, asked = 0, ...later] = times;
    expect(Math.min(...later)).toBeGreaterThanOrEqual(asked + 30_000);
    expect(delivery.pausedForMs()).toBe(0);
  });

  test.each([3600, 7, -7, -3600])(
    "as a date counts from the answer's own Date, where the service's clock is %i s ahead",
    async (aheadS) => {
      const times: number[] = [];
      const service = await startService(({ n }) => {
        times.push(clock.now());
        if (n !== 1) return accepted;
        const now = clock.date().getTime() + 1000 * aheadS;
        const date = new Date(now).toUTCString();
        const until = new Date(now + 30_000).toUTCString();
        return { status: 503, headers: { date, "retry-after": until } };
      });
      const { send, clock, stop } = await deliveryTo(service.url);
      await send(1);
      expect(await send(2)).toMatchObject({ status: "succeeded", attempts: 2 });
      expect(stop.signal.reason).toBeUndefined();
      const [, asked = 0, later = 0] = times;
      expect(Math.floor((later - asked) / 1000)).toBe(30);
    },
  );

  test.each([3_600_000, -3_600_000])(
    "lasts as long as it lasts where the time of day jumps by %i ms meanwhile",
    async (jumpMs) => {
      const real = createFakeClock();
      let jumpedMs = 0;
      const clock = { ...real, date: () => new Date(real.date().getTime() + jumpedMs) };
      const service = await startService(byAttempt({ 2: [slowDown("30"), accepted] }));
      const { send } = await deliveryTo(service.url, { clock });
      await send(1);
      const askedMs = clock.now();
      clock.schedule(10_000, () => {
        jumpedMs = jumpMs;
      });
      expect(await send(2)).toMatchObject({ status: "succeeded", attempts: 2 });
      expect(Math.floor((clock.now() - askedMs) / 1000)).toBe(30);
    },
  );

  test("empties the line of those that wait for their turn: the next one leaves when it is over", async () => {
    const times: number[] = [];
    const reply = byAttempt({ 2: [{ status: 503, headers: { "retry-after": "1" } }, accepted] });
    const service = await startService((receipt) => {
      times.push(clock.now());
      return reply(receipt);
    });
    const { send, clock } = await deliveryTo(service.url, { concurrency: 40, ratePerSecond: 2 });
    await send(1);
    const outcomes = await Promise.all(Array.from({ length: 32 }, (_, at) => send(at + 2)));
    expect(outcomes.every(({ status }) => status === "succeeded")).toBe(true);
    const [, asked = 0, next = 0] = times;
    expect(next - asked).toBeGreaterThanOrEqual(1000);
    expect(next - asked).toBeLessThan(2000);
  });

  test("on any answer that did not take the event counts, also at-most-once", async () => {
    for (const status of [500, 503, 504]) {
      const reply = byAttempt({ 2: [{ status, headers: { "retry-after": "30" } }, accepted] });
      const service = await startService(reply);
      const { send, clock } = await deliveryTo(service.url, { mode: "at-most-once" });
      await send(1);
      await send(2);
      await send(3);
      expect([status, Math.floor(clock.now() / 1000)]).toEqual([status, 30]);
    }
  });

  test.each([429, 503])(
    "does not count against the attempts, however often it comes with a %i",
    async (status) => {
      const replies = [...Array(20).fill({ status, headers: { "retry-after": "1" } }), accepted];
      const service = await startService(byAttempt({ 1: replies }));
      const { send } = await deliveryTo(service.url, { maxAttempts: 2, maxOutageMs: 0 });
      expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 21 });
    },
  );

  test("need not come with a 429: that counts against the attempts as little", async () => {
    const replies = [...Array(20).fill({ status: 429 }), accepted];
    const service = await startService(byAttempt({ 1: replies }));
    const { send } = await deliveryTo(service.url, { maxAttempts: 2, maxOutageMs: 0 });
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 21 });
  });

  test("of a quarter of an hour is waited for", async () => {
    const service = await startService(byAttempt({ 1: [slowDown("900"), accepted] }));
    const { send, clock } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(clock.now()).toBeGreaterThanOrEqual(900_000);
  });

  test("without end gives the event up where others are taken", async () => {
    const service = await startService(byAttempt({ 1: [slowDown("0")] }));
    const { send, clock } = await deliveryTo(service.url, { maxAttempts: 2 });
    const first = send(1);
    let others = 1;
    let isOver = false;
    void first.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await send(++others);
      await new Promise<void>((resolve) => {
        clock.schedule(5000, resolve);
      });
    }
    expect(await first).toMatchObject({ status: "failed", attempts: 100 });
  });

  test("without end stops the run where nothing is taken", async () => {
    const service = await startService(() => slowDown("0"));
    const { send, stop } = await deliveryTo(service.url, { maxAttempts: 2 });
    expect(await send(1)).toMatchObject({ status: "not_sent", httpStatus: 429 });
    expect(stop.signal.reason).toMatchObject({ code: "throttled" });
  });

  test("of more than a quarter of an hour stops the run and says when to come back", async () => {
    for (const mode of ["at-least-once", "at-most-once"] as const) {
      const service = await startService(byAttempt({ 2: [slowDown("3600")] }));
      const { send, stop } = await deliveryTo(service.url, { mode });
      await send(1);
      expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 1 });
      expect(stop.signal.reason).toMatchObject({ code: "throttled" });
      expect(stop.signal.reason?.message).toContain("2026-03-01T13:00:00.000Z");
    }
  });

  test("is not needed where the service says that its quota is used up until then", async () => {
    const quota = (left: number) => ({
      status: 202,
      headers: {
        "ratelimit-limit": "100",
        "ratelimit-remaining": `${left}`,
        "ratelimit-reset": "7",
      },
    });
    const service = await startService(byAttempt({ 1: [quota(50)], 2: [quota(0)] }));
    const { send, clock, delivery } = await deliveryTo(service.url, { adaptive: true });
    await send(1);
    await send(2);
    expect(delivery.pausedForMs()).toBe(7000);
    await send(3);
    expect(clock.now()).toBeGreaterThanOrEqual(7000);
  });

  test("that is junk is ignored", async () => {
    const service = await startService(byAttempt({ 1: [slowDown("soon"), accepted] }));
    const { send, notices, delivery } = await deliveryTo(service.url);
    expect(await send(1)).toMatchObject({ status: "succeeded", attempts: 2 });
    expect(notices.map(({ kind }) => kind)).toEqual(["retry"]);
    expect(delivery.pausedForMs()).toBe(0);
  });
});

describe("until when the service wants to be left alone", () => {
  const untilMs = (seconds: number) => Date.parse("2026-03-01T12:00:00Z") + 1000 * seconds;

  test("stands in the journal, also where the run stops for it", async () => {
    const replies = byAttempt({ 2: [slowDown("30"), accepted], 3: [slowDown("3600")] });
    const service = await startService(replies);
    const { send, stop, waits } = await deliveryTo(service.url);
    await send(1);
    await send(2);
    await send(3);
    expect(stop.signal.reason?.code).toBe("throttled");
    expect(waits.map((ms) => Math.floor((ms - untilMs(0)) / 1000))).toEqual([30, 3630]);
  });

  test.each(["100000", "999999999999", "9".repeat(400)])(
    "stands there as no more than a day (%s s), after which a resume asks again with one event",
    async (seconds) => {
      const service = await startService(byAttempt({ 2: [slowDown(seconds)] }));
      const { send, waits } = await deliveryTo(service.url);
      await send(1);
      await send(2);
      expect(waits.map((ms) => Math.floor((ms - untilMs(0)) / 1000))).toEqual([24 * 3600]);
    },
  );

  test("is waited for by the run that resumes", async () => {
    const times: number[] = [];
    const service = await startService(() => {
      times.push(clock.now());
      return accepted;
    });
    const { send, clock, notices } = await deliveryTo(service.url, { waitUntil: untilMs(40) });
    const outcomes = await Promise.all([send(1), send(2), send(3)]);
    expect(outcomes.every(({ status }) => status === "succeeded")).toBe(true);
    expect(times[0]).toBeGreaterThanOrEqual(40_000);
    expect(times[0]).toBeLessThan(41_000);
    expect(notices).toMatchObject([
      { kind: "pause", reason: "asked", durationMs: 40_000 },
      { kind: "open", reason: "asked" },
    ]);
  });

  test("is reported by it where it is far off, and nothing leaves", async () => {
    const service = await startService(() => accepted);
    const { send, stop } = await deliveryTo(service.url, { waitUntil: untilMs(3600) });
    expect(await send(1)).toMatchObject({ status: "not_sent", attempts: 0 });
    expect(stop.signal.reason).toMatchObject({ code: "throttled" });
    expect(stop.signal.reason?.message).toContain("2026-03-01T13:00:00.000Z");
    expect(service.receipts).toEqual([]);
  });

  test("is nothing to it where it has passed", async () => {
    const service = await startService(() => accepted);
    const { send, notices } = await deliveryTo(service.url, { waitUntil: untilMs(-1) });
    expect(await send(1)).toMatchObject({ status: "succeeded" });
    expect(notices).toEqual([]);
  });

  test("and then nobody is there: that stops the run as at any beginning", async () => {
    const service = await startService(() => accepted);
    await service.close();
    const { send, stop } = await deliveryTo(service.url, { waitUntil: untilMs(40) });
    expect(await send(1)).toMatchObject({ status: "not_sent", attempts: 3 });
    expect(stop.signal.reason).toMatchObject({ code: "unreachable" });
  });
});

describe("a pause has the reason that holds it now", () => {
  test("asked for a second, and then down for 12 s: those are two", async () => {
    let downSince: number | undefined;
    const service = await startService(({ n }): Reply => {
      if (n === 0) return accepted;
      if (downSince === undefined) {
        downSince = clock.now();
        return slowDown("1");
      }
      return clock.now() < downSince + 13_000 ? { status: 503 } : accepted;
    });
    const { send, clock, notices } = await deliveryTo(service.url);
    await send(1);
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => send(at + 2)));
    expect(outcomes.every(({ status }) => status === "succeeded")).toBe(true);
    const pauses = notices.flatMap((notice) => (notice.kind === "open" ? [notice] : []));
    expect(pauses.map(({ reason }) => reason)).toEqual(["asked", "outage"]);
    expect(pauses[0]?.pausedMs).toBeLessThan(2000);
    expect(pauses[1]?.pausedMs).toBeGreaterThan(10_000);
    const reasons = notices.flatMap((notice) => (notice.kind === "pause" ? [notice.reason] : []));
    expect(reasons.slice(0, 2)).toEqual(["asked", "outage"]);
    expect(new Set(reasons.slice(1))).toEqual(new Set(["outage"]));
    const outage = notices.find((notice) => notice.kind === "pause" && notice.reason === "outage");
    expect(outage).toMatchObject({ message: "status 503" });
  });

  test("and is reported once, however many answers ask for the same", async () => {
    const all: (() => void)[] = [];
    const service = await startService(async ({ n }): Promise<Reply> => {
      if (n === 0 || n > 17) return accepted;
      await new Promise<void>((resolve) => {
        all.push(resolve);
        if (all.length === 17) for (const answer of all) answer();
      });
      return slowDown("1");
    });
    const { send, notices } = await deliveryTo(service.url, { concurrency: 17 });
    await send(1);
    await Promise.all(Array.from({ length: 17 }, (_, at) => send(at + 2)));
    expect(notices.filter(({ kind }) => kind === "pause")).toHaveLength(1);
    expect(notices.filter(({ kind }) => kind === "open")).toHaveLength(1);
  });
});

test("after an outage no more leave at a time than in the beginning", async () => {
  let downSince: number | undefined;
  let [before, after] = [0, 0];
  const service = await startService(({ n }): Reply => {
    const { allowed } = delivery.state();
    if (n < 100) {
      before = allowed;
      return accepted;
    }
    downSince ??= clock.now();
    if (clock.now() < downSince + 500) return { status: 502 };
    if (after === 0) after = allowed;
    return accepted;
  });
  const { send, clock, delivery } = await deliveryTo(service.url, {
    concurrency: 12,
    adaptive: true,
  });
  await send(1);
  await Promise.all(Array.from({ length: 150 }, (_, at) => send(at + 2)));
  expect([before, after]).toEqual([12, 4]);
});

test.each([
  ["99999999999", " (for 27777777 h 46 min). Resume after that."],
  ["9999999999999", "Retry-After is too far in the future"],
  ["9".repeat(400), "Retry-After is too far in the future"],
])("a service that wants to be left alone for %s s is left alone", async (seconds, words) => {
  const service = await startService(({ n }) =>
    n === 0 ? accepted : { status: 429, headers: { "retry-after": seconds } },
  );
  const { send, stop } = await deliveryTo(service.url, { maxAttempts: 5 });
  await send(1);
  expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 1 });
  expect(stop.signal.reason).toMatchObject({
    code: "throttled",
    message: expect.stringContaining(words),
  });
  expect(service.receipts).toHaveLength(2);
});

// A concurrency permit comes a few steps after it is asked for: the breaker opens at one of them.
test.each(Array.from({ length: 8 }, (_, steps) => steps))(
  "an answer that opens the breaker, %i steps after the next event is on record, holds that event back",
  async (steps) => {
    const clock = createVirtualClock();
    const taken: Attempt = { kind: "answered", httpStatus: 202, body: "" };
    const busy: Attempt = { ...taken, httpStatus: 503, retryAfter: ["60"] };
    const left: string[] = [];
    let answerSecond = (_: Attempt) => {};
    const answerAfter = async (count: number) => {
      for (let step = 0; step < count; step++) await undefined;
      answerSecond(busy);
    };
    let openedAtMs: number | undefined;
    const connect = connectTo((request) => {
      const isFirstOfSecond = rowOf(request) === 2 && !left.includes("2");
      left.push(String(rowOf(request)));
      if (clock.now() - (openedAtMs ?? Number.NaN) < 60_000) left.push("too early");
      if (!isFirstOfSecond) return Promise.resolve(taken);
      return new Promise((resolve) => {
        answerSecond = resolve;
      });
    });
    const turnsUntil = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise(setImmediate);
    };
    const journal = {
      ...noJournal,
      async write() {
        if (left.length === 2) void answerAfter(steps);
        return true;
      },
    };
    const ended = () => {
      if (left.length >= 2) openedAtMs ??= clock.now();
    };
    const tap = { ...noTap, ended };
    const { delivery } = await openSimulated(clock, connect, {}, { journal, tap });
    const send = (row: number) =>
      delivery.send(new PendingRow({ row, line: row + 1, cells: [] }, row), [eventOf(row)]);
    send(1);
    await turnsUntil(() => delivery.figures.attempts === 1 && delivery.figures.inFlight === 0);
    send(2);
    await turnsUntil(() => left.length === 2);
    send(3);
    await delivery.finish();
    await delivery.close();
    expect(left).not.toContain("too early");
    expect(left.toSorted()).toEqual(["1", "2", "2", "3"]);
  },
);
