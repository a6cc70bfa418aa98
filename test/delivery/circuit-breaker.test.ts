import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BreakerChange,
  type CircuitBreaker,
  createCircuitBreaker,
  type Failure,
} from "../../src/delivery/circuit-breaker.ts";
import type { StopReason } from "../../src/model/stop.ts";
import { createFakeClock } from "../fake-clock.ts";

const minuteMs = 60_000;

/** A breaker, and what it says has changed. All time is moved by hand. */
function createWatched({ maxOutageMs = 15 * minuteMs } = {}) {
  const clock = createFakeClock();
  const told: string[] = [];
  const gaveUp: StopReason[] = [];
  const note = (changes: readonly BreakerChange[]): readonly BreakerChange[] => {
    for (const change of changes) {
      if (change.kind === "give_up") gaveUp.push(change.reason);
      else if (change.kind === "open") told.push(`open ${change.reason} ${change.pausedMs}`);
      else told.push(`pause ${change.reason} ${change.durationMs} ${change.message}`);
    }
    return changes;
  };
  const decides = createCircuitBreaker(maxOutageMs, clock);
  const breaker = Object.assign(Object.create(decides) as CircuitBreaker, {
    wait: (forMs: number, message: string) => note(decides.wait(forMs, message)),
    trip: (message: string) => note(decides.trip(message)),
    succeeded: (isProbe: boolean) => note(decides.succeeded(isProbe)),
    close: () => note(decides.close()),
  });
  const fail = (times: number, more: Partial<Failure> = {}) => {
    const failure = { isProbe: false, isThrottled: false, inFlight: 1, message: "status 503" };
    for (let n = 0; n < times; n++) note(decides.failed({ ...failure, ...more }));
  };
  return {
    ...{ breaker, clock, told, gaveUp, fail },
    /** Waits until a probe may leave, and lets it come to something. */
    probe(end: "succeeds" | "fails" | "is throttled", message = "status 503") {
      clock.advance(breaker.pausedForMs());
      expect(breaker.allows()).toBe(true);
      expect(breaker.sent()).toBe(true);
      expect(breaker.allows()).toBe(false);
      if (end === "succeeds") breaker.succeeded(true);
      else fail(1, { isProbe: true, isThrottled: end === "is throttled", message });
    },
  };
}

describe("closed", () => {
  test.each([
    [1, 5],
    [4, 5],
    [5, 5],
    [6, 6],
    [32, 32],
  ])("with %i in flight, it opens on %i failures in a row", (inFlight, failures) => {
    const { breaker, told, fail } = createWatched();
    fail(failures - 1, { inFlight });
    expect(breaker.isClosed).toBe(true);
    fail(1, { inFlight });
    expect(breaker.reason).toBe("outage");
    expect(told).toEqual(["pause outage 1000 status 503"]);
  });

  test("failures in a row are counted anew after a success", () => {
    const { breaker, fail } = createWatched();
    for (let n = 0; n < 20; n++) {
      fail(4);
      breaker.succeeded(false);
    }
    expect(breaker.isClosed).toBe(true);
  });
});

describe("throttled", () => {
  test("it opens after 5 s of nothing else, and does not call it an outage", () => {
    const { breaker, clock, fail, told } = createWatched();
    fail(50, { isThrottled: true, message: "status 429" });
    expect(breaker.isClosed).toBe(true);
    clock.advance(5000);
    fail(1, { isThrottled: true, message: "status 429" });
    expect(told).toEqual(["pause asked 1000 status 429"]);
  });

  test("it stays closed where others succeed", () => {
    const { breaker, clock, fail } = createWatched();
    for (let n = 0; n < 100; n++) {
      clock.advance(1000);
      fail(20, { isThrottled: true });
      breaker.succeeded(false);
    }
    expect(breaker.isClosed).toBe(true);
  });
});

