import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BreakerChange,
  createCircuitBreaker,
  type Failure,
} from "../../src/delivery/circuit-breaker.ts";
import { createFakeClock } from "../fake-clock.ts";

const minuteMs = 60_000;

/** A breaker, and what it says has changed. All time is moved by hand. */
function createWatched({ maxOutageMs = 15 * minuteMs } = {}) {
  const clock = createFakeClock();
  const breaker = createCircuitBreaker(maxOutageMs, clock);
  const told: string[] = [];
  const note = (changes: readonly BreakerChange[]) => {
    for (const change of changes) {
      if (change.kind === "give_up") told.push(`${change.reason.code} ${change.reason.message}`);
      else if (change.kind === "pause_over") told.push(`open ${change.reason} ${change.pausedMs}`);
      else told.push(`pause ${change.reason} ${change.durationMs} ${change.message}`);
    }
  };
  /** Failures of different events, after some time without a success. */
  const fail = (times: number, more: Partial<Failure> = {}) => {
    for (let n = 0; n < times; n++) {
      const failure: Failure = {
        ...{ isProbe: false, httpStatus: 503 },
        ...{ sentMs: clock.now(), event: {}, eventsLeft: 1000, message: "status 503" },
      };
      note(breaker.failed({ ...failure, ...more }));
    }
  };
  const failLong = () => {
    clock.advance(300);
    fail(5);
  };
  const succeed = (isProbe = false) => note(breaker.succeeded(isProbe, clock.now()));
  return {
    ...{ breaker, clock, told, fail, failLong, succeed },
    wait: (forMs: number) => note(breaker.wait(forMs, "slow down")),
    trip: () => note(breaker.trip("status 500")),
    close: () => note(breaker.close()),
    /** Waits until a probe may be sent, and sends it. */
    probe(end: "succeeds" | "fails" | "is throttled") {
      clock.advance(breaker.pausedForMs());
      expect([breaker.allows(), breaker.sent(1), breaker.allows()]).toEqual([true, true, false]);
      if (end === "succeeds") succeed(true);
      else fail(1, { isProbe: true, httpStatus: end === "is throttled" ? 429 : 503 });
    },
  };
}

describe("closed", () => {
  test("it opens when nothing has succeeded for a quarter of a second, and five attempts have failed", () => {
    const { breaker, clock, told, fail, succeed } = createWatched();
    for (const _ of [1, 2]) {
      succeed();
      fail(4);
      clock.advance(300);
      fail(100, { sentMs: -1 });
    }
    succeed();
    fail(4);
    clock.advance(250);
    expect(breaker.isClosed).toBe(true);
    fail(1);
    expect(told).toEqual(["pause outage 150 status 503"]);
  });

  test("five attempts of one event are enough only where there is no other", () => {
    const { breaker, clock, fail } = createWatched();
    clock.advance(1000);
    const event = {};
    fail(20, { event });
    expect(breaker.isClosed).toBe(true);
    fail(1, { event, eventsLeft: 1 });
    expect(breaker.isClosed).toBe(false);
  });

  test("a service that is slow to answer has three answers' time, and ten seconds at most", () => {
    for (const [answerMs, patienceMs] of [
      [1000, 3250],
      [60_000, 10_000],
    ] as const) {
      const { breaker, clock, fail } = createWatched();
      clock.advance(answerMs);
      breaker.succeeded(false, 0);
      clock.advance(patienceMs - 1);
      fail(5);
      expect(breaker.isClosed).toBe(true);
      clock.advance(1);
      fail(1);
      expect(breaker.isClosed).toBe(false);
    }
  });

  test("it opens in a brown-out: nine of ten of the last hundred are the service's failures", () => {
    const { breaker, fail, succeed } = createWatched();
    const httpStatus = 502;
    for (let n = 0; n < 30; n++) {
      fail(8, { httpStatus });
      succeed();
    }
    expect(breaker.isClosed).toBe(true);
    for (let n = 0; n < 12; n++) {
      fail(10, { httpStatus });
      succeed();
    }
    expect(breaker.isClosed).toBe(false);
  });

  test("refusals are never an outage as long as something succeeds", () => {
    const { breaker, clock, fail, succeed } = createWatched();
    for (let n = 0; n < 100; n++) {
      fail(50);
      clock.advance(200);
      succeed();
    }
    expect(breaker.isClosed).toBe(true);
  });

  test("throttled, it does not call it an outage", () => {
    const { clock, fail, told } = createWatched();
    clock.advance(300);
    fail(5, { httpStatus: 429 });
    expect(told).toEqual(["pause asked 150 status 503"]);
  });

  test("it says when nothing has been answered for too long", () => {
    const { breaker, clock } = createWatched();
    breaker.sent(1);
    expect(breaker.silentInMs()).toBe(5000);
    clock.advance(4000);
    expect(breaker.silentInMs()).toBe(1000);
    breaker.answered();
    expect(breaker.silentInMs()).toBe(5000);
  });
});

