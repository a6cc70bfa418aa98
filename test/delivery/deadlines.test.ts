import { expect, test } from "vitest";
import { createDeadlines } from "../../src/delivery/deadlines.ts";
import { createFakeClock } from "../fake-clock.ts";

function deadlinesUnderTest() {
  const clock = createFakeClock({ deadlineMs: 1000 });
  const over: [string, number][] = [];
  const deadlines = createDeadlines<string>(clock, 1000, (name) => over.push([name, clock.now()]));
  return { clock, over, deadlines };
}

test("each is over when its own time is, and not before", () => {
  const { clock, over, deadlines } = deadlinesUnderTest();
  deadlines.begin("a");
  clock.advance(300);
  deadlines.begin("b");
  clock.advance(300);
  deadlines.begin("c");
  clock.advance(5000);
  expect(over).toEqual([
    ["a", 1000],
    ["b", 1300],
    ["c", 1600],
  ]);
  expect([...deadlines.open]).toEqual([]);
});

test("what has ended is never over, and the next has its whole time", () => {
  const { clock, over, deadlines } = deadlinesUnderTest();
  deadlines.begin("a");
  clock.advance(600);
  deadlines.begin("b");
  deadlines.end("a");
  clock.advance(999);
  expect(over).toEqual([]);
  clock.advance(1);
  expect(over).toEqual([["b", 1600]]);
});

test("with nothing open, no timer is left", () => {
  const { clock, deadlines } = deadlinesUnderTest();
  deadlines.begin("a");
  deadlines.begin("b");
  deadlines.end("b");
  expect(clock.waiting).toBe(1);
  deadlines.end("a");
  expect(clock.waiting).toBe(0);
});
