import fc from "fast-check";
import { expect, test } from "vitest";
import { createDoneRows, windowRows } from "../../src/journal/done-rows.ts";
import { sum } from "../../src/model/quantities.ts";
import { createReadAhead } from "../../src/run/send/read-ahead.ts";

const mebi = 1024 * 1024;

/** The rows of a part, each with the characters of its lines, and what draws lots. */
const rows = fc.array(fc.array(fc.nat(50), { minLength: 1, maxLength: 3 }), { maxLength: 12 });
const lots = fc.infiniteStream(fc.nat(1000));
/** Mostly none, or as many as where the window begins anew. */
const rowsBefore = fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.constant(windowRows - 4));

test("the fold of done rows is what a list of all lines says, in whichever order these come", () => {
  fc.assert(
    fc.property(rows, lots, rowsBefore, (lines, lot, before) => {
      const done = createDoneRows();
      for (let row = 1; row <= before; row++) done.line(row, 0, 1, true);
      const drawn = () => lot.next().value;
      const known = lines.map(() => new Set<number>());
      const isWhole = (at: number) => known[at]?.size === lines[at]?.length;
      for (let left = sum(lines.map(({ length }) => length)); left > 0; ) {
        const at = drawn() % lines.length;
        const place = drawn() % (lines[at]?.length ?? 1);
        const isNew = known[at]?.has(place) === false;
        const isLast = known[at]?.add(place).size === lines[at]?.length;
        // A line that comes again is that of a process that was killed.
        expect(done.line(before + at + 1, place, lines[at]?.[place] ?? 0, isLast)).toBe(isNew);
        if (isNew) left--;

        const first = lines.findIndex((_, row) => !isWhole(row));
        const upTo = first < 0 ? lines.length : first;
        const held = lines.filter((_, row) => row > upTo && isWhole(row)).flat();
        expect(done).toMatchObject({
          ...{ upTo: before + upTo, heldChars: sum(held) },
          count: before + lines.filter((_, row) => isWhole(row)).length,
        });
        expect(lines.map((_, row) => done.isDone(before + row + 1))).toEqual(
          lines.map((_, row) => isWhole(row)),
        );
        expect(done.isWithin(before + upTo + windowRows + 1)).toBe(false);
      }
    }),
    { numRuns: 100 },
  );
});

test("rows that have not settled and lines that wait for them never take more than they may, but for one large row alone", async () => {
  const size = fc.oneof(
    { weight: 30, arbitrary: fc.nat(2 * mebi) },
    fc.integer({ min: 4 * mebi, max: 9 * mebi }),
  );
  const sizes = fc.array(size, { maxLength: 40, size: "max" });
  await fc.assert(
    fc.asyncProperty(sizes, lots, async (chars, lot) => {
      const done = createDoneRows();
      const window = createReadAhead(done, new AbortController().signal);
      const inMemory: number[] = [];
      const reader = (async () => {
        for (const [at, ofRow] of chars.entries()) {
          await window.enter(at + 1, ofRow);
          inMemory.push(at);
          const inAll = sum(inMemory.map((one) => chars[one] ?? 0));
          if (inMemory.length > 1) expect(inAll).toBeLessThanOrEqual(4 * mebi);
        }
      })();
      let hasFailed = false;
      reader.catch(() => {
        hasFailed = true;
      });
      while (!hasFailed && done.count < chars.length) {
        for (let turns = lot.next().value % 4; turns > 0; turns--) await Promise.resolve();
        // The oldest one takes longest.
        const younger = inMemory.length - 1;
        const isOldest = younger < 1 || lot.next().value % 50 === 0;
        const [at] = inMemory.splice(isOldest ? 0 : 1 + (lot.next().value % younger), 1);
        if (at === undefined) continue;
        done.line(at + 1, 0, 2 * (chars[at] ?? 0), true);
        window.leave(chars[at] ?? 0);
        // Nothing enters above 16 MiB, and what is in memory then settles.
        expect(done.heldChars).toBeLessThanOrEqual(16 * mebi + 2 * 4 * mebi);
      }
      await reader;
      expect(window.isWaitedFor).toBe(false);
    }),
    { numRuns: 80 },
  );
});

test.each([
  ["10,000 rows have not settled", 10_000, 10_001, 2],
  ["a row is too far ahead of one that is not done, however few there are", 1, windowRows, 1],
])("nothing is read where %s, unless the run stops", async (_, entered, row, settles) => {
  for (const isStopped of [false, true]) {
    const done = createDoneRows();
    const stop = new AbortController();
    const window = createReadAhead(done, stop.signal);
    for (let at = 1; at <= entered; at++) await window.enter(at, 1);
    let isIn = false;
    const next = window.enter(row, 1)?.then(() => {
      isIn = true;
    });
    await new Promise(setImmediate);
    expect([isIn, window.isWaitedFor]).toEqual([false, true]);
    if (isStopped) stop.abort({ code: "interrupted", message: "" });
    else {
      done.line(settles, 0, 1, true);
      window.leave(1);
    }
    await next;
    expect([isIn, window.isWaitedFor]).toEqual([true, false]);
  }
});
