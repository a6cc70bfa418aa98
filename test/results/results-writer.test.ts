import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventStatuses, type Outcome } from "../../src/model/outcome.ts";
import { PendingRow } from "../../src/model/pending-row.ts";
import type { Row } from "../../src/model/row.ts";
import { resultLine } from "../../src/results/results-writer.ts";
import { nastyCells } from "../nasty-cells.ts";
import { breakWritesTo, isOpen, readLines } from "../temporary-folder.ts";
import { outcome, rowAt, writerUnderTest } from "./writer-under-test.ts";

const endings = fc.constantFrom(...eventStatuses);

describe("in whatever order the outcomes come", () => {
  const rows = fc.array(
    fc.record({
      cells: fc.tuple(nastyCells, nastyCells),
      endings: fc.array(endings, { minLength: 1, maxLength: 3 }),
      settleAt: fc.nat(1000),
    }),
    { maxLength: 40 },
  );

  test("the results are in input order, whole, and add up", async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (plan) => {
        const { writer, place, files, rowsWritten, errors } = await writerUnderTest();
        const places = plan.map(({ cells }, at) => place(rowAt(at + 1, cells)));
        const order = plan.map((_, at) => at).sort((a, b) => plan[a]!.settleAt - plan[b]!.settleAt);
        for (const at of order) {
          places[at]?.settle(
            plan[at]!.endings.map((status, index) => outcome(status, { event: index + 1 })),
          );
          if (plan[at]!.settleAt % 7 === 0) await new Promise(setImmediate);
        }
        await writer.flush();
        const { tally } = writer;

        const expected = plan.flatMap(({ cells, endings: all }, at) =>
          all.map((status, index) => ({
            a: cells[0],
            b: cells[1],
            import_row: String(at + 1),
            import_event: String(index + 1),
            import_status: status,
          })),
        );
        const lines = await readLines(files.part);
        expect(lines).toMatchObject(expected);
        expect(lines).toHaveLength(expected.length);

        expect(tally).toMatchObject({ events: lines.length, lines: lines.length });
        expect(writer.rowsSettled).toBe(plan.length);
        expect(await writer.snapshot()).toMatchObject({ rows: plan.length, tally });
        await writer.close();
        for (const status of eventStatuses) {
          const count = lines.filter((line) => line.import_status === status).length;
          expect(tally.counts[status]).toBe(count);
        }
        expect(rowsWritten()).toBe(plan.length);
        expect(errors).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("thousands of rows that wait behind one are written when it ends, and so are those after them", async () => {
    const never = () => () => {};
    const { writer, place, files, rowsWritten, held } = await writerUnderTest({ schedule: never });
    const places = Array.from({ length: 4000 }, (_, at) => place(rowAt(at + 1)));
    for (const one of places.slice(1, 3000)) one.settle([outcome("succeeded")]);
    // Of all but the first, only their lines are left.
    expect(held().rows).toBe(2999);
    expect(held().chars).toBeGreaterThan(2999 * 50);
    expect(writer.rowsSettled).toBe(2999);
    places[0]?.settle([outcome("failed")]);
    await writer.flush();
    for (const one of places.slice(3000)) one.settle([outcome("succeeded")]);
    await writer.flush();
    expect(await writer.snapshot()).toMatchObject({ rows: 4000, tally: { lines: 4000 } });
    const numbers = (await readLines(files.part)).map(({ import_row }) => Number(import_row));
    expect(numbers).toEqual(places.map((_, at) => at + 1));
    expect(held()).toEqual({ rows: 0, chars: 0 });
    expect(rowsWritten()).toBe(4000);
  });

  test("rows that end just as others have been written are not forgotten", async () => {
    const last: { settle(): void }[] = [];
    const { writer, place, rowsWritten } = await writerUnderTest({
      onWritten(row) {
        // After the writer has looked for more, and before it counts as having ended.
        if (row === 600) queueMicrotask(() => last.pop()?.settle());
      },
    });
    const places = Array.from({ length: 2000 }, (_, at) => place(rowAt(at + 1)));
    for (const [at, place] of places.entries()) {
      if (at !== 600) place.settle([outcome("succeeded")]);
    }
    last.push({ settle: () => places[600]?.settle([outcome("succeeded")]) });
    while (rowsWritten() < 2000) await new Promise(setImmediate);
    expect(await writer.snapshot()).toMatchObject({ rows: 2000 });
  });
});

describe("a run that stopped", () => {
  const untried = outcome("not_sent");

  test.each<[string, Outcome[]]>([
    ["that was never tried", [untried]],
    [
      "whose attempts came to nothing yet",
      [{ ...untried, attempts: 2, unanswered: 1, errorCode: "http_500" }],
    ],
    ["of which one event has ended", [outcome("succeeded", { event: 2 }), untried]],
  ])("has no line of a row %s, nor of those after it", async (_, unended) => {
    const { writer, place, files, rowsWritten } = await writerUnderTest();
    const all = [[outcome("succeeded")], [outcome("failed")], unended, [outcome("succeeded")]];
    for (const [at, outcomes] of all.entries()) place(rowAt(at + 1)).settle(outcomes);
    await writer.flush();
    const written = await writer.snapshot();
    await writer.close();

    const lines = await readLines(files.part);
    expect(lines.map((line) => [line.import_row, line.import_status])).toEqual([
      ["1", "succeeded"],
      ["2", "failed"],
    ]);
    expect(written).toMatchObject({ rows: 2, tally: { lines: 2, counts: { not_sent: 0 } } });
    // What is told of the run counts also what only the journal knows.
    expect(writer.rowsSettled).toBe(3);
    const ended = unended.filter(({ status }) => status !== "not_sent");
    expect(writer.tally).toMatchObject({ lines: 3 + ended.length, counts: { not_sent: 0 } });
    // Attempts may have arrived, whatever became of them.
    const attempts = unended.reduce((sum, one) => sum + one.attempts, 3);
    expect(writer.tally).toMatchObject({ attempts, unanswered: unended[0]?.unanswered });
    expect(rowsWritten()).toBe(2);
  });

  test("counts what is on record of rows that were not read again", async () => {
    const { writer } = await writerUnderTest();
    const ended = { kind: "outcome", rowOfRun: 1, outcome: outcome("succeeded") } as const;
    const importedAt = "2026-03-01T12:00:00.000Z";
    const sent = { rowOfRun: 2, event: 2, attempts: 1, unanswered: 1, importedAt };
    const attempted = { kind: "attempted", ...sent } as const;
    const intent = { ...sent, kind: "intent", event: 3, attempt: 3 } as const;
    writer.countUnsettled([[ended], [{ ...ended, rowOfRun: 2 }, attempted, intent]]);
    expect(writer.tally).toMatchObject({ lines: 2, counts: { succeeded: 2 } });
    // Those that may have arrived still may, however little of this part was read before it stopped.
    const attempts = 2 * ended.outcome.attempts + 4;
    expect(writer.tally).toMatchObject({ attempts, unanswered: 3, perhapsTwice: 1 });
    expect(writer.rowsSettled).toBe(1);
  });
});

test("a disk that breaks is reported once; every row leaves memory, and what could not be written is not counted as written", async () => {
  const { writer, place, files, rowsWritten, errors } = await writerUnderTest();
  const places = Array.from({ length: 50 }, (_, at) => place(rowAt(at + 1)));
  for (const place of places.slice(0, 10)) place.settle([outcome("succeeded")]);
  while (rowsWritten() < 10) await new Promise(setImmediate);
  expect(await writer.snapshot()).toMatchObject({ rows: 10 });
  breakWritesTo(files.part);
  for (const place of places.slice(10)) {
    place.settle([outcome("succeeded")]);
    await new Promise(setImmediate);
  }
  while (rowsWritten() < 50) await new Promise(setImmediate);
  await writer.flush();
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toContain(`${files.part} cannot be written`);
  await expect(writer.snapshot()).rejects.toBe(errors[0]);
  expect(writer.tally.counts.succeeded).toBe(50);
  expect(await readLines(files.part)).toHaveLength(10);
  await writer.close();
  expect(isOpen(files.part)).toBe(false);
});

test("lines that stay as they were are written as they were, and counted apart", async () => {
  const { writer, files } = await writerUnderTest();
  const row = new PendingRow(rowAt(1), 1);
  const text = "a1,b1,1,the line of an earlier part\n";
  Object.assign(row, { lines: [{ kind: "kept", text }] });
  writer.add(row);
  writer.settled(row);
  await writer.flush();
  expect(await readFile(files.part, "utf8")).toContain(`\n${text}`);
  expect(writer.written.tally).toMatchObject({ kept: 1, lines: 0, events: 0 });
});

const told: Outcome = {
  ...{ status: "unknown", event: 2, eventId: "id-2", httpStatus: 504, attempts: 5, unanswered: 2 },
  ...{ errorCode: "timeout", error: "no answer", finishedAt: "2026-03-01T12:00:00.000Z" },
};
const gone: Outcome = { status: "rejected", event: 0, attempts: 1, unanswered: 0 };

test.each<[string, Outcome, Partial<Row>, string]>([
  [
    "an event",
    told,
    {},
    "2,2,unknown,504,5,2,timeout,no answer,id-2,ID,3,2026-03-01T12:00:00.000Z",
  ],
  ["a key that is gone", gone, { isGone: true }, ",gone,rejected,,1,0,,,,ID,3,"],
  ["its retry", gone, { origin: {} }, ",gone,rejected,,1,0,,,,ID,3,"],
])("the line of %s tells everything of its outcome", (_, ended, more, line) => {
  const row: Row = { row: 4, line: 2, cells: ["a@x"], ...more };
  const part = { inputId: "ID", hasSources: false, part: 3 };
  expect(resultLine(row, row.cells, ended, part)).toBe(`a@x,4,${line}\n`);
});
