import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DeliveryNotice } from "../../src/delivery/notice.ts";
import type { Health } from "../../src/delivery/recent-health.ts";
import {
  createServiceGate,
  openPass,
  type Pass,
  type ServiceGate,
} from "../../src/delivery/service-gate.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createFakeClock } from "../fake-clock.ts";

const minuteMs = 60_000;

interface Given {
  readonly name: string;
  /** Nothing where the run stopped. */
  readonly pass: Pass | undefined;
  readonly atMs: number;
}

/** A gate, and who was let through it, in that order. All time is moved by hand. */
function createWatched({ maxOutageMs = 15 * minuteMs, room = Number.POSITIVE_INFINITY } = {}) {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const notices: DeliveryNotice[] = [];
  const budget = { room, probes: 0 };
  const gate = createServiceGate(
    {
      clock,
      stop,
      notify: (notice) => notices.push(notice),
      budget: {
        first() {},
        retry: () => budget.room-- > 0,
        probe() {
          budget.probes++;
        },
      },
    },
    { maxOutageMs },
  );
  const given: Given[] = [];
  return {
    ...{ gate, clock, stop, notices, budget, given },
    async ask(name: string, isRetry = false) {
      void gate
        .enter(isRetry ? "retry" : "first")
        .then((pass) => given.push({ name, pass, atMs: clock.now() }));
      await settled();
    },
    async wait(durationMs: number) {
      clock.advance(durationMs);
      await settled();
    },
    /** Judges the one that probes. */
    async judge(health: Health, message = "status 503") {
      const probe = given.findLast(({ pass }) => pass?.isProbe)?.pass;
      if (probe === undefined) throw new Error("nobody probes");
      gate.judge(probe, health, message);
      await settled();
    },
    names: () => given.map(({ name }) => name).join(" "),
  };
}

/** Lets promises that are ready go on, and no timer. */
async function settled() {
  for (let n = 0; n < 10; n++) await Promise.resolve();
}

describe("an open gate", () => {
  test("lets everyone through at once", async () => {
    const { gate, ask, given, notices } = createWatched();
    await ask("a");
    await ask("b", true);
    expect(given.map(({ pass }) => pass?.isProbe)).toEqual([false, false]);
    expect(given.every(({ pass }) => pass !== undefined && gate.lets(pass))).toBe(true);
    expect([gate.isOpen, gate.closings, gate.pausedBecause, gate.pausedForMs()]).toEqual([
      ...[true, 0, undefined, 0],
    ]);
    expect(notices).toEqual([]);
  });

  test("takes back the passes that it gave when it closes", async () => {
    const { gate, ask, given, judge, wait } = createWatched();
    await ask("a");
    gate.close("asked", 1000, "wait");
    const early = given[0]?.pass as Pass;
    expect(gate.lets(early)).toBe(false);
    await ask("b");
    await wait(1000);
    // What came of it decides nothing either: it left before the gate closed.
    gate.judge(early, "well", "");
    expect(gate.isOpen).toBe(false);
    expect(gate.lets(given[1]?.pass as Pass)).toBe(true);
    await judge("well");
    expect(gate.lets(early)).toBe(true);
  });
});