describe("open", () => {
  test("the gaps between probes double, up to 30 s", () => {
    const { breaker, clock, fail, probe } = createWatched();
    fail(5);
    const at: number[] = [];
    for (let n = 0; n < 10; n++) {
      probe("fails");
      at.push(clock.now());
    }
    const gaps = at.map((ms, n) => ms - (at[n - 1] ?? 0));
    expect(gaps).toEqual([...[1000, 1000, 2000, 4000, 8000, 16_000], ...Array(4).fill(30_000)]);
    expect(breaker.reason).toBe("outage");
  });

  test("they are short again the next time", () => {
    const { breaker, fail, probe } = createWatched();
    fail(5);
    for (let n = 0; n < 6; n++) probe("fails");
    probe("succeeds");
    fail(5);
    expect(breaker.pausedForMs()).toBe(1000);
    probe("fails");
    expect(breaker.pausedForMs()).toBe(1000);
  });

  test("what left before it opened decides nothing", () => {
    const { breaker, clock, fail, told } = createWatched();
    fail(5);
    fail(50);
    breaker.succeeded(false);
    expect(breaker.isClosed).toBe(false);
    clock.advance(1000);
    expect(breaker.sent()).toBe(true);
    fail(5);
    breaker.succeeded(false);
    expect([breaker.isClosed, breaker.allows()]).toEqual([false, false]);
    expect(told).toHaveLength(1);
  });

  test("it closes where only such are left as fail by themselves", () => {
    const { breaker, fail, clock, told } = createWatched();
    fail(5);
    clock.advance(300);
    breaker.close();
    expect(breaker.isClosed).toBe(true);
    expect(told.at(-1)).toBe("open outage 300");
  });
});

describe("what the service asks for", () => {
  test("is obeyed in an outage too, whose next probe is later, and which only its own failures keep open", () => {
    const { breaker, clock, fail, probe } = createWatched();
    fail(5);
    for (let n = 0; n < 5; n++) probe("fails");
    breaker.wait(3000, "");
    breaker.close();
    expect(breaker.isClosed).toBe(false);
    clock.advance(3000);
    breaker.close();
    expect(breaker.isClosed).toBe(true);
  });

  test("is obeyed also where no outage is waited for", () => {
    const { breaker, clock, fail } = createWatched({ maxOutageMs: 0 });
    breaker.wait(1000, "");
    clock.advance(1000);
    breaker.sent();
    breaker.wait(5000, "");
    fail(1, { isProbe: true });
    expect([breaker.isClosed, breaker.allows(), breaker.pausedForMs()]).toEqual([
      ...[false, false, 5000],
    ]);
  });

  test("is reported once, however many answers ask for it", () => {
    const { breaker, clock, told } = createWatched();
    for (let n = 0; n < 17; n++) {
      breaker.wait(1000, "slow down");
      clock.advance(5);
    }
    expect(told).toEqual(["pause asked 1000 slow down"]);
    // Each of them counts all the same.
    expect(breaker.pausedForMs()).toBe(995);
    breaker.wait(10_000, "much slower");
    expect(told).toEqual(["pause asked 1000 slow down", "pause asked 10000 much slower"]);
  });
});

describe("a pause has the reason that holds it now", () => {
  test("asked, and then an outage: those are two", () => {
    const { clock, breaker, probe, told } = createWatched();
    breaker.wait(1000, "slow down");
    probe("fails");
    for (let n = 0; n < 3; n++) {
      clock.advance(10);
      probe("fails");
    }
    clock.advance(10);
    probe("succeeds");
    expect(told.filter((line) => !line.startsWith("pause outage"))).toEqual([
      "pause asked 1000 slow down",
      "open asked 1000",
      expect.stringMatching(/^open outage \d+$/),
    ]);
    expect(told[2]).toBe("pause outage 1000 status 503");
  });

  test("an outage goes on where a late answer asks for less than what is left of it", () => {
    const { clock, breaker, fail, probe, told } = createWatched();
    fail(5);
    for (let n = 0; n < 3; n++) probe("fails");
    const leftMs = breaker.pausedForMs();
    expect(leftMs).toBeGreaterThan(1000);
    const before = [...told];
    breaker.wait(1000, "slow down");
    expect([breaker.reason, breaker.pausedForMs(), told]).toEqual(["outage", leftMs, before]);
    clock.advance(leftMs - 500);
    breaker.wait(1000, "slow down");
    expect([breaker.reason, breaker.pausedForMs()]).toEqual(["asked", 1000]);
    expect(told.at(-1)).toBe("pause asked 1000 slow down");
  });
});

