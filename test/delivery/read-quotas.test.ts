import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Fields,
  type Quota,
  rateLimitFields,
  readQuotas,
} from "../../src/delivery/rate-limit-fields.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const inSeconds = (seconds: number) => Math.floor(now.getTime() / 1000) + seconds;

type Case = readonly [title: string, fields: Fields, quotas: readonly Quota[]];

function rateLimit(text: string, policy?: string): Fields {
  return { ratelimit: text, ...(policy === undefined ? {} : { "ratelimit-policy": policy }) };
}

describe("RateLimit and RateLimit-Policy", () => {
  test.each<Case>([
    [
      "each with the policy of its name, in whatever order",
      rateLimit('"day";r=9;t=3600, "burst";r=0;t=1', '"burst";q=10;w=1,"day";q=1000;w=86400'),
      [
        { remaining: 9, resetMs: 3_600_000, limit: 1000 },
        { remaining: 0, resetMs: 1000, limit: 10 },
      ],
    ],
    [
      "without a time, which is the policy's then",
      rateLimit('"default";r=5', '"default";q=100;w=60'),
      [{ remaining: 5, resetMs: 60_000, limit: 100 }],
    ],
    ["without any time", rateLimit('"default";r=5', '"default";q=100'), []],
    [
      "as tokens, with spaces and other parameters",
      rateLimit("default ; pk=:dHJpYWwxMjEzMjM=: ; R=50 ;  t=30.5"),
      [{ remaining: 50, resetMs: 30_500 }],
    ],
    [
      "with separators in a name",
      rateLimit('"a, b; r=7";r=50;t=30', '"a";q=1;w=1, "a, b; r=7";q=80;w=60'),
      [{ remaining: 50, resetMs: 30_000, limit: 80 }],
    ],
    [
      "but not a quota of anything but requests",
      rateLimit(
        '"size";r=0;t=60, "places";r=0;t=60, "default";r=50;t=30',
        '"size";q=65535;qu="content-bytes";w=60, "places";q=40;qu="concurrent-requests", "default";q=100;qu="requests";w=60',
      ),
      [{ remaining: 50, resetMs: 30_000, limit: 100 }],
    ],
  ])("%s", (_, fields, quotas) => {
    expect(readQuotas(fields, now)).toEqual(quotas);
  });
});

describe("earlier forms", () => {
  test.each<Case>([
    [
      "three fields",
      { "ratelimit-limit": "100", "ratelimit-remaining": "50", "ratelimit-reset": "50" },
      [{ remaining: 50, resetMs: 50_000, limit: 100 }],
    ],
    [
      "three fields, with the policies beside the limit",
      {
        "ratelimit-limit": "10, 10;w=1;burst=1000, 1000;w=3600",
        "ratelimit-remaining": "9",
        "ratelimit-reset": "1",
      },
      [{ remaining: 9, resetMs: 1000, limit: 10 }],
    ],
    [
      "three fields beside the policies",
      {
        "ratelimit-limit": "10",
        "ratelimit-policy": "10;w=1, 1000;w=3600",
        "ratelimit-remaining": "9",
        "ratelimit-reset": "1",
      },
      [{ remaining: 9, resetMs: 1000, limit: 10 }],
    ],
  ])("%s", (_, fields, quotas) => {
    expect(readQuotas(fields, now)).toEqual(quotas);
  });
});

describe("x-ratelimit-*", () => {
  const prefix = "x-ratelimit";
  const read = (remaining: string, reset: string, limit?: string) =>
    readQuotas(
      {
        [`${prefix}-remaining`]: remaining,
        [`${prefix}-reset`]: reset,
        ...(limit === undefined ? {} : { [`${prefix}-limit`]: limit }),
      },
      now,
    );

  test.each([
    ["seconds from now", "42", 42_000],
    ["seconds from now, with a part", "0.25", 250],
    ["now", "0", 0],
    ["seconds since 1970", String(inSeconds(42)), 42_000],
    ["seconds since 1970, with a part", `${inSeconds(42)}.5`, 42_500],
    ["milliseconds since 1970", `${inSeconds(42)}000`, 42_000],
    ["a time that has just gone by", String(inSeconds(-30)), 0],
  ])("resets in %s", (_, reset, resetMs) => {
    expect(read("7", reset, "100")).toEqual([{ remaining: 7, resetMs, limit: 100 }]);
  });

  test("need not have a limit, nor one that is a number", () => {
    expect(read("7", "42")).toEqual([{ remaining: 7, resetMs: 42_000 }]);
    expect(read("7", "42", "many")).toEqual([{ remaining: 7, resetMs: 42_000 }]);
  });

  test("may name a period or several limits", () => {
    const quota = { remaining: 7, resetMs: 42_000, limit: 100 };
    expect(read("7, 900", "42, 3600", "100, 1000")).toEqual([quota]);
    expect(read("7", "42;w=60", "100;w=60")).toEqual([quota]);
  });

  test.each<[remaining: string, reset: string]>([
    ["", "42"],
    ["-1", "42"],
    ["7.5", "42"],
    ["1e3", "42"],
    ["0x10", "42"],
    ["lots", "42"],
    ["9".repeat(16), "42"],
    ["7", ""],
    ["7", "-1"],
    ["7", "soon"],
    ["7", "1e3"],
    ["7", "6m0s"],
    ["7", "2026-03-01T12:00:42Z"],
    ["7", "Sun, 01 Mar 2026 12:00:42 GMT"],
    ["7", String(inSeconds(-86_400))],
    ["7", String(inSeconds(400 * 86_400))],
    ["7", "9".repeat(16)],
  ])("%j remaining until %j is nothing", (remaining, reset) => {
    expect(read(remaining, reset, "100")).toEqual([]);
  });
});

