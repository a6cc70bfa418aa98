import fc from "fast-check";
import { expect, test } from "vitest";
import { createReadAhead } from "../../src/run/send/read-ahead.ts";

const many = Number.MAX_SAFE_INTEGER;
const unbounded = { maxRows: many, maxChars: many, maxPending: many, maxHeldChars: many };

test("never holds more in memory and in all than it may, but for one large row alone", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(10), fc.nat(60)), { maxLength: 60 });
  const limits = fc.record({
    maxRows: fc.integer({ min: 1, max: 8 }),
    maxChars: fc.integer({ min: 1, max: 40 }),
    maxPending: fc.integer({ min: 1, max: 12 }),
    maxHeldChars: fc.integer({ min: 1, max: 50 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, limits, fc.infiniteStream(fc.nat(50)), async (rows, bounds, chance) => {
      const window = createReadAhead(bounds, new AbortController().signal);
      const inMemory: number[] = [];
      const held: number[] = [];
      const sum = (all: number[]) => all.reduce((total, size) => total + size, 0);
      const next = () => chance.next().value ?? 0;
      let entered = 0;
      let hasFailed = false;
      const reader = (async () => {
        for (const chars of rows) {
          await window.enter(chars);
          inMemory.push(chars);
          entered++;
          expect(window.pending).toBe(inMemory.length + held.length);
          expect(window.pending).toBeLessThanOrEqual(bounds.maxPending);
          expect(inMemory.length).toBeLessThanOrEqual(bounds.maxRows);
          if (inMemory.length > 1) expect(sum(inMemory)).toBeLessThanOrEqual(bounds.maxChars);
        }
      })();
      reader.catch(() => {
        hasFailed = true;
      });
      while (!hasFailed && (entered < rows.length || window.pending > 0)) {
        for (let turns = next() % 6; turns > 0; turns--) await Promise.resolve();
        const [chars] = inMemory.splice(next() % Math.max(1, inMemory.length), 1);
        if (chars !== undefined && next() % 2 === 0) {
          held.push(chars);
          window.hold(chars, chars);
        } else if (chars !== undefined) window.leave(chars);
        if (next() % 3 > 0) continue;
        const back = held.splice(0, next() % 4);
        for (const one of back) window.leaveHeld(one);
      }
      await reader;
      expect(window.pending).toBe(0);
    }),
    { numRuns: 80 },
  );
});

test("lets nothing in while the lines that are held take more than they may", async () => {
  const window = createReadAhead({ ...unbounded, maxHeldChars: 310 }, new AbortController().signal);
  await window.enter(5);
  await window.enter(5);
  window.hold(5, 8);
  await window.enter(5);
  window.hold(5, 8);
  let isIn = false;
  const next = window.enter(1)?.then(() => {
    isIn = true;
  });
  await new Promise(setImmediate);
  expect([isIn, window.pending]).toEqual([false, 3]);
  window.leaveHeld(8);
  await next;
  expect(window.pending).toBe(3);
});
