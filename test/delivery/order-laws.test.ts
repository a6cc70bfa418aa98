import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openConnections } from "../../src/delivery/http/connections.ts";
import { createFakeClock } from "../fake-clock.ts";
import { createVirtualClock } from "../virtual-clock.ts";
import {
  type Answer,
  type Delivered,
  deliverSchedule,
  type Schedule,
  type ScheduledService,
  schedules,
  simulatedWire,
  type Wire,
} from "./delivery-schedule.ts";
import { openService, type Receipt, type Reply } from "./service-under-test.ts";

/** What is wrong with the order, as the service sees it. */
function outOfOrder({ rows }: Schedule, { happenings, outcomes }: Delivered): string[] {
  const faults: string[] = [];
  const ended = new Set<string>();
  const latest = new Map<string, number>();
  const places = rows.flatMap(({ key, events }, at) =>
    events.map((_, index) => ({
      key,
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
    if (ended.has(place)) faults.push(`${place} was received after it had ended`);
    const at = places.findIndex((known) => known.place === place);
    const key = places[at]?.key;
    if (key === undefined) continue;
    if (at < (latest.get(key) ?? 0)) faults.push(`${place} was received after a later one`);
    latest.set(key, at);
    for (const before of places.slice(0, at)) {
      if (before.key !== key || before.isBlocked || ended.has(before.place)) continue;
      faults.push(`${place} was received before ${before.place} had ended`);
    }
  }
  return faults;
}

const heldBackAfter = {
  default: ["failed", "unknown"],
  block: ["failed", "unknown", "rejected", "invalid"],
  continue: [] as string[],
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
 * Goes through each key in file order, and says how each event has to end: `blocked by 3`, or what
 * follows from its answers. Of a key, a stopped run leaves all that comes after the first that it leaves.
 */
function expectedEndings(schedule: Schedule, { answers, outcomes }: Delivered): string[][] {
  const blockers = new Map<string, number>();
  const left = new Set<string>();
  return schedule.rows.map(({ key, events }, at) => {
    const row = at + 1;
    const end = (status: string) => {
      if (key === undefined || blockers.has(key) || left.has(key)) return;
      if (heldBackAfter[schedule.onKeyFailure].includes(status)) blockers.set(key, row);
    };
    if (events.length === 0) end("invalid");
    return (outcomes[at] ?? []).map(({ status: actual }, index) => {
      const blocker = key === undefined ? undefined : blockers.get(key);
      if (blocker !== undefined) return `blocked by ${blocker}`;
      if (key !== undefined && left.has(key)) return "not_sent";
      if (actual === "not_sent") {
        if (key !== undefined) left.add(key);
        return actual;
      }
      const status = endingOf(answers.get(`${row}/${index + 1}`) ?? [], schedule.mode);
      end(status);
      return status;
    });
  });
}

function endingsIn({ outcomes }: Delivered): string[][] {
  return outcomes.map((ofRow) =>
    ofRow.map(({ status, error }) =>
      status === "blocked" ? `blocked by ${/row (\d+)/.exec(error ?? "")?.[1]}` : status,
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
      expect([place, isSettled]).toEqual([place, status !== "blocked" && status !== "not_sent"]);
      if (status === "not_sent") expect(isStopped).toBe(true);
    }
  });
}

describe("whatever the service answers and whenever", () => {
  test("each key is in file order and goes on, or not, as it should: without sockets", async () => {
    const seen: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(schedules, async (schedule) => {
        const delivered = await deliverSchedule(schedule, createVirtualClock(), simulatedWire);
        expectInOrder(schedule, delivered);
        for (const { status } of delivered.outcomes.flat()) seen[status] = (seen[status] ?? 0) + 1;
        const end = delivered.isStopped ? "stopped" : "complete";
        seen[end] = (seen[end] ?? 0) + 1;
      }),
      { numRuns: 3000 },
    );
    // That the schedules are as many-sided as they are meant to be.
    for (const status of ["succeeded", "rejected", "failed", "unknown", "blocked", "not_sent"]) {
      expect([status, seen[status]]).toEqual([status, expect.any(Number)]);
      expect(seen[status]).toBeGreaterThan(100);
    }
    expect(seen.complete).toBeGreaterThan(1500);
    expect(seen.stopped).toBeGreaterThan(50);
  }, 120_000);

  test("the same over real sockets", async () => {
    await fc.assert(
      fc.asyncProperty(schedules.map(withoutRefusals), async (schedule) => {
        let close = async () => {};
        const delivered = await deliverSchedule(schedule, createFakeClock(), async (service) => {
          const sockets = await realWire(service);
          close = sockets.close;
          return sockets;
        });
        await close();
        expectInOrder(schedule, delivered);
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

/** Nothing is refused where somebody listens. */
function withoutRefusals(schedule: Schedule): Schedule {
  const rows = schedule.rows.map((row) => ({
    ...row,
    events: row.events.map((attempts) =>
      attempts.map((attempt) =>
        attempt.answer === "refused" ? { ...attempt, answer: "reset" as const } : attempt,
      ),
    ),
  }));
  return { ...schedule, rows };
}

/** Over HTTP, where what is lost looks like what is reset. */
async function realWire(
  scheduled: ScheduledService,
): Promise<Wire & { readonly close: () => Promise<void> }> {
  const service = await openService(({ body }: Receipt): Reply => {
    const { row, index } = JSON.parse(body) as { row: number; index: number };
    const { answer } = scheduled.next(row, index);
    scheduled.receive(row, index);
    if (typeof answer === "string") return "cut";
    const { status, retryAfter } = answer;
    return {
      status,
      ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
    };
  });
  return { baseUrl: service.url, connect: openConnections, close: service.close };
}
