import type { PaceModel, PaceRow } from "./measure-pace.ts";
import type { Limiter, Outage, ServiceModel } from "./service-model.ts";

const none = { kind: "none" } as const;
const bucket = (perSecond: number, burst: number): Limiter => ({
  kind: "bucket",
  perSecond,
  burst,
});
const every = <One>(...items: One[]): readonly One[] => items;

function modelOf(name: string, service: ServiceModel, more: Partial<PaceModel> = {}): PaceModel {
  return { name, ...service, ...more };
}

const buckets = (
  rates: readonly number[],
  bursts: readonly number[],
  latencies: readonly number[],
  hints: readonly ServiceModel["hint"][] = [undefined],
  statuses: readonly number[] = [503, 429],
) =>
  statuses.flatMap((status) =>
    hints.flatMap((hint) =>
      rates.flatMap((rate) =>
        bursts.flatMap((burst) =>
          latencies.map((latencyMs) =>
            modelOf(
              `${rate}/s, burst ${burst}, ${status}${hint ? ` ${hint}` : ""}, ${latencyMs} ms`,
              {
                ...{ limiter: bucket(rate, burst), status, latencyMs },
                ...(hint === undefined ? {} : { hint }),
              },
            ),
          ),
        ),
      ),
    ),
  );

const windows = (sizes: readonly (readonly [most: number, windowS: number, slides?: boolean])[]) =>
  every(503, 429).flatMap((status) =>
    sizes.map(([most, windowS, slides = false]) =>
      modelOf(
        `${most} in ${windowS} s${slides ? ", sliding" : ""}, ${status}`,
        {
          limiter: { kind: "window", most, windowMs: windowS * 1000, slides },
          ...{ status, latencyMs: 50 },
        },
        { rows: most * Math.max(7, Math.ceil(40 / windowS)) },
      ),
    ),
  );

const places = every(503, 429).flatMap((status) =>
  every<readonly [number, ServiceModel["latencyMs"]]>(
    ...([1, 4, 10, 50] as const).map((most) => [most, [5, 500]] as const),
    ...([1, 4, 10] as const).map((most) => [most, 20] as const),
  ).map(([most, latencyMs]) =>
    modelOf(`${most} at a time, ${status}, ${latencyMs} ms`, {
      ...{ limiter: { kind: "places", most }, status, latencyMs },
    }),
  ),
);

const connections = every("refused", "reset").flatMap((extra) =>
  every(1, 4, 10).flatMap((most) =>
    every(5, 65).map((idleS) =>
      modelOf(`${most} connections, others ${extra}, idle for ${idleS} s`, {
        ...{ limiter: none, latencyMs: 50, idleMs: (idleS - 2) * 1000 },
        connections: { most, extra: extra as "refused" | "reset" },
      }),
    ),
  ),
);

const random = (share: number) =>
  every(429, 500, 502, 503).map((status) =>
    modelOf(`${share * 100} % ${status}`, {
      ...{ limiter: none, latencyMs: 50, fails: { share, status } },
    }),
  );

const outages = every<Outage["as"]>("refused", "reset", 503, "silent").flatMap((as) =>
  every(10, 60, 600).map((seconds) =>
    modelOf(
      `${seconds} s of ${as}`,
      {
        ...{ limiter: none, latencyMs: 50 },
        outages: [{ as, fromMs: 15_000, toMs: 15_000 + seconds * 1000 }],
      },
      { rows: 16_000 },
    ),
  ),
);

const flapping = every<Outage["as"]>(503, "refused").map((as) =>
  modelOf(
    `10 s up, 5 s ${as}`,
    {
      ...{ limiter: none, latencyMs: 50 },
      outages: Array.from({ length: 40 }, (_, at) => {
        const fromMs = 10_000 + at * 15_000;
        return { as, fromMs, toMs: fromMs + 5000 };
      }),
    },
    // The rate falls for two of them, to see whether the service means a rate.
    as === 503 ? { rows: 42_000, fromMs: 70_000 } : { rows: 22_000, fromMs: 25_000 },
  ),
);

const hints = every<ServiceModel["hint"]>("integer", "decimal", "draft-6", "draft-7", "draft-8");

const window = (most: number, windowMs: number, more = {}): Limiter => ({
  ...{ kind: "window", most, windowMs },
  ...more,
});
const queue: Limiter = { kind: "processors", most: 4, workMs: 100, longestWaitMs: 100 };
const busy = (name: string, service: ServiceModel, more: Partial<PaceModel> = {}) =>
  modelOf(`${name}, busy`, service, { isBusy: true, ...more });

