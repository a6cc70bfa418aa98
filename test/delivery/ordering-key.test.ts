import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRowDelivery } from "../../src/delivery/deliver-row.ts";
import type { EventInHand } from "../../src/delivery/event-under-way.ts";
import type { Outcome } from "../../src/domain/outcome.ts";
import { deliveryTo, eventOf, rowOf } from "./delivery-under-test.ts";
import { accepted, openService, type Reply, startService } from "./service-under-test.ts";

describe("the events of a row", () => {
  test("go to their resources, each with an outcome in the mapping's order", async () => {
    const service = await startService(() => accepted);
    const { delivery } = await deliveryTo(`${service.url}/tenant`);
    const events = [eventOf(1, 1, "users"), eventOf(1, 2, "contacts")];
    const outcomes = await delivery.deliverRow({ row: 1, rowOfRun: 1, events });
    expect(outcomes).toMatchObject([
      { event: 1, eventId: "id-1-1", ending: "succeeded" },
      { event: 2, eventId: "id-1-2", ending: "succeeded" },
    ]);
    expect(new Set(service.receipts.map(({ path }) => path))).toEqual(
      new Set(["/tenant/v1/users/events", "/tenant/v1/contacts/events"]),
    );
  });

  test("go one after another where the row has a key", async () => {
    const service = await startService(async () => {
      await new Promise(setImmediate);
      return accepted;
    });
    const { delivery } = await deliveryTo(service.url);
    const events = [1, 2, 3, 4].map((index) => eventOf(1, index));
    await delivery.deliverRow({ row: 1, rowOfRun: 1, events, orderKey: "a" });
    expect(service.mostAtOnce).toBe(1);
    expect(service.receipts.map(({ body }) => JSON.parse(body).index)).toEqual([1, 2, 3, 4]);
  });
});

test("each event of a key says whether later ones wait for it", async () => {
  const waited: (string | undefined)[] = [];
  const delivery = {
    async deliver({ event, row, holdsBack }: EventInHand): Promise<Outcome> {
      await new Promise(setImmediate);
      waited.push(`${row}/${event.index} ${holdsBack()}`);
      return { ending: "succeeded", event: event.index, attempts: 1, unanswered: 0 };
    },
  };
  const { deliverRow } = createRowDelivery(delivery, { date: () => new Date(0) }, "default");
  const rowEvents = (row: number) => ({
    ...{ row, rowOfRun: row, orderKey: "a" },
    events: [eventOf(row, 1), eventOf(row, 2)],
  });
  const { orderKey: _, ...free } = rowEvents(3);
  await Promise.all([deliverRow(free), deliverRow(rowEvents(1)), deliverRow(rowEvents(2))]);
  expect(waited.slice(0, 2)).toEqual(["3/1 false", "3/2 false"]);
  expect(waited.slice(2)).toEqual(["1/1 true", "1/2 true", "2/1 true", "2/2 false"]);
});

describe("after one that", () => {
  test.each<[string, Reply, string, "at-least-once" | "at-most-once"]>([
    ["failed", { status: 500 }, "failed", "at-least-once"],
    ["is unknown", "cut", "unknown", "at-most-once"],
  ])("%s, the later ones of the key are held back", async (_, reply, ending, mode) => {
    const service = await startService((receipt) => (rowOf(receipt) === 2 ? reply : accepted));
    const { send } = await deliveryTo(service.url, { mode });
    const outcomes = await Promise.all([
      send(1, "a"),
      send(2, "a"),
      send(3, "a"),
      send(4, "b"),
      send(5, "a"),
      send(6),
    ]);
    expect(outcomes.map((outcome) => outcome.ending)).toEqual([
      "succeeded",
      ending,
      "blocked",
      "succeeded",
      "blocked",
      "succeeded",
    ]);
    expect(outcomes[4]).toMatchObject({
      attempts: 0,
      error: "held back, because row 2 of the same order_by key did not succeed",
    });
    expect(service.receipts.map(rowOf)).not.toContain(3);
  });

  test("was refused, the key goes on", async () => {
    const service = await startService((receipt) =>
      rowOf(receipt) === 2 ? { status: 422 } : accepted,
    );
    const { send } = await deliveryTo(service.url);
    const outcomes = await Promise.all([send(1, "a"), send(2, "a"), send(3, "a")]);
    expect(outcomes.map(({ ending }) => ending)).toEqual(["succeeded", "rejected", "succeeded"]);
  });
});

test("whatever is answered: a key is received in order, and none before the last has its outcome", async () => {
  const replies = fc.constantFrom<Reply>(
    accepted,
    accepted,
    accepted,
    { status: 422 },
    { status: 500 },
    "cut",
    { status: 429, headers: { "retry-after": "2" } },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.array(replies, { maxLength: 4 })), {
        minLength: 1,
        maxLength: 25,
      }),
      fc.integer({ min: 1, max: 6 }),
      async (plan, concurrency) => {
        const turns = new Map<number, number>();
        const ended = new Set<number>();
        const faults: string[] = [];
        const service = await openService((receipt) => {
          const row = rowOf(receipt);
          const key = plan[row]?.[0];
          plan.slice(0, row).forEach(([other], earlier) => {
            if (other === key && !ended.has(earlier)) faults.push(`${row} before ${earlier} ended`);
          });
          const turn = turns.get(row) ?? 0;
          turns.set(row, turn + 1);
          return plan[row]?.[1][turn] ?? accepted;
        });
        const { send, delivery } = await deliveryTo(service.url, { concurrency, maxAttempts: 3 });
        const outcomes = await Promise.all(
          plan.map(async ([key], row) => {
            const outcome = await send(row, key);
            ended.add(row);
            return outcome;
          }),
        );
        expect(faults).toEqual([]);
        expect(outcomes).toHaveLength(plan.length);
        expect(service.mostAtOnce).toBeLessThanOrEqual(Math.min(concurrency, 3));
        const received = service.receipts.map(rowOf);
        outcomes.forEach(({ attempts }, row) => {
          expect(received.filter((at) => at === row)).toHaveLength(attempts);
        });
        await delivery.close();
        await service.close();
      },
    ),
    { numRuns: 40 },
  );
});
