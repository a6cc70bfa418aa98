import { describe, expect, test } from "vitest";
import { noSecureConnection, unreachable } from "../../src/delivery/http/connection-errors.ts";

test("a first event without an answer asks for https only if it was cut off, and tells of files only if there are any", () => {
  const told = (origin: string, code: string, mayHaveLeft: boolean) =>
    unreachable(origin, code, "why", mayHaveLeft).message;
  const [plain, secure] = ["http://example.com", "https://example.com"];
  expect(told(plain, "UND_ERR_SOCKET", true)).toMatch(
    /Does it speak https\?.* other --results, or/,
  );
  expect(told(plain, "HTTPParserError", true)).toContain("Does it speak https?");
  expect(told(plain, "timeout", true)).not.toContain("https?");
  expect(told(secure, "UND_ERR_SOCKET", true)).not.toContain("https?");
  expect(told(plain, "UND_ERR_SOCKET", false)).not.toMatch(/https\?|--results/);
});

describe("no secure connection", () => {
  const url = "https://localhost:8080/v1/users/events";

  test.each(["wrong version number", "packet length too long", "http request"])(
    "as a port answers in plain http: %s",
    (message) => {
      expect(noSecureConnection(url, "EPROTO", message).message).toContain("plain http: give");
    },
  );

  test("ends with one full stop", () => {
    expect(noSecureConnection(url, "EPROTO", "why.").message).toMatch(/: why\.$/);
  });

  test.each([
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /that certificate with --ca-file/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /its certificate with --ca-file/],
    ["CERT_HAS_EXPIRED", /needs a new one/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /check the base URL/],
    ["ERR_TLS_OTHER", /: why\.$/],
  ])("because of %s says what to do", (code, fix) => {
    expect(noSecureConnection(url, code, "why").message).toMatch(fix);
  });
});
