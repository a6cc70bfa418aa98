import fc from "fast-check";
import { expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { rowOf } from "./event-of.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

const ills: readonly Attempt[] = [
  ...[502, 503, 504].map((httpStatus): Attempt => ({ kind: "answered", httpStatus, body: "" })),
  { kind: "unanswered", code: "ECONNRESET", message: "read ECONNRESET" },
  { kind: "not_sent", code: "ECONNREFUSED", message: "refused" },
];

/** Events that the service cannot take, whatever its state. */
const poison: Attempt = { kind: "answered", httpStatus: 500, body: "cannot take that" };

interface Situation {
  readonly rows: number;
  readonly concurrency: number;
  readonly adaptive: boolean;
  readonly maxAttempts: number;
  readonly latencyMs: number;
  readonly seed: number;
  readonly poisoned: ReadonlySet<number>;
  /** The service goes down when it has taken so many; without: never. */
  readonly downAfter?: number;
  readonly downForMs: number;
  readonly ill: Attempt;
}

/** Sends all rows to a service without sockets. */
async function sendAll(situation: Situation) {
  const { rows, seed, latencyMs, poisoned, downAfter, downForMs, ill } = situation;
  const clock = createVirtualClock({ seed });
  let taken = 0;
  let downSince: number | undefined;
  const answer = (row: number): Attempt => {
    if (downAfter !== undefined && taken >= downAfter) downSince ??= clock.now();
    if (downSince !== undefined && clock.now() < downSince + downForMs) return ill;
    if (poisoned.has(row)) return poison;
    taken++;
    return { kind: "answered", httpStatus: 202, body: "" };
  };
  const post: Post = (request) =>
    new Promise((resolve) => {
      clock.schedule(latencyMs / 2, () => {
        const result = answer(rowOf(request));
        clock.schedule(latencyMs / 2, () => resolve(result));
      });
    });
  const settled: (readonly Outcome[])[] = [];
  const { stop, sendRows } = await openSimulated(clock, connectTo(post), situation, {
    onSettled(row) {
      settled[row.rowOfRun - 1] = row.outcomes;
    },
  });
  await sendRows(rows);
  clock.end();
  const outcomes = Array.from({ length: rows }, (_, at) => settled[at]?.[0] ?? notSent);
  return { outcomes, stopped: stop.signal.reason?.code };
}

const notSent: Outcome = { status: "not_sent", attempts: 0, unanswered: 0 };

const situations = fc.record({
  rows: fc.integer({ min: 30, max: 80 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
  adaptive: fc.boolean(),
  maxAttempts: fc.integer({ min: 2, max: 5 }),
  latencyMs: fc.integer({ min: 1, max: 200 }),
  seed: fc.nat(),
});
/**
 * At the end of a run, a service that answers with 500 cannot be told from events that it cannot take. It takes a quarter
 * of a second to notice.
 */
const ill = fc.oneof(
  fc.record({ ill: fc.constantFrom(...ills) }),
  fc.record({
    ill: fc.constant(poison),
    rows: fc.integer({ min: 350, max: 420 }),
    latencyMs: fc.integer({ min: 20, max: 200 }),
  }),
);
const outage = fc.record({
  downAfter: fc.integer({ min: 1, max: 19 }),
  downForMs: fc.integer({ min: 60_000, max: 600_000 }),
});
const noOutage = { downForMs: 0 };

/** Not the first ones, which have to show that there is a service at all. */
const poisonedRows = fc.uniqueArray(fc.integer({ min: 2, max: 15 }), { maxLength: 3 });

test("poisoned events fail, and no other, whether there is an outage besides, and however it looks", async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[situations, ill, fc.option(outage, { nil: noOutage }), poisonedRows],
      async (base, down, times, poisoned) => {
        const situation = { ...base, ...down, ...times, poisoned: new Set(poisoned) };
        const { outcomes, stopped } = await sendAll(situation);
        expect(stopped).toBeUndefined();
        const expected = outcomes.map(({ unanswered }, at) => {
          if (!poisoned.includes(at + 1)) return "succeeded";
          return unanswered > 0 ? "unknown" : "failed";
        });
        expect(outcomes.map(({ status }) => status)).toEqual(expected);
      },
    ),
    { numRuns: 180 },
  );
});

test.each([0.05, 0.1, 0.2, 0.3, 0.5])(
  "where %d of them are poisoned, every good one is taken",
  async (share) => {
    const rows = 400;
    for (const concurrency of [4, 16, 32]) {
      const poisoned = new Set<number>();
      // Spread evenly; the last ones are good.
      for (let row = 2; row < rows - 20; row++) {
        if ((row * 79) % 100 < share * 100) poisoned.add(row);
      }
      const { outcomes } = await sendAll({
        ...{ rows, concurrency, poisoned, adaptive: true, maxAttempts: 5, latencyMs: 20, seed: 3 },
        ...{ downForMs: 0, ill: poison },
      });
      const taken = outcomes.filter(({ status }) => status === "succeeded");
      expect([concurrency, taken.length]).toEqual([concurrency, rows - poisoned.size]);
    }
  },
);
