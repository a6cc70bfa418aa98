import { describe, expect, test } from "vitest";
import { CannotStartError } from "../../src/model/errors.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import { refuseOptions } from "../../src/run/options/import-settings.ts";

const least: ImportOptions = {
  input: "people.csv",
  mapping: "people.yaml",
  baseUrl: "https://example.com",
  token: "a-token",
};

function findingIn(options: Partial<Record<keyof ImportOptions, unknown>>): string | undefined {
  try {
    // What comes from JavaScript may be anything.
    refuseOptions({ ...least, ...options } as ImportOptions);
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return `${error.code}: ${error.message}`;
  }
}

const every = [
  ...["concurrency", "maxAttempts", "skip", "limit", "timeoutMs", "ratePerSecond"],
  ...["delivery", "resume", "idempotencyHeader", "allowHttp", "check", "strict"],
  "maxErrors",
  ...["proxy", "caFiles", "successStatuses", "reading"],
] as const;

describe("options", () => {
  test("may all be left out, and undefined is left out too", () => {
    expect(findingIn({})).toBeUndefined();
    expect(findingIn(Object.fromEntries(every.map((name) => [name, undefined])))).toBeUndefined();
  });

  test("may be at their bounds", () => {
    const least = { concurrency: 1, maxAttempts: 1, skip: 0, limit: 1, maxErrors: 0 };
    expect(findingIn({ ...least, timeoutMs: 0.5, ratePerSecond: 0.01 })).toBeUndefined();
    expect(findingIn({ maxErrors: "100%", reading: { quote: "", skipLines: 0 } })).toBeUndefined();
  });

  test.each<[keyof ImportOptions, unknown, string]>([
    ["concurrency", 0, "0 is not a whole number from 1"],
    ["concurrency", Number.POSITIVE_INFINITY, "Infinity is not a whole number from 1"],
    ["maxAttempts", 0, "0 is not a whole number from 1"],
    ["skip", -1, "-1 is not a whole number, 0 or more"],
    ["limit", 0, "0 is not a whole number, 1 or more"],
    ["timeoutMs", 0, "0 is not a number above 0"],
    ["timeoutMs", Number.POSITIVE_INFINITY, "Infinity is not a number above 0"],
    ["ratePerSecond", -1, "-1 is not a number above 0"],
    ["maxErrors", "many", '"many" is not a whole number such as 100 or a share'],
    ["maxErrors", null, "null is not a whole number such as"],
    ["delivery", "exactly-once", '"exactly-once" is not one of at-least-once, at-most-once'],
    ["resume", "always", '"always" is not one of never, if-unfinished, must'],
    ["idempotencyHeader", "two words", '"two words" is not a header for event ids'],
    ["retryStatuses", "ok", 'retryStatuses: "ok" is no status from 200 to 599'],
    ["token", 5, "it is neither a text nor a file or command"],
    ["token", { kind: "fil", path: "t" }, "it is neither a text nor a file or command"],
    ["reading", { encoding: "utf-9" }, 'reading.encoding: "utf-9" is not a known encoding'],
    ["reading", { header: "no" }, 'reading.header: "no" is not true or false'],
    ["reading", { delimiter: "a'", quote: "'" }, "reading.quote: it is in the delimiter too"],
    ["reading", { skipLines: -1 }, "reading.skipLines: -1 is not a whole number, 0 or more"],
  ])("%s must not be %j", (name, value, sentence) => {
    const finding = findingIn({ [name]: value });
    expect(finding).toContain("option_invalid: ");
    expect(finding).toContain(name);
    expect(finding).toContain(sentence);
  });

  test("the address must not be left out", () => {
    expect(findingIn({ baseUrl: undefined })).toContain("base_url_missing: ");
  });

  test.each(["", undefined])("the token must not be %j", (token) => {
    expect(findingIn({ token })).toContain("token_missing: ");
  });
});
