import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createConcurrencyLimiter } from "../../src/delivery/concurrency-limiter.ts";

interface Told {
  readonly latencyMs?: number;
  readonly isOverload?: boolean;
  readonly wasFull?: boolean;
}

const busy = { sentSince: 1, end: "busy", wasFull: true } as const;

/** A limiter, and a clock for it: attempts end one after another. */
function createWatched(most = 1000) {
  const concurrency = createConcurrencyLimiter(most, true);
  let now = 0;
  const end = (count: number, told: Told = {}) => {
    const { latencyMs = 20, isOverload = false, wasFull = true } = told;
    for (let n = 0; n < count; n++) {
      // The one before has ended, so that each has left since the limit changed.
      now += latencyMs;
      const end = isOverload ? "busy" : "answered";
      concurrency.ended({ sentMs: now - latencyMs, sentSince: 1, end, wasFull }, now);
    }
  };
  /** Until the limit changes; how many attempts that took. */
  const endUntilChange = (told: Told, mostAttempts = 5000) => {
    const before = concurrency.allowed;
    for (let n = 1; n <= mostAttempts; n++) {
      end(1, told);
      if (concurrency.allowed !== before) return n;
    }
    return Number.POSITIVE_INFINITY;
  };
  /** The limits that it goes through, one after another. */
  const limitsOver = (attempts: number) => {
    const limits = [concurrency.allowed];
    for (let n = 0; n < attempts; n++) {
      end(1);
      if (limits.at(-1) !== concurrency.allowed) limits.push(concurrency.allowed);
    }
    return limits;
  };
  return {
    ...{ concurrency, end, endUntilChange, limitsOver, now: () => now },
    wait(durationMs: number) {
      now += durationMs;
    },
  };
}

test("whatever happens, it is a whole number from 1 to the most", () => {
  const attempt = fc.record({
    durationMs: fc.oneof(fc.nat(50), fc.nat(5000)),
    gapMs: fc.nat(30),
    end: fc.constantFrom("answered", "busy", "timeout", "failed"),
    sentSince: fc.integer({ min: 1, max: 500 }),
    wasFull: fc.boolean(),
    count: fc.integer({ min: 1, max: 60 }),
    isRestart: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  });
  const runs = fc.array(attempt, { maxLength: 40 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), runs, (most, some) => {
      const concurrency = createConcurrencyLimiter(most, true);
      let now = 0;
      const check = () => {
        expect(Number.isInteger(concurrency.allowed)).toBe(true);
        expect(concurrency.allowed).toBeGreaterThanOrEqual(1);
        expect(concurrency.allowed).toBeLessThanOrEqual(most);
      };
      check();
      for (const { durationMs, gapMs, count, isRestart, ...told } of some) {
        for (let n = 0; n < count; n++) {
          now += gapMs;
          concurrency.ended({ sentMs: Math.max(0, now - durationMs), ...told }, now);
        }
        if (isRestart) concurrency.restart(now);
        check();
      }
    }),
    { numRuns: 200 },
  );
});

describe("growing", () => {
  test("doubles with every window until the most", () => {
    expect(createWatched(100).limitsOver(2000)).toEqual([4, 8, 16, 32, 64, 100]);
  });

  test("ends where not all places are used", () => {
    const { endUntilChange } = createWatched();
    expect(endUntilChange({ wasFull: false })).toBe(Number.POSITIVE_INFINITY);
  });

  test("after the first overload comes close to that level, and tries it only later", () => {
    const { concurrency, end, endUntilChange, limitsOver } = createWatched();
    while (concurrency.allowed < 64) end(1);
    endUntilChange({ isOverload: true });
    const limits = limitsOver(1500);
    expect(Math.max(...limits)).toBeGreaterThan(55);
    // It does not double any more.
    for (let n = 1; n < limits.length; n++) {
      expect(limits[n]).toBeLessThan(1.5 * (limits[n - 1] ?? 0));
    }
  });

  test("takes longer to try a level again each time that it has not held", () => {
    const { concurrency, end, endUntilChange } = createWatched();
    while (concurrency.allowed < 16) end(1);
    const [first = 0, second] = [1, 2].map(() => {
      endUntilChange({ isOverload: true });
      let attempts = 0;
      for (; concurrency.allowed < 16 && attempts < 50_000; attempts++) end(1);
      return attempts;
    });
    expect(second).toBeGreaterThan(first);
  });
});

