import { describe, expect, test } from "vitest";
import type { DeliverySettings } from "../../src/delivery/delivery-contract.ts";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { createMainLimit } from "../../src/stats/main-limit.ts";
import { createPaceClock } from "../pace/pace-clock.ts";
import { createSimulatedService, type ServiceModel } from "../pace/service-model.ts";
import { createSimulatedConnections } from "../pace/simulated-connections.ts";
import { noTap, openSimulated } from "./simulated-wire.ts";

/**
 * Sends rows, one each `everyMs` or as fast as they are taken.
 *
 * @returns what had limited each departure, what limited for longest, and what was found
 */
async function sendTo(
  rows: number,
  model: ServiceModel,
  settings: Partial<DeliverySettings>,
  everyMs = 0,
) {
  const clock = createPaceClock(1);
  const limits: (SendingLimit | undefined)[] = [];
  const longest = createMainLimit(clock.now());
  let found: number | undefined;
  const connect = createSimulatedConnections(model, createSimulatedService(model, clock), clock);
  const { delivery, sendRows } = await openSimulated(clock, connect, settings, {
    tap: {
      ...noTap,
      limited(_allowed, by, foundPerSecond) {
        found = foundPerSecond;
        longest.until(clock.now(), by);
        if (delivery.figures.attempts > limits.length) limits.push(by);
      },
    },
  });
  let isOver = false;
  void sendRows(rows, everyMs).then(() => {
    isOver = true;
  });
  await clock.runUntil(() => isOver, 3_600_000);
  return { limits, main: longest.main({ allowed: 0 })?.limit, found };
}

const limitsOf = async (...given: Parameters<typeof sendTo>) => (await sendTo(...given)).limits;

const healthy: ServiceModel = { limiter: { kind: "none" }, latencyMs: 5 };

test("every event that waits for the rate is limited by it, the last of a batch too", async () => {
  const limits = await limitsOf(60, healthy, { ratePerSecond: 20 });
  expect(limits.slice(2)).toEqual(Array(58).fill("rate"));
});

test.each([700, 3000])(
  "of %i rows, the rate that is named is what the service goes on to take",
  async (rows) => {
    const bucket = { kind: "bucket", perSecond: 150, burst: 30 } as const;
    const model: ServiceModel = { limiter: bucket, latencyMs: 30, status: 503 };
    const { found } = await sendTo(rows, model, { concurrency: 32, adaptive: true });
    expect(found).toBeGreaterThan(0.85 * 150);
    expect(found).toBeLessThan(1.03 * 150);
  },
);

test.each([0.02, 0.04])("no rate is named where %d are refused by chance", async (share) => {
  const model: ServiceModel = { ...healthy, fails: { share, status: 503 } };
  const { found } = await sendTo(3000, model, { concurrency: 32, adaptive: true });
  expect(found).toBeUndefined();
});

test("a rate that nothing waits for limits nothing", async () => {
  const limits = await limitsOf(30, healthy, { ratePerSecond: 20 }, 100);
  expect(limits).toEqual(Array(30).fill(undefined));
});

describe("as many as may be in flight", () => {
  const adaptive = { concurrency: 64, adaptive: true };

  test("are limited by the time that answers take, while the service copes", async () => {
    const slow = { ...healthy, latencyMs: 100 };
    const { main } = await sendTo(2000, slow, { concurrency: 8 });
    expect(main).toBe("concurrency");
  });

  test("are not said to be all that the service copes with, if it has refused none", async () => {
    const processors = { kind: "processors", most: 2, workMs: 20 } as const;
    const { main } = await sendTo(600, { ...healthy, limiter: processors }, adaptive);
    expect(main).toBe("concurrency");
  });

  test("are limited by the service, once it has not let in more", async () => {
    const few = { most: 5, extra: "refused" } as const;
    const { main } = await sendTo(1000, { ...healthy, latencyMs: 50, connections: few }, adaptive);
    expect(main).toBe("adapted_concurrency");
  });
});
