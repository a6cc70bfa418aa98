import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateLimiter } from "../../src/delivery/rate-limiter.ts";
import { parseRate } from "../../src/model/quantities.ts";

/** A limiter whose time is moved by hand. */
class Watched {
  now = 0;
  readonly rate: ReturnType<typeof createRateLimiter>;

  constructor(ratePerSecond?: number) {
    this.rate = createRateLimiter(ratePerSecond, { now: () => this.now });
  }

  /** Waits for the turn, for so much longer than asked for, and leaves. @returns when */
  leave(lateMs = 0): number {
    const waitMs = this.rate.waitMs();
    this.now += waitMs === 0 ? 0 : waitMs + lateMs;
    this.rate.sent(waitMs > 0);
    return this.now;
  }

  /** Attempts that leave evenly. */
  use(perSecond: number, seconds: number) {
    const endMs = this.now + seconds * 1000;
    for (; this.now < endMs; this.now += 1000 / perSecond) this.rate.sent(false);
    return this;
  }
}

/** The most that leave beyond so many a second, over all stretches of time. */
function mostBeyond(perSecond: number, left: readonly number[]): number {
  let most = 0;
  for (const [from, fromMs] of left.entries()) {
    for (let to = from + 1; to < left.length; to++) {
      const allowed = (perSecond * ((left[to] as number) - fromMs)) / 1000;
      most = Math.max(most, to - from + 1 - allowed);
    }
  }
  return most;
}

const caps = fc.oneof(
  fc.integer({ min: 1, max: 2000 }),
  fc.double({ min: 0.1, max: 50, noNaN: true }),
);
const arrivals = fc.array(fc.oneof(fc.constant(0), fc.nat(3000)), { minLength: 1, maxLength: 40 });

describe("a rate", () => {
  test("lets at most perSecond a second and one more leave, and nobody wait longer than that", () => {
    fc.assert(
      fc.property(caps, arrivals, (ratePerSecond, asked) => {
        const watched = new Watched(ratePerSecond);
        let earliest = 0;
        const left = [...asked]
          .sort((a, b) => a - b)
          .map((atMs) => {
            watched.now = Math.max(watched.now, atMs);
            const due = Math.max(earliest, watched.now);
            earliest = due + 1000 / ratePerSecond;
            const leftMs = watched.leave();
            expect(leftMs).toBeCloseTo(due, 6);
            return leftMs;
          });
        expect(mostBeyond(ratePerSecond, left)).toBeLessThanOrEqual(1 + 1e-6);
      }),
      { numRuns: 100 },
    );
  });

  test("is kept where timers are late, and makes no burst where the whole process was held up", () => {
    const lateness = fc.oneof(
      { weight: 8, arbitrary: fc.double({ min: 0, max: 2, noNaN: true }) },
      { weight: 1, arbitrary: fc.integer({ min: 3, max: 5000 }) },
    );
    const all = fc.array(lateness, { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), all, (ratePerSecond, late) => {
        const watched = new Watched(ratePerSecond);
        const left = late.map((lateMs) => watched.leave(lateMs));
        // What timers are late is made up for, but for 2 ms at most.
        expect(mostBeyond(ratePerSecond, left)).toBeLessThanOrEqual(
          1 + 0.002 * ratePerSecond + 1e-6,
        );
        const heldUpMs = late.reduce((sum, lateMs) => sum + (lateMs > 2 ? lateMs : 0), 0);
        const neededMs = ((left.length - 1) * 1000) / ratePerSecond;
        expect((left.at(-1) as number) - (left[0] as number)).toBeLessThanOrEqual(
          neededMs + heldUpMs + 2 + 1e-6,
        );
      }),
      { numRuns: 100 },
    );
    const watched = new Watched(10);
    const left = [0, 900, 0, 0].map((lateMs) => watched.leave(lateMs));
    expect(left).toEqual([0, 1000, 1098, 1198]);
  });

  test("is the lowest of the cap, what the service takes and its quota; a cap that is not reached is no limit", () => {
    const watched = new Watched(60);
    const { rate } = watched;
    expect(rate.perSecond).toBe(60);
    expect(watched.use(30, 5).rate.bound).toBeUndefined();
    expect(watched.use(60, 5).rate.bound).toBe("rate");
    rate.adapt(40);
    expect([rate.perSecond, rate.bound]).toEqual([40, "throttling"]);
    rate.advise(quota({ remaining: 30, resetS: 10, limit: 1000 }), 0);
    expect([rate.perSecond, rate.bound]).toEqual([3, "quota"]);
    watched.now += 10_000;
    expect(rate.bound).toBe("throttling");
  });
});

test("the probes of a pause do not change the rate of sending", () => {
  const watched = new Watched().use(100, 3);
  watched.rate.pause(true);
  for (let probe = 0; probe < 9; probe++) {
    watched.now += 1000 * probe;
    watched.rate.sent(false);
  }
  watched.rate.pause(false);
  expect(watched.rate.sendingPerSecond()).toBeGreaterThan(90);
});