describe("a closed gate", () => {
  test("lets one through when the wait is over, and all others when that was answered well", async () => {
    const { gate, ask, wait, judge, names, notices } = createWatched();
    gate.close("asked", 5000, "the service asks for it");
    for (const name of ["a", "b", "c", "d"]) await ask(name);
    expect(gate.pausedForMs()).toBe(5000);
    await wait(4999);
    expect(names()).toBe("");
    await wait(1);
    expect(names()).toBe("a");
    await wait(minuteMs);
    expect(names()).toBe("a");
    await judge("well");
    expect(names()).toBe("a b c d");
    expect(gate.isOpen).toBe(true);
    expect(notices).toEqual([
      {
        kind: "pause",
        reason: "asked",
        durationMs: 5000,
        message: "the service asks for it",
      },
      { kind: "open", reason: "asked", pausedMs: 5000 + minuteMs },
    ]);
  });

  test("probes with gaps that double, up to 30 s", async () => {
    const { gate, ask, wait, judge, given } = createWatched();
    gate.close("outage", 1000, "status 503");
    for (let n = 0; n < 10; n++) {
      await ask(`p${n}`);
      await wait(gate.pausedForMs());
      await judge("ill");
    }
    const gaps = given.slice(1).map(({ atMs }, at) => atMs - (given[at]?.atMs ?? 0));
    expect(given[0]?.atMs).toBe(1000);
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]);
  });

  test("is closed for the longest that was asked for", async () => {
    const { gate, ask, wait, names } = createWatched();
    gate.close("asked", 5000, "");
    gate.close("asked", 2000, "");
    await ask("a");
    gate.close("asked", 7000, "");
    gate.close("asked", 1000, "");
    await wait(6999);
    expect(names()).toBe("");
    await wait(1);
    expect(names()).toBe("a");
    expect(gate.closings).toBe(1);
  });

  test("is closed for an outage, whatever else it is closed for", () => {
    const { gate } = createWatched();
    gate.close("asked", 5000, "");
    expect(gate.pausedBecause).toBe("asked");
    gate.close("outage", 1000, "");
    gate.close("asked", 9000, "");
    expect(gate.pausedBecause).toBe("outage");
  });

  test("a wish that comes with a probe's failure is obeyed before the next one", async () => {
    const { gate, ask, wait, judge, names } = createWatched();
    gate.close("asked", 1000, "");
    await ask("a");
    await ask("b");
    await wait(1000);
    gate.close("asked", 60_000, "");
    await judge("throttling");
    await wait(59_999);
    expect(names()).toBe("a");
    await wait(1);
    expect(names()).toBe("a b");
  });

  test("lets another probe where one was not made after all", async () => {
    const { gate, ask, wait, given, names } = createWatched();
    gate.close("asked", 1000, "");
    await ask("a");
    await ask("b");
    await wait(1000);
    gate.giveBack(given[0]?.pass as Pass);
    await settled();
    expect(names()).toBe("a b");
    expect(gate.lets(given[0]?.pass as Pass)).toBe(false);
    expect(gate.lets(given[1]?.pass as Pass)).toBe(true);
  });

  test("lets those that were tried in vain and those that were not probe in turn", async () => {
    const { gate, ask, wait, judge, names } = createWatched();
    gate.close("outage", 1000, "");
    for (const name of ["a", "b", "c", "d"]) await ask(name, true);
    for (const name of ["x", "y"]) await ask(name);
    for (let n = 0; n < 6; n++) {
      await wait(gate.pausedForMs());
      await judge("ill");
    }
    expect(names()).toBe("a x b y c d");
  });

  test("lets the first one probe who comes when the wait is over", async () => {
    const { gate, ask, wait, given } = createWatched();
    gate.close("asked", 1000, "");
    await wait(3000);
    await ask("a");
    await ask("b");
    expect(given).toMatchObject([{ name: "a", pass: { isProbe: true } }]);
  });
});

describe("the retry budget", () => {
  const failSome = (gate: ServiceGate, times: number) => {
    for (let n = 0; n < times; n++) gate.judge(openPass, "ill", "status 503");
  };

  test("that is spent while attempts fail closes the gate for a second, instead of failing anything", async () => {
    const { gate, ask, wait, judge, names, budget, given } = createWatched({ room: 2 });
    failSome(gate, 5);
    for (const name of ["a", "b", "c", "d"]) await ask(name, true);
    expect(names()).toBe("a b");
    expect(gate.pausedBecause).toBe("retry_budget");
    await wait(999);
    expect(names()).toBe("a b");
    await wait(1);
    expect(given[2]).toMatchObject({ name: "c", pass: { isProbe: true } });
    // A probe is counted, whatever there is room for.
    expect(budget.probes).toBe(1);
    budget.room = 10;
    await judge("well");
    expect(names()).toBe("a b c d");
    expect(gate.isOpen).toBe(true);
  });

  test("that is spent while few attempts fail holds retries back and nothing else", async () => {
    const { gate, ask, wait, names, budget } = createWatched({ room: 0 });
    failSome(gate, 4);
    for (const name of ["a", "b", "c"]) await ask(name, true);
    await ask("d");
    expect(names()).toBe("d");
    expect(gate.isOpen).toBe(true);
    budget.room = 1;
    await wait(1000);
    expect(names()).toBe("d a");
    budget.room = 1;
    // An answer shows that first attempts are made, which earn room.
    gate.judge(openPass, "well", "");
    await wait(0);
    expect(names()).toBe("d a b");
    await ask("e", true);
    budget.room = 2;
    await wait(1000);
    expect(names()).toBe("d a b c e");
  });

  test("does not bound first attempts, nor count them as probes of it", async () => {
    const { gate, ask, wait, names, budget } = createWatched({ room: 0 });
    await ask("a");
    await ask("b");
    expect(names()).toBe("a b");
    gate.close("asked", 1000, "");
    await ask("c");
    await wait(1000);
    expect(names()).toBe("a b c");
    expect(budget.probes).toBe(0);
  });

  test("that is spent as the gate opens holds retries back, and first attempts no longer", async () => {
    const { gate, ask, wait, judge, names, budget } = createWatched({ room: 0 });
    gate.close("asked", 1000, "");
    for (const name of ["a", "b", "c", "d"]) await ask(name, true);
    await ask("e");
    await wait(1000);
    budget.room = 1;
    await judge("well");
    expect(names()).toBe("a e b");
    expect(gate.isOpen).toBe(true);
    await ask("f");
    expect(names()).toBe("a e b f");
    // Closed again, they stand in the line once more.
    gate.close("asked", 1000, "");
    await wait(1000);
    expect(names()).toBe("a e b f c");
    budget.room = 10;
    await judge("well");
    expect(names()).toBe("a e b f c d");
  });
});

