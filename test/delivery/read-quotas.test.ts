import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Quota,
  type RateLimitFields,
  rateLimitFields,
  readQuotas,
} from "../../src/delivery/rate-limit-fields.ts";

type Case = readonly [title: string, fields: RateLimitFields, quotas: readonly Quota[]];

function rateLimit(text: string, policy = ""): RateLimitFields {
  return { ratelimit: text, "ratelimit-policy": policy };
}

test.each<Case>([
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
    "but not a quota of anything but requests",
    rateLimit(
      '"size";r=0;t=60, "places";r=0;t=60, "default";r=50;t=30',
      '"size";q=65535;qu="content-bytes";w=60, "places";q=40;qu="concurrent-requests", "default";q=100;qu="requests";w=60',
    ),
    [{ remaining: 50, resetMs: 30_000, limit: 100 }],
  ],
])("RateLimit and RateLimit-Policy: %s", (_, fields, quotas) => {
  expect(readQuotas(fields)).toEqual(quotas);
});

test.each([
  ...["", ";", ",,,", '"', '"default"', '"default";r;t', '"default";r=;t='],
  ...['"default";r="50";t=30', '"default";r=-5;t=30', '"default";r=50;t=?1'],
])("RateLimit: %j is nothing", (text) => {
  expect(readQuotas(rateLimit(text, '"default";q=abc;w=abc'))).toEqual([]);
});

test("a field of more than 1,000 characters is nothing", () => {
  const read = (length: number) => readQuotas(rateLimit('"a";r=5;t=3'.padEnd(length)));
  expect(read(1000)).toHaveLength(1);
  expect(read(1001)).toEqual([]);
});

describe("whatever stands in the fields", () => {
  /** Texts of the pieces that the fields are made of get further than any other. */
  const pieces = fc.constantFrom(
    ...['"', "a", ";", ",", "=", " ", "r", "t", "q", "w", "\\"],
    ...["0", "7", "99999999999999", "1772366442", "1.5", "-1", "\t", "é", ":", '"a";r=5;t=9'],
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join("")),
  );

  test("it is a list of quotas, or empty", () => {
    let found = 0;
    fc.assert(
      fc.property(text, text, (limit, policy) => {
        for (const { remaining, resetMs, limit: of = 0 } of readQuotas(rateLimit(limit, policy))) {
          found++;
          for (const count of [remaining, of]) {
            expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
          }
          expect(resetMs).toBeGreaterThanOrEqual(0);
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
        expect(readQuotas(written)).toEqual(
          some.map(({ remaining, seconds, limit }) => ({
            ...{ remaining, limit },
            resetMs: seconds * 1000,
          })),
        );
      }),
    );
  });
});

test("of an answer's fields those two are kept, repeated ones as a list", () => {
  const others = { "retry-after": "1", "x-ratelimit-remaining": "1", "ratelimit-policy": "b;w=1" };
  expect(rateLimitFields(others)).toBeUndefined();
  expect(rateLimitFields({ ...others, ratelimit: ["a;r=1", "b;r=2"] })).toEqual({
    ratelimit: "a;r=1,b;r=2",
    "ratelimit-policy": "b;w=1",
  });
});
