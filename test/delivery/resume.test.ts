import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import type { EventRecord } from "../../src/model/run-record.ts";
import { deliveryTo, offBeat } from "./delivery-under-test.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { accepted, startService } from "./service-under-test.ts";

const importedAt = "2026-02-01T00:00:00.000Z";

// The journal leaves out the ids of events: they are made anew, and are the same.

/** The third attempt was about to leave, and an earlier one had no answer. */
function perhapsSent(rowOfRun: number): EventRecord {
  return { kind: "intent", rowOfRun, event: 1, attempt: 3, unanswered: 1, importedAt };
}

function attempted(rowOfRun: number, more: { attempts: number; unanswered: number }): EventRecord {
  return { kind: "attempted", rowOfRun, event: 1, importedAt, httpStatus: 503, ...more };
}

function ended(rowOfRun: number, more: Partial<Outcome> & Pick<Outcome, "status">): EventRecord {
  const outcome = { event: 1, attempts: 2, unanswered: 0, finishedAt: importedAt, ...more };
  return { kind: "outcome", rowOfRun, outcome };
}

describe("an event of an interrupted run", () => {
  test("whose outcome is on record has it, and is not sent", async () => {
    const service = await startService(() => accepted);
    const { send, steps } = await deliveryTo(service.url);
    const before = ended(1, { status: "rejected", httpStatus: 422 });
    expect(await send(1, undefined, before)).toEqual({
      ...{ status: "rejected", event: 1, eventId: "id-1-1", httpStatus: 422 },
      ...{ attempts: 2, unanswered: 0, finishedAt: importedAt },
    });
    expect(service.receipts).toEqual([]);
    expect(steps).toEqual([]); // it is on record already
  });

  test("that was perhaps sent is sent again, with the bytes that it had, and says so", async () => {
    const service = await startService(() => accepted);
    const { send, records } = await deliveryTo(service.url);
    const outcome = await send(1, undefined, perhapsSent(1));
    expect(outcome).toMatchObject({ status: "succeeded", attempts: 4, unanswered: 2 });
    expect(service.receipts.map(({ body }) => JSON.parse(body).importedAt)).toEqual([importedAt]);
    expect(records).toMatchObject([
      { kind: "intent", attempt: 4, unanswered: 2, importedAt },
      { kind: "outcome", outcome },
    ]);
  });

  test("that was perhaps sent is unknown at-most-once, and never sent", async () => {
    const service = await startService(() => accepted);
    const { send, records, delivery } = await deliveryTo(service.url, { mode: "at-most-once" });
    const outcome = await send(1, undefined, perhapsSent(1));
    expect(outcome).toEqual({
      ...{ status: "unknown", event: 1, eventId: "id-1-1", attempts: 3, unanswered: 2 },
      errorCode: "perhaps_sent",
      error: "perhaps sent when the run was interrupted",
      finishedAt: "2026-03-01T12:00:00.000Z",
    });
    expect(records).toEqual([{ kind: "outcome", rowOfRun: 1, outcome }]);
    await delivery.room();
    expect(service.receipts).toEqual([]);
  });

  test("with attempts that were all answered goes on counting, also at-most-once", async () => {
    for (const mode of ["at-least-once", "at-most-once"] as const) {
      const service = await startService(() => accepted);
      const { send } = await deliveryTo(service.url, { mode });
      const before = attempted(1, { attempts: 2, unanswered: 0 });
      const outcome = await send(1, undefined, before);
      expect(outcome).toMatchObject({ status: "succeeded", attempts: 3, unanswered: 0 });
      expect(service.receipts.map(({ body }) => JSON.parse(body).importedAt)).toEqual([importedAt]);
    }
  });

  test("with an attempt that was not answered is unknown at-most-once, else sent", async () => {
    const before = attempted(1, { attempts: 2, unanswered: 1 });
    const service = await startService(() => accepted);
    const once = await deliveryTo(service.url, { mode: "at-most-once" });
    expect(await once.send(1, undefined, before)).toMatchObject({
      ...{ status: "unknown", attempts: 2, unanswered: 1, httpStatus: 503 },
    });
    expect(service.receipts).toEqual([]);
    const again = await deliveryTo(service.url);
    expect(await again.send(1, undefined, before)).toMatchObject({
      ...{ status: "succeeded", attempts: 3, unanswered: 1, httpStatus: 202 },
    });
  });

  test("that never left has the time of the attempt that does", async () => {
    const service = await startService(() => accepted);
    const { send } = await deliveryTo(service.url);
    await send(1, undefined, attempted(1, { attempts: 0, unanswered: 0 }));
    expect(service.receipts.map(({ body }) => JSON.parse(body).importedAt)).toEqual([
      "2026-03-01T12:00:00.000Z",
    ]);
  });

  test("has all its attempts again, and is unknown when they are exhausted", async () => {
    const service = await startService(({ n }) => (n === 0 ? accepted : { status: 500 }));
    const { send, finish } = await deliveryTo(service.url, { maxAttempts: 3 });
    await send(1);
    const outcome = send(2, undefined, perhapsSent(2));
    await finish();
    expect(await outcome).toMatchObject({
      ...{ status: "unknown", attempts: 6, unanswered: 2, errorCode: "http_500" },
    });
    expect(service.receipts).toHaveLength(4);
  });

  test("has failed also where nothing else is left, if an earlier part has had a success", async () => {
    const service = await startService(() => ({ status: 500 }));
    const { send, finish, stop } = await deliveryTo(service.url, {
      ...{ maxAttempts: 3, isResumed: true, hasSucceeded: true },
    });
    const before = attempted(1, { attempts: 3, unanswered: 0 });
    const outcome = send(1, undefined, before);
    await finish();
    expect(stop.signal.reason).toBeUndefined();
    expect(await outcome).toMatchObject({ status: "failed", attempts: 6 });
  });

  test("that is stopped again before it left keeps what is on record of it", async () => {
    const service = await startService(() => accepted);
    const { send, stop, steps } = await deliveryTo(service.url);
    stop.abort({ code: "interrupted", message: "" });
    expect(await send(1, undefined, perhapsSent(1))).toMatchObject({
      ...{ status: "not_sent", attempts: 3, unanswered: 2 },
    });
    expect(steps).toEqual([]);
  });

  test("is known from the others of its row by its place in the mapping", async () => {
    const service = await startService(() => accepted);
    const { sendRow, records } = await deliveryTo(service.url);
    const outcomes = await sendRow({
      ...{ row: 7, rowOfRun: 5, events: [eventOf(7, 1), eventOf(7, 2), eventOf(7, 3)] },
      before: [
        { kind: "intent", rowOfRun: 5, event: 3, attempt: 1, unanswered: 0, importedAt },
        ended(5, { status: "succeeded", event: 2 }),
      ],
    });
    expect(outcomes).toMatchObject([
      { event: 1, status: "succeeded", attempts: 1, unanswered: 0 },
      { event: 2, status: "succeeded", attempts: 2, finishedAt: importedAt },
      { event: 3, status: "succeeded", attempts: 2, unanswered: 1 },
    ]);
    const sent = service.receipts.map(({ body }) => JSON.parse(body).index);
    expect(sent).toEqual([1, 3]);
    expect(offBeat(records)).toEqual([]);
  });
});

