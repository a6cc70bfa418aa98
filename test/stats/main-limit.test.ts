import { expect, test } from "vitest";
import type { SendingLimit } from "../../src/model/sending-state.ts";
import { createMainLimit } from "../../src/stats/main-limit.ts";

type Stretch = readonly [ms: number, limit: SendingLimit | undefined];

test.each<[what: string, stretches: readonly Stretch[], main: object | undefined]>([
  [
    "the one that held longest, with the limits at the end",
    [
      [300, undefined],
      [200, "concurrency"],
      [700, "rate"],
      [800, "rate"],
    ],
    { limit: "rate", share: 0.75, perSecond: 20, allowed: 5 },
  ],
  [
    "none that held for less than a quarter of the time",
    [
      [8000, undefined],
      [2000, "rate"],
    ],
    undefined,
  ],
  ["none in less than a second", [[999, "rate"]], undefined],
  ["one in a second", [[1000, "rate"]], { limit: "rate", share: 1, perSecond: 20, allowed: 5 }],
])("the main limit is %s", (_, stretches, main) => {
  const limits = createMainLimit(500);
  let nowMs = 500;
  for (const [ms, limit] of stretches) {
    nowMs += ms;
    limits.until(nowMs, limit);
  }
  expect(limits.main({ allowed: 5, perSecond: 20 })).toEqual(main);
});
