import { expect, test } from "vitest";
import type { Outcome } from "../../src/domain/outcome.ts";
import { createRowQueue } from "../../src/results/row-queue.ts";

const outcomes: readonly Outcome[] = [{ ending: "succeeded", attempts: 1, unanswered: 0 }];

test("what a row weighs counts as long as it waits in memory, and no longer", () => {
  const queue = createRowQueue();
  const [first, second, third] = [1, 2, 3].map((row) =>
    queue.add({ row, line: row + 1, cells: ["a cell"] }),
  );
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  queue.end(second, outcomes);
  const { chars } = queue.held;
  expect(chars).toBeGreaterThan(0);
  queue.end(third, outcomes);
  expect({ ...queue.held }).toEqual({ rows: 2, chars: 2 * chars });
  expect(queue.setAside(third)).toBe(true);
  expect({ ...queue.held }).toEqual({ rows: 1, chars });
  queue.end(first, outcomes);
  expect({ ...queue.held }).toEqual({ rows: 0, chars: 0 });
  expect(queue.takeReady()).toEqual([
    { kind: "rows", rows: [first, second] },
    { kind: "aside", first: 2, count: 1 },
  ]);
});
