import { describe, expect, it } from "vitest";
import { simulateSending } from "./hidden-limits.ts";

describe("a simulated service", () => {
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
