import fc from "fast-check";
import { expect, test } from "vitest";
import { anySizes, anyWritten, cut, readAll, rowsOf, streamOf } from "./given-bytes.ts";

test.each([
  ["LF", "\n"],
  ["CRLF", "\r\n"],
  ["CR", "\r"],
])("a line break in quotes counts once, in the header as in rows: %s", async (_, lineEnd) => {
  const text = `"a\nb","c\r\nd"\n"1\r2",3\n"4${lineEnd}${lineEnd}5",6\n7,8\n`;
  expect((await rowsOf(text)).map(({ line }) => line)).toEqual([4, 6, 9]);
});

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

test("every record that is complete before the damage is delivered, whatever the damage", async () => {
  const damages = [Buffer.from([0xff]), Buffer.from([0xc3, 0x28]), new Error("the disk is broken")];
  await fc.assert(
    fc.asyncProperty(
      anyWritten(),
      anySizes,
      fc.constantFrom(...damages),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async ({ text, table, records }, sizes, damage, where) => {
        const place = placeBetween(text, where, records[0]?.end ?? 0);
        if (place === undefined) return;
        const sound = Buffer.from(text.slice(0, place));
        const pieces =
          damage instanceof Error
            ? [...cut(sound, sizes), damage]
            : cut(Buffer.concat([sound, damage, Buffer.from("and,more\n")]), sizes);
        const reading = await readAll(streamOf(...pieces));
        const complete = records.filter(({ end }) => end < place).length;
        const expected = table.slice(1, complete);
        expect(reading.rows.map(({ cells }) => cells)).toEqual(expected);
        expect(reading.damage).toBeDefined();
      },
    ),
    { numRuns: 300 },
  );
});

/** A place after the header's line that cuts no character in two. */
function placeBetween(text: string, where: number, headerEnd: number): number | undefined {
  if (text.length <= headerEnd + 1) return undefined;
  const place = headerEnd + 1 + Math.floor(where * (text.length - headerEnd - 1));
  return /[\ud800-\udbff]$/.test(text.slice(0, place)) ? place - 1 : place;
}

test("a read error is reported with the line from which rows are missing", async () => {
  const { rows, damage } = await readAll(streamOf("a,b\n1,2\n3,4\n5", new Error("EIO: i/o error")));
  expect(rows.map(({ row }) => row)).toEqual([1, 2]);
  expect(damage).toMatchObject({
    line: 4,
    message: "line 4 and what follows cannot be read (EIO: i/o error): check the file or its disk.",
  });
});
