import { describe, expect, test } from "vitest";
import { chooseProxy } from "../../src/delivery/http/proxy.ts";
import { refusalOf } from "./refusal-of.ts";

const both = { http: "http://plain.test:3128", https: "http://secure.test:3128" };

describe("the proxy of a service", () => {
  test.each([
    ["https://example.com", both, "secure.test:3128"],
    ["http://example.com", both, "plain.test:3128"],
    // As with most programs, one is no stand-in for the other.
    ["https://example.com", { http: "http://plain.test" }, undefined],
    ["http://example.com", { https: "http://secure.test" }, undefined],
    ["https://example.com", { https: " " }, undefined],
    ["https://example.com", { https: "proxy.test:8080" }, "proxy.test:8080"],
    ["https://example.com", { https: "https://proxy.test" }, "proxy.test"],
    // This machine.
    ["http://localhost:8080", both, undefined],
    ["http://127.0.0.1:8080", both, undefined],
    ["https://[::1]:8080", both, undefined],
  ])("%s with %j: %s", (origin, settings, host) => {
    expect(chooseProxy(origin, settings)?.host).toBe(host);
  });

  test("has the user name and password of its URL", () => {
    const { authorization, secrets, origin, host } =
      chooseProxy("https://example.com", { https: "http://me%40x:p%3Aw@proxy.test:1" }) ?? {};
    const encoded = Buffer.from("me@x:p:w").toString("base64");
    expect({ authorization, secrets, origin, host }).toEqual({
      authorization: `Basic ${encoded}`,
      secrets: [encoded, "p:w"],
      origin: "http://proxy.test:1",
      host: "proxy.test:1",
    });
    const nameOnly = chooseProxy("https://example.com", { https: "http://me@proxy.test" });
    expect(nameOnly?.authorization).toBe(`Basic ${Buffer.from("me:").toString("base64")}`);
  });

  test.each([
    ["http://me:hunter22@ bad:3128", "it is not a URL"],
    ["socks5://me:hunter22@proxy.test", "a proxy of kind socks5 is not supported"],
    ["http://me:%zzhunter22@proxy.test", "a % in its user name or password"],
    ["me:hunter22@proxy.test:99999", "it is not a URL"],
  ])("that cannot be used is refused, without its password: %s", async (https, why) => {
    const refused = await refusalOf(() => chooseProxy("https://example.com", { https }));
    expect(refused.code).toBe("proxy_invalid");
    expect(refused.message).toContain(`The proxy in HTTPS_PROXY cannot be used: ${why}`);
    expect(refused.message).not.toContain("hunter22");
    // It plays no part where it does not apply.
    expect(chooseProxy("https://example.com", { https, no: "*" })).toBeUndefined();
    expect(chooseProxy("http://example.com", { https })).toBeUndefined();
  });
});

describe("NO_PROXY", () => {
  test.each([
    ["https://example.com", ["*", "other.test, *", "example.com", "EXAMPLE.com"]],
    ["https://example.com", ["a.test b.test,example.com", "example.com:443"]],
    ["https://api.example.com", ["example.com", ".example.com", "*.example.com"]],
    ["http://example.com", ["example.com:80"]],
    ["https://example.com:8443", ["example.com:8443"]],
    ["http://10.1.2.3", ["10.1.2.3", "10.0.0.0/8"]],
    ["http://[fd00::1]", ["fd00::1", "[fd00::1]", "fd00::/8"]],
    ["http://[fd00::1]:8080", ["[fd00::1]:8080"]],
  ])("lets %s alone: %j", (origin, lists) => {
    for (const no of lists) expect(chooseProxy(origin, { ...both, no })).toBeUndefined();
  });

  test.each([
    ["https://example.com", ["", "notexample.com", "api.example.com", "example.com:8443"]],
    ["https://example.com", ["10.0.0.0/8", "/, :443, ., [], x/8"]],
    ["https://notexample.com", ["example.com"]],
    ["https://example.com:8443", ["example.com:443"]],
    ["http://example.com", ["example.com:443"]],
    ["http://11.1.2.3", ["10.0.0.0/8"]],
    ["http://10.1.2.3", ["2.3", "10.0.0.0/99", "fd00::/8"]],
  ])("does not let %s alone: %j", (origin, lists) => {
    for (const no of lists) expect(chooseProxy(origin, { ...both, no })).toBeDefined();
  });
});
