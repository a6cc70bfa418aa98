import type { Clock } from "../../src/delivery/clock.ts";
import { parseBaseUrl } from "../../src/delivery/endpoint.ts";
import { openDelivery } from "../../src/delivery/open-delivery.ts";
import type { Poster } from "../../src/delivery/post.ts";
import { readToken } from "../../src/delivery/token.ts";
import { createWindow } from "../../src/delivery/window.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createHiddenLimit } from "../hidden-limits/hidden-limit.mjs";
import { type PaceFigures, paceFigures } from "../hidden-limits/pace-figures.mjs";
import type { Contender, Scenario } from "../hidden-limits/scenarios.mjs";
import { createServiceCounts, type Slice } from "../hidden-limits/service-counts.mjs";
import { createVirtualClock } from "../virtual-clock.ts";
import { eventOf } from "./delivery-under-test.ts";

/** A service without sockets: it answers on the clock that it is given. */
export interface SimulatedService {
  readonly poster: Poster;
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
    poster: {
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
          if (isRefused) return clock.schedule(wireMs, answer);
          return clock.schedule(answerAtMs - arrivedMs, () => {
            service.left();
            counts.left(clock.now() - start, answerAtMs - arrivedMs);
            clock.schedule(wireMs, answer);
          });
        }),
      cutOff() {},
      close: async () => {},
    },
  };
}

/** Rows that are read ahead of the results, as in a run. */
const windowLimits = {
  maxRows: 10_000,
  maxChars: Number.POSITIVE_INFINITY,
  maxPending: 200_000,
  maxBytesOnDisk: Number.POSITIVE_INFINITY,
};

export interface SimulatedPace {
  readonly figures: PaceFigures;
  readonly slices: readonly Slice[];
  /** Why the run ended before its time, where it did. */
  readonly stopped: string | undefined;
}

/** Sends rows without end to a hidden limit, for some time on a virtual clock. */
export async function simulatePace(
  scenario: Scenario,
  contender: Contender,
  seconds: number,
  { seed = 1 } = {},
): Promise<SimulatedPace> {
  const clock = createVirtualClock({ seed });
  const service = createSimulatedService(scenario, clock);
  const stop = createStopSwitch();
  const tokenSource = { kind: "value", value: "simulated", from: "the simulation" } as const;
  const settings = {
    endpoint: parseBaseUrl("http://127.0.0.1", false),
    token: await readToken(tokenSource),
    tokenSource,
    maxOutageMs: 15 * 60_000,
    concurrency: contender.concurrency,
    adaptive: contender.adaptive,
    maxAttempts: 1000,
    timeoutMs: 30_000,
    mode: "at-least-once" as const,
  };
  const delivery = openDelivery(
    settings,
    () => service.poster,
    { intend: async () => true, attempted() {}, settle() {} },
    clock,
    stop,
    () => {},
  );
  const window = createWindow(windowLimits, stop);
  clock.schedule(seconds * 1000, () => stop.request({ code: "interrupted", message: "enough" }));

  const settled = new Set<number>();
  let written = 0;
  const sending: Promise<void>[] = [];
  for (let row = 1; stop.reason === undefined; row++) {
    await delivery.room();
    await window.enter(0);
    if (stop.reason !== undefined) break;
    sending.push(
      delivery.deliverRow({ row, rowOfRun: row, events: [eventOf(row)] }).then(() => {
        settled.add(row);
        // Results are written in input order, and only what is written leaves the window.
        while (settled.delete(written + 1)) {
          written++;
          window.leave(0);
        }
      }),
    );
  }
  await Promise.all(sending);
  await delivery.close();
  clock.end();
  const { slices } = service;
  const stopped = stop.reason?.code === "interrupted" ? undefined : stop.reason?.code;
  return { figures: paceFigures(scenario, slices, seconds), slices, stopped };
}