export const paceRows: readonly PaceRow[] = [
  {
    name: "token bucket",
    models: buckets([10, 50, 100], [5, 20], [5, 50, 200]),
    ...{ used: 0.95, refused: 0.05 },
  },
  {
    name: "token bucket without a burst",
    models: buckets([10, 50, 100], [1], [5, 50]),
    ...{ used: 0.8, refused: 0.05 },
  },
  {
    name: "the same, 1,000/s",
    models: buckets([1000], [1], [5, 50]),
    ...{ used: 0.45, refused: 0.05 },
  },
  {
    name: "token bucket that says when to come again",
    models: [
      ...buckets([10, 50, 100], [5, 20], [50], hints, [429]),
      ...buckets([100], [20], [50], ["integer", "decimal"], [503]),
    ],
    ...{ used: 0.87, refused: 0.02 },
  },
  {
    name: "the same without a burst",
    models: buckets([10], [1], [50], hints, [429]),
    ...{ used: 0.8, refused: 0.02 },
  },
  {
    // A wait is a whole second, though there is a token every 10 ms.
    name: "the same, 100/s",
    models: buckets([100], [1], [50], hints, [429]),
    ...{ used: 0.34, refused: 0.02 },
  },
  {
    name: "window of 10 or 60 s",
    models: windows([
      [100, 10],
      [1000, 10],
      [1000, 60],
      [100, 10, true],
      [1000, 60, true],
    ]),
    ...{ used: 0.9, refused: 0.05 },
  },
  {
    name: "window of 1 s",
    models: windows([
      [20, 1],
      [100, 1],
      [20, 1, true],
    ]),
    ...{ used: 0.9, refused: 0.05 },
  },
  { name: "so many at a time", models: places, used: 0.89, refused: 0.05 },
  { name: "so many connections", models: connections, used: 0.93, refused: 0.05 },
  {
    name: "processors",
    models: every<readonly [number, number]>([4, 20], [1, 100]).map(([most, workMs]) =>
      modelOf(`${most} processors, ${workMs} ms`, {
        ...{ limiter: { kind: "processors", most, workMs }, latencyMs: 10 },
      }),
    ),
    used: 0.95,
    faults: ({ slowness }) => (slowness > 3 ? [`latency ${slowness.toFixed(1)} times`] : []),
  },
  {
    // A 502 costs an attempt, so some events fail before the number is found.
    name: "so many at a time, others fail",
    models: every(502, 504).flatMap((status) =>
      every(4, 10).map((most) =>
        modelOf(`${most} at a time, ${status}`, {
          ...{ limiter: { kind: "places", most } as const, status, latencyMs: 50 },
        }),
      ),
    ),
    used: 0.89,
    mayFail: true,
  },
  {
    name: "retries are left",
    models: [
      modelOf(
        "100/s, burst 5, 60 % 500",
        {
          ...{ limiter: bucket(100, 5), status: 429, latencyMs: 50 },
          fails: { share: 0.6, status: 500 },
        },
        { rows: 2500 },
      ),
    ],
    mayFail: true,
    faults: ({ tailMs }) => (tailMs > 25_000 ? [`${Math.round(tailMs / 1000)} s`] : []),
  },
  { name: "random failures", models: [...random(0.01), ...random(0.05)], used: 0.95 },
  { name: "random failures, 20 %", models: random(0.2), used: 0.85, seeds: 5, mayFail: true },
  { name: "random failures, 50 %", models: random(0.5), used: 0.7, seeds: 5, mayFail: true },
  {
    name: "100/s and random failures",
    models: [
      modelOf("100/s, burst 5, 5 % 503", {
        ...{ limiter: bucket(100, 5), status: 503, latencyMs: 50 },
        fails: { share: 0.05, status: 503 },
      }),
    ],
    used: 0.8,
  },
  {
    name: "never answered",
    models: [
      modelOf(
        "1 % never answered",
        { limiter: none, latencyMs: 50, fails: { share: 0.01, status: "never" } },
        { rows: 8000, fromMs: 30_000 },
      ),
    ],
    used: 0.9,
  },
  {
    name: "outage",
    models: outages,
    faults: ({ noticedMs, overMs, gapMs, probesAtOnce }) => [
      ...(noticedMs > 6000 ? ["noticed late"] : []),
      ...(overMs > 2000 + gapMs ? ["over late"] : []),
      ...(probesAtOnce > 1 ? [`${probesAtOnce} probes at a time`] : []),
    ],
  },
  {
    name: "deploys, flapping",
    models: [
      modelOf("a deploy every 3 s", {
        ...{ limiter: none, latencyMs: 50, closesEveryMs: 3000 },
      }),
      ...flapping,
    ],
    used: 0.95,
  },
  {
    name: "two clients",
    models: every(503, 429).map((status) =>
      modelOf(
        `100/s, burst 5, ${status}, two clients`,
        { limiter: bucket(100, 5), status, latencyMs: 50 },
        { clients: 2, rows: 6000 },
      ),
    ),
    refused: 0.03,
    faults: ({ ofFirst }) =>
      ofFirst < 0.4 || ofFirst > 0.6 ? [`the first gets ${(100 * ofFirst).toFixed(0)} %`] : [],
  },
  {
    name: "slow answers",
    models: [
      modelOf(
        "answers take 20 s",
        { limiter: none, latencyMs: 20_000 },
        { rows: 500, fromMs: 90_000 },
      ),
    ],
    used: 0.85,
  },
  {
    name: "waits that are no limit",
    models: every(429, 503).flatMap((status) =>
      every([50], [2000], [50, 3000], [1, 2, 3]).map((requests) =>
        modelOf(
          `5 s asked by request ${requests.join(" and ")}, ${status}`,
          {
            ...{ limiter: none, latencyMs: 50, status, hint: "integer" },
            asks: { requests, forMs: 5000 },
          },
          { rows: 30_000, fromMs: 30_000 },
        ),
      ),
    ),
    used: 0.75,
  },
  {
    name: "answers that become slower",
    models: every(50, 300).map((latencyMs) =>
      modelOf(
        `${latencyMs} ms, a tenth at first`,
        { limiter: none, latencyMs, fastUntilMs: 2000 },
        { rows: Math.round(2_000_000 / latencyMs) },
      ),
    ),
    used: 0.9,
  },
  {
    name: "6 a minute",
    models: every(503, 429).map((status) =>
      modelOf(
        `6 a minute, burst 1, ${status}`,
        { limiter: bucket(0.1, 1), status, latencyMs: 50 },
        { rows: 150, fromMs: 60_000 },
      ),
    ),
    used: 0.7,
  },
  {
    // `npm run test:limits` has the limiters that these stand for.
    name: "real limiters, no burst",
    models: every(503, 429).map((status) =>
      busy(`100/s, burst 1, ${status}`, { limiter: bucket(100, 1), status, latencyMs: 5 }),
    ),
    ...{ used: 0.6, refused: 0.05 },
  },
  {
    name: "real limiters that say when to come again",
    models: [
      busy("100/s, burst 20, 429 integer", {
        ...{ limiter: bucket(100, 20), status: 429, hint: "integer", latencyMs: 5 },
      }),
      ...every<"integer" | "decimal" | "express">("integer", "decimal", "express").map((hint) =>
        busy(`100 in 1 s, 429 ${hint}`, {
          ...{ limiter: window(100, 1000), status: 429, hint, latencyMs: 5 },
        }),
      ),
    ],
    ...{ used: 0.8, refused: 0.02 },
  },
  {
    name: "real limiters",
    models: [
      ...every(503, 429).flatMap((status) => [
        busy(`100/s, burst 20, ${status}`, { limiter: bucket(100, 20), status, latencyMs: 5 }),
        busy(`100/s, burst 20, waits, ${status}`, {
          ...{ limiter: { kind: "leaky", perSecond: 100, burst: 20 }, status, latencyMs: 5 },
        }),
        busy(`4 at a time, ${status}`, {
          ...{ limiter: { kind: "places", most: 4 }, status, latencyMs: 100 },
        }),
        busy(`100 in 1 s, estimated, refused ones count, ${status}`, {
          limiter: { kind: "estimate", most: 100, windowMs: 1000 },
          ...{ status, latencyMs: 5 },
        }),
        busy(
          `1000 in 10 s, ${status}`,
          { limiter: window(1000, 10_000), status, latencyMs: 5 },
          { rows: 7000 },
        ),
        busy(`100/s, burst 20, refused at random, ${status}`, {
          limiter: { kind: "bucket", perSecond: 100, burst: 20, isRandom: true },
          ...{ status, latencyMs: 50 },
        }),
        busy(`4 at a time after a queue of 100 ms, ${status}`, {
          ...{ limiter: queue, status, latencyMs: 1 },
        }),
      ]),
    ],
    ...{ used: 0.85, refused: 0.05 },
  },
  {
    // Whatever is refused fills the window, too.
    name: "long windows in which refused ones count",
    models: every(503, 429).map((status) =>
      busy(
        `1000 in 10 s, estimated, refused ones count, ${status}`,
        {
          limiter: { kind: "estimate", most: 1000, windowMs: 10_000 },
          ...{ status, latencyMs: 5 },
        },
        { rows: 7000 },
      ),
    ),
    ...{ used: 0.8, refused: 0.07 },
  },
  {
    // Each connection that is not open yet would take more: nothing says so.
    name: "a limit for each connection",
    models: every(503, 429).map((status) =>
      busy(`10/s for each connection, burst 5, ${status}`, {
        limiter: { kind: "bucket", perSecond: 10, burst: 5, isPerConnection: true },
        ...{ status, latencyMs: 5 },
      }),
    ),
    ...{ used: 0.2, refused: 0.05 },
  },
  {
    name: "waits that double",
    models: [
      busy("100/s, burst 20, 429 growing", {
        ...{ limiter: bucket(100, 20), status: 429, hint: "growing", latencyMs: 50 },
      }),
    ],
    ...{ used: 0.4, refused: 0.02 },
  },
  {
    name: "bans",
    models: every(503, 429).map((status) =>
      busy(
        `100/s, burst 20, ${status}, 30 s of ban after 50 refusals`,
        { limiter: bucket(100, 20), status, bansAfter: 50, latencyMs: 50 },
        { rows: 16_000, fromMs: 60_000 },
      ),
    ),
    ...{ used: 0.6 },
  },
];
