import fc from "fast-check";
import { expect, test } from "vitest";
import { isLoopback, parseBaseUrl } from "../../src/model/endpoint.ts";
import { refusalOf } from "./refusal-of.ts";

/** What is said of an address that is refused. */
async function refusal(baseUrl: string): Promise<string> {
  return (await refusalOf(() => parseBaseUrl(baseUrl, false))).message;
}

test.each([
  ["https://u:p@ss3cr3t@h/x", "https://…@h/x"],
  ["https://u:s3cr3t/s3cr3t@h/x", "https://…@h/x"],
  ["https://u:s3cr3t?s3cr3t@h/x", "https://…@h/x"],
  ["https:u:s3cr3t@h/x", "https:…@h/x"],
  ["https:\\\\u:s3cr3t@h/x", "https:\\\\…@h/x"],
  ["u:s3cr3t@h/x", "…@h/x"],
  ["https://h/x?access_token=s3cr3t", "https://h/x?…"],
  ["https://h/x#access_token=s3cr3t", "https://h/x#…"],
  ["https://h/x?a=s3cr3t#b=s3cr3t", "https://h/x?…"],
  ["https://s3cr3t@h/x?a=s3cr3t", "https://…@h/x?…"],
  ["ftp://u:s3cr3t@h/x?a=s3cr3t", "…@h/x?…"],
  ["http://example.com/@me", "http://example.com/@me"],
  ["h/x?token=s3cr3t", "h/x?…"],
])("of %j no secret is shown", async (baseUrl, shown) => {
  const message = (await refusal(baseUrl)).replaceAll("\\\\", "\\");
  expect(message).not.toContain("s3cr3t");
  expect(message).toContain(shown);
});

test("whatever the password, it is not shown", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 20 }), async (noise) => {
      expect(await refusal(`https://user:${noise}s3cr3t@example.com/`)).not.toContain("s3cr3t");
      expect(await refusal(`https://example.com/?${noise}s3cr3t`)).not.toContain("s3cr3t");
    }),
  );
});

test.each([
  ["https://example.com", "https://example.com", "/v1/users/events"],
  ["https://example.com/pre/fix//", "https://example.com/pre/fix", "/pre/fix/v1/users/events"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080", "/v1/users/events"],
  ["http://[::1]:8080/x", "http://[::1]:8080/x", "/x/v1/users/events"],
])("%s is taken", (given, baseUrl, path) => {
  const endpoint = parseBaseUrl(given, false);
  expect(endpoint.baseUrl).toBe(baseUrl);
  expect(endpoint.path("users")).toBe(path);
});

test.each([
  ["https://example.com/v1/users/events/", "leave out /v1/users/events"],
  ["https://example.com/pre/v1/contacts", "leave out /v1/contacts"],
  [`https://example.com/${"x".repeat(100_000)}`, "it has more than"],
])("%.50s is refused: %s", async (baseUrl, why) => {
  expect(await refusal(baseUrl)).toContain(why);
});

test.each([
  ...["http://evillocalhost", "http://localhost.example.com", "http://localhost.:8080"],
  ...["http://127.0.0.1.example.com", "http://127-0-0-1.example.com", "http://x127.0.0.1.nip.io"],
  ...["http://128.0.0.1", "http://0.0.0.0", "http://[::2]", "http://[fe80::1]"],
  "http://[::ffff:127.0.0.1]",
])("%s is another machine, to which plain http does not go", async (baseUrl) => {
  expect(await refusal(baseUrl)).toContain("is plain http");
  expect(parseBaseUrl(baseUrl, true).origin).toMatch(/^http:/);
});

test.each(["http://localhost", "http://LOCALHOST:1", "http://127.1", "http://2130706433"])(
  "%s is this machine",
  (baseUrl) => {
    expect(isLoopback(new URL(baseUrl).hostname)).toBe(true);
    expect(parseBaseUrl(baseUrl, false).origin).toMatch(/^http:/);
  },
);
