import { expect, test } from "vitest";
import type { RunIdentity } from "../../src/journal/run-identity.ts";
import {
  addRecord,
  countsOnRecord,
  isServiceKnown,
  rowsSettled,
} from "../../src/journal/unfinished-run.ts";
import { noCounts, type StatusCounts } from "../../src/model/outcome.ts";
import type { EventRecord } from "../../src/model/run-record.ts";
import { createTally } from "../../src/results/tally.ts";

/** A run that has settled three rows, of which two are in the results, and has one in flight. */
function unfinishedRun(statuses: Partial<StatusCounts>) {
  const events = new Map<number, EventRecord[]>();
  const importedAt = "2026-01-01T00:00:00.000Z";
  const intent = { event: 1, attempt: 1, unanswered: 0, importedAt };
  addRecord(events, { kind: "intent", rowOfRun: 4, ...intent });
  const counts = { ...noCounts(), ...statuses };
  const tally = { ...createTally().copy(), counts, events: 2, lines: 2, attempts: 2 };
  const checkpoint = { rows: 2, resultsBytes: 100, tally };
  const run = {} as RunIdentity;
  return { run, checkpoint, events, waitUntil: undefined, end: undefined };
}

test.each([
  [{ succeeded: 2 }, true],
  [{ rejected: 2 }, true],
  [{ failed: 1, invalid: 1 }, false],
])("a checkpoint with %j alone shows that the service answers: %s", (counts, isSo) => {
  expect(isServiceKnown(unfinishedRun(counts))).toBe(isSo);
});

test("rows in both the results and the journal count once", () => {
  const counts = { succeeded: 1, failed: 1 };
  const unfinished = unfinishedRun(counts);
  const outcome = { status: "succeeded", event: 1, attempts: 1, unanswered: 0 } as const;
  for (const rowOfRun of [1, 2, 3])
    addRecord(unfinished.events, { kind: "outcome", rowOfRun, outcome });
  expect(rowsSettled(unfinished)).toBe(3);
  expect(countsOnRecord(unfinished)).toEqual({ ...noCounts(), ...counts, succeeded: 2 });
});
