import fc from "fast-check";
import { expect, test } from "vitest";
import { openResultsFile } from "../../src/input/open-results-file.ts";
import { resultsColumns } from "../../src/model/results-columns.ts";
import { anyCell, refusal, streamOf } from "./given-bytes.ts";
import { lineTold, readResults, resultsText } from "./given-results.ts";

test("the original columns and cells come back exactly, wherever the others stand", async () => {
  const columns = ["name", "plan", "note"];
  const anyOrder = fc.shuffledSubarray([...columns, ...resultsColumns], {
    minLength: columns.length + resultsColumns.length,
  });
  const anyLines = fc.array(fc.array(anyCell, { minLength: 3, maxLength: 3 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(anyOrder, anyLines, async (order, lines) => {
      const text = resultsText(
        columns,
        lines.map((cells, index) => ({ cells, told: { import_row: String(index + 7) } })),
        order,
      );
      const reading = await readResults(text);
      const kept = order.filter((name) => columns.includes(name));
      expect(reading.columns).toEqual(kept);
      const expected = lines.map((cells) => kept.map((name) => cells[columns.indexOf(name)]));
      expect(reading.lines.map(({ cells }) => cells)).toEqual(expected);
      const rows = reading.lines.map(({ earlier }) => earlier?.row);
      expect(rows).toEqual(lines.map((_, index) => index + 7));
    }),
    { numRuns: 100 },
  );
});

test("what the earlier run made of a line is carried along", async () => {
  expect(await lineTold({ import_row: "42", import_line: "57", import_event: "2" })).toEqual({
    line: 2,
    cells: ["Ann", "pro"],
    earlier: {
      input: "0123456789abcdef",
      row: 42,
      line: 57,
      event: 2,
      status: "rejected",
      unanswered: 0,
      errorCode: "http_422",
      error: "no such plan",
      eventId: "5e4f3c1a-0000-5000-8000-000000000001",
    },
  });
});

test("lost columns are named, and what they held is not known", async () => {
  const order = ["name", "plan", "import_status", "import_row"];
  const text = resultsText(["name", "plan"], [{ cells: ["Ann", "pro"] }], order);
  const source = await openResultsFile(streamOf(text));
  expect(source.missingColumns).toEqual(resultsColumns.filter((name) => !order.includes(name)));
  for await (const [row] of source.batches) {
    expect(row?.earlier).toEqual({
      row: 1,
      status: "rejected",
      unanswered: 0,
      errorCode: "",
      error: "",
      eventId: "",
    });
  }
});

test.each(["status", "IMPORT_STATUS", " Import Status", "import-status"])(
  "a column %j is not import_status, without which it is not a results file",
  async (status) => {
    const text = `name,IMPORT_ROW,${status}\nAnn,1,failed\n`;
    expect(await refusal(streamOf(text), openResultsFile)).toBe(
      "not_a_results_file: people.csv is not a results file: it has no column import_status. If it was renamed, give it that name back. To send a file for the first time, use eventload import.",
    );
  },
);

const putBack = "was changed, perhaps by a spreadsheet program: restore it";

test.each([
  [
    { import_status: "done" },
    "import_status",
    "done",
    "is not one of succeeded, skipped, rejected, failed, unknown, invalid, blocked; clear the cell to send the row",
  ],
  [{ import_row: "1.5" }, "import_row", "1.5", putBack],
  [{ import_event: "#REF!" }, "import_event", "#REF!", putBack],
  [{ import_input: "1.2345E+15" }, "import_input", "1.2345E+15", putBack],
])("what cannot be read is not guessed: %j", async (told, column, value, message) => {
  const { unusable } = await lineTold(told);
  expect(unusable).toBe(`, column ${column}: "${value}" ${message}`);
});

test("a line that lost or gained a cell is not taken at its word", async () => {
  const text = resultsText(["name", "plan"], [{ cells: ["Ann", "pro"] }, { cells: ["Bo", "pro"] }]);
  const torn = text.replace("Ann,pro", "Ann,x,pro");
  const { lines } = await readResults(torn);
  expect(lines[0]).toEqual({
    line: 2,
    cells: ["Ann", "x"],
    unusable:
      ': has 16 cells where the header has 15; without a column: "2024-05-01T10:00:00.000Z"; so it is unclear whether it was sent: restore its cells',
  });
  expect(lines[1]?.unusable).toBeUndefined();
  const nuls = await readResults("name,import_status\n\0\0\n");
  expect(nuls.lines.map(({ unusable = "" }) => unusable)).toEqual([expect.stringMatching(/NUL/)]);
});
