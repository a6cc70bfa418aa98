import fc from "fast-check";
import pLimit from "p-limit";
import { describe, expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { classify } from "../../src/delivery/classify.ts";
import { createTraffic, type TrafficSettings } from "../../src/delivery/traffic.ts";
import { createFakeClock } from "../fake-clock.ts";

const answered = (httpStatus: number, rateLimit?: Record<string, string>): Attempt => ({
  ...{ kind: "answered", httpStatus, body: "" },
  ...(rateLimit === undefined ? {} : { rateLimit }),
});
const timeout: Attempt = { kind: "unanswered", code: "timeout", message: "no answer in time" };
const reset: Attempt = { kind: "unanswered", code: "ECONNRESET", message: "read ECONNRESET" };
const refused: Attempt = { kind: "not_sent", code: "ECONNREFUSED", message: "refused" };
const accepted = answered(202);

function createWatched(settings: Partial<TrafficSettings> = {}) {
  const clock = createFakeClock();
  const most = settings.concurrency ?? 32;
  const limit = pLimit(most);
  const traffic = createTraffic({ concurrency: most, adaptive: true, ...settings }, limit, clock);
  return {
    traffic,
    /** One attempt, with as many on the wire as may be. @returns what follows from it */
    attempt(result: Attempt, latencyMs = 20, inFlight = limit.concurrency) {
      const departure = traffic.departs(inFlight, false);
      clock.advance(latencyMs);
      const now = clock.date();
      const verdict = classify(result, {
        ...{ mode: "at-least-once", first: false, url: "https://example.com/", now },
        redact: (text) => text,
      });
      return traffic.arrives(departure, result, verdict, inFlight - 1);
    },
    get rate() {
      return traffic.perSecond();
    },
    get places() {
      return limit.concurrency;
    },
    wait: clock.advance,
  };
}

type Watched = ReturnType<typeof createWatched>;

function repeat(times: number, watched: Watched, result: Attempt, latencyMs?: number) {
  for (let n = 0; n < times; n++) watched.attempt(result, latencyMs);
}

describe("one signal never moves both", () => {
  const results = fc.constantFrom(
    ...[accepted, accepted, accepted, answered(422), answered(429), answered(503)],
    ...[answered(500), timeout, reset, refused],
  );
  const steps = fc.array(
    fc.record({
      result: results,
      count: fc.integer({ min: 1, max: 40 }),
      latencyMs: fc.oneof(fc.nat(40), fc.nat(3000)),
    }),
    { minLength: 1, maxLength: 30 },
  );

  test("down, and only good answers move either up", () => {
    const moved = { rate: 0, places: 0 };
    fc.assert(
      fc.property(steps, (some) => {
        const watched = createWatched();
        for (const { result, count, latencyMs } of some) {
          for (let n = 0; n < count; n++) {
            const { rate, places } = watched;
            watched.attempt(result, latencyMs);
            const isLower = { rate: watched.rate < rate, places: watched.places < places };
            expect(isLower).not.toEqual({ rate: true, places: true });
            if (isLower.rate) moved.rate++;
            if (isLower.places) moved.places++;
            const status = result.kind === "answered" ? result.httpStatus : undefined;
            if (status === 429) expect(watched.places).toBe(places);
            else if (status === 202 || status === 422) expect(isLower.rate).toBe(false);
            else expect(watched.rate).toBe(rate);
          }
        }
      }),
      { numRuns: 40 },
    );
    expect(moved.rate).toBeGreaterThan(10);
    expect(moved.places).toBeGreaterThan(10);
  });

  test("429 is about the rate", () => {
    const watched = createWatched();
    repeat(100, watched, accepted);
    const { places } = watched;
    expect(places).toBeGreaterThan(4);
    repeat(100, watched, answered(429));
    expect(watched.places).toBe(places);
    expect(watched.rate).toBeLessThan(1000 / 20);
  });

  test.each<[string, Attempt]>([
    ["503", answered(503)],
    ["no answer in time", timeout],
  ])("%s is about the concurrency", (_, result) => {
    const watched = createWatched();
    repeat(100, watched, accepted);
    repeat(100, watched, result);
    expect(watched.places).toBe(1);
    expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
  });

  test("a latency that rises is about the concurrency", () => {
    const watched = createWatched();
    repeat(100, watched, accepted);
    const { places } = watched;
    repeat(100, watched, accepted, 2000);
    expect(watched.places).toBeLessThan(places);
    expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
  });

  test.each<[string, Attempt]>([
    ["500", answered(500)],
    ["a connection that breaks", reset],
    ["one that is refused", refused],
  ])("%s is about neither", (_, result) => {
    const watched = createWatched();
    repeat(25, watched, accepted);
    const { places } = watched;
    repeat(30, watched, result);
    expect(watched.places).toBeGreaterThanOrEqual(places);
    expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("what was given is a hard cap", () => {
  test.each([true, false])("adaptive: %s", (adaptive) => {
    const watched = createWatched({ concurrency: 10, ratePerSecond: 7, adaptive });
    repeat(500, watched, accepted);
    expect(watched.places).toBe(10);
    expect(watched.rate).toBe(7);
  });

  test("without adaption nothing else moves it", () => {
    const watched = createWatched({ concurrency: 10, adaptive: false });
    for (const result of [answered(429), answered(503), timeout]) {
      repeat(50, watched, result);
      expect(watched.places).toBe(10);
      expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
    }
    watched.traffic.restart();
    expect(watched.places).toBe(10);
  });

  test("the rate that was found comes back where it is made use of", () => {
    const watched = createWatched({ ratePerSecond: 1e6 });
    repeat(100, watched, accepted);
    watched.attempt(answered(429));
    const { rate } = watched;
    repeat(1500, watched, accepted);
    expect(watched.rate).toBeGreaterThan(rate);
  });

  test("the rate that was found is below it", () => {
    const watched = createWatched({ ratePerSecond: 40 });
    repeat(100, watched, accepted);
    repeat(5, watched, answered(429));
    expect(watched.rate).toBeLessThan(40);
  });
});

test("it starts small, and again after an outage", () => {
  const watched = createWatched();
  expect(watched.places).toBe(4);
  repeat(200, watched, accepted);
  expect(watched.places).toBe(32);
  watched.traffic.restart();
  expect(watched.places).toBe(4);
});

describe("what the service tells of its quota", () => {
  const quota = (remaining: number, resetS: number) => ({
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(resetS),
  });

  test.each([true, false])("slows down ahead of a 429, adaptive: %s", (adaptive) => {
    const watched = createWatched({ concurrency: 1, adaptive });
    expect(watched.attempt(answered(202, quota(90, 10)))).toBeUndefined();
    expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
    expect(watched.attempt(answered(202, quota(5, 10)))).toBeUndefined();
    expect(watched.rate).toBe(0.5);
    watched.wait(10_000);
    expect(watched.rate).toBe(Number.POSITIVE_INFINITY);
  });

  test("holds everything when it is used up, on any answer", () => {
    const watched = createWatched({ concurrency: 1 });
    watched.attempt(answered(202, quota(5, 10)));
    for (const status of [202, 422, 500, 429]) {
      expect(watched.attempt(answered(status, quota(0, 8)))).toBe(8000);
    }
  });
});
