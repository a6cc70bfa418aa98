import { expect, test } from "vitest";
import type { Attempt } from "../../src/delivery/attempt.ts";
import { openDelivery } from "../../src/delivery/delivery.ts";
import { parseBaseUrl } from "../../src/delivery/endpoint.ts";
import { readToken } from "../../src/delivery/token.ts";
import { PendingRow } from "../../src/domain/pending-row.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createVirtualClock } from "../virtual-clock.ts";
import { eventOf } from "./event-of.ts";
import { connectTo, noJournal, noTap, type Post } from "./simulated-wire.ts";

const latencyMs = 10;

interface Sent {
  /** When nine tenths had succeeded; the backoff of an event that failed often may take longer. */
  readonly mostMs: number;
  readonly succeeded: number;
  readonly pauses: number;
}

/** Sends rows to a service that answers a share of all requests with a 502, whichever they are. */
async function send(rows: number, concurrency: number, share: number): Promise<Sent> {
  const clock = createVirtualClock();
  const stop = createStopSwitch();
  const post: Post = () =>
    new Promise((resolve) => {
      const httpStatus = clock.random() < share ? 502 : 202;
      const answer: Attempt = { kind: "answered", httpStatus, body: "" };
      clock.schedule(latencyMs, () => resolve(answer));
    });
  const tokenSource = { kind: "value", value: "simulated", from: "the test" } as const;
  let succeeded = 0;
  let pauses = 0;
  let mostMs = 0;
  const delivery = openDelivery(
    {
      ...{ concurrency, adaptive: true, maxAttempts: 10, timeoutMs: 30_000 },
      ...{ mode: "at-least-once", maxOutageMs: 15 * 60_000, tokenSource },
      endpoint: parseBaseUrl("https://example.com", false),
      token: await readToken(tokenSource),
    },
    {
      connect: connectTo(post),
      journal: noJournal,
      tap: {
        ...noTap,
        notice({ kind }) {
          if (kind === "pause") pauses++;
        },
      },
      clock,
      stop,
      onSettled({ outcomes }) {
        if (outcomes[0]?.ending !== "succeeded") return;
        succeeded++;
        if (succeeded === 0.9 * rows) mostMs = clock.now();
      },
    },
  );
  for (let row = 1; row <= rows; row++) {
    await delivery.room();
    delivery.send(new PendingRow({ row, line: row + 1, cells: [] }, row), [eventOf(row)]);
  }
  await delivery.finish();
  await delivery.close();
  clock.end();
  return { mostMs, succeeded, pauses };
}

test.each([
  [8, 0.1, 4000],
  [8, 0.2, 4000],
  [32, 0.1, 12_000],
  [32, 0.2, 12_000],
])(
  "with %i at a time, a share of %d that fails leaves the rest of the speed",
  async (concurrency, share, rows) => {
    const without = await send(rows, concurrency, 0);
    const withFailures = await send(rows, concurrency, share);
    expect(withFailures).toMatchObject({ succeeded: rows, pauses: 0 });
    const isLeft = without.mostMs / withFailures.mostMs;
    expect(isLeft).toBeGreaterThan(0.95 * (1 - share));
  },
);
