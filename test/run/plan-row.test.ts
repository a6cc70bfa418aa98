import { expect, test } from "vitest";
import type { LoadEvent, MappedRow } from "../../src/model/event.ts";
import type { AccountLine, Row, RowProblem } from "../../src/model/row.ts";
import { planRow } from "../../src/run/prepare/plan-row.ts";

function eventAt(index: number): LoadEvent {
  return {
    ...{ id: `new-${index}`, index, name: "x", resource: "users", method: "POST" },
    ...{ data: () => "{}", body: () => "{}" },
  };
}

const events = (...indexes: number[]): MappedRow => ({
  ...{ kind: "events", events: indexes.map(eventAt), orderingKey: "k" },
});
const problem: RowProblem = { code: "missing_value", column: "Email", message: "is blank" };
const invalid: MappedRow = { kind: "invalid", problems: [problem, { ...problem, column: "B" }] };

function plan(mapped: MappedRow, more: Partial<Row> = {}) {
  return planRow(
    { row: 1, line: 2, cells: [], ...more },
    { mapRow: () => mapped, onKeyFailure: "default" },
  );
}

function line(event: number | undefined, more: Partial<AccountLine> = {}): AccountLine {
  return {
    ...{ use: "send", because: undefined, cells: ["x"], text: `line ${event}\n`, event },
    ...{ status: "failed", eventId: `old-${event}`, errorCode: "", error: "" },
    ...{ httpStatus: undefined, attempts: 3, unanswered: 0, ...more },
  } as AccountLine;
}

/** What becomes of the lines of a row that is retried. */
function linesOf(mapped: MappedRow, lines: readonly AccountLine[], more: Partial<Row> = {}) {
  const { events: sent, lines: planned = [] } = plan(mapped, { lines, ...more });
  const said = planned.map((one) => {
    if (one.kind === "settled") return `${one.outcome.event} ${one.outcome.status}`;
    return one.kind === "sent" ? `${one.event} sent` : one.text.trim();
  });
  expect(sent.map(({ index }) => `${index} sent`)).toEqual(
    said.filter((one) => / sent$/.test(one)),
  );
  return said;
}

const twoLines = [line(1), line(2)];
const done = line(1, { use: "keep", status: "succeeded" });
test.each<[string, MappedRow, readonly AccountLine[], string[], Partial<Row>?]>([
  ["sends its events", events(1, 2), twoLines, ["1 sent", "2 sent"]],
  ["keeps what is done", events(1, 2), [done, line(2)], ["line 1", "2 sent"]],
  ["that gave no event gives all", events(1, 2), [line(undefined)], ["1 sent", "2 sent"]],
  ["may give fewer, if none is done", events(2), twoLines, ["2 sent"]],
  ["may give others, if none is done", events(2, 3), twoLines, ["2 sent", "3 sent"]],
  ["may not, if one is done", events(1), [done, line(2)], ["line 1", "2 invalid"]],
  [
    "may not, if one may have arrived",
    events(2),
    [line(1, { unanswered: 1 }), line(2)],
    ["1 invalid", "2 invalid"],
  ],
  [
    "may give more than what may have arrived",
    events(1, 2),
    [line(1, { unanswered: 1 })],
    ["1 sent", "2 sent"],
  ],
  [
    "may lack the lines of what is done",
    events(1, 2),
    [line(2)],
    ["2 sent"],
    { mayLackLines: true },
  ],
  ["that cannot be mapped is invalid, line by line", invalid, twoLines, ["1 invalid", "2 invalid"]],
  [
    "leaves unsent what is superseded or blocked",
    events(1, 2),
    [line(1, { use: "superseded", because: 9 }), line(2, { use: "blocked", because: 7 })],
    ["1 failed", "2 blocked"],
  ],
  [
    "sets to skipped what the file says",
    events(1, 2),
    [line(1, { use: "skip" }), line(2)],
    ["1 skipped", "2 sent"],
  ],
])("a row that is retried: %s", (_what, mapped, lines, expected, more) => {
  expect(linesOf(mapped, lines, more)).toEqual(expected);
});
