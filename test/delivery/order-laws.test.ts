import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createVirtualClock, deadlineMs } from "../fake-clock.ts";
import { runs } from "../runs.ts";
import {
  type Answer,
  type Delivered,
  deliverSchedule,
  type PlannedAttempt,
  type Schedule,
  schedules,
} from "./delivery-schedule.ts";

/** Whose events go one after another: those of a key, or of a row without one. */
function orderOf({ key }: { readonly key: string | undefined }, at: number): string {
  return key ?? `row ${at + 1}`;
}

/** What is wrong with the order in which attempts leave and arrive. */
function outOfOrder({ rows }: Schedule, { happenings, outcomes }: Delivered): string[] {
  const faults: string[] = [];
  const ended = new Set<string>();
  const latest = new Map<string, number>();
  const places = rows.flatMap((row, at) =>
    row.events.map((_, index) => ({
      order: orderOf(row, at),
      place: `${at + 1}/${index + 1}`,
      // It has its outcome without being on record; who is blocked is told by the model below.
      isBlocked: outcomes[at]?.[index]?.status === "blocked",
    })),
  );
  for (const { kind, row, event } of happenings) {
    const place = `${row}/${event}`;
    if (kind === "outcome") {
      if (ended.has(place)) faults.push(`${place} ended twice`);
      ended.add(place);
      continue;
    }
    if (ended.has(place)) faults.push(`${kind} of ${place} after it had ended`);
    const at = places.findIndex((known) => known.place === place);
    const { order = "", isBlocked } = places[at] ?? {};
    if (isBlocked) faults.push(`${kind} of ${place}, which is blocked`);
    if (at < (latest.get(order) ?? 0)) faults.push(`${kind} of ${place} after a later one`);
    latest.set(order, at);
    for (const before of places.slice(0, at)) {
      if (before.order !== order || before.isBlocked || ended.has(before.place)) continue;
      faults.push(`${kind} of ${place} before ${before.place} had ended`);
    }
  }
  return faults;
}

const heldBackAfter = {
  default: ["failed", "unknown"],
  block: ["failed", "unknown", "rejected", "invalid"],
  continue: [] as string[],
};

const heldBackInRowAfter = {
  ...heldBackAfter,
  default: ["failed", "unknown", "rejected"],
};

/** How an event ends that got these answers. */
function endingOf(answers: readonly Answer[], mode: Schedule["mode"]): string {
  const last = answers.at(-1);
  const status = typeof last === "object" ? last.status : undefined;
  if (status === 202) return "succeeded";
  if (status === 422 || status === 400) return "rejected";
  const isDoubtful = last === "reset" || last === "lost" || status === 500;
  if (mode === "at-most-once") return isDoubtful ? "unknown" : "failed";
  return answers.includes("reset") || answers.includes("lost") ? "unknown" : "failed";
}

/**
 * Goes through each key, and each row without one, in file order, and says how each event has to end: `blocked by
 * row 3`, or what follows from its answers. A stopped run leaves all that comes after the first that it leaves.
 */
function expectedEndings(schedule: Schedule, { answers, outcomes }: Delivered): string[][] {
  const blockers = new Map<string, { readonly row: number }>();
  const left = new Set<string>();
  return schedule.rows.map((scheduled, at) => {
    const row = at + 1;
    const order = orderOf(scheduled, at);
    const end = (status: string) => {
      if (blockers.has(order) || left.has(order)) return;
      if (heldBackAfter[schedule.onKeyFailure].includes(status)) blockers.set(order, { row });
    };
    if (scheduled.events.length === 0) end(scheduled.passedAs ?? "invalid");
    let own: number | undefined;
    return (outcomes[at] ?? []).map(({ status: actual }, index) => {
      const blocker = blockers.get(order);
      if (own !== undefined) return `blocked by event ${own} of its row`;
      if (blocker !== undefined) return `blocked by row ${blocker.row} of the same ordering key`;
      if (left.has(order)) return "not_sent";
      if (actual === "not_sent") {
        left.add(order);
        return actual;
      }
      const status = endingOf(answers.get(`${row}/${index + 1}`) ?? [], schedule.mode);
      end(status);
      if (heldBackInRowAfter[schedule.onKeyFailure].includes(status)) own = index + 1;
      return status;
    });
  });
}

function endingsIn({ outcomes }: Delivered): (string | undefined)[][] {
  return outcomes.map((ofRow) =>
    ofRow.map(({ status, error }) =>
      status === "blocked"
        ? error?.replace(/^blocked, because (.*) did not succeed$/, "blocked by $1")
        : status,
    ),
  );
}

