import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import type { ImportOptions } from "../../src/run/options/import-options.ts";
import {
  identityOf,
  manifestOptions,
  withDefaults,
} from "../../src/run/options/import-settings.ts";
import type { InputIdentity, PreparedInput } from "../../src/run/prepare/prepare-input.ts";
import { createFakeClock } from "../fake-clock.ts";

const least: ImportOptions & { readonly input: string } = {
  input: "in/people.csv",
  mapping: "people.yaml",
  baseUrl: "https://example.com",
  token: "a-token",
};

const names = [
  ...["concurrency", "maxAttempts", "skip", "limit", "timeoutMs", "ratePerSecond", "delivery"],
  ...[
    "maxErrors",
    "durability",
    "resume",
    "idempotencyHeader",
    "allowHttp",
    "check",
    "strict",
    "clock",
  ],
  ...["onProgress", "onNotice", "results", "inputName", "signal"],
  ...["proxy", "caFile", "statuses", "reading"],
];

describe("settings", () => {
  test("have a default for what was not given", () => {
    expect(withDefaults(least)).toMatchObject({
      ...{ concurrency: 32, maxAttempts: 5, timeoutMs: 30_000, skip: 0 },
      ...{ limit: Number.POSITIVE_INFINITY, delivery: "at-least-once", durability: "power" },
      ...{ resume: "never", allowHttp: false, check: true, strict: false, clock: systemClock },
      ...{ results: "in/people.results.csv", isWatched: false },
      token: { kind: "value", value: "a-token", from: "the options" },
    });
  });

  test("take what is undefined for not given", () => {
    const undefinedOnes = Object.fromEntries(names.map((name) => [name, undefined]));
    const { onProgress, onNotice, ...settings } = withDefaults({ ...least, ...undefinedOnes });
    const { onProgress: _, onNotice: __, ...expected } = withDefaults(least);
    expect(settings).toEqual(expected);
    expect(() => {
      onProgress({ phase: "check", rows: 0, invalidRows: 0, bytesRead: 0, totalBytes: 0 });
      onNotice({ kind: "warning", message: "" });
    }).not.toThrow();
  });

  test("keep what was given, also where it is 0 or false", () => {
    const onProgress = () => {};
    const given = {
      limit: 0,
      check: false,
      resume: "must",
      results: "x.csv",
      token: { kind: "file", path: "token" },
      onProgress,
    } as const;
    expect(withDefaults({ ...least, ...given })).toMatchObject({ ...given, isWatched: true });
  });

  test("name the results of standard input after it", () => {
    async function* nothing() {}
    expect(withDefaults({ ...least, input: nothing() }).results).toBe("stdin.results.csv");
  });

  test("that make no sense are refused", () => {
    expect(() => withDefaults({ ...least, concurrency: 0 })).toThrow("concurrency");
  });
});

describe("what a run is known by", () => {
  const input: PreparedInput = {
    ...{ name: "people.csv", called: "Leads" },
    identify: () => Promise.reject(new Error("is not read here")),
    hasSources: false,
    reading: {},
    mapping: { path: "/in/people.yaml", bytes: 5, sha256: "bb", lookups: [] },
    columnsRead: [],
    columns: ["name"],
    readAs: [],
    mapRow: () => ({ kind: "events", events: [] }),
    keyOf: undefined,
    orderingKey: [],
    cellsOfKey: () => [],
    onKeyFailure: "default",
    columnUses: [],
    memberNames: [],
    makesGoneEvents: false,
    twoDigitYears: [],
    explain: undefined,
    open: () => Promise.reject(new Error("is not opened here")),
    close: async () => {},
  };
  const known: InputIdentity = {
    id: "0123456789abcdef",
    files: [{ path: "/in/people.csv", name: "people.csv", bytes: 10, sha256: "aa" }],
    fingerprint: { bytes: 10, sha256: "aa" },
  };
  const run = {
    ...{ kind: "import" as const, input, known, baseUrl: "https://example.com" },
    startedAt: "2026-03-01T12:00:00.000Z",
    earlierParts: [],
  } as const;
  const settings = withDefaults({ ...least, clock: createFakeClock(), limit: 7 });

  test("is input, mapping, address and what decides on what is sent", () => {
    expect(identityOf(settings, run)).toEqual({
      version: 4,
      kind: "import",
      input: {
        ...{ path: "/in/people.csv", name: "people.csv", called: "Leads" },
        ...{ id: "0123456789abcdef", bytes: 10, sha256: "aa" },
      },
      mapping: { path: "/in/people.yaml", bytes: 5, sha256: "bb", lookups: [] },
      baseUrl: "https://example.com",
      options: {
        ...{ delivery: "at-least-once", idempotencyHeader: null, allowHttp: false },
        ...{ caFiles: [], statuses: {}, reading: {} },
        ...{ skip: 0, limit: 7 },
      },
      startedAt: "2026-03-01T12:00:00.000Z",
      parts: [
        {
          startedAt: "2026-03-01T12:00:00.000Z",
          sending: {
            ...{ concurrency: 32, ratePerSecond: null, adaptive: true, timeoutMs: 30_000 },
            ...{ maxAttempts: 5, maxErrors: null, maxOutageMs: 900_000, durability: "power" },
          },
        },
      ],
      rowsTotal: null,
    });
  });

  test("is written as JSON and read again as it was, also without limit and file", () => {
    const { limit: _, maxGone: __, ...endless } = settings;
    const stream = { ...known, files: [], fingerprint: undefined };
    const identity = identityOf(withDefaults({ ...endless, maxErrors: 3, token: "x" }), {
      ...run,
      known: stream,
    });
    expect(identity.options.limit).toBeNull();
    expect(identity.input).toMatchObject({ path: null, bytes: null, sha256: null });
    expect(JSON.parse(JSON.stringify(identity))).toEqual(identity);
  });

  test("and what the manifest keeps have nothing of the token", () => {
    const kept = [manifestOptions(settings, {}), identityOf(settings, run)];
    expect(JSON.stringify(kept)).not.toContain("a-token");
    expect(manifestOptions(settings, {})).toMatchObject({
      ...{ durability: "power", limit: 7, max_errors: null },
    });
    const share = withDefaults({ ...least, maxErrors: "29%" });
    expect(manifestOptions(share, {}).max_errors).toBe("29%");
  });
});
