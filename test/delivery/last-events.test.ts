import { expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { PendingRow } from "../../src/delivery/pending-event.ts";
import type { EventBefore } from "../../src/model/run-record.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { eventOf, rowOf } from "./event-of.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

/** The last rows of a run, and a retry of what is left. */

const latencyMs = 50;

function serviceOf(clock: ReturnType<typeof createVirtualClock>, answer: (row: number) => number) {
  const post: Post = (request) =>
    new Promise((resolve) => {
      clock.schedule(latencyMs, () => {
        const over: Attempt = { kind: "answered", httpStatus: answer(rowOf(request)), body: "" };
        resolve(over);
      });
    });
  return connectTo(post);
}

test.each([8, 40, 200])(
  "a retry of %i events that always get a 500 ends soon after their attempts",
  async (rows) => {
    const clock = createVirtualClock({ seed: 1 });
    const statuses: (string | undefined)[] = [];
    const { delivery, stop } = await openSimulated(
      clock,
      serviceOf(clock, () => 500),
      { isKnown: true, maxAttempts: 5, concurrency: 32, adaptive: true },
      { onSettled: ({ outcomes }) => statuses.push(outcomes[0]?.status) },
    );
    for (let row = 1; row <= rows; row++) {
      await delivery.room();
      const before: EventBefore = {
        ...{ event: 1, attempts: 5, unanswered: 0, importedAt: "", httpStatus: 500 },
      };
      delivery.send(
        new PendingRow({ row, line: row + 1, cells: [] }, row),
        [eventOf(row)],
        [before],
      );
    }
    await delivery.finish();
    await delivery.close();
    clock.end();
    expect(stop.signal.reason).toBeUndefined();
    expect(statuses).toEqual(Array(rows).fill("failed"));
    // One goes at a time, as the service may be down for all, and each has five attempts.
    expect(clock.now()).toBeLessThan(5000 + rows * 5 * 1.5 * latencyMs);
  },
);
