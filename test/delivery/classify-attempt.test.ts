import { describe, expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { type Classification, classifyAttempt } from "../../src/delivery/classify-attempt.ts";
import type { DeliveryMode } from "../../src/model/run-settings.ts";
import { createStatusRules } from "../../src/model/status-rules.ts";

const url = "https://example.com/v1/users/events";
const now = new Date("2026-03-01T12:00:00Z");
const statuses = createStatusRules({});
const redact = (text: string) => text.replaceAll("secret", "***");

function classOf(
  attempt: Attempt,
  mode: DeliveryMode = "at-least-once",
  first = false,
): Classification {
  return classifyAttempt(attempt, { mode, isFirst: first, url, now, redact, statuses });
}

function answered(
  httpStatus: number,
  more: { body?: string; retryAfter?: string[] } = {},
): Attempt {
  return { kind: "answered", httpStatus, body: "", ...more };
}

type Kind = Classification["kind"];

describe("a status", () => {
  test.each<[number[], Kind, Kind, Kind]>([
    // statuses, at-least-once, at-most-once, on the first event
    [[200, 201, 202, 204, 299], "accepted", "accepted", "accepted"],
    [[429, 503], "retry", "retry", "retry"],
    [[408, 425, 500, 501, 502, 504, 507, 520, 524, 599], "retry", "unanswered", "retry"],
    [[401], "unauthorized", "unauthorized", "unauthorized"],
    [[300, 301, 302, 303, 304, 307, 308, 403, 404, 405], "rejected", "rejected", "stop"],
    [[400, 402, 406, 409, 410, 413, 415, 422, 431, 451, 499], "rejected", "rejected", "rejected"],
  ])("%j", (statuses, atLeastOnce, atMostOnce, first) => {
    for (const status of statuses) {
      expect([status, classOf(answered(status)).kind]).toEqual([status, atLeastOnce]);
      expect([status, classOf(answered(status), "at-most-once").kind]).toEqual([
        status,
        atMostOnce,
      ]);
      expect([status, classOf(answered(status), "at-least-once", true).kind]).toEqual([
        status,
        first,
      ]);
    }
  });

  test("every status that there is gives a verdict with a code and a message", () => {
    for (let status = 200; status < 1000; status++) {
      for (const mode of ["at-least-once", "at-most-once"] as const) {
        const verdict = classOf(answered(status), mode, status % 2 === 0);
        if (verdict.kind === "accepted") continue;
        expect(verdict.code).toBe(`http_${status}`);
        expect(verdict.message).toContain(String(status));
      }
    }
  });

  test.each([
    [429, "throttled"],
    [503, "overloaded"],
    [408, "failing"],
    [425, "failing"],
    [500, "failing"],
    [502, "failing"],
    [504, "failing"],
  ])("%i is sent again because the service is %s", (status, cause) => {
    expect(classOf(answered(status))).toMatchObject({ kind: "retry", cause });
  });

  test("says what the service says", () => {
    expect(classOf(answered(422, { body: '{"errors":[{"detail":"no"}]}' }))).toMatchObject({
      message: "no",
    });
    expect(classOf(answered(422, { body: '{"error":"a s\\u0065cret"}' }))).toMatchObject({
      message: "a ***",
    });
    const verdict = classOf(answered(404, { body: "nothing here" }), "at-least-once", true);
    expect(verdict).toMatchObject({
      reason: {
        code: "not_found",
        message: `There is no such address (404 from ${url}): check the base URL. It says: nothing here`,
      },
    });
  });
});

describe("a wish to be left alone", () => {
  test.each([429, 503, 500, 504, 408, 413, 403])("is read from %i", (status) => {
    for (const mode of ["at-least-once", "at-most-once"] as const) {
      expect(classOf(answered(status, { retryAfter: ["7"] }), mode)).toMatchObject({
        retryAfterMs: 7000,
      });
    }
  });

  test("of several, the longest counts; junk among them does not", () => {
    const retryAfter = ["5", "soon", "Sun, 01 Mar 2026 12:01:00 GMT"];
    expect(classOf(answered(429, { retryAfter }))).toMatchObject({ retryAfterMs: 60_000 });
    expect(classOf(answered(429, { retryAfter: ["soon"] }))).not.toHaveProperty("retryAfterMs");
  });

  test("as a date counts from the answer's own date; from ours where it has none", () => {
    const retryAfter = ["Sun, 01 Mar 2026 12:01:00 GMT"];
    const wait = (date: string, more = {}) =>
      classOf({ kind: "answered", httpStatus: 429, body: "", retryAfter, date, ...more });
    expect(wait("Sun, 01 Mar 2026 12:00:50 GMT")).toMatchObject({ retryAfterMs: 10_000 });
    expect(wait("Sun, 01 Mar 2026 12:02:00 GMT")).toMatchObject({ retryAfterMs: 0 });
    expect(wait("now")).toMatchObject({ retryAfterMs: 60_000 });
    const seconds = { retryAfter: ["7"] };
    expect(wait("Sun, 01 Mar 2026 11:00:00 GMT", seconds)).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe("no answer", () => {
  const unanswered: Attempt = {
    kind: "unanswered",
    code: "ECONNRESET",
    message: "read ECONNRESET",
  };

  test("is retried at-least-once, and unanswered at-most-once, also on the first event", () => {
    for (const first of [true, false]) {
      expect(classOf(unanswered, "at-least-once", first)).toMatchObject({
        kind: "retry",
        code: "ECONNRESET",
        message: "no answer: read ECONNRESET",
      });
      expect(classOf(unanswered, "at-most-once", first)).toMatchObject({ kind: "unanswered" });
    }
  });
});

describe("what never left", () => {
  const notSent = (code: string): Attempt => ({ kind: "not_sent", code, message: "why" });

  test.each(["ECONNREFUSED", "EAI_AGAIN", "ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "timeout"])(
    "because of %s is tried again in any mode",
    (code) => {
      for (const mode of ["at-least-once", "at-most-once"] as const) {
        for (const first of [true, false]) {
          expect(classOf(notSent(code), mode, first)).toMatchObject({ kind: "retry" });
        }
      }
    },
  );

  test.each([
    "ENOTFOUND",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "EPROTO",
  ])("because of %s stops the run on the first event, and is tried again later", (code) => {
    expect(classOf(notSent(code), "at-least-once", true)).toMatchObject({
      kind: "stop",
      reason: { code: "unreachable", message: expect.stringContaining("example.com") },
    });
    expect(classOf(notSent(code))).toMatchObject({ kind: "retry" });
  });
});

test("what the system says is harmless and without the secret, whatever came of the attempt", () => {
  const message = "why\u001b[31m secret\u202e\nsecret";
  for (const [kind, code] of [
    ["unanswered", "ECONNRESET"],
    ["not_sent", "ECONNREFUSED"],
    ["not_sent", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["not_sent", "proxy_auth"],
  ] as const) {
    for (const mode of ["at-least-once", "at-most-once"] as const) {
      const verdict = classOf({ kind, code, message }, mode, true);
      expect(verdict).toMatchObject({ message: expect.stringMatching(/why \*\*\* \*\*\*$/) });
      expect(JSON.stringify(verdict)).not.toMatch(/secret|\\u|\\n/);
    }
  }
});
