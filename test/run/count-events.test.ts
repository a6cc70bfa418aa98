import { expect, it } from "vitest";
import type { LoadEvent } from "../../src/model/event.ts";
import { createEventCounts } from "../../src/run/check/count-events.ts";

/** An event that a function made. */
function made(body: object, name: string): LoadEvent {
  const text = JSON.stringify(body);
  const to = { resource: "users", method: "POST" } as const;
  return { id: "", index: 1, name, ...to, data: () => text, body: () => text };
}

it("events by kind take bounded memory, whatever the kinds are called", () => {
  const counts = createEventCounts(undefined);
  for (let at = 0; at < 3000; at++) counts.see([made({}, `e${at}`)]);
  const counted = counts.counted();
  expect(counted).toHaveLength(101);
  expect(counted[0]).toMatchObject({ resource: "users", count: 2900 });
  expect(counted[0]).not.toHaveProperty("event");
});
