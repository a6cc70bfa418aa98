import { describe, expect, test } from "vitest";
import type { OnKeyFailure } from "../../src/model/key-failure.ts";
import { deliveryTo } from "./delivery-under-test.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { accepted, type Receipt, type Reply, startService } from "./service-under-test.ts";

describe("the events of a row", () => {
  test("go to their resources, each with an outcome in the mapping's order", async () => {
    const service = await startService(() => accepted);
    const { sendRow } = await deliveryTo(`${service.url}/tenant`);
    const events = [eventOf(1, 1, "users"), eventOf(1, 2, "contacts")];
    const outcomes = await sendRow({ row: 1, events });
    expect(outcomes).toMatchObject([
      { event: 1, eventId: "id-1-1", status: "succeeded" },
      { event: 2, eventId: "id-1-2", status: "succeeded" },
    ]);
    expect(new Set(service.receipts.map(({ path }) => path))).toEqual(
      new Set(["/tenant/v1/users/events", "/tenant/v1/contacts/events"]),
    );
  });

  test.each(["a", undefined])("go one after another (key: %s)", async (orderingKey) => {
    const service = await startService(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return accepted;
    });
    const { sendRow } = await deliveryTo(service.url);
    const events = [1, 2, 3, 4].map((index) => eventOf(1, index));
    await sendRow({ row: 1, events, orderingKey });
    expect(service.mostAtOnce).toBe(1);
    expect(service.receipts.map(({ body }) => JSON.parse(body).index)).toEqual([1, 2, 3, 4]);
  });

  test("wait for one another, and rows without a key do not", async () => {
    const answered = new Set<number>();
    const early: number[] = [];
    const service = await startService(async (receipt) => {
      const { row, index } = JSON.parse(receipt.body) as { row: number; index: number };
      if (index === 2 && !answered.has(row)) early.push(row);
      await new Promise((resolve) => setTimeout(resolve, receipt.n % 7));
      if (index === 1) answered.add(row);
      return accepted;
    });
    const { sendRow, delivery } = await deliveryTo(service.url, { concurrency: 16 });
    const sending: Promise<unknown>[] = [];
    for (let row = 1; row <= 300; row++) {
      await delivery.room();
      sending.push(sendRow({ row, events: [eventOf(row, 1), eventOf(row, 2)] }));
    }
    await Promise.all(sending);
    expect(service.receipts).toHaveLength(600);
    expect(early).toEqual([]);
    expect(service.mostAtOnce).toBe(16);
  });

  test.each<[OnKeyFailure, Reply, readonly string[]]>([
    ["default", { status: 500 }, ["succeeded", "failed", "blocked", "blocked"]],
    ["default", { status: 422 }, ["succeeded", "rejected", "blocked", "blocked"]],
    ["continue", { status: 422 }, ["succeeded", "rejected", "succeeded", "succeeded"]],
    ["block", { status: 422 }, ["succeeded", "rejected", "blocked", "blocked"]],
    ["continue", { status: 500 }, ["succeeded", "failed", "succeeded", "succeeded"]],
  ])("with on_key_failure %s, after a %j", async (onKeyFailure, reply, statuses) => {
    const service = await startService(({ body }) => {
      const { row, index } = JSON.parse(body) as { row: number; index: number };
      return row === 2 && index === 2 ? reply : accepted;
    });
    const { send, sendRow, finish } = await deliveryTo(service.url, { onKeyFailure });
    await send(1);
    const outcomes = sendRow({ row: 2, events: [1, 2, 3, 4].map((index) => eventOf(2, index)) });
    const other = sendRow({ row: 3, events: [eventOf(3, 1), eventOf(3, 2)] });
    await finish();
    expect((await outcomes).map(({ status }) => status)).toEqual(statuses);
    for (const { status, error } of (await outcomes).slice(2)) {
      if (status === "blocked") {
        expect(error).toBe("blocked, because event 2 of its row did not succeed");
      }
    }
    expect(await other).toMatchObject([{ status: "succeeded" }, { status: "succeeded" }]);
  });
});

