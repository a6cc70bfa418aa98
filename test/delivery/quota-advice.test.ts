import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createQuotaAdvice } from "../../src/delivery/quota-advice.ts";

const date = new Date("2026-03-01T12:00:00.000Z");
const at = (nowMs: number) => ({ now: () => nowMs });

interface Said {
  readonly remaining: number;
  readonly resetS: number;
  readonly limit?: number;
}

function fieldsOf({ remaining, resetS, limit }: Said) {
  return {
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetS),
    ...(limit === undefined ? {} : { "x-ratelimit-limit": String(limit) }),
  };
}

/** What is advised after an answer, with so many on the wire. */
function advise(said: Said, inFlight = 0, advice = createQuotaAdvice()) {
  const holdMs = advice.heed(fieldsOf(said), inFlight, 0, date);
  return { holdMs, perSecond: advice.perSecond(at(0)), advice };
}

describe("the run's own speed", () => {
  test.each<[string, Said, number]>([
    ["while much of the quota is left", { remaining: 500, resetS: 60, limit: 1000 }, 8],
    ["where nobody says how much a quota is, and it is enough", { remaining: 16, resetS: 60 }, 5],
    [
      "where the reset is further off than anyone counts",
      { remaining: 3, resetS: 3600, limit: 100 },
      0,
    ],
    ["where the quota is renewed now", { remaining: 3, resetS: 0, limit: 100 }, 5],
  ])("%s", (_, said, inFlight) => {
    const { holdMs, perSecond } = advise(said, inFlight);
    expect(holdMs).toBeUndefined();
    expect(perSecond).toBe(Number.POSITIVE_INFINITY);
  });

  test("before anything is said, and after something that cannot be read", () => {
    const advice = createQuotaAdvice();
    expect(advice.perSecond(at(0))).toBe(Number.POSITIVE_INFINITY);
    const junk = { ratelimit: "soon", "x-ratelimit-remaining": "few" };
    expect(advice.heed(junk, 3, 0, date)).toBeUndefined();
    expect(advice.perSecond(at(0))).toBe(Number.POSITIVE_INFINITY);
  });

  test("again when the quota is renewed, or an answer says that there is more", () => {
    const { advice, perSecond } = advise({ remaining: 30, resetS: 10, limit: 1000 });
    expect(perSecond).toBe(3);
    expect(advice.perSecond(at(9999))).toBe(3);
    expect(advice.perSecond(at(10_000))).toBe(Number.POSITIVE_INFINITY);
    advise({ remaining: 30, resetS: 10, limit: 1000 }, 0, advice);
    expect(advise({ remaining: 900, resetS: 60, limit: 1000 }, 0, advice).perSecond).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe("slower", () => {
  test("over the last tenth of the quota, which lasts until it is renewed", () => {
    expect(advise({ remaining: 101, resetS: 10, limit: 1000 }).perSecond).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(advise({ remaining: 100, resetS: 10, limit: 1000 }).perSecond).toBe(10);
    expect(advise({ remaining: 1, resetS: 50, limit: 1000 }).perSecond).toBeCloseTo(0.02);
  });

  test("where what is on the wire could use up the rest", () => {
    expect(advise({ remaining: 30, resetS: 10 }, 10).perSecond).toBe(2);
  });

  test("by the tightest of several quotas", () => {
    const advice = createQuotaAdvice();
    const fields = {
      ratelimit: '"day";r=50;t=50, "burst";r=5;t=1',
      "ratelimit-policy": '"day";q=1000;w=86400, "burst";q=100;w=10',
    };
    expect(advice.heed(fields, 0, 0, date)).toBeUndefined();
    expect(advice.perSecond(at(0))).toBe(1);
  });
});

describe("a quota that is used up", () => {
  const used = { remaining: 0, resetS: 7, limit: 100 };

  test("holds everything until it is renewed", () => {
    const { advice } = advise({ remaining: 1, resetS: 7, limit: 100 });
    expect(advise(used, 0, advice).holdMs).toBe(7000);
  });

  test("is one of which the rest is on the wire", () => {
    expect(advise({ remaining: 5, resetS: 7 }, 5).holdMs).toBe(7000);
    expect(advise({ remaining: 5, resetS: 7 }, 9).holdMs).toBe(7000);
    expect(advise({ remaining: 5, resetS: 7 }, 4).holdMs).toBeUndefined();
  });

  test("holds for a minute at most, as nobody knows how the service really counts", () => {
    const { advice } = advise({ remaining: 1, resetS: 7 });
    expect(advise({ remaining: 0, resetS: 3600 }, 0, advice).holdMs).toBe(60_000);
  });

  test("is none where the field has always said 0", () => {
    expect(advise(used).holdMs).toBeUndefined();
    expect(advise(used).perSecond).toBe(Number.POSITIVE_INFINITY);
  });

  test("the longest of several counts", () => {
    const advice = createQuotaAdvice();
    const fields = { ratelimit: '"a";r=0;t=9, "b";r=0;t=5, "c";r=80;t=30, "d";r=0;t=7' };
    advice.heed(fields, 1, 0, date);
    expect(advice.heed(fields, 1, 0, date)).toBe(9000);
  });
});

test("who keeps to the advice never goes beyond a quota that is counted as it says", () => {
  const quotas = fc.record({
    perPlace: fc.integer({ min: 20, max: 60 }),
    periodS: fc.integer({ min: 2, max: 60 }),
    latencyMs: fc.integer({ min: 1, max: 400 }),
    places: fc.integer({ min: 1, max: 8 }),
  });
  fc.assert(
    fc.property(quotas, ({ perPlace, periodS, latencyMs, places }) => {
      const limit = perPlace * places;
      const advice = createQuotaAdvice();
      const periodMs = periodS * 1000;
      const onTheWire: { answeredAt: number; remaining: number; resetS: number }[] = [];
      let refused = 0;
      let taken = 0;
      let heldUntil = 0;
      let lastLeft = Number.NEGATIVE_INFINITY;
      let [period, left] = [-1, 0];
      for (let now = 0; now < 2.5 * periodMs; now += 10) {
        while (onTheWire[0] !== undefined && onTheWire[0].answeredAt <= now) {
          const { remaining, resetS } = onTheWire.shift()!;
          const hold = advice.heed(
            fieldsOf({ remaining, resetS, limit }),
            onTheWire.length,
            now,
            date,
          );
          if (hold !== undefined) heldUntil = Math.max(heldUntil, now + hold);
        }
        const gapMs = 1000 / advice.perSecond(at(now));
        if (now < heldUntil || onTheWire.length >= places || now - lastLeft < gapMs) continue;
        // Nothing is known before the first answer.
        if (taken === 0 && onTheWire.length > 0) continue;
        lastLeft = now;
        if (Math.floor(now / periodMs) !== period) {
          period = Math.floor(now / periodMs);
          left = limit;
        }
        if (left === 0) refused++;
        else {
          left--;
          taken++;
        }
        // The time is rounded up, and counted from the answer: nobody comes back too early.
        const resetS = Math.ceil(((period + 1) * periodMs - now) / 1000);
        onTheWire.push({ answeredAt: now + latencyMs, remaining: left, resetS });
      }
      expect(refused).toBe(0);
    }),
    { numRuns: 150 },
  );
});
