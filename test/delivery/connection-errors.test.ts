import { describe, expect, test } from "vitest";
import { noSecureConnection, unreachable } from "../../src/delivery/http/connection-errors.ts";

const origin = "http://example.com:8443";
const cutOff = {
  origin,
  code: "UND_ERR_SOCKET",
  message: "other side closed",
  mayHaveLeft: true,
};

describe("a first event without an answer", () => {
  test.each([
    ["timed out", { ...cutOff, code: "timeout" }],
    ["went to https", { ...cutOff, origin: "https://example.com" }],
    ["never left", { ...cutOff, mayHaveLeft: false }],
  ])("that %s does not", (_, given) => {
    expect(unreachable(given).message).not.toContain("https?");
  });

  test("says how to begin anew only where there are files that hold to the address", () => {
    expect(unreachable(cutOff).message).toMatch(/if it is wrong, .* other --results, or move/);
    expect(unreachable({ ...cutOff, mayHaveLeft: false }).message).not.toContain("--results");
  });
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
