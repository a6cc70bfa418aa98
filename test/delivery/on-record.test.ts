import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EventRecord, Intent } from "../../src/model/run-record.ts";
import { deliveryTo, offBeat } from "./delivery-under-test.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { accepted, openService, type Reply, startService } from "./service-under-test.ts";

const interrupted = { code: "interrupted", message: "" } as const;

/** Writes that the test lets go on, one after another. */
function heldWrites() {
  const held: { rows: number[]; release: (mayLeave: boolean) => void }[] = [];
  return {
    held,
    write: (intents: readonly Intent[]) =>
      new Promise<boolean>((release) => {
        held.push({ rows: intents.map(({ rowOfRun }) => rowOfRun), release });
      }),
    async nextHeld() {
      while (held.length === 0) await new Promise(setImmediate);
      const [first] = held.splice(0, 1);
      return first as (typeof held)[number];
    },
  };
}

async function turns(count: number) {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}

describe("no request leaves before its intent is on record", () => {
  test("however long that takes", async () => {
    const service = await startService(() => accepted);
    const { write, nextHeld } = heldWrites();
    const { send, steps } = await deliveryTo(service.url, { write });
    const outcome = send(1);
    const { release } = await nextHeld();
    await turns(20);
    expect(steps).toEqual([]);
    release(true);
    expect(await outcome).toMatchObject({ status: "succeeded" });
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
      { kind: "outcome", outcome: { status: "succeeded", attempts: 3, unanswered: 1 } },
    ]);
  });

  test("and where the journal has no room for more, nothing leaves and the record says so", async () => {
    const service = await startService(() => accepted);
    const { send, stop, steps, records, delivery } = await deliveryTo(service.url, {
      async write(intents) {
        if (intents[0]?.rowOfRun !== 2) return true;
        stop.abort({ code: "disk", message: "the disk is full" });
        return false;
      },
    });
    await send(1);
    expect(await send(2)).toEqual({
      ...{ status: "not_sent", event: 1, eventId: "id-2-1", attempts: 0, unanswered: 0 },
    });
    expect(service.receipts.map(rowOf)).toEqual([1]);
    expect(steps.slice(3)).toEqual(["intent 2/1", "attempted 2/1"]);
    expect(records.at(-1)).toMatchObject({ kind: "attempted", attempts: 0, unanswered: 0 });
    await delivery.room();
  });

  test("and one that was put there just as the run stopped is taken back", async () => {
    const service = await startService(() => accepted);
    const { send, stop, steps, records } = await deliveryTo(service.url, {
      async write(intents) {
        if (intents[0]?.rowOfRun === 2) stop.abort(interrupted);
        return true;
      },
    });
    await send(1);
    expect(await send(2)).toMatchObject({ status: "not_sent", attempts: 0 });
    expect(steps.slice(3)).toEqual(["intent 2/1", "attempted 2/1"]);
    expect(records.at(-1)).toMatchObject({ kind: "attempted", attempts: 0, unanswered: 0 });
    expect(service.receipts).toHaveLength(1);
  });

  test("and what the stop meets between its place on record and its leaving gives its permit back", async () => {
    for (let steps = 0; steps <= 12; steps++) {
      const service = await openService(() => accepted);
      const { send, stop, finish, records, delivery } = await deliveryTo(service.url, {
        concurrency: 2,
        async write(intents) {
          if (intents[0]?.rowOfRun !== 1) void stopAfter(steps);
          return true;
        },
      });
      const stopAfter = async (left: number) => {
        for (; left > 0; left--) await undefined;
        stop.abort(interrupted);
      };
      await send(1);
      const sending = [send(2), send(3)];
      await finish();
      const attempts = (await Promise.all(sending)).reduce((sum, one) => sum + one.attempts, 0);
      expect([steps, service.receipts.length]).toEqual([steps, 1 + attempts]);
      expect(offBeat(records)).toEqual([]);
      await delivery.close();
      await service.close();
    }
  });

  test("and a run ends only when its last write has ended", async () => {
    const service = await startService(() => accepted);
    const { write, nextHeld } = heldWrites();
    const { send, stop, finish, steps } = await deliveryTo(service.url, { write });
    const outcome = send(1);
    const { release } = await nextHeld();
    stop.abort(interrupted);
    let isOver = false;
    const finished = finish().then(() => {
      isOver = true;
    });
    await turns(20);
    expect(isOver).toBe(false);
    release(true);
    await finished;
    expect(await outcome).toMatchObject({ status: "not_sent", attempts: 0 });
    expect(steps).toEqual(["intent 1/1", "attempted 1/1"]);
  });
});