function expectInOrder(schedule: Schedule, delivered: Delivered) {
  expect(outOfOrder(schedule, delivered)).toEqual([]);
  expect(endingsIn(delivered)).toEqual(expectedEndings(schedule, delivered));
  const { outcomes, answers, happenings, isStopped } = delivered;
  schedule.rows.forEach(({ events }, at) => {
    const ofRow = outcomes[at] ?? [];
    if (!isStopped) expect(ofRow.map(({ event }) => event)).toEqual(events.map((_, i) => i + 1));
    for (const { status, event, attempts } of ofRow) {
      const place = `${at + 1}/${event}`;
      const isSettled = happenings.some(
        (one) => one.kind === "outcome" && `${one.row}/${one.event}` === place,
      );
      expect([place, attempts]).toEqual([place, answers.get(place)?.length ?? 0]);
      expect([place, isSettled]).toEqual([place, status !== "not_sent"]);
      if (status === "not_sent") expect(isStopped).toBe(true);
    }
  });
}

test("whatever the service answers and whenever each key and each row is in order and goes on, or not, as it should: without sockets", async () => {
  const seen: Record<string, number> = {};
  const blockers: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const delivered = await deliverSchedule(schedule, createVirtualClock());
      expectInOrder(schedule, delivered);
      for (const { status } of delivered.outcomes.flat()) seen[status] = (seen[status] ?? 0) + 1;
      delivered.outcomes.forEach((outcomes, at) => {
        const own = outcomes.filter(({ error }) => error?.includes("of its row")).length;
        const of = schedule.rows[at]?.key === undefined ? "row" : "key";
        blockers[of] = (blockers[of] ?? 0) + own;
      });
      const end = delivered.isStopped ? "stopped" : "complete";
      seen[end] = (seen[end] ?? 0) + 1;
    }),
    { numRuns: 1500 },
  );
  // That the schedules are as many-sided as they are meant to be.
  for (const status of ["succeeded", "rejected", "failed", "unknown", "blocked", "not_sent"]) {
    expect([status, seen[status]]).toEqual([status, expect.any(Number)]);
    expect(seen[status]).toBeGreaterThan(runs(50));
  }
  expect(blockers.row).toBeGreaterThan(runs(50));
  expect(blockers.key).toBeGreaterThan(runs(50));
  expect(seen.complete).toBeGreaterThan(runs(700));
  expect(seen.stopped).toBeGreaterThan(runs(25));
});

describe("nothing else waits", () => {
  const rows = fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", undefined, undefined),
      events: fc.array(
        fc.array(
          fc.record<PlannedAttempt>({
            answer: fc.constantFrom<Answer>({ status: 202 }, { status: 422 }),
            latencyMs: fc.integer({ min: 1, max: 50 }),
          }),
          { minLength: 1, maxLength: 1 },
        ),
        { minLength: 1, maxLength: 4 },
      ),
      gapMs: fc.constantFrom(0, 0, 40),
    }),
    { minLength: 2, maxLength: 14 },
  );
  const others: Omit<Schedule, "rows" | "concurrency"> = {
    ...({ mode: "at-least-once", onKeyFailure: "default", maxAttempts: 1 } as const),
    ...{ interruptAt: undefined, chance: [0] },
  };
  const slow: PlannedAttempt = { answer: { status: 202 }, latencyMs: deadlineMs - 1000 };

  test("for an event of another row: only for one of the same key", async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(), fc.integer({ min: 2, max: 6 }), async (given, at, width) => {
        const slowAt = 1 + (at % (given.length - 1));
        const slowRow = given[slowAt];
        if (slowRow === undefined) throw new Error("there are two rows at least");
        const changed = { ...slowRow, events: [[slow], ...slowRow.events.slice(1)] };
        const schedule = { ...others, concurrency: width, rows: given.with(slowAt, changed) };
        const delivered = await deliverSchedule(schedule, createVirtualClock());
        expectInOrder(schedule, delivered);
        const { happenings } = delivered;
        const slowEnd = happenings.findIndex(
          ({ kind, row, event }) => kind === "outcome" && row === slowAt + 1 && event === 1,
        );
        const order = orderOf(changed, slowAt);
        for (const { row } of happenings.slice(slowEnd + 1)) {
          expect(orderOf(schedule.rows[row - 1] ?? changed, row - 1)).toBe(order);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("rows without a key are in flight together, as many as may be", async () => {
    await fc.assert(
      fc.asyncProperty(
        ...[fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 4 })],
        fc.integer({ min: 1, max: 6 }),
        async (count, eventsEach, concurrency) => {
          const events = Array(eventsEach).fill([{ answer: { status: 202 }, latencyMs: 20 }]);
          const rows = Array(count + 1).fill({ key: undefined, events, gapMs: 0 });
          const schedule: Schedule = { ...others, concurrency, rows };
          const clock = createVirtualClock();
          const startedMs = clock.now();
          const delivered = await deliverSchedule(schedule, clock);
          expectInOrder(schedule, delivered);
          // The very first event goes alone (5 ms). The rest is bound by the permits, or by the events of a row.
          const rounds = Math.max(Math.ceil((count * eventsEach) / concurrency), eventsEach);
          const tookMs = clock.now() - startedMs;
          expect(tookMs).toBeLessThanOrEqual(5 + 20 * (rounds + eventsEach));
        },
      ),
      { numRuns: 300 },
    );
  });
});
