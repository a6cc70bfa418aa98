import { expect, test } from "vitest";
import { createEventRecords } from "../../src/journal/read-journal.ts";
import type { RunIdentity } from "../../src/journal/run-identity.ts";
import { countsOnRecord, rowsSettled } from "../../src/journal/unfinished-run.ts";
import { noCounts } from "../../src/model/outcome.ts";
import { createTally } from "../../src/results/tally.ts";

test("rows in both the results and the journal count once", () => {
  const events = createEventRecords();
  const outcome = { status: "succeeded", event: 1, attempts: 1, unanswered: 0 } as const;
  for (const rowOfRun of [1, 2, 3]) events.add({ kind: "outcome", rowOfRun, outcome });
  const importedAt = "2026-01-01T00:00:00.000Z";
  const intent = { event: 1, attempt: 1, unanswered: 0, importedAt };
  events.add({ kind: "intent", rowOfRun: 4, ...intent });
  const counts = { ...noCounts(), succeeded: 1, failed: 1 };
  const tally = { ...createTally().copy(), counts, events: 2, lines: 2, attempts: 2 };
  const written = { rows: 2, resultsBytes: 100, tally };
  const checkpoint = { ...written, position: null, rowsBeforePosition: 0 };
  const unfinished = {
    kind: "run",
    run: {} as RunIdentity,
    checkpoint,
    events,
    waitUntil: undefined,
    end: undefined,
  } as const;
  expect(rowsSettled(unfinished)).toBe(3);
  expect(countsOnRecord(unfinished)).toEqual({ ...counts, succeeded: 2 });
});
