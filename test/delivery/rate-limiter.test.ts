import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateLimiter, type RateLimiterSettings } from "../../src/delivery/rate-limiter.ts";
import { parseRate } from "../../src/model/quantities.ts";

/** Laws, and no figures: how well it is tuned is shown by hidden-limits.test.ts. */

const date = new Date("2026-03-01T12:00:00.000Z");

/** A limiter whose time is moved by hand. */
class Watched {
  now = 0;
  readonly rate: ReturnType<typeof createRateLimiter>;

  constructor(settings: Partial<RateLimiterSettings> = {}) {
    const clock = { now: () => this.now, date: () => date };
    this.rate = createRateLimiter({ adaptive: true, ...settings }, clock);
  }

  /** Waits for the turn, for so much longer than asked for, and leaves. @returns when */
  leave(lateMs = 0): number {
    const waitMs = this.rate.waitMs();
    this.now += waitMs === 0 ? 0 : waitMs + lateMs;
    this.rate.sent(waitMs > 0);
    return this.now;
  }

  /** Attempts that leave evenly and are all taken. */
  use(perSecond: number, seconds: number) {
    const endMs = this.now + seconds * 1000;
    while (this.now < endMs) {
      this.rate.sent(false);
      this.rate.answered();
      this.now += 1000 / perSecond;
    }
    return this;
  }

  /** Uses all that may leave, on a service that takes everything. */
  useAll(seconds: number) {
    const endMs = this.now + seconds * 1000;
    while (this.now < endMs) {
      this.leave();
      this.rate.answered();
    }
    return this;
  }

  /** One more leaves, and is refused at once. */
  refuse(pauseMs?: number) {
    this.rate.sent(false);
    this.rate.throttled(this.now, pauseMs);
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
        const watched = new Watched({ ratePerSecond });
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
        const watched = new Watched({ ratePerSecond });
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
    const watched = new Watched({ ratePerSecond: 10 });
    const left = [0, 900, 0, 0].map((lateMs) => watched.leave(lateMs));
    expect(left).toEqual([0, 1000, 1098, 1198]);
  });

  test("is the lowest of the cap, what the service throttles to and its quota", () => {
    const watched = new Watched({ ratePerSecond: 60 });
    const { rate } = watched;
    expect([rate.perSecond, rate.bound]).toEqual([60, "rate"]);
    watched.use(50, 5).refuse().refuse();
    expect(rate.perSecond).toBeLessThan(60);
    expect(rate.bound).toBe("throttling");
    rate.advise(quota({ remaining: 30, resetS: 10, limit: 1000 }), 0);
    expect([rate.perSecond, rate.bound]).toEqual([3, "quota"]);
    watched.now += 10_000;
    expect(rate.bound).toBe("throttling");
  });
});

const rates = fc.integer({ min: 5, max: 1000 });

/** A rate that was refused once, after ten seconds at so many a second. */
function refusedAt(perSecond: number, pauseMs?: number) {
  return new Watched().use(perSecond, 10).refuse(pauseMs);
}

