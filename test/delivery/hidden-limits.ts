import type { Clock } from "../../src/model/clock.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import { onAbort } from "../../src/model/stop.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { createHiddenLimit } from "../hidden-limits/hidden-limit.ts";
import { type RateFigures, rateFigures } from "../hidden-limits/rate-figures.ts";
import type { Contender, Scenario } from "../hidden-limits/scenarios.ts";
import { createServiceCounts, type Slice } from "../hidden-limits/service-counts.ts";
import { eventOf } from "./event-of.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

/** A service without sockets: it answers on the clock that it is given. */
export interface SimulatedService {
  readonly post: Post;
  readonly slices: readonly Slice[];
}

/** What an answer is on its way, there and back. */
const wireMs = 1;

export function createSimulatedService(
  { limit }: Pick<Scenario, "limit">,
  clock: Clock,
): SimulatedService {
  const service = createHiddenLimit(limit, clock.random);
  const counts = createServiceCounts();
  let startedAt: number | undefined;
  return {
    slices: counts.slices,
    post: () =>
      new Promise((resolve) => {
        startedAt ??= clock.now();
        const start = startedAt;
        const arrivedMs = clock.now() - start;
        const { status, retryAfterS, answerAtMs } = service.arrive(arrivedMs);
        const isRefused = status !== 202;
        counts.arrived(arrivedMs, isRefused);
        const answer = () =>
          resolve({
            kind: "answered",
            httpStatus: status,
            body: "",
            ...(retryAfterS === undefined ? {} : { retryAfter: [String(retryAfterS)] }),
          });
        if (isRefused) {
          clock.schedule(wireMs, answer);
          return;
        }
        clock.schedule(answerAtMs - arrivedMs, () => {
          service.left();
          counts.left(clock.now() - start, answerAtMs - arrivedMs);
          clock.schedule(wireMs, answer);
        });
      }),
  };
}

/** Rows that are read ahead of the results, as in a run. */
const maxPending = 10_000;

export interface SimulatedSending {
  readonly figures: RateFigures;
  readonly slices: readonly Slice[];
  /** Why the run ended before its time, where it did. */
  readonly stopped: string | undefined;
}

/** Sends rows without end to a hidden limit, for some time on a virtual clock. */
export async function simulateSending(
  scenario: Scenario,
  contender: Contender,
  seconds: number,
  { seed = 1 } = {},
): Promise<SimulatedSending> {
  const clock = createVirtualClock({ seed });
  const { post, slices } = createSimulatedService(scenario, clock);
  const settled = new Set<number>();
  let written = 0;
  let wakeReader = () => {};
  const { concurrency, adaptive } = contender;
  const settings = { concurrency, adaptive, maxAttempts: 1000 };
  const { delivery, stop } = await openSimulated(clock, connectTo(post), settings, {
    onSettled({ rowOfRun }) {
      settled.add(rowOfRun);
      // Results are written in input order, and only what is written makes room for more.
      while (settled.delete(written + 1)) written++;
      wakeReader();
    },
  });
  onAbort(stop.signal, () => wakeReader());
  clock.schedule(seconds * 1000, () => stop.abort({ code: "interrupted", message: "enough" }));

  for (let row = 1; !stop.signal.aborted; row++) {
    await delivery.room();
    while (row - written > maxPending && !stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    if (stop.signal.aborted) break;
    delivery.send(new PendingRow({ row, line: row + 1, cells: [] }, row), [eventOf(row)]);
  }
  await delivery.finish();
  await delivery.close();
  clock.end();
  const stopped = stop.signal.reason?.code === "interrupted" ? undefined : stop.signal.reason?.code;
  return { figures: rateFigures(scenario, slices, seconds), slices, stopped };
}
