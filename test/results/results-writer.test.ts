import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DiskError } from "../../src/domain/errors.ts";
import { type Ending, eventStatuses, type Outcome } from "../../src/domain/outcome.ts";
import type { Row } from "../../src/domain/row.ts";
import { createResultsWriter, type ResultsWriter } from "../../src/results/results-writer.ts";
import { type RunFiles, runFiles } from "../../src/results/run-files.ts";
import { createFakeClock } from "../fake-clock.ts";
import { nastyCells } from "../nasty-cells.ts";
import { breakWritesTo, isOpen, readLines, temporaryFolder } from "../temporary-folder.ts";

interface WriterUnderTest {
  readonly writer: ResultsWriter;
  readonly files: RunFiles;
  /** Numbers of the rows that have left memory. */
  readonly released: number[];
  readonly errors: DiskError[];
}

async function writerUnderTest(
  schedule = createFakeClock().schedule,
  onWritten = (_: Row) => {},
): Promise<WriterUnderTest> {
  const files = runFiles(join(await temporaryFolder(), "people.results.csv"));
  const released: number[] = [];
  const errors: DiskError[] = [];
  const writer = await createResultsWriter({
    files,
    columns: ["a", "b"],
    inputId: "0123456789abcdef",
    schedule,
    onWritten(row) {
      released.push(row.row);
      onWritten(row);
    },
    onDiskError: (error) => errors.push(error),
  });
  return { writer, files, released, errors };
}

function rowAt(row: number, cells: readonly string[] = [`a${row}`, `b${row}`]): Row {
  return { row, line: row + 1, cells };
}

function outcome(ending: Ending, more: Partial<Outcome> = {}): Outcome {
  const attempts = ending === "not_sent" ? 0 : 1;
  return { ending, event: 1, eventId: "id", attempts, unanswered: 0, ...more };
}

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
        const { writer, files, released, errors } = await writerUnderTest();
        const places = plan.map(({ cells }, at) => writer.place(rowAt(at + 1, cells)));
        const order = plan.map((_, at) => at).sort((a, b) => plan[a]!.settleAt - plan[b]!.settleAt);
        for (const at of order) {
          places[at]?.settle(
            plan[at]!.endings.map((ending, index) => outcome(ending, { event: index + 1 })),
          );
          if (plan[at]!.settleAt % 7 === 0) await new Promise(setImmediate);
        }
        const tally = await writer.finish();

        const expected = plan.flatMap(({ cells, endings: all }, at) =>
          all.map((ending, index) => ({
            a: cells[0],
            b: cells[1],
            import_row: String(at + 1),
            import_event: String(index + 1),
            import_status: ending,
          })),
        );
        const lines = await readLines(files.results);
        expect(lines).toMatchObject(expected);
        expect(lines).toHaveLength(expected.length);

        const notDone = lines.filter(
          ({ import_status: status }) => status !== "succeeded" && status !== "skipped",
        );
        expect(tally.failedRowsFile).toBe(notDone.length === 0 ? undefined : files.failed);
        expect(existsSync(files.failed)).toBe(notDone.length > 0);
        if (notDone.length > 0) expect(await readLines(files.failed)).toEqual(notDone);

        expect(tally).toMatchObject({
          events: lines.length,
          rowsWritten: plan.length,
          rowsSettled: plan.length,
          linesWritten: lines.length,
          linesLost: 0,
        });
        for (const status of eventStatuses) {
          const count = lines.filter((line) => line.import_status === status).length;
          expect(tally.counts[status]).toBe(count);
        }
        expect(released).toEqual(plan.map((_, at) => at + 1));
        expect(errors).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("ten thousand rows that wait behind one are written when it ends", async () => {
    const never = () => () => {};
    const { writer, files, released } = await writerUnderTest(never);
    const places = Array.from({ length: 10_000 }, (_, at) => writer.place(rowAt(at + 1)));
    for (const place of places.slice(1)) place.settle([outcome("succeeded")]);
    expect(released).toEqual([]);
    expect(writer.rowsEnded).toBe(9999);
    places[0]?.settle([outcome("failed")]);
    const { linesWritten } = await writer.finish();
    expect(linesWritten).toBe(10_000);
    expect(await readLines(files.failed)).toHaveLength(1);
  });

  test("rows that end just as others have been written are not forgotten", async () => {
    const last: { settle(): void }[] = [];
    const { writer, released } = await writerUnderTest(
      () => () => {},
      ({ row }) => {
        // After the writer has looked for more, and before it counts as having ended.
        if (row === 600) queueMicrotask(() => last.pop()?.settle());
      },
    );
    const places = Array.from({ length: 2000 }, (_, at) => writer.place(rowAt(at + 1)));
    for (const [at, place] of places.entries()) {
      if (at !== 600) place.settle([outcome("succeeded")]);
    }
    last.push({ settle: () => places[600]?.settle([outcome("succeeded")]) });
    while (released.length < 2000) await new Promise(setImmediate);
    expect((await writer.finish()).rowsWritten).toBe(2000);
  });
});

