import { expect, test } from "vitest";
import { isThorough } from "../runs.ts";
import type { HiddenLimit } from "./hidden-limit.ts";
import { simulateSending } from "./hidden-limits.ts";

const seconds = 40;
/** What is left out at the beginning, and after a limit has changed. */
const settlingS = 10;

const tokens = (perSecond: number, latencyMs = 50) =>
  ({ kind: "tokens", perSecond, latencyMs }) as const;
const places = (most: number, status = 503) =>
  ({ kind: "in_flight", places: most, latencyMs: 50, status }) as const;
const halfWay = (factor: number) => ({ change: { atS: seconds / 2, factor } });

/** Those that let little through come first, as they cost little. */
const limits: [what: string, HiddenLimit][] = [
  ["20 in each second", { kind: "window", perSecond: 20, latencyMs: 50, retryAfterS: 1 }],
  ["50 a second", tokens(50)],
  ["3 in flight, answered with 429", places(3, 429)],
  ["5 in flight, answered with 429", places(5, 429)],
  ["5 in flight, answered with 503", places(5)],
  ["20 in flight, then 10", { ...places(20), ...halfWay(0.5) }],
  ["20 in flight, then 40", { ...places(20), ...halfWay(2) }],
  ["50 in flight, answered with 429", places(50, 429)],
  ["50 in flight, answered with 503", places(50)],
  ["500 a second", tokens(500)],
  ["500 a second, then 250", { ...tokens(500), ...halfWay(0.5) }],
  ["500 a second, then 1,000", { ...tokens(500), ...halfWay(2) }],
  ["a latency that grows beyond 20 in flight", { kind: "load", servers: 20, latencyMs: 20 }],
  // With 50 ms, 250 would have to be in flight: the limit could not be reached.
  ["5,000 a second", tokens(5000, 5)],
];

test.each(isThorough ? limits : limits.slice(0, 5))(
  "a service that takes %s and does not say so is used well, and refuses little",
  async (_, limit) => {
    const fromS = (limit.change?.atS ?? 0) + settlingS;
    const { used, refused } = await simulateSending(limit, seconds, fromS);
    // Latencies differ by a tenth, so evenly spaced attempts sometimes find all places taken.
    expect(used).toBeGreaterThan(0.88);
    expect(refused).toBeLessThan(0.03);
  },
);

test("a service that refuses before a second is over is used well from the start", async () => {
  const { used, refused } = await simulateSending(places(3, 429), seconds, 0);
  expect(used).toBeGreaterThan(0.85);
  expect(refused).toBeLessThan(0.03);
});
