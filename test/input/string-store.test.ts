import fc from "fast-check";
import { expect, it } from "vitest";
import { createStringStore } from "../../src/input/workbook/string-store.ts";

it("gives back every text, also those that are on the disk", async () => {
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.constantFrom("é".repeat(20_000), "") },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (texts, maxBlocks) => {
        const store = createStringStore(maxBlocks);
        for (const one of texts) await store.add(one);
        const onward = [...texts.keys()];
        const places = [...onward].reverse();
        expect(
          [...places, ...onward, ...onward.filter((at) => at % 3 === 1), ...places].map(
            (at) => store.get(at) === texts[at],
          ),
        ).not.toContain(false);
        expect([-1, 0.5, texts.length, Number.NaN].map(store.get)).toEqual(
          Array(4).fill(undefined),
        );
        await store.close();
      },
    ),
    { numRuns: 30 },
  );
});

it("texts that are asked for in any order cost no more memory than those in order", async () => {
  const store = createStringStore(4);
  const texts = 4096;
  for (let at = 0; at < texts; at++) await store.add(String(at).padEnd(900, "."));
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let time = 0; time < 4000; time++) {
    expect(store.get((time * 1999) % texts)?.startsWith(`${(time * 1999) % texts}.`)).toBe(true);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(4 * 1024 * 1024);
  await store.close();
});

it("where millions of short texts are takes next to no memory", async () => {
  const store = createStringStore(4);
  const texts = 300_000;
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at < texts; at++) await store.add(String(at));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(512 * 1024);
  for (let at = 0; at < texts; at += 997) expect(store.get(at)).toBe(String(at));
  await store.close();
});
