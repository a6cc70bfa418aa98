import { describe, expect, test } from "vitest";
import {
  type Attempt,
  type Classification,
  classifyAttempt,
} from "../../src/delivery/classify-attempt.ts";
import type { DeliveryMode } from "../../src/model/run-settings.ts";
import { createStatusRules, type StatusLists } from "../../src/model/status-rules.ts";

const url = "https://example.com/v1/users/events";
const now = new Date("2026-03-01T12:00:00Z");
const redact = (text: string) => text.replaceAll("secret", "***");
const modes = ["at-least-once", "at-most-once"] as const;

function classOf(
  attempt: Attempt,
  mode: DeliveryMode = "at-least-once",
  isFirst = false,
  lists: StatusLists = {},
): Classification {
  const statuses = createStatusRules(lists);
  return classifyAttempt(attempt, { mode, isFirst, url, now, redact, statuses });
}

function answered(
  httpStatus: number,
  more: { body?: string; retryAfter?: string[]; date?: string } = {},
): Attempt {
  return { kind: "answered", httpStatus, body: "", ...more };
}

describe("a status", () => {
  test.each<[number[], ...kinds: Classification["kind"][]]>([
    // statuses, at-least-once, at-most-once, on the first event
    [[200, 201, 202, 204, 299], "accepted", "accepted", "accepted"],
    [[421, 429, 503], "retry", "retry", "retry"],
    [[408, 425, 500, 501, 502, 504, 507, 520, 524, 599], "retry", "unanswered", "retry"],
    [[401], "unauthorized", "unauthorized", "unauthorized"],
    [[407], "stop", "stop", "stop"],
    [[300, 301, 302, 303, 304, 307, 308, 403, 404, 405], "rejected", "rejected", "stop"],
    [[400, 402, 406, 409, 410, 413, 415, 422, 431, 451, 499], "rejected", "rejected", "rejected"],
  ])("%j", (statuses, ...kinds) => {
    for (const status of statuses) {
      const found = [
        classOf(answered(status)),
        classOf(answered(status), "at-most-once"),
        classOf(answered(status), "at-least-once", true),
      ];
      expect([status, ...found.map(({ kind }) => kind)]).toEqual([status, ...kinds]);
    }
  });

  test("says what the service says", () => {
    const body = '{"error":"a s\\u0065cret"}';
    expect(classOf(answered(422, { body }))).toEqual({
      ...{ kind: "rejected", code: "http_422", message: "a ***" },
    });
    expect(classOf(answered(422))).toMatchObject({ message: "status 422" });
    const message = `There is no such address (404 from ${url}): check the base URL. It says: nothing here`;
    const first = classOf(answered(404, { body: "nothing here" }), "at-least-once", true);
    expect(first).toMatchObject({ reason: { code: "not_found", message } });
  });
});

describe("with the lists of the configuration, in every mode and on any event", () => {
  const everyStatus = Array.from({ length: 400 }, (_, at) => 200 + at);
  const classesOf = (status: number, lists: StatusLists) => {
    const attempt = answered(status, { body: '{"message":"it says"}', retryAfter: ["7"] });
    return modes.flatMap((mode) =>
      [true, false].map((isFirst) => classOf(attempt, mode, isFirst, lists)),
    );
  };

  test("a status is what the list says", () => {
    for (const status of everyStatus) {
      const told = { code: `http_${status}`, message: "it says", retryAfterMs: 7000 };
      expect(classesOf(status, { successStatuses: [status] })).toEqual(
        Array(4).fill({ kind: "accepted", retryAfterMs: 7000 }),
      );
      expect(classesOf(status, { rejectStatuses: [status] })).toEqual(
        Array(4).fill({ kind: "rejected", ...told }),
      );
      expect(classesOf(status, { retryStatuses: [status] })).toEqual(
        Array(4).fill({ kind: "retry", ...told }),
      );
    }
  });

  test("one that stands in no list is what it usually is; with successes, another 2xx is a refusal", () => {
    for (const status of everyStatus) {
      if (status === 409 || status === 410) continue;
      const lists = { successStatuses: "2xx", retryStatuses: "409", rejectStatuses: "410" };
      expect([status, classesOf(status, lists)]).toEqual([status, classesOf(status, {})]);
    }
    expect(classesOf(202, { successStatuses: "200" })).toMatchObject(
      Array(4).fill({ kind: "rejected" }),
    );
  });
});

