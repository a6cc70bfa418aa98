import { expect, test } from "vitest";
import { createDeadlines } from "../../src/delivery/deadlines.ts";
import { createFakeClock } from "../fake-clock.ts";

function deadlinesUnderTest() {
  const clock = createFakeClock({ deadlineMs: 1000 });
  const over: [string, number][] = [];
  const byName = new Map<string, { name: string; permit: number; sentMs: number }>();
  const named = (name: string) => {
    const attempt = byName.get(name) ?? { name, permit: byName.size, sentMs: 0 };
    byName.set(name, attempt);
    return attempt;
  };
  const attempts = createDeadlines<ReturnType<typeof named>>(clock, 1000, ({ name }) =>
    over.push([name, clock.now()]),
  );
  const deadlines = {
    begin(name: string) {
      const attempt = named(name);
      attempt.sentMs = clock.now();
      attempts.begin(attempt);
    },
    end: (name: string) => attempts.end(named(name)),
  };
  /** Moves time by hand, and lets the event loop turn. */
  const wait = async (durationMs: number) => {
    clock.advance(durationMs);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  return { clock, over, deadlines, wait };
}

test("each is over when its own time is, and not before", async () => {
  const { over, deadlines, wait } = deadlinesUnderTest();
  deadlines.begin("a");
  await wait(300);
  deadlines.begin("b");
  await wait(300);
  deadlines.begin("c");
  await wait(399);
  expect(over).toEqual([]);
  for (const durationMs of [1, 300, 300]) await wait(durationMs);
  expect(over).toEqual([
    ["a", 1000],
    ["b", 1300],
    ["c", 1600],
  ]);
});

test("what has ended is never over, and the next has its whole time", async () => {
  const { over, deadlines, wait } = deadlinesUnderTest();
  deadlines.begin("a");
  await wait(600);
  deadlines.begin("b");
  deadlines.end("a");
  await wait(999);
  expect(over).toEqual([]);
  await wait(1);
  expect(over).toEqual([["b", 1600]]);
});

test("with nothing open, no timer is left", async () => {
  const { clock, deadlines, wait } = deadlinesUnderTest();
  deadlines.begin("a");
  deadlines.begin("b");
  deadlines.end("b");
  expect(clock.waiting).toBe(1);
  deadlines.end("a");
  expect(clock.waiting).toBe(0);
  deadlines.begin("c");
  await wait(1000);
  expect(clock.waiting).toBe(0);
});

test("an answer that is read right after the time was over still counts", async () => {
  const { clock, over, deadlines } = deadlinesUnderTest();
  deadlines.begin("a");
  deadlines.begin("b");
  clock.advance(1000);
  deadlines.end("a");
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  expect(over).toEqual([["b", 1000]]);
});

test("and what begins anew right after it has its whole time", async () => {
  const { clock, over, deadlines, wait } = deadlinesUnderTest();
  deadlines.begin("a");
  deadlines.begin("b");
  clock.advance(1000);
  deadlines.end("a");
  deadlines.begin("a");
  await wait(999);
  expect(over).toEqual([["b", 1999]]);
  await wait(1);
  expect(over.slice(1)).toEqual([["a", 2000]]);
});
