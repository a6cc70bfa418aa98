import { expect, test } from "vitest";
import { PendingRow } from "../../src/model/pending-row.ts";
import { createRowQueue, type HeldRow } from "../../src/results/row-queue.ts";

test("a row has its place after thousands before it have left", () => {
  const queue = createRowQueue();
  const rows = Array.from(
    { length: 5000 },
    (_, at) => new PendingRow({ row: at + 1, line: at + 2, cells: [] }, at + 1),
  );
  for (const row of rows) queue.add(row);
  const take = (count: number) => {
    for (const row of rows.splice(0, count)) row.isSettled = true;
    while (queue.takeSettled(512).length > 0);
  };
  const held = ({ rowOfRun }: PendingRow): HeldRow => ({
    ...{ rowOfRun, text: `${rowOfRun}`, outcomes: [], settledBefore: [], kept: 0 },
  });
  take(3000);
  const [first, second, third] = rows;
  if (first === undefined || second === undefined || third === undefined) throw new Error("none");
  expect(queue.isNext(first)).toBe(true);
  queue.hold(second, held(second));
  expect([...queue.rows()].slice(0, 3)).toEqual([first, held(second), third]);
  expect(queue.isReady).toBe(false);
  first.isSettled = true;
  expect(queue.takeSettled(512)).toEqual([first, held(second)]);
});
