import { describe, expect, test } from "vitest";
import { createIsoTime, systemClock } from "../../src/model/clock.ts";
import { createFakeClock } from "../fake-clock.ts";

describe("the clock of the system", () => {
  test("never runs anything before its time, not even where the loop was busy when it was asked", async () => {
    const early: number[] = [];
    for (const delayMs of [0, 0.4, 3, 5.7, 12.9]) {
      await new Promise((resolve) => setImmediate(resolve));
      const busyUntil = performance.now() + 8; // the loop knows nothing of this time
      while (performance.now() < busyUntil);
      const askedMs = performance.now();
      await new Promise<void>((resolve) => void systemClock.schedule(delayMs, resolve));
      const took = performance.now() - askedMs;
      if (took < delayMs) early.push(delayMs);
    }
    expect(early).toEqual([]);
  });

  test("calls off what it was asked for", async () => {
    let hasRun = false;
    const cancel = systemClock.schedule(2, () => {
      hasRun = true;
    });
    cancel();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(hasRun).toBe(false);
  });
});

test("the time in ISO 8601 goes forward with the clock", () => {
  const clock = createFakeClock();
  const isoTime = createIsoTime(clock);
  const texts = [isoTime(), isoTime()];
  clock.advance(1);
  texts.push(isoTime());
  expect(texts.map((text) => text.slice(-4))).toEqual(["000Z", "000Z", "001Z"]);
});
