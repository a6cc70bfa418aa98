import fc from "fast-check";
import { expect, test } from "vitest";
import { createWindow } from "../../src/delivery/window.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";

const stopped = { code: "interrupted", message: "" } as const;

test("never holds more rows or characters than it may, but for one large row alone", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(10), fc.nat(60)), { maxLength: 60 });
  const limits = fc.record({
    maxPending: fc.integer({ min: 1, max: 8 }),
    maxPendingChars: fc.integer({ min: 1, max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, limits, fc.infiniteStream(fc.nat(5)), async (rows, bounds, chance) => {
      const window = createWindow(bounds, createStopSwitch());
      const inside: number[] = [];
      let entered = 0;
      const reader = (async () => {
        for (const chars of rows) {
          await window.enter(chars);
          inside.push(chars);
          entered++;
          expect(window.pending).toBe(inside.length);
          expect(inside.length).toBeLessThanOrEqual(bounds.maxPending);
          const total = inside.reduce((sum, size) => sum + size, 0);
          if (inside.length > 1) expect(total).toBeLessThanOrEqual(bounds.maxPendingChars);
        }
      })();
      while (entered < rows.length || inside.length > 0) {
        for (let turns = chance.next().value ?? 0; turns > 0; turns--) await Promise.resolve();
        const at = (chance.next().value ?? 0) % Math.max(1, inside.length);
        const [chars] = inside.splice(at, 1);
        if (chars !== undefined) window.leave(chars);
      }
      await reader;
      expect(window.pending).toBe(0);
    }),
    { numRuns: 80 },
  );
});

test("a stop lets the reader go on at once", async () => {
  const stop = createStopSwitch();
  const window = createWindow({ maxPending: 1, maxPendingChars: 100 }, stop);
  await window.enter(1);
  const waiting = window.enter(1);
  stop.request(stopped);
  await waiting;
  await window.enter(1);
  expect(window.pending).toBe(3);
});

test("takes one row that is larger than the bound, and the next when it has left", async () => {
  const window = createWindow({ maxPending: 5, maxPendingChars: 10 }, createStopSwitch());
  await window.enter(100);
  let isIn = false;
  const next = window.enter(1).then(() => {
    isIn = true;
  });
  await new Promise(setImmediate);
  expect([isIn, window.pending]).toEqual([false, 1]);
  window.leave(100);
  await next;
  expect(window.pending).toBe(1);
});