test.each([
  "",
  ";",
  ",,,",
  '"',
  '"default"',
  '"default";r;t',
  '"default";r=;t=',
  '"default";r="50";t=30',
  '"default";r=-5;t=30',
  '"default";r=50;t=?1',
])("RateLimit: %j is nothing", (text) => {
  expect(readQuotas(rateLimit(text, '"default";q=abc;w=abc'), now)).toEqual([]);
});

test("a field of more than 1,000 characters is nothing", () => {
  const read = (length: number) => readQuotas(rateLimit('"a";r=5;t=3'.padEnd(length)), now);
  expect(read(1000)).toHaveLength(1);
  expect(read(1001)).toEqual([]);
});

const names = [
  ...["ratelimit", "ratelimit-policy"],
  ...["ratelimit", "x-ratelimit"].flatMap((prefix) =>
    ["limit", "remaining", "reset"].map((what) => `${prefix}-${what}`),
  ),
];

describe("whatever stands in the fields", () => {
  /** Texts of the pieces that the fields are made of get further than any other. */
  const pieces = fc.constantFrom(
    ...['"', "a", ";", ",", "=", " ", "r", "t", "q", "w", "\\"],
    ...["0", "7", "99999999999999", "1772366442", "1.5", "-1", "\t", "é", ":", '"a";r=5;t=9'],
  );
  const number = fc.constantFrom("0", "7", "99999999999999", "1772366442", "1.5", "-1");
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join("")),
    { weight: 2, arbitrary: number },
  );
  const fields = fc
    .array(fc.tuple(fc.constantFrom(...names), text), { maxLength: 12 })
    .map((entries) => Object.fromEntries(entries));

  test("it is a list of quotas, within a month, or empty", () => {
    let found = 0;
    fc.assert(
      fc.property(fields, (some) => {
        for (const { remaining, resetMs, limit = 0 } of readQuotas(some, now)) {
          found++;
          for (const count of [remaining, limit]) {
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          }
          expect(resetMs).toBeGreaterThanOrEqual(0);
          expect(resetMs).toBeLessThanOrEqual(31 * 86_400_000);
        }
      }),
      { numRuns: 1000 },
    );
    // That they are not all refused.
    expect(found).toBeGreaterThan(10);
  });

  test("what is written well is read as it was meant", () => {
    const quota = fc.record({
      name: fc.stringMatching(/^[a-z ,;=]{1,8}$/),
      remaining: fc.nat(1_000_000),
      seconds: fc.nat(86_400),
      limit: fc.nat(1_000_000),
    });
    const quotas = fc.uniqueArray(quota, { minLength: 1, maxLength: 4, selector: (q) => q.name });
    fc.assert(
      fc.property(quotas, (some) => {
        const written = rateLimit(
          some
            .map(({ name, remaining, seconds }) => `"${name}";r=${remaining};t=${seconds}`)
            .join(","),
          [...some]
            .reverse()
            .map(({ name, limit }) => `"${name}";q=${limit};w=1`)
            .join(", "),
        );
        expect(readQuotas(written, now)).toEqual(
          some.map(({ remaining, seconds, limit }) => ({
            ...{ remaining, limit },
            resetMs: seconds * 1000,
          })),
        );
      }),
    );
  });
});

test("of an answer's fields only those are kept, a repeated one as a list", () => {
  const kept = Object.fromEntries(names.map((name) => [name, "1"]));
  const others = { "retry-after": "1", "x-request-id": "1", "x-ratelimit-used": "1", date: "1" };
  expect(rateLimitFields({ ...others, ...kept })).toEqual(kept);
  expect(rateLimitFields({ "ratelimit-policy": ["10;w=1", "99;w=60"] })).toEqual({
    "ratelimit-policy": "10;w=1, 99;w=60",
  });
  expect(rateLimitFields(others)).toBeUndefined();
});