describe("a 429", () => {
  test("leaves less than what may leave, and more than nothing, each time", () => {
    fc.assert(
      fc.property(rates, fc.nat(3000), (perSecond, gapMs) => {
        const watched = refusedAt(perSecond);
        const first = watched.rate.perSecond;
        // What left in the last second may have been less than what was allowed, by chance.
        expect(first).toBeLessThan(1.5 * perSecond);
        expect(first).toBeGreaterThan(perSecond / 2);
        watched.useAll(gapMs / 1000);
        const before = watched.rate.perSecond;
        watched.refuse();
        expect(watched.rate.perSecond).toBeLessThan(before);
        expect(watched.rate.perSecond).toBeGreaterThan(before / 2);
      }),
      { numRuns: 30 },
    );
  });

  test("of an attempt that left before the last one says nothing new", () => {
    const watched = refusedAt(100);
    const { rate, now } = watched;
    const after = rate.perSecond;
    for (let n = 1; n <= 50; n++) {
      watched.now = now + n;
      rate.throttled(now - n);
    }
    expect(rate.perSecond).toBe(after);
    rate.throttled(now + 50);
    expect(rate.perSecond).toBeLessThan(after);
  });

  test("that is the first is no known limit: the rate comes back soon, whatever it cost", () => {
    fc.assert(
      fc.property(rates, fc.constantFrom(0, 1000, 60_000), (perSecond, pauseMs) => {
        const watched = refusedAt(perSecond, pauseMs);
        const left = watched.rate.perSecond;
        watched.now += pauseMs;
        expect(watched.useAll(4).rate.perSecond).toBeGreaterThan(1.5 * left);
        const refused = watched.rate.perSecond;
        watched.refuse(pauseMs).now += pauseMs;
        expect(watched.useAll(1).rate.perSecond).toBeLessThan(refused);
      }),
      { numRuns: 20 },
    );
  });
});

describe("what is taken", () => {
  test("never lets the rate fall", () => {
    const gaps = fc.array(fc.nat(3000), { maxLength: 60 });
    const pauses = fc.constantFrom(undefined, 1000, 30_000);
    fc.assert(
      fc.property(rates, gaps, pauses, (perSecond, some, pauseMs) => {
        const watched = refusedAt(perSecond, pauseMs);
        // The pause itself is no time in which the rate comes back.
        const left = watched.rate.perSecond;
        watched.now += pauseMs ?? 0;
        watched.leave();
        watched.rate.answered();
        if (pauseMs !== undefined) expect(watched.rate.perSecond).toBeCloseTo(left, 3);
        for (const gapMs of some) {
          watched.now += gapMs;
          const before = watched.rate.perSecond;
          watched.rate.sent(false);
          watched.rate.answered();
          expect(watched.rate.perSecond).toBeGreaterThanOrEqual(before);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("does not let it grow far beyond what is used", () => {
    const shares = fc.double({ min: 0.05, max: 0.9, noNaN: true });
    fc.assert(
      fc.property(rates, shares, (perSecond, share) => {
        const used = Math.max(0.5, Math.min(200, perSecond * share));
        const watched = refusedAt(perSecond).use(used, 240);
        expect(watched.rate.perSecond).toBeLessThanOrEqual(1.5 * Math.max(perSecond, used + 1));
      }),
      { numRuns: 20 },
    );
  });
});

test("the probes of an outage do not change the rate that a 429 after it starts from", () => {
  const probes = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 500 }), probes, (perSecond, count) => {
      const watched = new Watched().use(perSecond, 3);
      watched.rate.outage(true);
      for (let probe = 0; probe < count; probe++) {
        watched.now += 1000 + 700 * probe;
        watched.rate.sent(false);
        watched.rate.outage(true);
      }
      watched.rate.outage(false);
      expect(watched.refuse().rate.perSecond).toBeGreaterThan(0.9 * perSecond);
    }),
    { numRuns: 30 },
  );
});

test("whatever happens, the rate is above 0", () => {
  const steps = fc.array(
    fc.record({
      gapMs: fc.oneof(fc.nat(20), fc.nat(60_000)),
      what: fc.constantFrom("sent", "taken", "throttled", "paused"),
      departedAgoMs: fc.nat(2000),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(steps, (some) => {
      const watched = new Watched();
      const { rate } = watched;
      for (const { gapMs, what, departedAgoMs } of some) {
        watched.now += gapMs;
        if (what === "sent") rate.sent(false);
        else if (what === "taken") rate.answered();
        else {
          const pauseMs = what === "paused" ? gapMs : undefined;
          rate.throttled(Math.max(0, watched.now - departedAgoMs), pauseMs);
        }
        expect(rate.perSecond).toBeGreaterThan(0.1);
        expect(rate.waitMs()).toBeLessThan(10_000);
      }
    }),
    { numRuns: 300 },
  );
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
