import { describe, expect, test } from "vitest";
import { createRetryBudget } from "../../src/delivery/retry-budget.ts";
import { createServiceGate } from "../../src/delivery/service-gate.ts";
import { createSpentEvents, type SpentEvent } from "../../src/delivery/spent-events.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createFakeClock } from "../fake-clock.ts";

const several = 5;

function createWatched({ maxOutageMs = 900_000, underWay = 100 } = {}) {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const budget = createRetryBudget();
  const gate = createServiceGate({ clock, stop, budget, notify() {} }, { maxOutageMs });
  let outages = 0;
  const onOutage = () => {
    outages++;
  };
  const spent = createSpentEvents({ clock, stop, gate, onOutage }, maxOutageMs);
  for (let events = 0; events < underWay; events++) spent.enter();
  return { clock, stop, gate, spent, outages: () => outages };
}

/** An event whose last attempts were the 10th of the run and a later one. */
function spentEvent(more: Partial<SpentEvent> = {}): SpentEvent {
  return {
    ...{
      since: 10,
      sinceFirst: 4,
      firstDeparture: 3,
      isPerhapsItsOwn: true,
      holdsBack: false,
      probes: 0,
      message: "status 500",
    },
    ...more,
  };
}

describe("an event whose attempts are spent has failed", () => {
  test("where another, that left after it, was answered well meanwhile", () => {
    const { spent } = createWatched();
    spent.answeredWell(11);
    // An answer that is late does not take back what is known.
    spent.answeredWell(4);
    expect(spent.hasFailed(spentEvent())).toBe(true);
  });

  test("as soon as another is, while it waits for that", async () => {
    const { spent, clock, gate } = createWatched();
    const failed = spent.hasFailed(spentEvent());
    expect(failed).toBeInstanceOf(Promise);
    clock.schedule(30_500, () => spent.answeredWell(11));
    expect(await failed).toBe(true);
    expect(clock.now()).toBe(30_500);
    expect(gate.isOpen).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  test("where nobody is left who could show anything, and it may be its own fault", async () => {
    const { spent, outages } = createWatched({ underWay: 3 });
    const failed = [1, 2].map(async () => {
      const hasFailed = await spent.hasFailed(spentEvent());
      spent.leave();
      return hasFailed;
    });
    spent.leave();
    expect(await Promise.all(failed)).toEqual([true, true]);
    expect(outages()).toBe(0);
  });

  test("where no outage is waited for", () => {
    const { spent, gate } = createWatched({ maxOutageMs: 0 });
    const event = spentEvent({ isPerhapsItsOwn: false });
    for (let n = 0; n < 2 * several; n++) expect(spent.hasFailed(event)).toBe(true);
    for (let n = 0; n < 2 * several; n++) spent.doubtful("status 500");
    expect(gate.isOpen).toBe(true);
  });

  test("where it is alone, and all its probes were in vain", async () => {
    const { spent, gate } = createWatched({ underWay: 1 });
    gate.close("outage", 1000, "");
    expect(await spent.hasFailed(spentEvent({ probes: 4 }))).toBe(false);
    expect(await spent.hasFailed(spentEvent({ probes: 5 }))).toBe(true);
    expect(await spent.hasFailed(spentEvent({ probes: 5, isPerhapsItsOwn: false }))).toBe(false);
  });
});

describe("it begins afresh", () => {
  test("where so many are spent that it is an outage, all of them", async () => {
    const { spent, gate, outages } = createWatched();
    const waiting = Array.from({ length: several - 1 }, () => spent.hasFailed(spentEvent()));
    expect(gate.isOpen).toBe(true);
    expect(spent.hasFailed(spentEvent())).toBe(false);
    expect(gate.pausedBecause).toBe("outage");
    expect(await Promise.all(waiting)).toEqual([false, false, false, false]);
    expect(outages()).toBe(1);
  });

  test("while the outage lasts", async () => {
    const { spent, gate, outages } = createWatched();
    gate.close("outage", 1000, "");
    for (let n = 0; n < 20; n++) {
      expect(await spent.hasFailed(spentEvent({ probes: n }))).toBe(false);
    }
    expect(outages()).toBe(0);
  });

  test("where nobody is left, and it cannot be its own fault, or a key waits for it", async () => {
    for (const more of [{ isPerhapsItsOwn: false }, { holdsBack: true }]) {
      const { spent, gate, outages } = createWatched({ underWay: 1 });
      expect(await spent.hasFailed(spentEvent(more))).toBe(false);
      expect(gate.pausedBecause).toBe("outage");
      expect(outages()).toBe(1);
    }
  });

  test("where the service was left alone meanwhile: that it is up then shows nothing", async () => {
    const { spent, gate, clock } = createWatched();
    const failed = spent.hasFailed(spentEvent());
    clock.schedule(100, () => {
      gate.close("asked", 1000, "");
      spent.answeredWell(11);
    });
    expect(await failed).toBe(false);
  });

  test("where the service is left alone already, and is up again after that", async () => {
    const { spent, gate, clock } = createWatched();
    gate.close("retry_budget", 1000, "");
    const pass = gate.enter("first");
    const failed = spent.hasFailed(spentEvent());
    const probe = await pass;
    expect(probe).toMatchObject({ isProbe: true });
    clock.schedule(100, () => {
      spent.answeredWell(11);
      if (probe !== undefined) gate.judge(probe, "well", "");
    });
    expect(await failed).toBe(false);
    expect(gate.isOpen).toBe(true);
  });

  test("where the run stops, which says no more of it", async () => {
    const { spent, stop, clock } = createWatched();
    const failed = spent.hasFailed(spentEvent());
    stop.request({ code: "interrupted", message: "" });
    expect(await failed).toBe(false);
    expect([clock.now(), clock.waiting]).toEqual([0, 0]);
    expect(await spent.hasFailed(spentEvent())).toBe(false);
  });
});

describe("what shows nothing", () => {
  test("a good answer to what left before it, or was answered before", async () => {
    const { spent, clock } = createWatched();
    spent.answeredWell(10);
    const failed = spent.hasFailed(spentEvent());
    clock.schedule(1500, () => spent.answeredWell(10));
    clock.schedule(5000, () => spent.answeredWell(3));
    clock.schedule(20_000, () => spent.answeredWell(12));
    expect(await failed).toBe(true);
    expect(clock.now()).toBe(20_000);
  });

  test("those that have ended are not waited for", async () => {
    const { spent, clock } = createWatched({ underWay: 10 });
    const failed = spent.hasFailed(spentEvent());
    for (let others = 0; others < 9; others++) clock.schedule(others * 4000, spent.leave);
    expect(await failed).toBe(true);
    expect(clock.now()).toBeGreaterThanOrEqual(8 * 4000);
  });
});

describe("events that must not be sent again", () => {
  test("are an outage too, when so many of them come in a row", () => {
    const { spent, gate } = createWatched();
    for (let n = 1; n < several; n++) spent.doubtful("no answer");
    expect(gate.isOpen).toBe(true);
    spent.doubtful("no answer");
    expect(gate.pausedBecause).toBe("outage");
  });

  test("are none where others are answered well between", () => {
    const { spent, gate } = createWatched();
    for (let n = 1; n < 10 * several; n++) {
      spent.doubtful("no answer");
      if (n % (several - 1) === 0) spent.answeredWell(n);
    }
    expect(gate.isOpen).toBe(true);
  });

  test("count together with those that are spent", () => {
    const { spent, gate } = createWatched();
    void spent.hasFailed(spentEvent());
    void spent.hasFailed(spentEvent());
    spent.doubtful("no answer");
    spent.doubtful("no answer");
    expect(gate.isOpen).toBe(true);
    expect(spent.hasFailed(spentEvent())).toBe(false);
    expect(gate.pausedBecause).toBe("outage");
  });
});