test("after an outage all that waited goes on, whatever the budget has room for", async () => {
  const { gate, ask, wait, judge, names } = createWatched({ room: 0 });
  gate.close("retry_budget", 1000, "");
  for (const name of ["a", "b", "c", "d", "e"]) await ask(name, true);
  for (const gapMs of [1000, 1000, 2000]) {
    await wait(gapMs);
    await judge("ill");
  }
  await wait(4000);
  await judge("well");
  expect(names()).toBe("a b c d e");
});

describe("too much repeating that turns out to be an outage", () => {
  const closeAfter = async (healths: readonly Health[]) => {
    const watched = createWatched({ room: 0 });
    for (const health of healths) watched.gate.judge(openPass, health, "status 503");
    await watched.ask("a", true);
    expect(watched.gate.pausedBecause).toBe("retry_budget");
    return watched;
  };
  const ill = Array.from({ length: 10 }, (): Health => "ill");

  test("is told of as one with the first probe that fails, where all failed before", async () => {
    const { gate, ask, wait, judge, notices } = await closeAfter(ill);
    await ask("b", true);
    await wait(1000);
    await judge("ill", "ECONNREFUSED");
    expect(gate.pausedBecause).toBe("outage");
    expect(notices.at(-1)).toMatchObject({ reason: "outage", message: "ECONNREFUSED" });
    // For delivery it is what it was: of the events with no attempts left others have to decide.
    expect(gate.isOutage).toBe(false);
    await wait(1000);
    await judge("well");
    expect(notices.at(-1)).toMatchObject({ kind: "open", reason: "outage" });
  });

  test("where some were answered well, with the third", async () => {
    const { gate, ask, wait, judge } = await closeAfter([...ill, "well"]);
    for (const name of ["b", "c", "d"]) await ask(name, true);
    const told: unknown[] = [];
    for (const gapMs of [1000, 1000, 2000]) {
      await wait(gapMs);
      await judge("ill");
      told.push(gate.pausedBecause);
    }
    expect(told).toEqual(["retry_budget", "retry_budget", "outage"]);
  });

  test("is none where the service throttles", async () => {
    const { gate, ask, wait, judge } = await closeAfter(ill);
    await ask("b", true);
    await wait(1000);
    await judge("throttling");
    expect(gate.pausedBecause).toBe("retry_budget");
  });
});

test("after an outage of a single probe too", async () => {
  const { gate, ask, wait, judge, names } = createWatched({ room: 0 });
  gate.close("outage", 1000, "");
  for (const name of ["a", "b", "c"]) await ask(name, true);
  await wait(1000);
  await judge("well");
  expect(names()).toBe("a b c");
});

test("what failed before it opened is no reason to close it again", async () => {
  const { gate, ask, wait, judge, names } = createWatched({ room: 0 });
  for (let n = 0; n < 20; n++) gate.judge(openPass, "ill", "status 500");
  await ask("a", true);
  expect(gate.pausedBecause).toBe("retry_budget");
  await wait(1000);
  await judge("well");
  await ask("b", true);
  expect(gate.isOpen).toBe(true);
  expect(names()).toBe("a");
});

