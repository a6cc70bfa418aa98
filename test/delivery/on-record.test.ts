import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Intent } from "../../src/domain/run-record.ts";
import { deliveryTo, eventOf, offBeat, rowOf } from "./delivery-under-test.ts";
import { accepted, openService, type Reply, startService } from "./service-under-test.ts";

const interrupted = { code: "interrupted", message: "" } as const;

describe("no request leaves before its intent is on record", () => {
  test("however long that takes", async () => {
    const service = await startService(() => accepted);
    const held: { intent: Intent; release: (mayLeave: boolean) => void }[] = [];
    const { send, steps } = await deliveryTo(service.url, {
      intend: (intent) => new Promise((release) => held.push({ intent, release })),
    });
    const outcome = send(1);
    while (held.length === 0) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(steps).toEqual([]);
    held[0]?.release(true);
    expect(await outcome).toMatchObject({ ending: "succeeded" });
    expect(steps).toEqual(["intent 1/1", "request 1/1", "outcome 1/1"]);
  });

  test("and each further attempt has one of its own", async () => {
    const replies: Reply[] = [{ status: 500 }, "cut", accepted];
    const service = await startService(({ n }) => replies[n] ?? accepted);
    const { send, steps, records } = await deliveryTo(service.url);
    await send(1);
    const attempt = ["intent 1/1", "request 1/1", "attempted 1/1"];
    expect(steps).toEqual([...attempt, ...attempt, "intent 1/1", "request 1/1", "outcome 1/1"]);
    expect(records).toMatchObject([
      { kind: "intent", attempt: 1, unanswered: 0 },
      { kind: "attempted", attempts: 1, unanswered: 0, httpStatus: 500 },
      { kind: "intent", attempt: 2, unanswered: 0 },
      { kind: "attempted", attempts: 2, unanswered: 1, httpStatus: 500 },
      { kind: "intent", attempt: 3, unanswered: 1 },
      { kind: "outcome", outcome: { ending: "succeeded", attempts: 3, unanswered: 1 } },
    ]);
  });

  test("and where it cannot be put there, nothing leaves and nothing is said of the event", async () => {
    const service = await startService(() => accepted);
    const { send, stop, steps, delivery } = await deliveryTo(service.url, {
      async intend({ rowOfRun }) {
        if (rowOfRun !== 2) return true;
        stop.request({ code: "disk", message: "the disk is full" });
        return false;
      },
    });
    await send(1);
    expect(await send(2)).toEqual({
      ...{ ending: "not_sent", event: 1, eventId: "id-2-1", attempts: 0, unanswered: 0 },
    });
    expect(service.receipts.map(rowOf)).toEqual([1]);
    expect(steps.filter((step) => step.endsWith(" 2/1"))).toEqual([]);
    await delivery.room();
  });

  test("and one that was put there just as the run stopped is taken back", async () => {
    const service = await startService(() => accepted);
    const { send, stop, steps, records } = await deliveryTo(service.url, {
      async intend({ rowOfRun }) {
        if (rowOfRun === 2) stop.request(interrupted);
        return true;
      },
    });
    await send(1);
    expect(await send(2)).toMatchObject({ ending: "not_sent", attempts: 0 });
    expect(steps.slice(3)).toEqual(["intent 2/1", "attempted 2/1"]);
    expect(records.at(-1)).toMatchObject({ kind: "attempted", attempts: 0, unanswered: 0 });
    expect(service.receipts).toHaveLength(1);
  });

  test("which holds nobody else back", async () => {
    const service = await startService(() => accepted);
    let release = (_: boolean) => {};
    const { send, steps } = await deliveryTo(service.url, {
      intend: async ({ rowOfRun }) =>
        rowOfRun === 2 ? new Promise<boolean>((resolve) => (release = resolve)) : true,
    });
    await send(1);
    const second = send(2);
    await send(3);
    expect(steps).toContain("outcome 3/1");
    expect(steps).not.toContain("request 2/1");
    release(true);
    await second;
  });
});

test("the number of the row in the run is what stands on record, not that in the input", async () => {
  const service = await startService(() => accepted);
  const { delivery, records } = await deliveryTo(service.url);
  const events = [eventOf(70, 1), eventOf(70, 2)];
  await delivery.deliverRow({ row: 70, rowOfRun: 3, events });
  expect(records.map(({ rowOfRun }) => rowOfRun)).toEqual([3, 3, 3, 3]);
});

test("whatever is answered and whenever it stops: each intent has one end, each request its intent", async () => {
  const replies = fc.constantFrom<Reply>(
    accepted,
    accepted,
    { status: 422 },
    { status: 500 },
    { status: 401 },
    "cut",
    { status: 429, headers: { "retry-after": "2" } },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom("a", "b", undefined), fc.array(replies)), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.record({
        concurrency: fc.integer({ min: 1, max: 6 }),
        mode: fc.constantFrom("at-least-once", "at-most-once"),
        /** After which of the intents the run stops, and after which the disk takes no more. */
        stopAt: fc.nat(40),
        fullAt: fc.nat(60),
      }),
      async (plan, { concurrency, mode, stopAt, fullAt }) => {
        const turns = new Map<number, number>();
        const service = await openService((receipt) => {
          const row = rowOf(receipt);
          const turn = turns.get(row) ?? 0;
          turns.set(row, turn + 1);
          return plan[row]?.[1][turn] ?? accepted;
        });
        let intents = 0;
        const { send, delivery, steps, records, stop } = await deliveryTo(service.url, {
          ...{ concurrency, mode },
          async intend() {
            const at = intents++;
            await new Promise(setImmediate);
            if (at === stopAt) stop.request(interrupted);
            if (at >= fullAt) stop.request({ code: "disk", message: "" });
            return at < fullAt;
          },
        });
        const outcomes = await Promise.all(plan.map(([key], row) => send(row, key)));

        expect(offBeat(records)).toEqual([]);
        const open = new Set<string>();
        for (const [kind, place = ""] of steps.map((step) => step.split(" "))) {
          if (kind === "request") expect(open).toContain(place);
          if (kind === "intent") open.add(place);
          else open.delete(place);
        }
        // What the record says last is what is told to the caller.
        for (const [row, outcome] of outcomes.entries()) {
          const [last] = records.filter(({ rowOfRun }) => rowOfRun === row).slice(-1);
          if (last?.kind === "outcome") expect(last.outcome).toBe(outcome);
          else if (outcome.ending !== "blocked") expect(outcome.ending).toBe("not_sent");
          if (last?.kind === "attempted") expect(outcome.attempts).toBe(last.attempts);
        }
        await delivery.close();
        await service.close();
      },
    ),
    { numRuns: 60 },
  );
});
