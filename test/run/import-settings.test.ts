import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isKeptValue,
  keptSettings,
  type RunSettings,
  settings,
  settingsOf,
  usualSettings,
} from "../../src/model/run-settings.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import { withDefaults } from "../../src/run/options/import-settings.ts";

const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const least: ImportOptions & { readonly input: string } = {
  input: "in/people.csv",
  mapping: "people.yaml",
  baseUrl: "https://example.com",
  token: "a-token",
};

describe("settings", () => {
  test("keep what was given, also where it is 0 or false", () => {
    const onProgress = () => {};
    const given = {
      skip: 0,
      check: false,
      resume: "must",
      results: "x.results.csv",
      token: { kind: "file", path: "token" },
      onProgress,
    } as const;
    expect(withDefaults({ ...least, ...given })).toMatchObject(given);
  });

  test("name the results of standard input after it", () => {
    async function* nothing() {}
    expect(withDefaults({ ...least, input: nothing() }).results).toBe("stdin.results.csv");
  });
});

describe("what a run keeps of them", () => {
  const kept = (options: Partial<typeof least>) =>
    keptSettings(withDefaults({ ...least, ...options }));

  test("is what is usual where nothing was given", () => {
    expect(kept({})).toEqual(usualSettings);
  });

  test("is as a program gives it, and files with their whole path", () => {
    const given = kept({ successStatuses: [200, "409"], maxErrors: 7, caFiles: "/ca.pem" });
    const written = { success_statuses: [200, "409"], max_errors: 7, ca_files: ["/ca.pem"] };
    expect(given).toEqual({ ...usualSettings, ...written });
  });

  test("becomes the same options again, whatever it is", () => {
    const any: fc.Arbitrary<RunSettings> = fc.record({
      concurrency: fc.integer({ min: 1, max: 100 }),
      rate_per_second: orNull(fc.integer({ min: 1, max: 100 })),
      adaptive: fc.boolean(),
      timeout_ms: fc.integer({ min: 1, max: 60_000 }),
      max_attempts: fc.integer({ min: 1, max: 9 }),
      max_errors: orNull(fc.constantFrom(7, "29%" as const)),
      max_outage_ms: fc.integer({ min: 0, max: 60_000 }),
      grace_ms: fc.integer({ min: 0, max: 60_000 }),
      delivery: fc.constantFrom("at-least-once", "at-most-once"),
      idempotency_header: orNull(fc.constant("x-id")),
      allow_http: fc.boolean(),
      ca_files: fc.constantFrom([], ["/ca.pem"], ["/ca.pem", "/more.pem"]),
      success_statuses: orNull(fc.constant("2xx")),
      retry_statuses: orNull(fc.constant("409,423")),
      reject_statuses: orNull(fc.constant("507")),
      accept_html: fc.boolean(),
      encoding: orNull(fc.constant("latin1")),
      delimiter: orNull(fc.constantFrom(",", "\t")),
      quote: orNull(fc.constantFrom("", "'")),
      escape: orNull(fc.constant("\\")),
      header: fc.boolean(),
      skip_lines: fc.nat(3),
      short_rows: fc.constantFrom("invalid", "pad"),
      hidden_rows: fc.constantFrom("read", "skip"),
      rows_in_cells: fc.boolean(),
      sheet: orNull(fc.constant("2")),
      shard: orNull(fc.constant({ index: 2, count: 3 })),
      skip: fc.nat(3),
      limit: orNull(fc.integer({ min: 1, max: 3 })),
      check: fc.boolean(),
      strict: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (before) => {
        expect(kept(settingsOf(before) as Partial<typeof least>)).toEqual(before);
        for (const one of settings) expect(isKeptValue(one, before[one.key])).toBe(true);
      }),
    );
  });

  test("has nothing of the token", () => {
    expect(JSON.stringify(kept({}))).not.toContain("a-token");
  });
});