test("a retry that comes as the budget has room again does not overtake those that wait", async () => {
  const { ask, wait, names, budget } = createWatched({ room: 0 });
  await ask("a", true);
  budget.room = 1;
  await ask("b", true);
  expect(names()).toBe("");
  await wait(1000);
  expect(names()).toBe("a");
});

test("opens by itself where only such wait as fail by themselves, and would show nothing", async () => {
  const { gate, wait } = createWatched({ room: 1 });
  gate.close("asked", 1000, "");
  const pass = gate.enter("retry_of_its_own");
  await wait(999);
  expect(gate.isOpen).toBe(false);
  await wait(1);
  expect(gate.isOpen).toBe(true);
  expect(await pass).toBe(openPass);
});

test("a good probe does not open it before the time that was asked for meanwhile", async () => {
  const { gate, ask, wait, judge, names } = createWatched();
  gate.close("asked", 1000, "");
  await ask("a");
  await wait(1000);
  await ask("b");
  gate.close("asked", 5000, "");
  await judge("well");
  expect(names()).toBe("a");
  await wait(4999);
  expect(names()).toBe("a");
  await wait(1);
  expect(names()).toBe("a b");
  await judge("well");
  expect(gate.isOpen).toBe(true);
});

test("retries of events that fail by themselves wait for the budget, and nothing else does", async () => {
  const { gate, ask, wait, names, budget } = createWatched({ room: 0 });
  for (let n = 0; n < 20; n++) gate.judge(openPass, "ill", "status 500");
  void gate.enter("retry_of_its_own");
  await ask("a");
  expect(gate.isOpen).toBe(true);
  budget.room = 1;
  await wait(1000);
  expect(names()).toBe("a");
  await ask("b", true);
  expect(gate.pausedBecause).toBe("retry_budget");
});

describe("throttling of everything", () => {
  const throttle = (gate: ServiceGate, times: number) => {
    for (let n = 0; n < times; n++) gate.judge(openPass, "throttling", "status 429");
  };

  test("for some seconds closes the gate", async () => {
    const { gate, wait } = createWatched();
    throttle(gate, 20);
    expect(gate.isOpen).toBe(true);
    await wait(5000);
    throttle(gate, 1);
    expect(gate.pausedBecause).toBe("asked");
  });

  test.each<Health>(["well", "ill"])("is not of everything where another is %s", async (health) => {
    const { gate, wait } = createWatched();
    await wait(5000);
    throttle(gate, 9);
    gate.judge(openPass, health, "");
    throttle(gate, 9);
    expect(gate.isOpen).toBe(true);
  });

  test("does not close it where no outage is waited for", async () => {
    const { gate, wait } = createWatched({ maxOutageMs: 0 });
    await wait(5000);
    throttle(gate, 20);
    expect(gate.isOpen).toBe(true);
  });
});

describe("an outage that lasts", () => {
  const orFailed = ", or with a --max-outage of 0, so that what it never takes ends as failed";
  const probeUntilStopped = async (health: Health, maxOutageMs: number) => {
    const watched = createWatched({ maxOutageMs });
    const { gate, ask, wait, judge, stop, clock } = watched;
    gate.close("outage", 1000, "status 503");
    for (let n = 0; stop.reason === undefined && n < 1000; n++) {
      await ask(`p${n}`);
      await wait(gate.pausedForMs());
      await judge(health);
    }
    return { ...watched, atMs: clock.now() };
  };

  test.each([
    [minuteMs, "ill", "outage", "60 s", orFailed],
    [15 * minuteMs, "ill", "outage", "15 min", orFailed],
    [90_000, "throttling", "throttled", "90 s", ""],
  ] as const)(
    "for %i ms (%s) stops the run, wait a last look",
    async (maxOutageMs, health, code, duration, wayOut) => {
      const { stop, atMs } = await probeUntilStopped(health, maxOutageMs);
      expect(atMs).toBe(maxOutageMs);
      expect(stop.reason).toEqual({
        code,
        message: `The service has taken nothing for ${duration} (status 503): go on when it does${wayOut}.`,
      });
    },
  );

  test("is not waited for where that is not wanted: the first answer opens the gate", async () => {
    const { gate, ask, wait, judge, names, stop } = createWatched({ maxOutageMs: 0 });
    gate.close("asked", 1000, "");
    await ask("a");
    await ask("b");
    await wait(1000);
    await judge("ill");
    expect(names()).toBe("a b");
    expect(gate.isOpen).toBe(true);
    expect(stop.reason).toBeUndefined();
  });

  test("is as long as the time since the gate closed, and begins anew when it has been open", async () => {
    const { gate, ask, wait, judge, stop } = createWatched({ maxOutageMs: minuteMs });
    for (let n = 0; n < 5; n++) {
      gate.close("outage", 50_000, "");
      await ask(`p${n}`);
      await wait(50_000);
      await judge("well");
    }
    expect(stop.reason).toBeUndefined();
  });
});

