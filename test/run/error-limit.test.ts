import { describe, expect, test } from "vitest";
import { createDoneRows } from "../../src/journal/done-rows.ts";
import type { MaxErrors } from "../../src/model/max-errors.ts";
import { noCounts, type OutcomeStatus } from "../../src/model/outcome.ts";
import { createErrorLimit } from "../../src/run/send/error-limit.ts";

function limitOf(maxErrors: MaxErrors) {
  const stop = new AbortController();
  const counts = noCounts();
  const done = createDoneRows();
  const limit = createErrorLimit(maxErrors, stop, counts, done);
  let lastRow = 0;
  const settle = (row: number, status: OutcomeStatus) => {
    if (status === "invalid") limit.invalid(row);
    counts[status]++;
    done.line(row, 0, 1, true);
    limit.judge();
  };
  return {
    stop,
    read: () => ++lastRow,
    settle,
    rows(count: number, status: OutcomeStatus) {
      for (let row = 0; row < count; row++) settle(++lastRow, status);
    },
  };
}

describe("a run stops", () => {
  test("at one more than the number, saying how many", () => {
    const { rows, stop } = limitOf(3);
    rows(1200, "succeeded");
    rows(1, "failed");
    rows(1, "unknown");
    rows(1, "invalid");
    rows(5, "blocked");
    rows(5, "skipped");
    rows(5, "not_sent");
    expect(stop.signal.reason).toBeUndefined();
    rows(1, "rejected");
    expect(stop.signal.reason).toEqual({
      code: "too_many_errors",
      message: "4 of 1,204 lines did not succeed, more than --max-errors 3 allows.",
    });
  });

  test("above a share, judged from 100 lines on", () => {
    const early = limitOf("5%");
    early.rows(99, "rejected");
    early.rows(50, "blocked");
    expect(early.stop.signal.reason).toBeUndefined();
    early.rows(1, "succeeded");
    expect(early.stop.signal.reason?.message).toContain("99 of 100 lines did not succeed");

    const exact = limitOf("5%");
    exact.rows(95, "succeeded");
    exact.rows(5, "rejected");
    expect(exact.stop.signal.reason).toBeUndefined();
    exact.rows(1, "rejected");
    expect(exact.stop.signal.reason?.message).toContain(
      "6 of 101 lines did not succeed, more than",
    );
  });

  test("above a share also where the rows that go over it are the last and invalid", () => {
    const { rows, stop } = limitOf("5%");
    rows(94, "succeeded");
    rows(6, "invalid");
    expect(stop.signal.reason?.message).toContain("6 of 100 lines did not succeed");
  });

  test("not because invalid rows are known sooner than what is on its way", () => {
    const { read, settle, rows, stop } = limitOf("5%");
    // A reader that is far ahead: of each 100 rows, 4 are invalid, and nothing has ended yet.
    const sent: number[] = [];
    for (let row = 1; row <= 10_000; row++) {
      if (row % 25 === 0) rows(1, "invalid");
      else sent.push(read());
    }
    expect(stop.signal.reason).toBeUndefined();
    for (const row of sent) settle(row, "succeeded");
    expect(stop.signal.reason).toBeUndefined();
    rows(126, "rejected");
    expect(stop.signal.reason?.message).toContain("did not succeed");
  });
});
