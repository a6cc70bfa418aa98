import type { HiddenLimit } from "./hidden-limit.ts";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly limit: HiddenLimit;
}

export interface Contender {
  readonly name: string;
  readonly title: string;
  readonly concurrency: number;
  readonly adaptive: boolean;
}

// The limits that eventload is tried against, and those that it is compared with.

/** @param seconds how long each is measured; a limit that changes does so half way */
export function scenariosOf(seconds: number): readonly Scenario[] {
  const tokens = (perSecond: number, latencyMs = 50): HiddenLimit => ({
    ...{ kind: "tokens", perSecond, latencyMs },
  });
  const places = (most: number, status = 503): HiddenLimit => ({
    ...{ kind: "in_flight", places: most, latencyMs: 50, status },
  });
  const changing = (limit: HiddenLimit, factor: number) =>
    ({ ...limit, change: { atS: seconds / 2, factor } }) as HiddenLimit;
  return [
    { name: "tokens-50", title: "50/s", limit: tokens(50) },
    { name: "tokens-500", title: "500/s", limit: tokens(500) },
    // With 50 ms, 250 would have to be in flight: the limit could not be reached.
    { name: "tokens-5000", title: "5,000/s", limit: tokens(5000, 5) },
    {
      ...{ name: "window-20", title: "20 in each second (Retry-After: 1)" },
      limit: { kind: "window", perSecond: 20, latencyMs: 50, retryAfterS: 1 },
    },
    { name: "places-3-429", title: "3 in flight (429)", limit: places(3, 429) },
    { name: "places-5", title: "5 in flight (503)", limit: places(5) },
    { name: "places-5-429", title: "5 in flight (429)", limit: places(5, 429) },
    { name: "places-50", title: "50 in flight (503)", limit: places(50) },
    { name: "places-50-429", title: "50 in flight (429)", limit: places(50, 429) },
    {
      ...{ name: "load", title: "latency grows beyond 20" },
      limit: { kind: "load", servers: 20, latencyMs: 20 },
    },
    { name: "tokens-halved", title: "500/s, then 250/s", limit: changing(tokens(500), 0.5) },
    { name: "tokens-doubled", title: "500/s, then 1,000/s", limit: changing(tokens(500), 2) },
    {
      ...{ name: "places-halved", title: "20 in flight, then 10" },
      limit: changing(places(20), 0.5),
    },
    {
      ...{ name: "places-doubled", title: "20 in flight, then 40" },
      limit: changing(places(20), 2),
    },
  ];
}

export const contenders: readonly Contender[] = [
  { name: "adaptive", title: "eventload, at most 64", concurrency: 64, adaptive: true },
  { name: "fixed-8", title: "8 at a time", concurrency: 8, adaptive: false },
  { name: "fixed-50", title: "50 at a time", concurrency: 50, adaptive: false },
];