describe("after one that", () => {
  test.each<[string, Reply, string, "at-least-once" | "at-most-once"]>([
    ["failed", { status: 500 }, "failed", "at-least-once"],
    ["is unknown", "cut", "unknown", "at-most-once"],
  ])("%s, the later ones of the key are blocked", async (_, reply, status, mode) => {
    const service = await startService((receipt) => (rowOf(receipt) === 2 ? reply : accepted));
    const { send, finish } = await deliveryTo(service.url, { mode });
    const sending = [
      ...[send(1, "a"), send(2, "a"), send(3, "a")],
      ...[send(4, "b"), send(5, "a"), send(6)],
    ];
    await finish();
    const outcomes = await Promise.all(sending);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      "succeeded",
      status,
      "blocked",
      "succeeded",
      "blocked",
      "succeeded",
    ]);
    expect(outcomes[4]).toMatchObject({
      attempts: 0,
      error: "blocked, because row 2 of the same ordering key did not succeed",
    });
    expect(service.receipts.map(rowOf)).not.toContain(3);
  });

  test("was refused, the key continues", async () => {
    const service = await startService((receipt) =>
      rowOf(receipt) === 2 ? { status: 422 } : accepted,
    );
    const { send } = await deliveryTo(service.url);
    const outcomes = await Promise.all([send(1, "a"), send(2, "a"), send(3, "a")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["succeeded", "rejected", "succeeded"]);
  });
});

describe("while the reader waits, as the rows that it has read wait for their keys", () => {
  const reply = (receipt: Receipt): Reply => (rowOf(receipt) > 10 ? { status: 500 } : accepted);

  test("an event that always fails has failed after its attempts, though more rows come", async () => {
    const service = await startService(reply);
    const { send, stop } = await deliveryTo(service.url, { isReaderWaiting: true, maxAttempts: 3 });
    await send(1, "a");
    const outcomes = await Promise.all([send(11, "a"), send(12, "a")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "blocked"]);
    expect(stop.signal.reason).toBeUndefined();
  });

  test("many that fail at the same time are an outage", async () => {
    const service = await startService(reply);
    const { send, stop } = await deliveryTo(service.url, { isReaderWaiting: true, maxAttempts: 3 });
    await send(1, "a");
    const keys = ["a", "b", "c", "d", "e", "f"];
    const sending = keys.map((key, at) => send(11 + at, key));
    const outcomes = await Promise.all(sending);
    expect(outcomes.map(({ status }) => status)).toEqual(Array(6).fill("not_sent"));
    expect(stop.signal.reason).toMatchObject({ code: "outage" });
  });
});

describe("a row that is not sent", () => {
  test("blocks what comes after it, and not what comes before it", async () => {
    let answer = (_: Reply) => {};
    const held = new Promise<Reply>((resolve) => {
      answer = resolve;
    });
    const service = await startService((receipt) => (rowOf(receipt) === 2 ? held : accepted));
    const { send, delivery } = await deliveryTo(service.url, { onKeyFailure: "block" });
    await send(1, "a");
    const before = [send(2, "a"), send(3, "a")];
    delivery.pass("a", 4, "invalid");
    delivery.pass("a", 5, "skipped");
    const after = send(6, "a");
    const other = send(7, "b");
    answer(accepted);
    const outcomes = await Promise.all([...before, after, other]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["succeeded", "succeeded", "blocked", "succeeded"],
    ]);
    expect(outcomes[2]?.error).toContain("row 4");
  });

  test("blocks nothing where the mapping does not want that", async () => {
    const service = await startService(() => accepted);
    const { send, delivery } = await deliveryTo(service.url);
    delivery.pass("a", 1, "invalid");
    expect(await send(2, "a")).toMatchObject({ status: "succeeded" });
  });

  test("blocks at once where nothing of its key is pending", async () => {
    const service = await startService(() => accepted);
    const { send, delivery } = await deliveryTo(service.url);
    delivery.pass("a", 1, "unknown");
    expect(await send(2, "a")).toMatchObject({ status: "blocked" });
    expect(service.receipts).toEqual([]);
  });
});

test("a key waits for its own event only: others go on while that is retried", async () => {
  const service = await startService(({ n, body }) =>
    n > 0 && rowOf({ body }) === 2 ? { status: 500 } : accepted,
  );
  const { send, clock } = await deliveryTo(service.url, { maxAttempts: 10 });
  await send(1);
  const [failing, behind] = [send(2, "a"), send(3, "a")];
  for (let row = 4; row < 20; row++) await send(row, `${row}`);
  expect(service.receipts.map(rowOf)).not.toContain(3);
  while (clock.now() < 60_000) {
    await send(20);
    await new Promise<void>((resolve) => clock.schedule(1000, resolve));
  }
  expect([await failing, await behind]).toMatchObject([
    { status: "failed" },
    { status: "blocked" },
  ]);
});
