import { describe, expect, test } from "vitest";
import type { LoadEvent, MappedRow } from "../../src/model/event.ts";
import type { EarlierOutcome, Row, RowProblem } from "../../src/model/row.ts";
import { createKeyOrder, otherRetries, planRow, type SentBefore } from "../../src/run/plan-row.ts";

function eventAt(index: number): LoadEvent {
  return {
    id: `new-${index}`,
    index,
    name: "x",
    resource: "users",
    data: () => "{}",
    body: () => "{}",
  };
}

const twoEvents: MappedRow = { kind: "events", events: [eventAt(1), eventAt(2)], orderingKey: "k" };
const problem: RowProblem = { code: "missing_value", column: "Email", message: "is blank" };

const oldId = "5e4f3c1a-0000-5000-8000-000000000001";

function earlierOf(more: Partial<EarlierOutcome>): EarlierOutcome {
  return { unanswered: 0, errorCode: "", error: "", eventId: oldId, event: 1, ...more };
}

/** What is told of a line whose import_event is blank. */
function withoutEvent(more: Partial<EarlierOutcome>): EarlierOutcome {
  const { event: _, ...rest } = earlierOf({ eventId: "", ...more });
  return rest;
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
    expect(plan()).toEqual({ kind: "send", events: twoEvents.events, orderingKey: "k" });
  });

  test("that cannot be mapped is invalid, with every problem in its error", () => {
    const mapped: MappedRow = { kind: "invalid", problems: [problem, { ...problem, column: "B" }] };
    expect(plan(undefined, mapped)).toMatchObject({
      kind: "settled",
      outcome: {
        status: "invalid",
        attempts: 0,
        errorCode: "missing_value",
        error: 'column "Email": is blank; column "B": is blank',
      },
      problems: [{}, {}],
    });
    const inOrder = { ...mapped, orderingKey: "k" };
    expect(plan(undefined, inOrder)).toMatchObject({ kind: "settled", orderingKey: "k" });
  });

  test("that the mapping leaves out is skipped", () => {
    const mapped: MappedRow = { kind: "skipped", code: "condition", message: "test row" };
    expect(plan(undefined, mapped)).toMatchObject({
      kind: "settled",
      outcome: { status: "skipped", errorCode: "condition", error: "test row" },
    });
  });
});