describe("a batch", () => {
  test("holds all that is ready, up to what may be in flight", async () => {
    const service = await startService(() => accepted);
    const { write, nextHeld } = heldWrites();
    const { send } = await deliveryTo(service.url, { write, concurrency: 4 });
    const outcomes = Array.from({ length: 20 }, (_, at) => send(at + 1));
    const sizes: number[] = [];
    let sent = 0;
    while (sent < 20) {
      const { rows, release } = await nextHeld();
      sizes.push(rows.length);
      sent += rows.length;
      release(true);
    }
    // The first event goes alone.
    expect(sizes[0]).toBe(1);
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
    await Promise.all(outcomes);
  });

  test("is written while the one before it is in flight, whose answers do not wait for it", async () => {
    let answer = (_: Reply) => {};
    const slow = new Promise<Reply>((resolve) => {
      answer = resolve;
    });
    const service = await startService((receipt) => (rowOf(receipt) === 2 ? slow : accepted));
    const { write, nextHeld } = heldWrites();
    const { send, steps } = await deliveryTo(service.url, { write, concurrency: 2 });
    const first = send(1);
    (await nextHeld()).release(true);
    await first;
    const second = send(2);
    (await nextHeld()).release(true);
    await service.received(2);
    const third = send(3);
    const { rows, release } = await nextHeld();
    expect(rows).toEqual([3]);
    answer(accepted);
    expect(await second).toMatchObject({ status: "succeeded" });
    expect(steps).not.toContain("intent 3/1");
    release(true);
    expect(await third).toMatchObject({ status: "succeeded" });
  });
});

test("while the breaker is open, nothing more is put on record than one probe", async () => {
  const busy = { status: 503, headers: { "retry-after": "60" } };
  let isBusy = false;
  const service = await startService(({ n }) => {
    if (n !== 40) return isBusy ? busy : accepted;
    isBusy = true;
    return busy;
  });
  const { send, clock, records, stop } = await deliveryTo(service.url, { concurrency: 4 });
  const outcomes = Array.from({ length: 200 }, (_, at) => send(at + 1));
  await service.received(41);
  while (clock.now() < 50_000) await turns(1);
  const before = openIntents(records).size;
  expect(before).toBeLessThanOrEqual(4);
  const intents = records.filter(({ kind }) => kind === "intent").length;
  while (clock.now() < 400_000) await turns(1);
  // What was staged is what probes first.
  expect(records.filter(({ kind }) => kind === "intent").length - intents).toBeLessThanOrEqual(7);
  expect(openIntents(records).size).toBeLessThanOrEqual(before + 1);
  stop.abort(interrupted);
  await Promise.all(outcomes);
  expect(offBeat(records)).toEqual([]);
});

test("the number of the row in the run is what stands on record, not that in the input", async () => {
  const service = await startService(() => accepted);
  const { sendRow, records } = await deliveryTo(service.url);
  await sendRow({ row: 70, rowOfRun: 3, events: [eventOf(70, 1), eventOf(70, 2)] });
  expect(records.map(({ rowOfRun }) => rowOfRun)).toEqual([3, 3, 3, 3, 3]);
});

/** Events that were perhaps sent, as far as the records tell. */
function openIntents(records: readonly EventRecord[]): Set<string> {
  const open = new Set<string>();
  for (const record of records) {
    const event = record.kind === "outcome" ? record.outcome.event : record.event;
    if (record.kind === "intent") open.add(`${record.rowOfRun}/${event}`);
    else open.delete(`${record.rowOfRun}/${event}`);
  }
  return open;
}

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
        /** After which of the batches the run stops, and after which the disk takes no more. */
        stopAt: fc.nat(15),
        fullAt: fc.nat(20),
        /** How long each write takes, in turns of the event loop. */
        writes: fc.array(fc.nat(12), { minLength: 1 }),
      }),
      async (plan, { concurrency, mode, stopAt, fullAt, writes }) => {
        const tried = new Map<number, number>();
        const service = await openService((receipt) => {
          const row = rowOf(receipt);
          const attempt = tried.get(row) ?? 0;
          tried.set(row, attempt + 1);
          return plan[row]?.[1][attempt] ?? accepted;
        });
        let batches = 0;
        let mostInDoubt = 0;
        const { send, finish, delivery, steps, records, stop } = await deliveryTo(service.url, {
          ...{ concurrency, mode },
          async write(intents) {
            const at = batches++;
            mostInDoubt = Math.max(mostInDoubt, openIntents(records).size + intents.length);
            await turns(writes[at % writes.length] ?? 0);
            if (at === stopAt) stop.abort(interrupted);
            if (at >= fullAt) stop.abort({ code: "disk", message: "" });
            return at < fullAt;
          },
        });
        const sending = plan.map(([key], row) => send(row, key));
        await finish();
        const outcomes = await Promise.all(sending);

        expect(offBeat(records)).toEqual([]);
        // What a kill leaves in doubt.
        expect(mostInDoubt).toBeLessThanOrEqual(2 * concurrency);
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
          else if (outcome.status !== "blocked") expect(outcome.status).toBe("not_sent");
          if (last?.kind === "attempted") expect(outcome.attempts).toBe(last.attempts);
        }
        await delivery.close();
        await service.close();
      },
    ),
    { numRuns: 60 },
  );
});
