import fc from "fast-check";
import { expect, test } from "vitest";
import { eventStatuses, type Outcome } from "../../src/model/outcome.ts";
import { resultsColumnsOf } from "../../src/model/results-columns.ts";
import type { Row } from "../../src/model/row.ts";
import { linesInOrder } from "../../src/results/lines-in-order.ts";
import { ownCellsReader, resultLine } from "../../src/results/result-line.ts";
import { csvCells, toCsv } from "../../src/results/to-csv.ts";
import { nastyCells } from "../nasty-cells.ts";
import { openText } from "./written-results.ts";

interface Line {
  readonly rowOfRun: number;
  readonly at: number;
  readonly text: string;
  readonly isLast?: true;
}

async function rendered(lines: readonly Line[]): Promise<Buffer[]> {
  async function* batches() {
    for (let at = 0; at < lines.length; at += 3) yield lines.slice(at, at + 3);
  }
  const pieces: Buffer[] = [];
  for await (const piece of linesInOrder(["header"], batches())) pieces.push(piece);
  return pieces;
}

/** The lines of rows, and the order in which they come: no row is further ahead than the window. */
const journals = fc
  .record({
    rows: fc.array(fc.array(nastyCells, { minLength: 1, maxLength: 3 }), { maxLength: 40 }),
    window: fc.integer({ min: 1, max: 40 }),
    picks: fc.array(fc.nat(), { minLength: 150, maxLength: 150 }),
    kills: fc.array(fc.nat(150), { maxLength: 4 }),
  })
  .map(({ rows, window, picks, kills }) => {
    const left = rows.map((texts, row) =>
      texts.map((text, at) => ({ rowOfRun: row + 1, at, text })),
    );
    const inOrder = left.flat().map(({ text }) => text);
    const written: Line[] = [];
    for (const pick of picks) {
      const first = left.findIndex((ofRow) => ofRow.length > 0);
      if (first < 0) break;
      const open = left.slice(first, first + window).filter((ofRow) => ofRow.length > 0);
      const ofRow = open[pick % open.length] ?? [];
      const [line] = ofRow.splice(pick % ofRow.length, 1);
      if (line !== undefined) {
        written.push(ofRow.length === 0 ? { ...line, isLast: true } : line);
      }
    }
    // What a killed process had written of a row that was not done comes again.
    const again = kills.flatMap((at) => written.slice(at, at + 1).filter(({ isLast }) => !isLast));
    return { inOrder, written, again };
  });

test("any lines, in any order that the window allows, come in the order of their rows", async () => {
  await fc.assert(
    fc.asyncProperty(journals, async ({ inOrder, written, again }) => {
      const twice = written.flatMap((line) => (again.includes(line) ? [line, line] : [line]));
      const pieces = await rendered(twice);
      expect(Buffer.concat(pieces).toString()).toBe(["header\n", ...inOrder].join(""));
    }),
  );
});

test("lines come in pieces, those behind a row that is never done at the end", async () => {
  const texts = Array.from({ length: 3000 }, (_, at) => `${at}`.padEnd(1000, "x"));
  const lines = texts.map((text, at): Line => ({ rowOfRun: at + 1, at: 0, text, isLast: true }));
  const { isLast: _, ...open } = lines[2000] as Line;
  const pieces = await rendered(lines.with(2000, open));
  expect(Buffer.concat(pieces).toString() === `header\n${texts.join("")}`).toBe(true);
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.at(-1)?.length).toBeGreaterThan(999 * 1000);
  expect((await rendered([])).join("")).toBe("header\n");
});

test("of a line that comes again the first counts, as in the fold", async () => {
  const line: Line = { rowOfRun: 2, at: 0, text: "first\n" };
  const again = { ...line, text: "again\n" };
  const rest = [
    { ...line, at: 1, text: "last\n", isLast: true as const },
    { rowOfRun: 1, at: 0, text: "row 1\n", isLast: true as const },
  ];
  const pieces = await rendered([line, again, ...rest]);
  expect(pieces.join("")).toBe("header\nrow 1\nfirst\nlast\n");
});

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const said = nastyCells.filter((text) => text !== "");
const outcomes = fc.record<Outcome>(
  {
    status: fc.constantFrom(...eventStatuses),
    attempts: fc.nat(200),
    unanswered: fc.nat(200),
    event: fc.nat(12),
    httpStatus: fc.integer({ min: 100, max: 599 }),
    eventId: said,
    errorCode: said,
    error: said,
    finishedAt: fc.constant("2026-03-01T12:00:00.000Z"),
  },
  { requiredKeys: ["status", "attempts", "unanswered"] },
);

test("what is read from a line, with or without the cells before it, is the outcome that was written", async () => {
  await fc.assert(
    fc.asyncProperty(
      outcomes,
      fc.array(nastyCells, { minLength: 1, maxLength: 3 }),
      optional(nastyCells),
      async (outcome, cells, source) => {
        const hasSources = source !== undefined;
        const row: Row = { row: 7, line: 9, cells, ...(hasSources ? { source } : {}) };
        const line = resultLine(row, cells, outcome, { inputId: "id", hasSources, part: 3 });
        const place = { row: 7, line: 9, ...(hasSources ? { source } : {}) };
        const columns = [...cells.map((_, at) => `${at}`), ...resultsColumnsOf(hasSources)];
        const read = ownCellsReader(columns);
        const said = { outcome, place, input: "id" };
        expect(read(line.text)).toEqual(said);
        expect(read(line.text.slice(line.ownAt))).toEqual(said);
        const header = toCsv([columns]);
        const reader = await openText(header + line.text);
        expect(csvCells(reader.bytes().toString()).slice(0, cells.length)).toEqual(cells);
        expect(reader.said).toEqual(said);
        expect(csvCells(line.text)[columns.indexOf("import_part")]).toBe("3");
      },
    ),
  );
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
])("the line of %s says everything of its outcome", (_, ended, more, line) => {
  const row: Row = { row: 4, line: 2, cells: ["a@x"], ...more };
  const part = { inputId: "ID", hasSources: false, part: 3 };
  expect(resultLine(row, row.cells, ended, part).text).toBe(`a@x,4,${line}\n`);
});

test.each([
  ["", undefined],
  ["a,b", undefined],
  ["1,2,1,done,,1,0,,,,id,1,", undefined],
  ["1,2,1,,,1,0,,,,id,1,", "not_sent"],
])("a line of %j has the status %j", (text, status) => {
  expect(ownCellsReader(resultsColumnsOf(false))(`${text}\n`)?.outcome.status).toBe(status);
});
