import { expect, test } from "vitest";
import { createFirstEvent } from "../../src/delivery/first-event.ts";
import { createQueueBound } from "../../src/delivery/queue-bound.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";

test("one goes ahead; the others wait for its answer", async () => {
  const first = createFirstEvent(createStopSwitch());
  expect(await first.enter()).toBe(true);
  const entered: boolean[] = [];
  const others = [1, 2, 3].map(() => first.enter().then((isFirst) => entered.push(isFirst)));
  await new Promise(setImmediate);
  expect(entered).toEqual([]);
  first.answered();
  await Promise.all(others);
  expect(entered).toEqual([false, false, false]);
  expect(await first.enter()).toBe(false);
});

test("a stop wakes those who wait", async () => {
  const stop = createStopSwitch();
  const first = createFirstEvent(stop);
  await first.enter();
  const other = first.enter();
  stop.request({ code: "interrupted", message: "" });
  expect(await other).toBe(false);
  expect(first.isAnswered).toBe(false);
});

test("a queue has room while fewer wait than may", async () => {
  const queue = createQueueBound(() => 2);
  await queue.room();
  queue.enter();
  queue.enter();
  let hasRoom = false;
  const room = queue.room()?.then(() => {
    hasRoom = true;
  });
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  queue.leave();
  await room;
  queue.enter();
  void queue.room()?.then(() => {
    hasRoom = false;
  });
  await new Promise(setImmediate);
  expect(hasRoom).toBe(true);
});
