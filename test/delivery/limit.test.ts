import { describe, expect, test } from "vitest";
import type { DeliverySettings } from "../../src/delivery/delivery-contract.ts";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { createVirtualClock } from "../fake-clock.ts";
import type { HiddenLimit } from "./hidden-limit.ts";
import { createSimulatedService } from "./hidden-limits.ts";
import { connectTo, noTap, openSimulated } from "./simulated-wire.ts";

/** Sends rows, one each `everyMs` or as fast as they are taken. @returns what limited each departure */
async function limitsOf(
  rows: number,
  limit: HiddenLimit,
  settings: Partial<DeliverySettings>,
  everyMs = 0,
): Promise<readonly (SendingLimit | undefined)[]> {
  const clock = createVirtualClock();
  const limits: (SendingLimit | undefined)[] = [];
  const connect = connectTo(createSimulatedService(limit, clock).post);
  const { sendRows } = await openSimulated(clock, connect, settings, {
    tap: { ...noTap, sent: (_inFlight, _allowed, _isRetry, by) => limits.push(by) },
  });
  await sendRows(rows, everyMs);
  clock.end();
  return limits;
}

const healthy = { kind: "in_flight", places: 1000, latencyMs: 5 } as const;

test("every event that waits for the rate is limited by it, the last of a batch too", async () => {
  const limits = await limitsOf(60, healthy, { ratePerSecond: 20 });
  expect(limits.slice(2)).toEqual(Array(58).fill("rate"));
});

test("a rate that nothing waits for limits nothing", async () => {
  const limits = await limitsOf(30, healthy, { ratePerSecond: 20 }, 100);
  expect(limits).toEqual(Array(30).fill(undefined));
});

describe("as many as may be in flight", () => {
  const adaptive = { concurrency: 64, adaptive: true };

  test("are limited by the time that answers take, while the service copes", async () => {
    const limits = await limitsOf(600, healthy, adaptive);
    expect(limits).toContain("concurrency");
    expect(limits).not.toContain("adapted_concurrency");
  });

  test("are limited by the service, once it has not coped with more", async () => {
    const limits = await limitsOf(600, { ...healthy, places: 5 }, adaptive);
    const isFull = (limit: SendingLimit | undefined) => limit?.endsWith("concurrency");
    expect(limits.slice(0, 20).filter(isFull)).not.toContain("adapted_concurrency");
    const later = limits.slice(100).filter(isFull);
    expect(later.filter((limit) => limit === "adapted_concurrency").length).toBeGreaterThan(
      0.8 * later.length,
    );
  });
});