describe("a line of a results file", () => {
  test.each(["rejected", "failed", "unknown", "blocked", "invalid", undefined] as const)(
    "with status %s sends what the mapping makes of it",
    (status) => {
      const earlier = earlierOf({ event: 2, ...(status === undefined ? {} : { status }) });
      const mapped: MappedRow = { kind: "events", events: [eventAt(2)], orderingKey: "k" };
      expect(plan(earlier, mapped)).toEqual({ ...mapped, kind: "send" });
    },
  );

  test.each<[string, Partial<EarlierOutcome>, MappedRow]>([
    ["cannot be mapped", { status: "rejected" }, { kind: "invalid", problems: [problem] }],
    ["is left out", {}, { kind: "skipped", code: "condition", message: "test row" }],
    ["is gone", { status: "failed" }, { kind: "skipped", code: "event_gone", message: "gone" }],
    ["succeeded", { status: "succeeded" }, twoEvents],
    ["was skipped", { status: "skipped" }, twoEvents],
  ])("whose event %s still says which event it is", (_, more, mapped) => {
    expect(plan(earlierOf({ event: 2, ...more }), mapped)).toMatchObject({
      kind: "settled",
      outcome: { event: 2, eventId: oldId },
    });
  });

  test("that cannot be read still says which event it is, and keeps the mark of its cells", () => {
    const unreadable: RowProblem = { code: "unknown_status", message: "is not one of" };
    const ragged: RowProblem = { code: "ragged_row", message: "has 1 cell", mark: "cells-1" };
    const outcomeOf = (found: RowProblem) => {
      const row: Row = { row: 1, line: 2, cells: [], problem: found, earlier: earlierOf({}) };
      return planRow(row, () => ({ kind: "invalid", problems: [found] }), true);
    };
    expect(outcomeOf(unreadable)).toMatchObject({ outcome: { event: 1, eventId: oldId } });
    expect(outcomeOf(ragged)).toMatchObject({ outcome: { event: 1, eventId: "cells-1" } });
  });

  test("of a row that gave no event sends every event of its row", () => {
    for (const eventId of ["", "cells-0123456789abcdef"]) {
      const earlier = withoutEvent({ status: "invalid", eventId });
      expect(plan(earlier)).toMatchObject({ kind: "send", events: [{ index: 1 }, { index: 2 }] });
    }
  });

  test.each<[string, Partial<EarlierOutcome>]>([
    ["its status", { status: "rejected" }],
    ["its event id", { status: "invalid", eventId: oldId }],
    ["its event id and no status", { eventId: oldId }],
    ["a retry that found so before", { status: "invalid", errorCode: "unknown_event" }],
  ])("that has lost its event, as %s tells, is not sent as all of them", (_, more) => {
    const earlier = withoutEvent(more);
    expect(plan(earlier)).toMatchObject({
      kind: "settled",
      outcome: { status: "invalid", errorCode: "unknown_event" },
      problems: [{ column: "import_event" }],
    });
    const oneEvent: MappedRow = { kind: "events", events: [eventAt(1)] };
    expect(plan(earlier, oneEvent)).toMatchObject({ kind: "send", events: [{ index: 1 }] });
  });

  test.each([
    ["succeeded", "already_succeeded"],
    ["skipped", "skipped_before"],
  ] as const)("that %s is left out and keeps its event id", (status, errorCode) => {
    expect(plan(earlierOf({ status }))).toMatchObject({
      kind: "settled",
      outcome: { status: "skipped", errorCode, event: 1, eventId: oldId, attempts: 0 },
    });
  });

  test("that is unknown stays so where nothing may arrive twice", () => {
    const earlier = earlierOf({ status: "unknown", errorCode: "timeout", error: "no answer" });
    expect(plan(earlier, twoEvents, false)).toMatchObject({
      kind: "settled",
      outcome: { status: "unknown", errorCode: "timeout", error: "no answer", eventId: oldId },
      orderingKey: "k",
    });
  });

  describe("whose event another retry of the same file has settled", () => {
    const sent = {
      results: "p.retry-1.results.csv",
      retry: 1,
      unanswered: 2,
      errorCode: "timeout",
    };
    const planWith = (
      status: SentBefore["status"],
      earlier: EarlierOutcome,
      events = [eventAt(1)],
      id = events[0]?.id,
      key: { readonly orderingKey?: string } = { orderingKey: "k" },
    ) =>
      planRow(
        { row: 1, line: 2, cells: [], earlier },
        () => ({ kind: "events", events, ...key }),
        false,
        otherRetries((_, event) =>
          event.id === id ? { ...sent, status, isSameEvent: true } : undefined,
        ),
      );

    test("is skipped if it was delivered, and stays unknown if it was left so", () => {
      const failed = earlierOf({ status: "failed" });
      expect(planWith("delivered", failed)).toMatchObject({
        kind: "settled",
        outcome: { status: "skipped", errorCode: "already_succeeded", event: 1, eventId: "new-1" },
        settledBefore: [{ results: "p.retry-1.results.csv" }],
      });
      expect(planWith("unknown", failed)).toMatchObject({
        kind: "settled",
        outcome: { status: "unknown", errorCode: "timeout", attempts: 0, unansweredBefore: 2 },
        orderingKey: "k",
      });
    });

    test("is skipped if the line says unknown, but not if its cells have changed since", () => {
      const same = { ...eventAt(1), id: oldId };
      const unknown = earlierOf({ status: "unknown" });
      expect(planWith("delivered", unknown, [same])).toMatchObject({
        outcome: { status: "skipped", eventId: oldId },
      });
      expect(planWith("delivered", unknown)).toMatchObject({
        outcome: { status: "unknown", eventId: oldId },
      });
    });

    test("is told apart from the other events of its row", () => {
      const invalid = withoutEvent({ status: "invalid" });
      const both = [eventAt(1), eventAt(2)];
      const planned = planWith("delivered", invalid, both, "new-2", {});
      expect(planned).toMatchObject({
        kind: "send",
        events: [{ index: 1 }, { index: 2 }],
        settledBefore: [{ outcome: { status: "skipped", event: 2 } }],
      });
      // With an ordering key, it follows the event that is sent before it.
      const inOrder = planWith("delivered", invalid, both, "new-2");
      expect(inOrder).not.toHaveProperty("settledBefore");
      expect(inOrder).toMatchObject({ sentBefore: [{ event: 2, unanswered: 2 }] });
      expect(planWith("delivered", invalid, [eventAt(1)], "other")).not.toHaveProperty(
        "settledBefore",
      );
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
    expect(planned).toMatchObject({ outcome: { status: "invalid", errorCode: "ragged_row" } });
  });
});

test("an event is left out only if the events of its key before it were delivered before it", () => {
  const order = createKeyOrder();
  expect([order.leavesOut("a", 1), order.leavesOut("a", 1), order.leavesOut("a", 3)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(order.leavesOut("a", 2)).toBe(false);
  order.sends("b");
  expect(order.leavesOut("b", 3)).toBe(false);
  expect(order.leavesOut("c", 0)).toBe(false);
});
