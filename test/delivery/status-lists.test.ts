import { describe, expect, test } from "vitest";
import { classifyAttempt } from "../../src/delivery/classify-attempt.ts";
import { createStatusRules, type StatusLists } from "../../src/model/status-rules.ts";
import { deliveryTo } from "./delivery-under-test.ts";
import { accepted, startService } from "./service-under-test.ts";

/** What the lists of the configuration make of statuses, on the way from answer to outcome. */

const context = {
  url: "https://example.com/v1/users/events",
  now: new Date("2026-03-01T12:00:00Z"),
  redact: (text: string) => text,
};

function classOf(httpStatus: number, lists: StatusLists) {
  const statuses = createStatusRules(lists);
  const modes = ["at-least-once", "at-most-once"] as const;
  return modes.flatMap((mode) =>
    [true, false].map((isFirst) =>
      classifyAttempt(
        { kind: "answered", httpStatus, body: '{"message":"it says"}', retryAfter: ["7"] },
        { ...context, mode, isFirst, statuses },
      ),
    ),
  );
}

const everyStatus = Array.from({ length: 400 }, (_, at) => 200 + at);

describe("a verdict, in every mode and on any event", () => {
  test("is what the list says, whatever the status is", () => {
    for (const status of everyStatus) {
      for (const verdict of classOf(status, { successStatuses: [status] })) {
        expect([status, verdict]).toEqual([status, { kind: "accepted", retryAfterMs: 7000 }]);
      }
      const told = { code: `http_${status}`, message: "it says", retryAfterMs: 7000 };
      for (const verdict of classOf(status, { rejectStatuses: [status] })) {
        expect([status, verdict]).toEqual([status, { kind: "rejected", ...told }]);
      }
      for (const verdict of classOf(status, { retryStatuses: [status] })) {
        expect([status, verdict]).toMatchObject([status, { kind: "retry", ...told }]);
      }
    }
  });

  test.each([
    [429, "throttled"],
    [503, "overloaded"],
    [409, "failing"],
    [500, "failing"],
    [202, "failing"],
  ])("that %i is to be sent again says why: %s", (status, cause) => {
    for (const verdict of classOf(status, { retryStatuses: "2xx,4xx,5xx" })) {
      expect(verdict).toMatchObject({ kind: "retry", cause });
    }
  });

  test("of another 2xx is a refusal where there is a list of successes", () => {
    for (const verdict of classOf(202, { successStatuses: "200,201" })) {
      expect(verdict).toMatchObject({ kind: "rejected", code: "http_202" });
    }
  });

  test("is the usual one for what stands in no list", () => {
    const lists = { successStatuses: "2xx", retryStatuses: "409", rejectStatuses: "410" };
    for (const status of everyStatus) {
      if (status === 409 || status === 410) continue;
      expect([status, classOf(status, lists)]).toEqual([status, classOf(status, {})]);
    }
  });
});

test("the first event is judged by the lists too, where it would stop the run", async () => {
  const service = await startService(() => ({ status: 404 }));
  const { send, stop } = await deliveryTo(service.url, { statuses: { rejectStatuses: "404" } });
  expect(await send(1)).toMatchObject({ status: "rejected" });
  expect(stop.signal.reason).toBeUndefined();
});

test("ten of a listed success in a row do not stop the run, ten refusals do", async () => {
  const service = await startService(({ n }) => (n === 0 ? accepted : { status: 403 }));
  const asSuccess = await deliveryTo(service.url, { statuses: { successStatuses: "202,403" } });
  for (let row = 1; row <= 20; row++) await asSuccess.send(row);
  expect(asSuccess.stop.signal.reason).toBeUndefined();
  const asRefusal = await deliveryTo(service.url, { statuses: { rejectStatuses: "403" } });
  for (let row = 1; row <= 12; row++) await asRefusal.send(row);
  expect(asRefusal.stop.signal.reason?.code).toBe("forbidden");
  expect(service.receipts).toHaveLength(30);
});