describe("an outage that lasts", () => {
  const wayOut = ", or with --max-outage 0, so that events that it never accepts end as failed";
  test.each([
    [minuteMs, "fails", "outage", "1 min 0 s", wayOut],
    [15 * minuteMs, "fails", "outage", "15 min 0 s", wayOut],
    [90_000, "is throttled", "throttled", "1 min 30 s", ""],
  ] as const)(
    "for %i ms (each probe %s) stops the run after a last look",
    (maxOutageMs, end, code, time, out) => {
      const { fail, probe, gaveUp, clock } = createWatched({ maxOutageMs });
      fail(5);
      for (let n = 0; gaveUp.length === 0 && n < 1000; n++) probe(end);
      expect(clock.now()).toBe(maxOutageMs);
      const message = `The service has accepted nothing for ${time} (status 503). Resume when it accepts events again${out}.`;
      expect(gaveUp).toEqual([{ code, message }]);
    },
  );

  test("begins when the wait is over that the service asked for first", () => {
    const { breaker, probe, gaveUp, clock } = createWatched({ maxOutageMs: minuteMs });
    breaker.wait(50_000, "slow down");
    clock.advance(10_000);
    breaker.wait(45_000, "slow down");
    while (gaveUp.length === 0) probe("fails");
    expect(clock.now()).toBe(55_000 + minuteMs);
  });

  test("goes on while the service asks each probe for another wait", () => {
    const { breaker, fail, gaveUp, clock } = createWatched({ maxOutageMs: minuteMs });
    for (let n = 0; gaveUp.length === 0 && n < 10; n++) {
      breaker.wait(50_000, "slow down");
      clock.advance(50_000);
      breaker.sent();
      fail(1, { isProbe: true, isThrottled: true });
    }
    expect(clock.now()).toBe(150_000);
  });

  test("is not waited for where nobody wants that: failures open nothing, and a probe closes it", () => {
    const { breaker, clock, fail, probe, gaveUp } = createWatched({ maxOutageMs: 0 });
    fail(500);
    clock.advance(10_000);
    fail(500, { isThrottled: true });
    expect(breaker.isClosed).toBe(true);
    breaker.wait(1000, "");
    probe("fails");
    expect(breaker.isClosed).toBe(true);
    expect(gaveUp).toEqual([]);
  });
});

type Step =
  | { readonly kind: "depart" | "withdraw" | "close" | "trip" }
  | { readonly kind: "time" | "wait"; readonly durationMs: number }
  | { readonly kind: "succeed"; readonly isProbe: boolean }
  | { readonly kind: "fail"; readonly isProbe: boolean; readonly isThrottled: boolean };

test("whatever happens: one probe at a time, none too early, and it never stays open for good", () => {
  const steps = fc.array(
    fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ kind: fc.constantFrom("depart", "depart", "withdraw", "close", "trip") }),
      fc.record({ kind: fc.constant("time"), durationMs: fc.nat(6000) }),
      fc.record({ kind: fc.constant("wait"), durationMs: fc.nat(5000) }),
      fc.record({ kind: fc.constant("succeed"), isProbe: fc.boolean() }),
      fc.record({
        ...{ kind: fc.constant("fail"), isProbe: fc.boolean(), isThrottled: fc.boolean() },
      }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (some) => {
      const { breaker, clock, fail, told, probe } = createWatched({ maxOutageMs: 1e12 });
      let isProbing = false;
      let askedUntil = 0;
      for (const step of some) {
        switch (step.kind) {
          case "depart": {
            if (!breaker.allows()) break;
            const isProbe = breaker.sent();
            expect(isProbe).toBe(!breaker.isClosed);
            expect(clock.now()).toBeGreaterThanOrEqual(askedUntil);
            if (!isProbe) break;
            expect(isProbing).toBe(false);
            isProbing = true;
            break;
          }
          case "withdraw":
            if (isProbing) breaker.withdrawn();
            isProbing = false;
            break;
          case "close":
            if (breaker.reason === "outage" && !isProbing) breaker.close();
            break;
          case "trip":
            breaker.trip("");
            break;
          case "time":
            clock.advance(step.durationMs);
            break;
          case "wait":
            breaker.wait(step.durationMs, "");
            askedUntil = Math.max(askedUntil, clock.now() + step.durationMs);
            break;
          case "succeed":
            if (step.isProbe && !isProbing) break;
            breaker.succeeded(step.isProbe);
            if (step.isProbe) isProbing = false;
            break;
          case "fail":
            if (step.isProbe && !isProbing) break;
            fail(1, step);
            if (step.isProbe) isProbing = false;
            break;
          default:
            step satisfies never;
        }
        expect(breaker.isClosed).toBe(breaker.reason === undefined);
        if (breaker.isClosed) expect(breaker.pausedForMs()).toBe(0);
      }
      // Each pause ends, and for the reason that it had.
      const reasons = told.map((line) => line.split(" ").slice(0, 2).join(" "));
      let reason: string | undefined;
      for (const line of reasons) {
        const [kind, of] = line.split(" ");
        if (kind === "open") expect(of).toBe(reason);
        else if (reason !== undefined) expect(of).toBe(reason);
        reason = kind === "open" ? undefined : of;
      }
      expect(reason).toBe(breaker.reason);
      if (isProbing) breaker.withdrawn();
      clock.advance(breaker.pausedForMs());
      expect(breaker.allows()).toBe(true);
      if (!breaker.isClosed) probe("succeeds");
      expect(breaker.isClosed).toBe(true);
    }),
    { numRuns: 500 },
  );
});
