import type { Clock } from "../../src/model/clock.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import { onAbort } from "../../src/model/stop.ts";
import { createVirtualClock } from "../fake-clock.ts";
import { eventOf } from "./event-of.ts";
import { createHiddenLimit, factorAt, type HiddenLimit } from "./hidden-limit.ts";
import { connectTo, openSimulated, type Post } from "./simulated-wire.ts";

/** What an answer is on its way, there and back. */
const wireMs = 1;

/** A service without sockets: it answers on the clock that it is given, and counts what comes from some time on. */
export function createSimulatedService(limit: HiddenLimit, clock: Clock, fromMs = 0) {
  const service = createHiddenLimit(limit, clock.random);
  const counts = { accepted: 0, refused: 0, latencySumMs: 0 };
  let startedAt: number | undefined;
  const post: Post = () =>
    new Promise((resolve) => {
      startedAt ??= clock.now();
      const arrivedMs = clock.now() - startedAt;
      const { status, retryAfterS, answerAtMs } = service.arrive(arrivedMs);
      const answer = () =>
        resolve({
          kind: "answered",
          httpStatus: status,
          body: "",
          ...(retryAfterS === undefined ? {} : { retryAfter: [String(retryAfterS)] }),
        });
      const isRefused = status !== 202;
      const tookMs = answerAtMs - arrivedMs;
      if (arrivedMs >= fromMs) {
        counts[isRefused ? "refused" : "accepted"]++;
        if (!isRefused) counts.latencySumMs += tookMs;
      }
      if (isRefused) {
        clock.schedule(wireMs, answer);
        return;
      }
      clock.schedule(tookMs, () => {
        service.left();
        clock.schedule(wireMs, answer);
      });
    });
  return { post, counts };
}

/** Rows that are read ahead of the results, as in a run. */
const maxPending = 10_000;

/**
 * Sends rows without end to a hidden limit, for some time on a virtual clock.
 *
 * @param fromS what came before does not count
 * @returns the share of what the service would have allowed that was used, and of what it got that it refused
 */
export async function simulateSending(limit: HiddenLimit, seconds: number, fromS: number) {
  const clock = createVirtualClock({ seed: 1 });
  const { post, counts } = createSimulatedService(limit, clock, fromS * 1000);
  const settled = new Set<number>();
  let written = 0;
  let wakeReader = () => {};
  const settings = { concurrency: 64, adaptive: true, maxAttempts: 1000 };
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
  const { accepted, refused, latencySumMs } = counts;
  const allowed = allowedPerSecond(limit, fromS, latencySumMs / accepted) * (seconds - fromS);
  return { used: accepted / allowed, refused: refused / (accepted + refused) };
}

/** @param fromS when its last change is over */
function allowedPerSecond(limit: HiddenLimit, fromS: number, meanLatencyMs: number): number {
  switch (limit.kind) {
    case "tokens":
    case "window":
      return limit.perSecond * factorAt(limit, fromS * 1000);
    // As long as a request takes its place is taken, and latencies vary.
    case "in_flight":
      return (limit.places * factorAt(limit, fromS * 1000)) / (meanLatencyMs / 1000);
    case "load":
      return limit.servers / (limit.latencyMs / 1000);
    default:
      return limit satisfies never;
  }
}
