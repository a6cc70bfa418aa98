import { describe, expect, test } from "vitest";
import type { LoadEvent, MappedRow } from "../../src/domain/event.ts";
import { planRow } from "../../src/domain/plan-row.ts";
import type { EarlierOutcome, Row, RowProblem } from "../../src/domain/row.ts";

function eventAt(index: number): LoadEvent {
  return { id: `new-${index}`, index, name: "x", resource: "users", body: () => "{}" };
}

const twoEvents: MappedRow = { kind: "events", events: [eventAt(1), eventAt(2)], orderKey: "k" };
const problem: RowProblem = { code: "missing_value", column: "Email", message: "is blank" };

function earlierOf(more: Partial<EarlierOutcome>): EarlierOutcome {
  return { unanswered: 0, errorCode: "", error: "", eventId: "old-1", event: 1, ...more };
}

function plan(earlier?: EarlierOutcome, mapped: MappedRow = twoEvents, retryUnknown = true) {
  const row: Row = {
    row: 1,
    line: 2,
    cells: [],
    ...(earlier === undefined ? {} : { earlier }),
  };
  return planRow(row, () => mapped, retryUnknown);
}

describe("a row", () => {
  test("gives its events, with their key", () => {
    expect(plan()).toEqual({ kind: "send", events: twoEvents.events, orderKey: "k" });
  });

  test("that cannot be mapped is invalid, with every problem in its error", () => {
    const mapped: MappedRow = { kind: "invalid", problems: [problem, { ...problem, column: "B" }] };
    expect(plan(undefined, mapped)).toMatchObject({
      kind: "settled",
      outcome: {
        ending: "invalid",
        attempts: 0,
        errorCode: "missing_value",
        error: 'column "Email": is blank; column "B": is blank',
      },
      problems: [{}, {}],
    });
  });

  test("that the mapping leaves out is skipped", () => {
    const mapped: MappedRow = { kind: "skipped", code: "condition", message: "test row" };
    expect(plan(undefined, mapped)).toMatchObject({
      kind: "settled",
      outcome: { ending: "skipped", errorCode: "condition", error: "test row" },
    });
  });
});

describe("a line of a results file", () => {
  test.each(["rejected", "failed", "unknown", "blocked", undefined] as const)(
    "with status %s sends its own event, and no other of its row",
    (status) => {
      const earlier = earlierOf({ event: 2, ...(status === undefined ? {} : { status }) });
      expect(plan(earlier)).toMatchObject({ kind: "send", events: [{ index: 2 }], orderKey: "k" });
    },
  );

  test("that was invalid sends every event of its row", () => {
    const { event: _, ...noEvent } = earlierOf({ status: "invalid" });
    expect(plan(noEvent)).toMatchObject({ kind: "send", events: [{ index: 1 }, { index: 2 }] });
  });

  test.each([
    ["succeeded", "already_succeeded"],
    ["skipped", "skipped_before"],
  ] as const)("that %s is left out and keeps its event id", (status, errorCode) => {
    expect(plan(earlierOf({ status }))).toMatchObject({
      kind: "settled",
      outcome: { ending: "skipped", errorCode, event: 1, eventId: "old-1", attempts: 0 },
    });
  });

  test("that is unknown stays so where nothing may arrive twice", () => {
    const earlier = earlierOf({ status: "unknown", errorCode: "timeout", error: "no answer" });
    expect(plan(earlier, twoEvents, false)).toMatchObject({
      kind: "settled",
      outcome: { ending: "unknown", errorCode: "timeout", error: "no answer", eventId: "old-1" },
    });
  });

  test("whose event the mapping makes no longer is skipped, and says so", () => {
    expect(plan(earlierOf({ status: "failed", event: 3 }))).toMatchObject({
      kind: "settled",
      outcome: { ending: "skipped", errorCode: "event_gone" },
    });
  });

  test("that cannot be parsed is never taken for one that succeeded", () => {
    const row: Row = {
      row: 1,
      line: 2,
      cells: [],
      earlier: earlierOf({ status: "succeeded" }),
      problem: { code: "ragged_row", message: "has 1 cell" },
    };
    const planned = planRow(row, () => ({ kind: "invalid", problems: [row.problem!] }), true);
    expect(planned).toMatchObject({ outcome: { ending: "invalid", errorCode: "ragged_row" } });
  });
});
