import { expect, test } from "vitest";
import { PendingEvent, PendingRow } from "../../src/delivery/pending-event.ts";
import { createQueues, type Queues } from "../../src/delivery/queues.ts";
import { createFakeClock } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";

const row = new PendingRow({ row: 1, line: 2, cells: [] }, 1);

test.each<[string, (queues: Queues, event: PendingEvent) => void]>([
  ["is ready", ({ ready }, event) => ready.push(event)],
  ["is sent again with a new token", ({ ready }, event) => ready.putBack(event)],
  ["is staged", ({ staged }, event) => staged.push(event)],
  ["is in flight", ({ inFlight }, event) => inFlight.begin(event)],
  ["is to be retried", ({ retries }, event) => retries.push(event, 100)],
  ["is held", ({ held }, event) => held.push(event)],
])("whoever says that an event %s need not wake the loop", (_, put) => {
  let woken = 0;
  const queues = createQueues(
    createFakeClock(),
    1000,
    () => {},
    () => woken++,
  );
  put(queues, new PendingEvent(eventOf(1), row, 0));
  expect(woken).toBe(1);
});