describe("a wish to be left alone", () => {
  test.each([429, 503, 500, 504, 408, 413, 403])("is read from %i", (status) => {
    for (const mode of modes) {
      const found = classOf(answered(status, { retryAfter: ["7"] }), mode);
      expect(found).toMatchObject({ retryAfterMs: 7000 });
    }
  });

  const date = ["Sun, 01 Mar 2026 12:01:00 GMT"];
  test.each([
    ["the longest of several counts, and junk does not", ["5", "soon", ...date], undefined, 60_000],
    ["nothing but junk is none", ["soon"], undefined, undefined],
    ["a date counts from that of the answer", date, "Sun, 01 Mar 2026 12:00:50 GMT", 10_000],
    ["one that has passed by then is no wait", date, "Sun, 01 Mar 2026 12:02:00 GMT", 0],
    ["from ours if the answer has none", date, "now", 60_000],
    ["seconds count from neither", ["7"], "Sun, 01 Mar 2026 11:00:00 GMT", 7000],
  ])("%s", (_, retryAfter, sentAt, retryAfterMs) => {
    const at = sentAt === undefined ? {} : { date: sentAt };
    expect(classOf(answered(429, { retryAfter, ...at }))).toEqual({
      ...{ kind: "retry", code: "http_429", message: "status 429" },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  });
});

describe("without an answer", () => {
  test("it is retried at-least-once, and unanswered at-most-once, also on the first event", () => {
    const reset: Attempt = { kind: "unanswered", code: "ECONNRESET", message: "read ECONNRESET" };
    for (const isFirst of [true, false]) {
      expect(classOf(reset, "at-least-once", isFirst)).toMatchObject({ kind: "retry" });
      expect(classOf(reset, "at-most-once", isFirst)).toMatchObject({ kind: "unanswered" });
    }
  });

  const notSent = (code: string): Attempt => ({ kind: "not_sent", code, message: "why" });

  test.each(["ECONNREFUSED", "EAI_AGAIN", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "timeout"])(
    "as it never left because of %s, it is retried in any mode",
    (code) => {
      for (const mode of modes) {
        for (const isFirst of [true, false]) {
          expect(classOf(notSent(code), mode, isFirst)).toMatchObject({ kind: "retry" });
        }
      }
    },
  );

  test.each([
    ...["ENOTFOUND", "CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "EPROTO"],
    ...["SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ...["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "ERR_TLS_CERT_ALTNAME_INVALID"],
    "ERR_SSL_WRONG_VERSION_NUMBER",
  ])("%s stops the run on the first event, and is retried later", (code) => {
    expect(classOf(notSent(code), "at-least-once", true)).toMatchObject({
      kind: "stop",
      reason: { code: "unreachable", message: expect.stringContaining("example.com") },
    });
    expect(classOf(notSent(code))).toMatchObject({ kind: "retry" });
  });

  test("what the system says is harmless and without the secret", () => {
    const message = "why\u001b[31m secret\u202e\nsecret";
    for (const [kind, code] of [
      ["unanswered", "ECONNRESET"],
      ["not_sent", "ECONNREFUSED"],
      ["not_sent", "ERR_TLS_CERT_ALTNAME_INVALID"],
      ["not_sent", "proxy_auth"],
    ] as const) {
      for (const mode of modes) {
        const found = classOf({ kind, code, message }, mode, true);
        expect(found).toMatchObject({ message: expect.stringMatching(/why \*\*\* \*\*\*$/) });
        expect(JSON.stringify(found)).not.toMatch(/secret|\\u|\\n/);
      }
    }
  });
});
