import { describe, expect, test } from "vitest";
import { createFakeClock } from "../fake-clock.ts";
import { deliveryTo } from "./delivery-under-test.ts";
import { accepted, byAttempt, type Reply, startService } from "./service-under-test.ts";

/** When nothing leaves: because the service asks for it, or is down. */

const slowDown = (retryAfter: string): Reply => ({
  status: 429,
  headers: { "retry-after": retryAfter },
  body: "slow down",
});

describe("Retry-After", () => {
  test.each([3_600_000, -3_600_000])(
    "lasts as long as it lasts where the time of day jumps by %i ms meanwhile",
    async (jumpMs) => {
      const real = createFakeClock();
      let jumpedMs = 0;
      const clock = { ...real, date: () => new Date(real.date().getTime() + jumpedMs) };
      const service = await startService(byAttempt({ 2: [slowDown("30"), accepted] }));
      const { send } = await deliveryTo(service.url, { clock });
      await send(1);
      const askedMs = clock.now();
      clock.schedule(10_000, () => {
        jumpedMs = jumpMs;
      });
      expect(await send(2)).toMatchObject({ status: "succeeded", attempts: 2 });
      expect(Math.floor((clock.now() - askedMs) / 1000)).toBe(30);
    },
  );

  test("is not needed where the service says that its quota is used up until then", async () => {
    const quota = (left: number) => ({
      status: 202,
      headers: { ratelimit: `default;r=${left};t=7`, "ratelimit-policy": "default;q=100;w=60" },
    });
    const service = await startService(byAttempt({ 1: [quota(50)], 2: [quota(0)] }));
    const { send, clock, delivery } = await deliveryTo(service.url, { adaptive: true });
    await send(1);
    await send(2);
    expect(delivery.state().waitsFor).toMatchObject({ kind: "pause", forMs: 7000 });
    await send(3);
    expect(clock.now()).toBeGreaterThanOrEqual(7000);
  });
});

describe("until when the service wants to be left alone", () => {
  const untilMs = (seconds: number) => Date.parse("2026-03-01T12:00:00Z") + 1000 * seconds;

  test.each(["100000", "999999999999", "9".repeat(400)])(
    "stands there as no more than a day (%s s), after which a resume asks again with one event",
    async (seconds) => {
      const service = await startService(byAttempt({ 2: [slowDown(seconds)] }));
      const { send, waits } = await deliveryTo(service.url);
      await send(1);
      await send(2);
      expect(waits.map((ms) => Math.floor((ms - untilMs(0)) / 1000))).toEqual([24 * 3600]);
    },
  );

  test("is waited for by the run that resumes", async () => {
    const times: number[] = [];
    const service = await startService(() => {
      times.push(clock.now());
      return accepted;
    });
    const { send, clock, notices } = await deliveryTo(service.url, { waitUntil: untilMs(40) });
    const outcomes = await Promise.all([send(1), send(2), send(3)]);
    expect(outcomes.every(({ status }) => status === "succeeded")).toBe(true);
    expect(times[0]).toBeGreaterThanOrEqual(40_000);
    expect(times[0]).toBeLessThan(41_000);
    expect(notices).toMatchObject([
      { kind: "pause", reason: "asked", durationMs: 40_000 },
      { kind: "pause_over", reason: "asked" },
    ]);
  });

  test("and then nobody is there: that stops the run as at any beginning", async () => {
    const service = await startService(() => accepted);
    await service.close();
    const { send, stop } = await deliveryTo(service.url, { waitUntil: untilMs(40) });
    expect(await send(1)).toMatchObject({ status: "not_sent", attempts: 3 });
    expect(stop.signal.reason).toMatchObject({ code: "unreachable" });
  });
});

test("after an outage no more leave at a time than in the beginning", async () => {
  let downSince: number | undefined;
  let [before, after, probes] = [0, 0, 0];
  const service = await startService(({ n }): Reply => {
    const { allowed } = delivery.state();
    if (n < 100) {
      before = allowed;
      return accepted;
    }
    downSince ??= clock.now();
    if (clock.now() < downSince + 5000) return { status: 502 };
    if (++probes === 2) after = allowed;
    return accepted;
  });
  const { send, clock, delivery } = await deliveryTo(service.url, {
    concurrency: 12,
    adaptive: true,
  });
  await send(1);
  await Promise.all(Array.from({ length: 150 }, (_, at) => send(at + 2)));
  expect(before).toBeGreaterThan(4);
  expect(after).toBe(4);
});
