import fc from "fast-check";
import { expect, test } from "vitest";
import { openResultsFile } from "../../src/input/open-results-file.ts";
import { raggedMark } from "../../src/input/ragged-row.ts";
import { resultsColumns } from "../../src/model/results-columns.ts";
import { planRow } from "../../src/run/prepare/plan-row.ts";
import { head, mapper } from "../mapping/given-mapping.ts";
import { anyCell, readAll, refusal, streamOf } from "./given-bytes.ts";
import { readResults, resultsText, rowTold } from "./given-results.ts";

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
      expect(reading.rows.map(({ cells }) => cells)).toEqual(expected);
      expect(reading.rows.map(({ row }) => row)).toEqual(lines.map((_, index) => index + 7));
    }),
    { numRuns: 100 },
  );
});

test("what the earlier run made of a line is carried along", async () => {
  expect(await rowTold({ import_row: "42", import_line: "57", import_event: "2" })).toEqual({
    row: 42,
    line: 2,
    resultsFile: "people.csv",
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
])("what cannot be read is a problem and not a guess: %j", async (told, column, value, message) => {
  const { problem } = await rowTold(told);
  expect(problem).toEqual({ code: "unknown_status", column, value, message });
});

test("a ragged row is held back until a person has fixed it, and says the same each time", async () => {
  const cells = ["Ann", ""];
  const told = {
    import_status: "invalid",
    import_event: "",
    import_error_code: "ragged_row",
    import_error: "has 1 cell where the header has 2",
    import_event_id: raggedMark(cells),
  };
  const message =
    "was not fixed (fix it, or clear import_error_code to send it as it is): has 1 cell where the header has 2";
  const problem = { code: "ragged_row", message, mark: raggedMark(cells) };
  expect((await rowTold(told, cells)).problem).toEqual(problem);
  expect((await rowTold({ ...told, import_error: message }, cells)).problem).toEqual(problem);
  expect((await rowTold(told, ["Ann", "pro"])).problem).toBeUndefined();
});

test("a row cut short by NULs is held back like a ragged one, and a line of results so is not read", async () => {
  const cells = ["Ann", ""];
  const mark = raggedMark(cells);
  const told = { import_status: "invalid", import_error_code: "nul_character", import_event: "" };
  const held = { ...told, import_error: "holds NULs", import_event_id: mark };
  expect((await rowTold(held, cells)).problem).toMatchObject({ code: "nul_character", mark });
  expect((await rowTold(held, ["Ann", "pro"])).problem).toBeUndefined();
  const { rows } = await readAll(streamOf("name,import_status\n\0\0\n"), openResultsFile);
  expect(rows.map(({ problem }) => problem?.code)).toEqual(["unknown_status"]);
});

test("a ragged row is sent as it stands when a person says so, and not at all when it was sent by hand", async () => {
  const cells = ["Ann", ""];
  const told = {
    import_status: "invalid",
    import_event: "",
    import_error_code: "",
    import_event_id: raggedMark(cells),
  };
  const row = await rowTold(told, cells);
  expect(row.problem).toBeUndefined();
  const mapRow = mapper(`${head}members: { name: name, plan: plan }`, ["name", "plan"]);
  expect(planRow(row, { mapRow, onKeyFailure: "block" })).toMatchObject({ events: [{ index: 1 }] });
  const byHand = { ...told, import_error_code: "ragged_row", import_status: "skipped" };
  expect((await rowTold(byHand, cells)).problem).toBeUndefined();
});

test("a line that lost or gained a cell is not taken at its word", async () => {
  const text = resultsText(["name", "plan"], [{ cells: ["Ann", "pro"] }, { cells: ["Bo", "pro"] }]);
  const torn = text.replace("Ann,pro", "Ann,x,pro");
  const { rows } = await readResults(torn);
  expect(rows[0]).toEqual({
    row: 1,
    line: 2,
    resultsFile: "people.csv",
    cells: ["Ann", "x"],
    problem: {
      code: "unknown_status",
      message:
        'has 16 cells where the header has 15; without a column: "2024-05-01T10:00:00.000Z"; so it is unclear whether it was sent: restore its cells',
    },
  });
  expect(rows[1]?.problem).toBeUndefined();
});

test("a line whose cells were all cleared is not taken for a row to be sent", async () => {
  const text = resultsText(["name", "plan"], [{ cells: ["Ann", "pro"] }]);
  const { rows } = await readResults(`${text}${",".repeat(14)}\n`);
  expect(rows.map(({ problem }) => problem?.message)).toEqual([
    undefined,
    "is blank from end to end: delete the line, or put back what stood there",
  ]);
});
