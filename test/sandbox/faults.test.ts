import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createFaults,
  createOutage,
  createRejection,
  type Fault,
  type FaultRates,
} from "../../src/sandbox/faults.ts";
import { mulberry32 } from "../../src/sandbox/mulberry32.ts";

function draw(count: number, rates: Partial<FaultRates>, seed = 1): Fault[] {
  const all = { failRate: 0, resetRate: 0, hangRate: 0, ...rates };
  const nextFault = createFaults(all, mulberry32(seed));
  return Array.from({ length: count }, nextFault);
}

const share = (faults: Fault[], test: (fault: Fault) => boolean) =>
  faults.filter(test).length / faults.length;

test("rates of 0 give no fault and draw no numbers", () => {
  const nextFault = createFaults({ failRate: 0, resetRate: 0, hangRate: 0 }, () => {
    throw new Error("drew a number");
  });
  expect(nextFault()).toEqual({ kind: "none" });
});

test("each rate is a share of all requests", () => {
  const rates = { failRate: 0.2, resetRate: 0.1, hangRate: 0.05 };
  const faults = draw(100_000, rates);
  expect(share(faults, ({ kind }) => kind === "fail")).toBeCloseTo(rates.failRate, 2);
  expect(share(faults, ({ kind }) => kind === "reset")).toBeCloseTo(rates.resetRate, 2);
  expect(share(faults, ({ kind }) => kind === "hang")).toBeCloseTo(rates.hangRate, 2);
});

function eventOf(value: Record<string, unknown>) {
  return {
    method: "POST",
    resource: "users",
    headers: {},
    text: JSON.stringify(value),
    value,
  } as const;
}

test("the seed says which events are rejected, whatever their order and however often they come", () => {
  const ids = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(ids, fc.nat(), fc.integer({ min: 1, max: 8 }), (ids, seed, tenths) => {
      const rate = tenths / 10;
      const reject = createRejection(rate, seed);
      const rejected = (all: number[]) =>
        all.filter((id) => reject(eventOf({ event: "a", id })) !== undefined);
      const once = rejected(ids);
      expect(rejected(ids.toReversed()).toReversed()).toEqual(once);
      const more = createRejection(rate + 0.2, seed);
      for (const id of once) expect(more(eventOf({ event: "a", id }))).toBeDefined();
    }),
  );
});

test("the rate is a share of the events, and a rejection names a member of the event", () => {
  const reject = createRejection(0.1, 7);
  const events = Array.from({ length: 20_000 }, (_, id) =>
    eventOf({ event: "a", id, profile: { city: "Oslo", more: {} }, tags: [1] }),
  );
  const named = events.flatMap((event) => reject(event)?.error?.member ?? []);
  expect(named.length / events.length).toBeCloseTo(0.1, 1);
  expect(new Set(named)).toEqual(new Set(["id", "profile.city", "profile.more", "tags"]));
  expect(createRejection(1, 7)(eventOf({ event: "a" }))?.error).toEqual({
    ...{ code: "invalid_member", member: "event", message: "event is not accepted" },
  });
});

test("an outage begins so long after the first request, and lasts so long", () => {
  const isOutage = createOutage({ forMs: 20, afterMs: 60 });
  const atMs = [1000, 1059, 1060, 1079, 1080, 5000];
  expect(atMs.map(isOutage)).toEqual([false, false, true, true, false, false]);
});
