import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import type { EventBefore } from "../../src/model/run-record.ts";
import type { DeliveryMode } from "../../src/model/run-settings.ts";
import { deliveryTo, offBeat } from "./delivery-under-test.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { accepted, byAttempt, startService } from "./service-under-test.ts";

const importedAt = "2026-02-01T00:00:00.000Z";

/** The third attempt was about to leave, and an earlier one had no answer. */
const perhapsSent: EventBefore = { event: 1, attempts: 3, unanswered: 2, importedAt };

function attempted(attempts: number, unanswered: number): EventBefore {
  return { event: 1, attempts, unanswered, importedAt, httpStatus: 503 };
}

function ended({ event = 1, ...more }: Partial<Outcome> & Pick<Outcome, "status">): EventBefore {
  const soFar = { event, attempts: 2, unanswered: 0 };
  const outcome = { ...soFar, eventId: `id-1-${event}`, finishedAt: importedAt, ...more };
  return { ...soFar, importedAt: "", outcome };
}

async function resumed(mode: DeliveryMode = "at-least-once") {
  const service = await startService(() => accepted);
  const run = await deliveryTo(service.url, { mode });
  return { ...run, service, sent: () => service.receipts.map(rowOf) };
}

/** What is known of an event, what becomes of it in each mode, and which time it carries if it is sent. */
const known: [what: string, EventBefore, again: object, never: object, sentTime?: string][] = [
  [
    "whose outcome is on record has it, and is not sent",
    ended({ status: "rejected", httpStatus: 422 }),
    { status: "rejected", eventId: "id-1-1", httpStatus: 422, attempts: 2, finishedAt: importedAt },
    { status: "rejected", attempts: 2, finishedAt: importedAt },
  ],
  [
    "that was perhaps sent is sent again with the bytes that it had, or unknown",
    perhapsSent,
    { status: "succeeded", attempts: 4, unanswered: 2 },
    {
      ...{ status: "unknown", eventId: "id-1-1", attempts: 3, unanswered: 2 },
      ...{ errorCode: "perhaps_sent", error: "perhaps sent when the run was interrupted" },
      finishedAt: "2026-03-01T12:00:00.000Z",
    },
    importedAt,
  ],
  [
    "with attempts that were all answered goes on counting",
    attempted(2, 0),
    { status: "succeeded", attempts: 3, unanswered: 0 },
    { status: "succeeded", attempts: 3, unanswered: 0 },
    importedAt,
  ],
  [
    "with an attempt that was not answered is sent again, or unknown",
    attempted(2, 1),
    { status: "succeeded", attempts: 3, unanswered: 1, httpStatus: 202 },
    { status: "unknown", attempts: 2, unanswered: 1, httpStatus: 503 },
    importedAt,
  ],
  [
    "that never left has the time of the attempt that does",
    attempted(0, 0),
    { status: "succeeded", attempts: 1 },
    { status: "succeeded", attempts: 1 },
    "2026-03-01T12:00:00.000Z",
  ],
];

describe("an event of an interrupted run", () => {
  test.each(known)("%s", async (_, before, again, never, sentTime) => {
    for (const mode of ["at-least-once", "at-most-once"] as const) {
      const { send, service, records, delivery } = await resumed(mode);
      const outcome = await send(1, undefined, before);
      expect(outcome).toMatchObject(mode === "at-least-once" ? again : never);
      await delivery.room();
      const isSent = outcome.status === "succeeded";
      const times = service.receipts.map(({ body }) => JSON.parse(body).importedAt);
      expect(times).toEqual(isSent ? [sentTime] : []);
      const settled = before.outcome !== undefined ? [] : [{ kind: "outcome", outcome }];
      const intent = { kind: "intent", attempt: outcome.attempts, importedAt: sentTime };
      expect(records).toMatchObject(isSent ? [intent, ...settled] : settled);
    }
  });

  test("has failed also where nothing else is left, if an earlier part has had a success", async () => {
    const service = await startService(() => ({ status: 500 }));
    const { send, finish, stop } = await deliveryTo(service.url, {
      ...{ maxAttempts: 3, isKnown: true },
    });
    const outcome = send(1, undefined, attempted(3, 0));
    await finish();
    expect(stop.signal.reason).toBeUndefined();
    expect(await outcome).toMatchObject({ status: "failed", attempts: 6 });
  });

  test("that is stopped again before it left keeps what is on record of it", async () => {
    const { send, stop, records, sent } = await resumed();
    stop.abort({ code: "interrupted", message: "" });
    expect(await send(1, undefined, perhapsSent)).toMatchObject({
      ...{ status: "not_sent", attempts: 3, unanswered: 2 },
    });
    expect([...records, ...sent()]).toEqual([]);
  });
});