test("a stop wakes all that wait, and lets nobody through any more", async () => {
  const { gate, ask, stop, given, clock } = createWatched();
  gate.close("asked", 5000, "");
  await ask("a");
  await ask("b");
  stop.request({ code: "interrupted", message: "" });
  await settled();
  await ask("c");
  expect(given.map(({ pass }) => pass)).toEqual([undefined, undefined, undefined]);
  expect(clock.waiting).toBe(0);
});

describe("whatever happens, and in whatever order", () => {
  type Step =
    | { readonly kind: "ask"; readonly isRetry: boolean }
    | { readonly kind: "close"; readonly waitMs: number }
    | { readonly kind: "time"; readonly durationMs: number }
    | { readonly kind: "judge"; readonly health: Health }
    | { readonly kind: "give_back" };
  const ask = fc.record({ kind: fc.constant("ask" as const), isRetry: fc.boolean() });
  const step: fc.Arbitrary<Step> = fc.oneof(
    ...[ask, ask, ask, ask],
    fc.record({ kind: fc.constant("close" as const), waitMs: fc.nat(5000) }),
    fc.record({ kind: fc.constant("time" as const), durationMs: fc.nat(6000) }),
    fc.record({
      kind: fc.constant("judge" as const),
      health: fc.constantFrom<Health>("well", "ill", "throttling"),
    }),
    fc.record({ kind: fc.constant("give_back" as const) }),
  );

  test("one probes at a time and not too early, nobody overtakes his like, and nobody is forgotten", async () => {
    const steps = fc.array(step, { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(6), async (some, room) => {
        const watched = createWatched({ room, maxOutageMs: 1e12 });
        const { gate, ask, wait, clock, budget, given, stop } = watched;
        const [retries, untried]: [string[], string[]] = [[], []];
        let asked = 0;
        let seen = 0;
        let name = "";
        let probe: Pass | undefined;
        let closedUntil = 0;
        const look = () => {
          for (const { name: givenTo, pass, atMs } of given.slice(seen)) {
            seen++;
            // Those that were not tried yet may go before the others.
            const line = givenTo.startsWith("retry") ? retries : untried;
            expect(givenTo).toBe(line.shift());
            if (!pass?.isProbe) continue;
            expect(probe).toBeUndefined();
            expect(atMs).toBeGreaterThanOrEqual(closedUntil);
            probe = pass;
          }
          expect(gate.isOpen && probe !== undefined).toBe(false);
        };
        const judge = async (health: Health) => {
          if (probe === undefined) return;
          const judged = probe;
          probe = undefined;
          gate.judge(judged, health, "");
          await settled();
          look();
        };
        for (const one of some) {
          switch (one.kind) {
            case "ask":
              asked++;
              name = `${one.isRetry ? "retry" : "first"} ${asked}`;
              (one.isRetry ? retries : untried).push(name);
              await ask(name, one.isRetry);
              break;
            case "close":
              closedUntil = Math.max(closedUntil, clock.now() + one.waitMs);
              gate.close("asked", one.waitMs, "");
              break;
            case "time":
              await wait(one.durationMs);
              break;
            case "judge":
              await judge(one.health);
              break;
            case "give_back": {
              const back = probe;
              probe = undefined;
              if (back !== undefined) gate.giveBack(back);
              await settled();
              break;
            }
            default:
              one satisfies never;
          }
          look();
        }
        for (let n = 0; seen < asked && n < 200; n++) {
          await wait(30_000);
          look();
          budget.room = 3;
          await judge("well");
        }
        expect(seen).toBe(asked);
        expect(stop.reason).toBeUndefined();
      }),
      { numRuns: 250 },
    );
  });
});
