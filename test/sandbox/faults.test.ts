import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFates, createThrottle, type RequestFate } from "../../src/sandbox/faults.ts";
import { type SandboxOptions, sandboxSettings } from "../../src/sandbox/sandbox-options.ts";

const eventOf = (value: object, resource: "users" | "contacts" = "users") => {
  return { method: "POST", resource, headers: {}, text: JSON.stringify(value), value };
};

function fates(count: number, options: SandboxOptions): RequestFate[] {
  const fateOf = createFates(sandboxSettings({ seed: 1, ...options }));
  return Array.from({ length: count }, (_, id) => fateOf(eventOf({ event: "a", id })));
}

test("each rate is a share of all requests, which are the same with the same seed", () => {
  const rates = { failRate: 0.2, resetRate: 0.1, hangRate: 0.05, rejectRate: 0.1 };
  const all = fates(100_000, rates);
  expect(fates(100, rates)).toEqual(all.slice(0, 100));
  expect(fates(100, { ...rates, seed: 2 })).not.toEqual(all.slice(0, 100));
  const share = (kind: RequestFate["kind"]) =>
    all.filter((fate) => fate.kind === kind).length / 100_000;
  expect(share("failed")).toBeCloseTo(0.2, 2);
  const statuses = all.flatMap((fate) => (fate.kind === "failed" ? fate.answer.status : []));
  expect(new Set(statuses)).toEqual(new Set([500, 502, 503, 504]));
  expect(share("reset")).toBeCloseTo(0.1, 2);
  expect(share("hang")).toBeCloseTo(0.05, 2);
  expect(share("rejected")).toBeCloseTo(0.065, 2);
});

test("the seed says which events are rejected, whatever their order and however often they come", () => {
  const ids = fc.uniqueArray(fc.nat(), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(ids, fc.nat(), fc.integer({ min: 1, max: 8 }), (ids, seed, tenths) => {
      const rejecting = (rejectRate: number) => {
        const fateOf = createFates(sandboxSettings({ rejectRate, seed }));
        return (all: number[]) =>
          all.filter((id) => fateOf(eventOf({ event: "a", id })).kind === "rejected");
      };
      const rejected = rejecting(tenths / 10);
      const once = rejected(ids);
      expect(rejected(ids.toReversed()).toReversed()).toEqual(once);
      expect(rejecting(tenths / 10 + 0.2)(once)).toEqual(once);
    }),
  );
});

test("a rejection names a member of the event", () => {
  const fateOf = createFates(sandboxSettings({ rejectRate: 1, seed: 7 }));
  const memberOf = (value: object) => {
    const fate = fateOf(eventOf(value));
    return "answer" in fate && JSON.parse(fate.answer.body).error.member;
  };
  const members = Array.from({ length: 100 }, (_, id) =>
    memberOf({ event: "a", id, profile: { city: "Oslo" }, tags: [1] }),
  );
  expect(new Set(members)).toEqual(new Set(["id", "profile", "tags"]));
  expect(memberOf({ event: "a" })).toBe("event");
});

test("an outage begins so long after the first request, and lasts so long", () => {
  const atMs = [1000, 1059, 1060, 1079, 1080, 5000];
  const settings = sandboxSettings({ outage: { forMs: 20, afterMs: 60 } });
  const clock = atMs.values();
  const fateOf = createFates(settings, () => clock.next().value ?? 0);
  const isOut = atMs.map(() => fateOf(eventOf({ event: "a" })).kind === "failed");
  expect(isOut).toEqual([false, false, true, true, false, false]);
});

describe("laws of the throttle", () => {
  const rates = fc.oneof(
    fc.integer({ min: 1, max: 500 }),
    fc.double({ min: 0.05, max: 500, noNaN: true }),
  );
  const gapsMs = fc.array(
    fc.oneof(fc.constant(0), fc.double({ min: 0, max: 20, noNaN: true }), fc.nat(5_000)),
    { minLength: 1, maxLength: 300 },
  );

  test("no window of length w grants more than rate * w + burst", () => {
    fc.assert(
      fc.property(rates, gapsMs, fc.nat(1e9), (rate, gaps, startMs) => {
        const throttle = createThrottle(rate);
        let nowMs = startMs;
        const granted = gaps.flatMap((gap) => {
          nowMs += gap;
          return throttle(nowMs) === 0 ? nowMs : [];
        });
        for (const [from, fromMs] of granted.entries()) {
          for (const [to, toMs] of granted.entries()) {
            const allowed = (rate * (toMs - fromMs)) / 1000 + Math.max(1, rate);
            if (to - from + 1 > allowed + 1e-3 && to >= from) return false;
          }
        }
        return true;
      }),
    );
  });

  test("a wait is a whole number of seconds, long enough when obeyed, and not longer by one", () => {
    fc.assert(
      fc.property(rates, gapsMs, (rate, gaps) => {
        const throttle = createThrottle(rate);
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs += gap;
          const waitS = throttle(nowMs);
          if (waitS === 0) continue;
          expect(Number.isInteger(waitS)).toBe(true);
          expect(waitS).toBeLessThan(1 / rate + 1);
          nowMs += waitS * 1000;
          expect(throttle(nowMs)).toBe(0);
        }
      }),
    );
  });
});