describe("a service that is known and refuses what it is asked", () => {
  const known = { maxAttempts: 3, isKnown: true, concurrency: 8 };
  const refused = { status: 403 };

  test.each([429, 500, 503])(
    "rejects nothing, also if it fails with %i meanwhile",
    async (status) => {
      let requests = 0;
      const service = await startService(() => (++requests === 4 ? { status } : refused));
      const { sendRow, finish, stop } = await deliveryTo(service.url, known);
      const outcomes = Array.from({ length: 30 }, (_, at) =>
        sendRow({ row: at + 1, events: [eventOf(at + 1)] }),
      );
      await finish();
      expect(stop.signal.reason).toMatchObject({ code: "forbidden" });
      expect(service.receipts).toHaveLength(11);
      const statuses = (await Promise.all(outcomes)).flat().map((outcome) => outcome.status);
      expect(new Set(statuses)).toEqual(new Set(["not_sent"]));
    },
  );

  test("is asked again with the next event, however long that takes to read", async () => {
    const service = await startService(byAttempt({ 1: [refused] }));
    const { send, clock } = await deliveryTo(service.url, known);
    const first = send(1);
    await new Promise<void>((resolve) => clock.schedule(60_000, resolve));
    expect(service.receipts).toHaveLength(1);
    expect(await send(2)).toMatchObject({ status: "succeeded" });
    expect(await first).toMatchObject({ status: "rejected", attempts: 1 });
  });

  test("is given the time that it asks for", async () => {
    const later = { status: 403, headers: { "retry-after": "30" } };
    const service = await startService(byAttempt({ 1: [later] }));
    const { send, clock } = await deliveryTo(service.url, known);
    const first = send(1);
    expect(await send(2)).toMatchObject({ status: "succeeded" });
    expect(clock.now()).toBeGreaterThanOrEqual(30_000);
    await first;
  });

  test("is left alone by the next run for as long as its last answer asks", async () => {
    const later = { status: 403, headers: { "retry-after": "30" } };
    const service = await startService(() => later);
    const { send, stop, waits } = await deliveryTo(service.url, known);
    await Promise.all(Array.from({ length: 12 }, (_, at) => send(at + 1)));
    expect(stop.signal.reason).toMatchObject({ code: "forbidden" });
    expect(waits).toHaveLength(10);
  });

  test("may refuse all that a reader waits for", async () => {
    const service = await startService(() => refused);
    const { send, stop } = await deliveryTo(service.url, { ...known, isReaderWaiting: true });
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map((row) => send(row)));
    expect(stop.signal.reason).toBeUndefined();
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  });
});

const events = [eventOf(7, 1), eventOf(7, 2), eventOf(7, 3)];
const row = { row: 7, rowOfRun: 5, events };
const perhaps: EventBefore = { event: 3, attempts: 1, unanswered: 1, importedAt };

test.each([
  [
    "are known by their places in the mapping",
    [perhaps, ended({ status: "succeeded", event: 2 })],
    ["succeeded 1", "succeeded 2", "succeeded 2"],
  ],
  [
    "stay blocked if an earlier one has failed",
    [ended({ status: "failed" })],
    ["failed 2", "blocked 0", "blocked 0"],
  ],
  [
    "stay as they are if they have settled",
    [ended({ status: "unknown" }), ended({ status: "succeeded", event: 2 })],
    ["unknown 2", "succeeded 2", "blocked 0"],
  ],
  [
    "do not block an earlier one",
    [ended({ status: "failed", event: 2 })],
    ["succeeded 1", "failed 2", "blocked 0"],
  ],
])("the events of a row: %s", async (_, before, expected) => {
  const { sendRow, service, records } = await resumed();
  const outcomes = await sendRow({ ...row, before });
  expect(outcomes.map(({ status, attempts }) => `${status} ${attempts}`)).toEqual(expected);
  expect(outcomes.map(({ event }) => event)).toEqual([1, 2, 3]);
  const isKnown = (index: number) =>
    before.some(({ event, outcome }) => outcome !== undefined && event === index);
  const sent = service.receipts.map(({ body }) => JSON.parse(body).index);
  expect(sent).toEqual(
    [1, 2, 3].filter((index) => !isKnown(index) && outcomes[index - 1]?.status === "succeeded"),
  );
  expect(offBeat(records)).toEqual([]);
});

describe("the later ones of a key", () => {
  test("are blocked by one that the interrupted run could not bring through", async () => {
    const { send, blockedKeys, sent } = await resumed();
    blockedKeys.block("a", 12);
    const outcomes = [await send(20, "a"), await send(21, "b"), await send(22, "a")];
    expect(outcomes.map(({ status }) => status)).toEqual(["blocked", "succeeded", "blocked"]);
    expect(outcomes[2]?.error).toBe(
      "blocked, because row 12 of the same ordering key did not succeed",
    );
    expect(sent()).toEqual([21]);
  });

  test.each([
    ["failed", ended({ status: "failed" }), "blocked"],
    ["unknown", ended({ status: "unknown" }), "blocked"],
    ["perhaps sent, at-most-once", perhapsSent, "blocked"],
    ["succeeded", ended({ status: "succeeded" }), "succeeded"],
    ["rejected", ended({ status: "rejected" }), "succeeded"],
  ])("behind an event on record that is %s", async (_, before, status) => {
    const { send, sent } = await resumed(before === perhapsSent ? "at-most-once" : "at-least-once");
    const [, later] = await Promise.all([send(1, "a", before), send(2, "a")]);
    expect(later).toMatchObject({ status });
    expect(sent()).toEqual(status === "blocked" ? [] : [2]);
  });
});
