import fc from "fast-check";
import { expect, test } from "vitest";
import { createDeadlines } from "../../src/delivery/queues.ts";
import { createFakeClock } from "../fake-clock.ts";

const timeoutMs = 1000;
const connections = 3;

function deadlinesUnderTest(onOver = () => {}) {
  const clock = createFakeClock();
  clock.end(); // it moves by hand alone
  const over: string[] = [];
  const deadlines = createDeadlines<{ connection: number; sentMs: number }>(
    clock,
    timeoutMs,
    (attempt) => {
      over.push(`${attempt.connection} of ${attempt.sentMs} at ${clock.now()}`);
      deadlines.end(attempt);
      onOver();
    },
  );
  const turns = async () => {
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  };
  return { clock, over, deadlines, turns };
}

test("each is over when its own time is, unless it has ended; with none open, no timer is left", async () => {
  const step = fc.record({
    kind: fc.constantFrom("begin", "end"),
    connection: fc.nat(connections - 1),
    waitMs: fc.constantFrom(0, 1, 300, 999, 1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { clock, over, deadlines, turns } = deadlinesUnderTest();
      const open = new Map<number, { connection: number; sentMs: number }>();
      const expected: string[] = [];
      const begunAt = new Set<number>();
      const endTo = Math.max(0, ...steps.map(({ waitMs }) => waitMs)) + timeoutMs;
      for (const { kind, connection, waitMs } of [
        ...steps,
        { kind: "", connection: 0, waitMs: endTo },
      ]) {
        const attempt = open.get(connection);
        if (kind === "begin" && attempt === undefined) {
          const begun = { connection, sentMs: clock.now() };
          open.set(connection, begun);
          begunAt.add(begun.sentMs);
          deadlines.begin(begun);
        } else if (kind === "end" && attempt !== undefined) {
          deadlines.end(attempt);
          open.delete(connection);
        }
        for (let left = waitMs; left > 0; left--) {
          clock.advance(1);
          // Nothing else has a timer.
          if (!begunAt.has(clock.now() - timeoutMs)) continue;
          await turns();
          for (const [at, one] of [...open].toSorted(([a], [b]) => a - b)) {
            if (clock.now() < one.sentMs + timeoutMs) continue;
            expected.push(`${at} of ${one.sentMs} at ${clock.now()}`);
            open.delete(at);
          }
        }
        expect(over).toEqual(expected);
        expect(clock.waiting).toBe(open.size === 0 ? 0 : 1);
      }
    }),
    { numRuns: 50 },
  );
});

test("an answer that is read right after the time was over counts, and what begins then has its whole time", async () => {
  const { clock, over, deadlines, turns } = deadlinesUnderTest();
  const one = { connection: 0, sentMs: 0 };
  const other = { connection: 1, sentMs: 0 };
  deadlines.begin(one);
  deadlines.begin(other);
  clock.advance(timeoutMs);
  deadlines.end(one);
  one.sentMs = clock.now();
  deadlines.begin(one);
  await turns();
  expect(over).toEqual(["1 of 0 at 1000"]);
  clock.advance(timeoutMs);
  await turns();
  expect(over.slice(1)).toEqual(["0 of 1000 at 2000"]);
});

test("what begins as soon as another one is missed, with its connection, is over when its own time is", async () => {
  const { clock, over, deadlines, turns } = deadlinesUnderTest(() => {
    if (over.length === 1) deadlines.begin({ connection: 0, sentMs: clock.now() });
  });
  deadlines.begin({ connection: 0, sentMs: 0 });
  for (let times = 0; times < 2; times++) {
    clock.advance(timeoutMs);
    await turns();
  }
  expect(over).toEqual(["0 of 0 at 1000", "0 of 1000 at 2000"]);
});
