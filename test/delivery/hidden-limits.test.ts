import { expect, test } from "vitest";
import type { HiddenLimit } from "../hidden-limits/hidden-limit.ts";
import { simulateSending } from "./hidden-limits.ts";

const untitled = { name: "", title: "" };

async function figuresOf(limit: HiddenLimit) {
  const contender = { ...untitled, concurrency: 64, adaptive: true };
  return (await simulateSending({ ...untitled, limit }, contender, 40)).figures;
}

test("a service is used well if each refusal costs a pause", async () => {
  const limit = { kind: "window", perSecond: 20, latencyMs: 50, retryAfterS: 1 } as const;
  const { used, refused } = await figuresOf(limit);
  expect(used).toBeGreaterThan(0.85);
  expect(refused).toBeLessThan(0.03);
});

test("a service is used well from the start if it refuses before a second is over", async () => {
  const limit = { kind: "in_flight", places: 3, latencyMs: 50, status: 429 } as const;
  const figures = await figuresOf(limit);
  expect(figures.used_from_start).toBeGreaterThan(0.85);
  expect(figures.refused_from_start).toBeLessThan(0.03);
});