describe("a line", () => {
  test("tells everything of its outcome", async () => {
    const { writer, files } = await writerUnderTest();
    writer.place(rowAt(1)).settle([
      {
        ending: "unknown",
        event: 2,
        eventId: "id-2",
        httpStatus: 504,
        attempts: 5,
        unanswered: 2,
        errorCode: "timeout",
        error: "no answer",
        finishedAt: "2026-03-01T12:00:00.000Z",
      },
    ]);
    await writer.finish();
    expect(await readLines(files.results)).toEqual([
      {
        a: "a1",
        b: "b1",
        import_row: "1",
        import_line: "2",
        import_event: "2",
        import_status: "unknown",
        import_http_status: "504",
        import_attempts: "5",
        import_unanswered: "2",
        import_error_code: "timeout",
        import_error: "no answer",
        import_event_id: "id-2",
        import_input: "0123456789abcdef",
        import_finished_at: "2026-03-01T12:00:00.000Z",
      },
    ]);
  });

  test("of a retry keeps line, input and the attempts that went unanswered before", async () => {
    const { writer, files } = await writerUnderTest();
    const earlier = {
      input: "fedcba9876543210",
      line: 77,
      unanswered: 2,
      errorCode: "",
      error: "",
      eventId: "id",
    };
    const settle = (row: number, ended: Outcome) =>
      writer.place({ ...rowAt(row), earlier }).settle([ended]);
    settle(1, outcome("succeeded", { attempts: 2, unanswered: 1 }));
    settle(2, outcome("skipped", { attempts: 0 }));
    settle(3, outcome("unknown", { attempts: 0, unanswered: 2 }));
    await writer.finish();
    expect(await readLines(files.results)).toMatchObject([
      { import_line: "77", import_input: "fedcba9876543210", import_unanswered: "3" },
      { import_unanswered: "2" },
      { import_unanswered: "2" },
    ]);
  });
});

describe("a run that stopped", () => {
  test("leaves out the rows at the end that were never tried, and keeps those in between", async () => {
    const { writer, files, released } = await writerUnderTest();
    const untried = outcome("not_sent");
    const tried = outcome("not_sent", { attempts: 1, errorCode: "http_500" });
    for (const [at, outcomes] of [
      [outcome("succeeded")],
      [untried],
      [tried],
      [untried, outcome("succeeded", { event: 2 })],
      [untried],
      [untried, { ...untried, event: 2 }],
    ].entries()) {
      writer.place(rowAt(at + 1)).settle(outcomes);
    }
    const tally = await writer.finish();
    const lines = await readLines(files.results);
    expect(lines.map((line) => [line.import_row, line.import_status])).toEqual([
      ["1", "succeeded"],
      ["2", ""],
      ["3", ""],
      ["4", ""],
      ["4", "succeeded"],
    ]);
    expect((await readLines(files.failed)).map((line) => line.import_row)).toEqual(["2", "3", "4"]);
    expect(tally).toMatchObject({ rowsWritten: 4, rowsSettled: 1, linesWritten: 5, linesLost: 0 });
    expect(tally.counts).toMatchObject({ succeeded: 2, not_sent: 6 });
    expect([...released].sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("before anything was worth keeping takes its files away", async () => {
    const { writer, files, errors } = await writerUnderTest();
    writer.place(rowAt(1)).settle([outcome("invalid")]);
    writer.place(rowAt(2)).settle([outcome("not_sent")]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await writer.discard();
    expect(existsSync(files.results)).toBe(false);
    expect(existsSync(files.failed)).toBe(false);
    expect(errors).toEqual([]);
  });
});

describe("a disk that breaks", () => {
  test("is told once; every row leaves memory, and what could not be written is counted", async () => {
    const { writer, files, released, errors } = await writerUnderTest();
    const places = Array.from({ length: 50 }, (_, at) => writer.place(rowAt(at + 1)));
    for (const place of places.slice(0, 10)) place.settle([outcome("succeeded")]);
    while (released.length < 10) await new Promise(setImmediate);
    breakWritesTo(files.results);
    for (const place of places.slice(10)) {
      place.settle([outcome("succeeded")]);
      await new Promise(setImmediate);
    }
    while (released.length < 50) await new Promise(setImmediate);
    const tally = await writer.finish();
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(`${files.results} cannot be written`);
    expect(tally).toMatchObject({ rowsWritten: 10, linesWritten: 10, linesLost: 40 });
    expect(tally.counts.succeeded).toBe(50);
    expect(await readLines(files.results)).toHaveLength(10);
    expect(isOpen(files.results)).toBe(false);
  });

  test("at the failed rows does not make lost what stands in the results", async () => {
    const { writer, files, released, errors } = await writerUnderTest();
    await writeFile(files.failed, "of somebody else");
    writer.place(rowAt(1)).settle([outcome("failed")]);
    while (released.length < 1) await new Promise(setImmediate);
    const tally = await writer.finish();
    expect(errors.map(({ message }) => message)).toEqual([
      `${files.failed} exists already, and results are never overwritten: move it away, or name another with --results.`,
    ]);
    expect(tally).toMatchObject({ linesWritten: 1, linesLost: 0, failedRowsFile: undefined });
    expect(await readLines(files.results)).toHaveLength(1);
    expect(isOpen(files.results)).toBe(false);
  });
});
