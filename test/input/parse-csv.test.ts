import { expect, test } from "vitest";
import { readAll, rowsOf, streamOf } from "./given-bytes.ts";

test.each([
  [
    "an unclosed quote",
    '3,"4\n5,6\n',
    'line 3, column 3: cell 2 of the row that starts on line 3 is opened by a quote (") that is never closed: close it, or put the cell in quotes and double the quotes (") that are part of its text (quote: none in eventload.yaml, if quotes mean nothing in this file).',
  ],
  [
    "rows before the text after a closing quote",
    '"3,4\n5,6\n"7"x,8\n9,10\n',
    'line 5, column 1: cell 1 of the row that starts on line 3 has text, a space or a byte order mark before or after its quotes ("): remove it, or put the cell in quotes and double the quotes (") that are part of its text (quote: none in eventload.yaml, if quotes mean nothing in this file).',
  ],
  [
    "a record over the limit",
    `3,"${"x\n".repeat(600_000)}"\n5,6\n`,
    'the row that starts on line 3 is longer than 1 MiB: the quote (") at line 3, column 3 is probably never closed; if it is, allow more with max_record_size in eventload.yaml.',
  ],
])(
  "rows before damage are delivered, then it is reported with its line: %s",
  async (_, rest, message) => {
    const { rows, damage } = await readAll(streamOf(`a,b\n1,2\n${rest}`));
    expect(rows).toEqual([{ row: 1, line: 2, cells: ["1", "2"] }]);
    expect(damage).toMatchObject({ line: 3, message });
  },
);

test("a record just below the limit is read", async () => {
  const long = "x".repeat(1024 * 1024 - 100);
  expect((await rowsOf(`a,b\n1,"${long}"\n`))[0]?.cells).toEqual(["1", long]);
});

test("a read error is reported with the line from which rows are missing", async () => {
  const { rows, damage } = await readAll(streamOf("a,b\n1,2\n3,4\n5", new Error("EIO: i/o error")));
  expect(rows.map(({ row }) => row)).toEqual([1, 2]);
  expect(damage).toMatchObject({
    line: 4,
    message: "line 4 and what follows cannot be read (EIO: i/o error): check the file or its disk.",
  });
});
