import { describe, expect, it } from "vitest";
import type { HiddenLimit } from "../hidden-limits/hidden-limit.ts";
import { createVirtualClock } from "../virtual-clock.ts";
import { createSimulatedService, simulateSending } from "./hidden-limits.ts";

/** The simulation has to be right before anything that was tuned by it can be. */

const request = { method: "POST", path: "/v1/contacts/events", headers: {}, body: "" } as const;

/** Posts one request every `everyMs`, whatever the answers, and counts what is seen each second. */
async function pressOn(limit: HiddenLimit, everyMs: number, seconds: number) {
  const clock = createVirtualClock();
  const { post, slices } = createSimulatedService({ limit }, clock);
  const attempts: ReturnType<typeof post>[] = [];
  for (let atMs = 0; atMs < seconds * 1000; atMs += everyMs) {
    clock.schedule(atMs, () => attempts.push(post(request)));
  }
  await new Promise<void>((resolve) => clock.schedule(seconds * 1000, resolve));
  await Promise.all(attempts);
  const accepted = (fromS: number, toS: number) =>
    slices.slice(fromS * 10, toS * 10).reduce((sum, slice) => sum + slice.accepted, 0);
  const statuses = (await Promise.all(attempts)).map((attempt) =>
    attempt.kind === "answered" ? attempt.httpStatus : attempt.kind,
  );
  return { slices, accepted, statuses: new Set(statuses) };
}

describe("a simulated service", () => {
  it("lets as many through as there are tokens, and refuses the others", async () => {
    const seen = await pressOn({ kind: "tokens", perSecond: 50, latencyMs: 20 }, 2, 10);
    expect(seen.accepted(0, 10)).toBeGreaterThanOrEqual(500);
    expect(seen.accepted(0, 10)).toBeLessThanOrEqual(505);
    expect(seen.statuses).toEqual(new Set([202, 429]));
  });

  it("takes so many in each second, and refuses the rest of it", async () => {
    const limit = { kind: "window", perSecond: 20, latencyMs: 20, retryAfterS: 1 } as const;
    const seen = await pressOn(limit, 5, 5);
    for (let second = 0; second < 5; second++) expect(seen.accepted(second, second + 1)).toBe(20);
    expect(seen.statuses).toEqual(new Set([202, 429]));
  });

  it("has so many places, and not one more", async () => {
    const seen = await pressOn({ kind: "in_flight", places: 5, latencyMs: 50 }, 2, 10);
    expect(Math.max(...seen.slices.map(({ mostInFlight }) => mostInFlight))).toBe(5);
    expect(seen.accepted(0, 10)).toBeGreaterThan(0.95 * 1000);
    expect(seen.accepted(0, 10)).toBeLessThan(1.01 * 1000);
    expect(seen.statuses).toEqual(new Set([202, 503]));
  });

  it("is used well where each refusal costs a pause", async () => {
    const limit = { kind: "window", perSecond: 20, latencyMs: 50, retryAfterS: 1 } as const;
    const contender = { name: "", title: "", concurrency: 64, adaptive: true };
    const { figures } = await simulateSending({ name: "", title: "", limit }, contender, 40);
    expect(figures.used).toBeGreaterThan(0.85);
    expect(figures.refused).toBeLessThan(0.03);
  });

  it("is used well from the start where it refuses before a second is over", async () => {
    const limit = { kind: "in_flight", places: 3, latencyMs: 50, status: 429 } as const;
    const contender = { name: "", title: "", concurrency: 64, adaptive: true };
    const { figures } = await simulateSending({ name: "", title: "", limit }, contender, 40);
    expect(figures.used_from_start).toBeGreaterThan(0.85);
    expect(figures.refused_from_start).toBeLessThan(0.03);
  });

  it("gives the same figures each time, and others with another seed", async () => {
    const limit = { kind: "tokens", perSecond: 50, latencyMs: 50 } as const;
    const contender = { name: "", title: "", concurrency: 8, adaptive: true };
    const run = async (seed: number) =>
      (await simulateSending({ name: "", title: "", limit }, contender, 12, { seed })).figures;
    expect(await run(1)).toEqual(await run(1));
    expect(await run(2)).not.toEqual(await run(1));
  });
});