describe("shrinking", () => {
  test("one unlucky answer in a window is not enough, now and then, at any level", () => {
    const { concurrency, end } = createWatched(64);
    while (concurrency.allowed < 64) end(1);
    for (let n = 0; n < 50; n++) {
      end(127);
      end(1, { isOverload: true });
    }
    expect(concurrency.allowed).toBe(64);
    const atFirst = createWatched();
    atFirst.end(1, { isOverload: true });
    expect(atFirst.concurrency.allowed).toBe(4);
  });

  test("a service that does not cope is left room at once, and down to one at a time", () => {
    const { concurrency, end, endUntilChange } = createWatched();
    while (concurrency.allowed < 64) end(1);
    const before = concurrency.allowed;
    expect(endUntilChange({ isOverload: true })).toBeLessThan(10);
    expect(concurrency.allowed).toBeLessThan(before);
    end(500, { isOverload: true });
    expect(concurrency.allowed).toBe(1);
  });

  test("what left before it shrank does not make it shrink again", () => {
    const { concurrency, end, endUntilChange, now } = createWatched();
    while (concurrency.allowed < 64) end(1);
    const sentMs = now();
    endUntilChange({ isOverload: true });
    const { allowed: limit } = concurrency;
    for (let n = 0; n < 200; n++) concurrency.ended({ ...busy, sentMs }, now());
    expect(concurrency.allowed).toBe(limit);
  });
});

test.each([Number.POSITIVE_INFINITY, 25, 10])(
  "with 20 places, and each %ith an overload whatever is in flight, it stays near those places",
  (each) => {
    const { concurrency, end } = createWatched(64);
    let limits = 0;
    for (let n = 1; n <= 21_500; n++) {
      end(1, { isOverload: n % each === 0 || n % concurrency.allowed >= 20 });
      if (n > 1500) limits += concurrency.allowed;
    }
    expect(limits / 20_000).toBeGreaterThan(0.75 * 20);
    expect(limits / 20_000).toBeLessThan(1.25 * 20);
  },
);

describe("the latency", () => {
  test.each([
    ["usual", 20, 20, 32],
    ["somewhat longer, as it is always somewhat different", 20, 25, 32],
    ["many times as long, and still next to nothing", 2, 20, 32],
  ])("%s: it grows", (_, before, after, atLeast) => {
    const { concurrency, end } = createWatched();
    end(45, { latencyMs: before });
    end(200, { latencyMs: after });
    expect(concurrency.allowed).toBeGreaterThanOrEqual(atLeast);
  });

  test("that is several times as long: it shrinks", () => {
    const { concurrency, end } = createWatched();
    end(200, { latencyMs: 100 });
    const { allowed: limit } = concurrency;
    end(2 * limit, { latencyMs: 500 });
    expect(concurrency.allowed).toBeLessThan(limit);
  });

  test("that was best long ago is forgotten", () => {
    const { concurrency, end, wait } = createWatched(8);
    end(45, { latencyMs: 100 });
    expect(concurrency.allowed).toBe(8);
    wait(3_600_000);
    end(500, { latencyMs: 500 });
    expect(concurrency.allowed).toBe(8);
  });
});

test.each([
  ["among thousands that were sent meanwhile, a burst of time-outs changes nothing", 3000, 32],
  ["a burst of time-outs is an overload where most of what was sent timed out", 40, 25],
])("%s", (_, sentSince, limit) => {
  const { concurrency, end, now } = createWatched(32);
  while (concurrency.allowed < 32) end(1);
  end(500);
  const timedOut = { sentSince, end: "timeout", wasFull: true } as const;
  for (let n = 0; n < 32; n++) {
    concurrency.ended({ ...timedOut, sentMs: now() }, now());
    end(2);
    if (concurrency.allowed < 32) break;
  }
  expect(concurrency.allowed).toBe(limit);
});

test("without looking for the limit, it is the most from the beginning to the end", () => {
  const concurrency = createConcurrencyLimiter(16, false);
  expect(concurrency.allowed).toBe(16);
  for (let n = 0; n < 500; n++) concurrency.ended({ ...busy, sentMs: 0 }, n);
  concurrency.restart(1000);
  expect(concurrency.allowed).toBe(16);
});

test("there are as many permits as may be in flight, each of them once; fewer as soon as those are back that are too many", async () => {
  const concurrency = createConcurrencyLimiter(4, true);
  expect(concurrency.free).toBe(0);
  await turn();
  expect(concurrency.free).toBe(4);
  const taken = [concurrency.take(), concurrency.take(), concurrency.take(), concurrency.take()];
  expect(taken.toSorted()).toEqual([0, 1, 2, 3]);
  concurrency.ended({ ...busy, sentMs: 0 }, 1);
  concurrency.ended({ ...busy, sentMs: 0 }, 1);
  expect(concurrency.allowed).toBe(3);
  const free = taken.map((permit) => {
    concurrency.giveBack(permit);
    return concurrency.free;
  });
  expect(free).toEqual([0, 1, 2, 3]);
});

test("permits that are free go when the limit shrinks, and come back when it grows", async () => {
  const concurrency = createConcurrencyLimiter(64, true);
  await turn();
  for (let now = 1; concurrency.allowed < 64; now++) {
    concurrency.ended({ sentMs: now, sentSince: 1, end: "answered", wasFull: true }, now);
    await turn();
    expect(concurrency.free).toBe(concurrency.allowed);
  }
  concurrency.restart(10_000);
  expect(concurrency.free).toBe(4);
});

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}
