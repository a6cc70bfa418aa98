import { describe, expect, test } from "vitest";
import type { Intent } from "../../src/model/run-record.ts";
import { deliveryTo, offBeat } from "./delivery-under-test.ts";
import { openIntents, rowOf } from "./event-of.ts";
import { accepted, heldReply, startService } from "./service-under-test.ts";

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
    const slow = heldReply();
    const service = await startService((receipt) => (rowOf(receipt) === 2 ? slow.reply : accepted));
    const { write, nextHeld } = heldWrites();
    const { send, records } = await deliveryTo(service.url, { write, concurrency: 2 });
    const first = send(1);
    (await nextHeld()).release(true);
    await first;
    const second = send(2);
    (await nextHeld()).release(true);
    await service.received(2);
    const third = send(3);
    const { rows, release } = await nextHeld();
    expect(rows).toEqual([3]);
    slow.release(accepted);
    expect(await second).toMatchObject({ status: "succeeded" });
    expect(records.some(({ rowOfRun }) => rowOfRun === 3)).toBe(false);
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
  while (clock.now() < 50_000) await new Promise(setImmediate);
  const before = openIntents(records).size;
  expect(before).toBeLessThanOrEqual(4);
  const intents = records.filter(({ kind }) => kind === "intent").length;
  while (clock.now() < 400_000) await new Promise(setImmediate);
  // What was staged is what probes first.
  expect(records.filter(({ kind }) => kind === "intent").length - intents).toBeLessThanOrEqual(7);
  expect(openIntents(records).size).toBeLessThanOrEqual(before + 1);
  stop.abort(interrupted);
  await Promise.all(outcomes);
  expect(offBeat(records)).toEqual([]);
});