describe("open", () => {
  test("the gap between probes is a sixteenth of the outage so far, up to 30 s", () => {
    const { breaker, clock, failLong, probe } = createWatched();
    for (const _ of [1, 2]) {
      failLong();
      const openedMs = clock.now();
      for (let n = 0; n < 50; n++) {
        const fromMs = clock.now();
        const gapMs = Math.min(30_000, Math.max(150, Math.round((fromMs - openedMs) / 16)));
        probe("fails");
        expect(clock.now() - fromMs).toBeCloseTo(gapMs);
      }
      expect(breaker.reason).toBe("outage");
      probe("succeeds");
    }
  });

  test("it closes if only failing events are left, and not before a wait is over", () => {
    const { breaker, failLong, clock, close, wait, probe, told } = createWatched();
    failLong();
    clock.advance(300);
    close();
    expect(breaker.isClosed).toBe(true);
    expect(told.at(-1)).toBe("open outage 300");
    failLong();
    for (let n = 0; n < 5; n++) probe("fails");
    wait(3000);
    close();
    expect(breaker.isClosed).toBe(false);
    clock.advance(3000);
    close();
    expect(breaker.isClosed).toBe(true);
  });
});

describe("what the service asks for", () => {
  test("is reported once, however many answers ask for it, and each of them counts", () => {
    const { breaker, clock, told, wait } = createWatched();
    for (let n = 0; n < 17; n++) {
      wait(1000);
      clock.advance(5);
    }
    expect(told).toEqual(["pause asked 1000 slow down"]);
    expect(breaker.pausedForMs()).toBe(995);
    wait(10_000);
    expect(told.slice(1)).toEqual(["pause asked 10000 slow down"]);
  });

  test("ends where an outage begins, and an outage only if it is longer", () => {
    const { clock, breaker, wait, probe, told } = createWatched();
    wait(1000);
    probe("fails");
    expect(told.slice(1)).toEqual(["open asked 1000", "pause outage 150 status 503"]);
    for (let n = 0; n < 60; n++) probe("fails");
    const leftMs = breaker.pausedForMs();
    wait(1000);
    expect([breaker.reason, breaker.pausedForMs()]).toEqual(["outage", leftMs]);
    clock.advance(leftMs - 500);
    wait(1000);
    expect([breaker.reason, breaker.pausedForMs()]).toEqual(["asked", 1000]);
    expect(told.at(-1)).toBe("pause asked 1000 slow down");
  });
});

describe("an outage that lasts", () => {
  const wayOut = " With --max-outage 0, events that it never accepts end as failed.";
  test.each([
    [minuteMs, "fails", "outage", "1 min 0 s", wayOut],
    [15 * minuteMs, "fails", "outage", "15 min 0 s", wayOut],
    [90_000, "is throttled", "throttled", "1 min 30 s", ""],
  ] as const)(
    "for %i ms (each probe %s) stops the run after a last look",
    (maxOutageMs, end, code, time, out) => {
      const { failLong, probe, told, clock } = createWatched({ maxOutageMs });
      failLong();
      const openedMs = clock.now();
      for (let n = 0; n < 200 && !told.at(-1)?.startsWith(code); n++) probe(end);
      expect(clock.now() - openedMs).toBeCloseTo(maxOutageMs);
      expect(told.at(-1)).toBe(
        `${code} The service has accepted nothing for ${time} (status 503).${out}`,
      );
    },
  );

  test("begins when the wait is over that the service asked for first, and each further wait is kept", () => {
    const { wait, probe, told, clock, breaker, fail } = createWatched({ maxOutageMs: minuteMs });
    wait(50_000);
    clock.advance(10_000);
    wait(45_000);
    for (let n = 0; n < 200 && !told.at(-1)?.startsWith("outage"); n++) probe("fails");
    expect(clock.now()).toBeCloseTo(55_000 + minuteMs);
    wait(50_000);
    clock.advance(50_000);
    breaker.sent(1);
    wait(50_000);
    fail(1, { isProbe: true, httpStatus: 429 });
    expect(breaker.pausedForMs()).toBe(50_000);
  });

  test("with --max-outage 0, failures open nothing, a probe closes it, and waits are obeyed", () => {
    const { breaker, clock, fail, wait, probe, told } = createWatched({ maxOutageMs: 0 });
    fail(500, { httpStatus: 502 });
    clock.advance(10_000);
    fail(500, { httpStatus: 429 });
    expect(breaker.isClosed).toBe(true);
    wait(1000);
    clock.advance(1000);
    breaker.sent(1);
    wait(5000);
    fail(1, { isProbe: true });
    expect([breaker.allows(), breaker.pausedForMs()]).toEqual([false, 5000]);
    probe("fails");
    expect(breaker.isClosed).toBe(true);
    expect(told.filter((line) => !/^(pause|open) asked/.test(line))).toEqual([]);
  });
});