describe.each([undefined, "a"])("the later events of a row (key: %s)", (orderingKey) => {
  const events = [eventOf(7, 1), eventOf(7, 2), eventOf(7, 3)];
  const row = { row: 7, rowOfRun: 5, events, orderingKey };

  test("stay blocked if an earlier one has failed", async () => {
    const service = await startService(() => accepted);
    const { sendRow, steps } = await deliveryTo(service.url);
    const before = [ended(5, { status: "failed" })];
    const error = "blocked, because event 1 of its row did not succeed";
    const isBlocked = { status: "blocked", attempts: 0, errorCode: "blocked", error };
    expect(await sendRow({ ...row, before })).toMatchObject([
      { status: "failed", attempts: 2, finishedAt: importedAt },
      { event: 2, ...isBlocked },
      { event: 3, ...isBlocked },
    ]);
    expect(service.receipts).toEqual([]);
    expect(steps).toEqual([]);
  });

  test("stay as they are if they have settled", async () => {
    const service = await startService(() => accepted);
    const { sendRow } = await deliveryTo(service.url);
    const before = [ended(5, { status: "unknown" }), ended(5, { status: "succeeded", event: 2 })];
    expect(await sendRow({ ...row, before })).toMatchObject([
      { status: "unknown" },
      { status: "succeeded", finishedAt: importedAt },
      { status: "blocked" },
    ]);
    expect(service.receipts).toEqual([]);
  });

  test("do not block an earlier one", async () => {
    const service = await startService(() => accepted);
    const { sendRow } = await deliveryTo(service.url);
    const outcomes = await sendRow({ ...row, before: [ended(5, { status: "failed", event: 2 })] });
    expect(outcomes.map(({ status }) => status)).toEqual(["succeeded", "failed", "blocked"]);
  });
});

