import { expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/classify-attempt.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { isThorough } from "../runs.ts";
import { connectTo, noTap, openSimulated, type Post } from "./simulated-wire.ts";

const timeoutMs = 30_000;
const seeds = isThorough ? [1, 2, 3] : [1];
const noAnswer: Attempt = { kind: "unanswered", code: "timeout", message: "no answer" };

interface Sent {
  /** When nine tenths had succeeded; the backoff of an event that failed often may take longer. */
  readonly mostMs: number;
  readonly succeeded: number;
  readonly pauses: number;
  /** When attempts left. */
  readonly firsts: readonly number[];
  readonly retries: readonly number[];
}

interface Sending {
  readonly maxOutageMs?: number;
  readonly maxAttempts?: number;
  /** What the requests that fail are answered with; none: they are never answered. */
  readonly statuses?: readonly number[];
  readonly latencyMs?: number;
  readonly seed?: number;
}

/** Sends rows to a service that fails a share of all requests, whichever they are. */
async function send(
  rows: number,
  concurrency: number,
  share: number,
  sending: Sending = {},
): Promise<Sent> {
  const { maxOutageMs = 15 * 60_000, maxAttempts = 10, statuses = [502] } = sending;
  const { latencyMs = 10, seed = 1 } = sending;
  const clock = createVirtualClock({ seed });
  const post: Post = () =>
    new Promise((resolve) => {
      const chance = clock.random() / share;
      if (chance < 1 && statuses.length === 0) {
        clock.schedule(timeoutMs - 1, () => resolve(noAnswer));
        return;
      }
      const httpStatus = statuses[Math.floor(chance * statuses.length)] ?? 202;
      const answer: Attempt = { kind: "answered", httpStatus, body: "" };
      clock.schedule(latencyMs, () => resolve(answer));
    });
  let succeeded = 0;
  let pauses = 0;
  const firsts: number[] = [];
  const retries: number[] = [];
  let mostMs = 0;
  const settings = { concurrency, adaptive: true, maxAttempts, maxOutageMs, timeoutMs };
  const { sendRows } = await openSimulated(clock, connectTo(post, true), settings, {
    tap: {
      ...noTap,
      notice({ kind }) {
        if (kind === "pause") pauses++;
      },
    },
    onTried: ({ sentMs, isRetry }) => (isRetry ? retries : firsts).push(sentMs),
    onSettled({ outcomes }) {
      if (outcomes[0]?.status !== "succeeded") return;
      succeeded++;
      if (succeeded === 0.9 * rows) mostMs = clock.now();
    },
  });
  await sendRows(rows);
  clock.end();
  return { mostMs, succeeded, pauses, firsts, retries };
}

test.each([
  [8, 0.1, [500], 2000, 0.95 * 0.9],
  [32, 0.2, [500], 6000, 0.95 * 0.8],
  [8, 0.1, [502], 4000, 0.7],
  [8, 0.2, [502], 4000, 0.55],
  [32, 0.1, [502], 12_000, 0.7],
  [32, 0.2, [504], 12_000, 0.4],
  [8, 0.1, [503], 4000, 0.7],
  [8, 0.2, [503], 4000, 0.55],
  [32, 0.03, [503], 12_000, 0.7],
  [32, 0.05, [503], 12_000, 0.7],
  [32, 0.1, [503], 12_000, 0.7],
  // It takes a few hundred attempts, at two lower rates, to see that the load is not to blame.
  [32, 0.2, [503], 12_000, 0.4],
  [32, 0.2, [500, 502, 503, 504], 12_000, 0.4],
])(
  "with %i at a time, a share of %d that fails with %j, whatever the load, is no reason to slow down",
  async (concurrency, share, statuses, fewRows, isLeft) => {
    const rows = isThorough ? 2 * fewRows : fewRows;
    for (const seed of seeds) {
      const without = await send(rows, concurrency, 0, { seed });
      const withFailures = await send(rows, concurrency, share, { statuses, seed });
      expect(withFailures.succeeded).toBe(rows);
      if (!statuses.includes(503)) expect(withFailures.pauses).toBe(0);
      expect(without.mostMs / withFailures.mostMs).toBeGreaterThan(isLeft);
    }
  },
);

test("where half of all fail, retries keep to their budget, and first attempts go on", async () => {
  const rows = 2000;
  const without = await send(rows, 8, 0);
  const sent = await send(rows, 8, 0.5, { maxOutageMs: 0, maxAttempts: 50 });
  expect(sent.succeeded).toBe(rows);
  const { firsts, retries } = sent;
  const until = (times: readonly number[], ms: number) => times.filter((at) => at <= ms).length;
  for (let ms = 1000; ms < 120_000; ms += 500) {
    if (ms > (firsts.at(-1) ?? 0)) break;
    // Half of the retries succeed, more or less.
    const earned = 10 + 0.3 * until(firsts, ms) + 1.3 * 0.6 * until(retries, ms);
    expect(until(retries, ms)).toBeLessThanOrEqual(earned + 20);
  }
  expect((without.firsts.at(-1) ?? 0) / (firsts.at(-1) ?? 0)).toBeGreaterThan(0.25);
});

test("where one in a hundred is never answered, the slots that they hold are all that is lost", async () => {
  const rows = 12_000;
  const concurrency = 32;
  const latencyMs = 20;
  for (const seed of seeds) {
    const sent = await send(rows, concurrency, 0.01, { statuses: [], latencyMs, seed });
    // Where all places are taken by attempts that are not answered, the oldest is given up.
    expect(sent.succeeded).toBe(rows);
    // As many slots, each held for 20 ms by 99 attempts and for 30 s by one.
    const possible = concurrency / (0.99 * latencyMs + 0.01 * timeoutMs);
    expect((0.9 * rows) / sent.mostMs / possible).toBeGreaterThan(0.9);
  }
});