type Step =
  | { readonly kind: "depart" | "withdraw" | "close" | "trip" }
  | { readonly kind: "time" | "wait"; readonly durationMs: number }
  | { readonly kind: "succeed"; readonly isProbe: boolean }
  | { readonly kind: "fail"; readonly isProbe: boolean; readonly httpStatus: number };

test("whatever happens: one probe at a time, none too early, and it never stays open for good", () => {
  const steps = fc.array(
    fc.oneof<fc.Arbitrary<Step>[]>(
      fc.record({ kind: fc.constantFrom("depart", "depart", "withdraw", "close", "trip") }),
      fc.record({ kind: fc.constant("time"), durationMs: fc.nat(6000) }),
      fc.record({ kind: fc.constant("wait"), durationMs: fc.nat(5000) }),
      fc.record({ kind: fc.constant("succeed"), isProbe: fc.boolean() }),
      fc.record({
        ...{
          kind: fc.constant("fail"),
          isProbe: fc.boolean(),
          httpStatus: fc.constantFrom(429, 503),
        },
      }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (some) => {
      const watched = createWatched({ maxOutageMs: 1e12 });
      const { breaker, clock, told } = watched;
      let isProbing = false;
      let askedUntil = 0;
      for (const step of some) {
        const wasOpen = !breaker.isClosed;
        const untilMs = breaker.pausedForMs();
        switch (step.kind) {
          case "depart": {
            if (!breaker.allows()) break;
            const isProbe = breaker.sent(1);
            expect(isProbe).toBe(wasOpen);
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
            if (breaker.reason === "outage" && !isProbing) watched.close();
            break;
          case "trip":
            watched.trip();
            break;
          case "time":
            clock.advance(step.durationMs);
            break;
          case "wait":
            watched.wait(step.durationMs);
            askedUntil = Math.max(askedUntil, clock.now() + step.durationMs);
            break;
          case "succeed":
          case "fail":
            if (step.isProbe && !isProbing) break;
            if (step.kind === "succeed") watched.succeed(step.isProbe);
            else watched.fail(1, step);
            if (step.isProbe) isProbing = false;
            // What was sent before it opened decides nothing.
            else if (wasOpen) {
              expect([breaker.isClosed, breaker.pausedForMs()]).toEqual([false, untilMs]);
            }
            break;
          default:
            step satisfies never;
        }
        expect(breaker.isClosed).toBe(breaker.reason === undefined);
        if (breaker.isClosed) expect(breaker.pausedForMs()).toBe(0);
      }
      // Each pause ends, and for the reason that it had.
      let reason: string | undefined;
      for (const line of told) {
        const [kind, of] = line.split(" ");
        if (kind === "open" || reason !== undefined) expect(of).toBe(reason);
        reason = kind === "open" ? undefined : of;
      }
      expect(reason).toBe(breaker.reason);
      if (isProbing) breaker.withdrawn();
      clock.advance(breaker.pausedForMs());
      expect(breaker.allows()).toBe(true);
      if (!breaker.isClosed) watched.probe("succeeds");
      expect(breaker.isClosed).toBe(true);
    }),
    { numRuns: 500 },
  );
});