describe("the later ones of a key", () => {
  test("stay as an interrupted run has settled them, though an earlier one blocks the rest", async () => {
    const service = await startService(() => accepted);
    const { send } = await deliveryTo(service.url);
    await send(1, "a", ended(1, { status: "failed", httpStatus: 500 }));
    expect(await send(2, "a", ended(2, { status: "succeeded" }))).toMatchObject({
      status: "succeeded",
      finishedAt: importedAt,
    });
    expect(await send(3, "a")).toMatchObject({ status: "blocked" });
    expect(service.receipts).toEqual([]);
  });

  test("are blocked by one that the interrupted run could not bring through", async () => {
    const service = await startService(() => accepted);
    const { send, delivery } = await deliveryTo(service.url);
    delivery.block("a", 12);
    const outcomes = [await send(20, "a"), await send(21, "b"), await send(22, "a")];
    expect(outcomes.map(({ status }) => status)).toEqual(["blocked", "succeeded", "blocked"]);
    expect(outcomes[2]?.error).toBe(
      "blocked, because row 12 of the same ordering key did not succeed",
    );
    expect(service.receipts.map(rowOf)).toEqual([21]);
  });

  test.each([
    ["at-least-once", { status: "blocked", errorCode: "blocked" }],
    ["at-most-once", { status: "unknown", errorCode: "perhaps_sent" }],
  ] as const)("say so if they may have arrived, %s", async (mode, expected) => {
    const service = await startService(() => accepted);
    const { send, delivery } = await deliveryTo(service.url, { mode });
    delivery.block("a", 12);
    const outcome = await send(20, "a", perhapsSent(20));
    expect(outcome).toMatchObject({ ...expected, attempts: 3, unanswered: 2 });
    expect(service.receipts).toEqual([]);
  });

  test.each(["failed", "unknown"] as const)(
    "are blocked by an outcome on record that is %s",
    async (status) => {
      const service = await startService(() => accepted);
      const { send } = await deliveryTo(service.url);
      const outcomes = await Promise.all([send(1, "a", ended(1, { status })), send(2, "a")]);
      expect(outcomes).toMatchObject([{ status }, { status: "blocked", attempts: 0 }]);
      expect(service.receipts).toEqual([]);
    },
  );

  test("are blocked by one that was perhaps sent, at-most-once", async () => {
    const service = await startService(() => accepted);
    const { send } = await deliveryTo(service.url, { mode: "at-most-once" });
    const outcomes = await Promise.all([send(1, "a", perhapsSent(1)), send(2, "a")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["unknown", "blocked"]);
    expect(service.receipts).toEqual([]);
  });

  test.each(["succeeded", "rejected"] as const)(
    "go on behind an outcome on record that is %s",
    async (status) => {
      const service = await startService(() => accepted);
      const { send } = await deliveryTo(service.url);
      const outcomes = await Promise.all([send(1, "a", ended(1, { status })), send(2, "a")]);
      expect(outcomes.map((outcome) => outcome.status)).toEqual([status, "succeeded"]);
    },
  );
});