interface Said {
  readonly remaining: number;
  readonly resetS: number;
  readonly limit?: number;
}

function quota({ remaining, resetS, limit }: Said) {
  return {
    ratelimit: `"default";r=${remaining};t=${resetS}`,
    "ratelimit-policy": limit === undefined ? "" : `"default";q=${limit}`,
  };
}

describe("a quota", () => {
  const infinite = Number.POSITIVE_INFINITY;

  test.each<[string, Said, inFlight: number, perSecond: number, holdMs?: number]>([
    ["slows nothing while much is left", { remaining: 500, resetS: 60, limit: 1000 }, 8, infinite],
    ["nor if it is enough, whatever its size", { remaining: 16, resetS: 60 }, 5, infinite],
    ["nor if it is renewed late", { remaining: 3, resetS: 3600, limit: 100 }, 0, infinite],
    ["nor if it is renewed now", { remaining: 3, resetS: 0, limit: 100 }, 5, infinite],
    ["nor before its last tenth", { remaining: 101, resetS: 10, limit: 1000 }, 0, infinite],
    ["lasts, from its last tenth on", { remaining: 100, resetS: 10, limit: 1000 }, 0, 10],
    ["lasts, however slowly", { remaining: 1, resetS: 50, limit: 1000 }, 0, 0.02],
    ["lasts if what is in flight could use it up", { remaining: 30, resetS: 10 }, 10, 2],
    ["is used up by what is in flight", { remaining: 5, resetS: 7 }, 5, infinite, 7000],
    ["is used up by more than that", { remaining: 5, resetS: 7 }, 9, infinite, 7000],
    ["holds for a minute at most", { remaining: 1, resetS: 3600 }, 1, infinite, 60_000],
    ["slows nothing if it is renewed within a second", { remaining: 1, resetS: 1 }, 1, infinite],
    ["that is always 0 is none", { remaining: 0, resetS: 7, limit: 100 }, 0, infinite],
  ])("%s", (_, said, inFlight, perSecond, holdMs) => {
    const { rate } = new Watched();
    expect(rate.advise(quota(said), inFlight)).toBe(holdMs);
    expect(rate.perSecond).toBeCloseTo(perSecond);
  });

  test("leaves the run its own speed again when it is renewed, or an answer says that there is more", () => {
    const watched = new Watched();
    const { rate } = watched;
    for (const isRenewed of [true, false]) {
      rate.advise(quota({ remaining: 30, resetS: 10, limit: 1000 }), 0);
      watched.now += 9999;
      expect(rate.perSecond).toBe(3);
      if (isRenewed) watched.now++;
      else rate.advise(quota({ remaining: 900, resetS: 60, limit: 1000 }), 0);
      expect([rate.perSecond, rate.waitMs()]).toEqual([infinite, 0]);
    }
  });

  test("of several, the tightest counts, and the longest hold", () => {
    const { rate } = new Watched();
    const policy = '"day";q=1000;w=86400, "burst";q=100;w=10';
    const some = { ratelimit: '"day";r=50;t=50, "burst";r=5;t=1', "ratelimit-policy": policy };
    expect(rate.advise(some, 0)).toBeUndefined();
    expect(rate.perSecond).toBe(1);
    const ratelimit = '"a";r=0;t=9, "b";r=0;t=5, "c";r=80;t=30, "d";r=0;t=7';
    expect(rate.advise({ ratelimit, "ratelimit-policy": "" }, 1)).toBe(9000);
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
      const watched = new Watched();
      const { rate } = watched;
      const periodMs = periodS * 1000;
      const inFlight: { answeredAt: number; remaining: number; resetS: number }[] = [];
      let refused = 0;
      let taken = 0;
      let heldUntil = 0;
      let [period, left] = [-1, 0];
      for (; watched.now < 2.5 * periodMs; watched.now += 10) {
        const { now } = watched;
        while (inFlight[0] !== undefined && inFlight[0].answeredAt <= now) {
          const { remaining, resetS } = inFlight.shift()!;
          const hold = rate.advise(quota({ remaining, resetS, limit }), inFlight.length);
          if (hold !== undefined) heldUntil = Math.max(heldUntil, now + hold);
        }
        if (now < heldUntil || inFlight.length >= places || rate.waitMs() > 0) continue;
        // Nothing is known before the first answer.
        if (taken === 0 && inFlight.length > 0) continue;
        rate.sent(false);
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
        inFlight.push({ answeredAt: now + latencyMs, remaining: left, resetS });
      }
      expect(refused).toBe(0);
    }),
    { numRuns: 150 },
  );
});

test("a rate is written as a number for each second, minute or hour", () => {
  const rates = { "50/s": 50, "3000/m": 50, "1800/h": 0.5, " 0.5/s ": 0.5 };
  for (const [text, perSecond] of Object.entries(rates)) expect(parseRate(text)).toBe(perSecond);
  for (const text of ["", "50", "0/s", "-1/s", "50/d", "50/", "/s", "1e3/s", "fifty/s", "50 / s"]) {
    expect([text, parseRate(text)]).toEqual([text, undefined]);
  }
});
