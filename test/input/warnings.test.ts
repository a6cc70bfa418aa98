import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import type { Reading } from "../../src/model/reading.ts";
import { cut, readAll, streamOf } from "./given-bytes.ts";

async function warningsOf(text: string, reading: Reading = {}): Promise<readonly string[]> {
  const source = await openSource(streamOf(text), reading);
  for await (const rows of source.batches) expect(rows.length).toBeGreaterThan(0);
  return source.warnings;
}

test("rows that two stray quotes have made one are reported, also where the cells are as many as ever", async () => {
  const odd = '1,"Ann,x\n2,Bob",y\n';
  for (const [rows, say] of [
    [1, "1 row looks"],
    [9, "9 rows look"],
  ] as const) {
    expect(await warningsOf(`a,b,c\n${odd.repeat(rows)}`)).toEqual([
      `people.csv: ${say} like several, as a quote is opened and closed some lines further on, first on the lines 2 to 3: is a quote missing there, or one too many?`,
    ]);
  }
});

test.each([
  ["addresses", 'a@x.org,"Smith\nbob.b@y.org,Jones"'],
  ["addresses that the quote is before", '"a@x.org,Smith\nbob.b@y.org",Jones'],
  ["numbers", '17,"Smith\n18,Jones\n9,Ng"'],
  ["codes", 'C-0017,"Smith\nAB-18,Jones"'],
])("a row of two columns is told where its lines begin with %s", async (_, row) => {
  expect(await warningsOf(`a,b\n${row}\n`)).toHaveLength(1);
});

test.each([
  ["text of several lines", 'a,b,c\n1,"Ann\nBob",x\n2,"one, two\nthree",y\n'],
  ["an address, where there are but two columns", 'a,b\n1,"Street 5\nTown, Country"\n'],
  [
    "prose, where there are but two columns",
    `a,b\n1,"Hi\n${"one, two\nDear Ann,\n".repeat(30)}"\n`,
  ],
])("nothing is said of %s", async (_, text) => {
  expect(await warningsOf(text)).toEqual([]);
});

test("quotes within cells are counted, once for all", async () => {
  expect(await warningsOf('a,b\n1,2\n3,5" disk\n5,27" screen\n1,5" a,x\n')).toEqual([
    'people.csv: 2 rows have a quote (") within a cell that is not in quotes, first in cell 2 on line 3. It is read as text.',
  ]);
});

test.each(["a,b\n1,2,\n", "a,b\nAnn, x,\nBob, y,\n"])(
  "nothing is noted of %j, whose delimiters may mean a column",
  async (text) => expect(await warningsOf(text)).toEqual([]),
);

test("names that are there twice are reported with all their places", async () => {
  expect(await warningsOf("a,b,a,c,b,a\n1,2,3,4,5,6\n")).toEqual([
    'people.csv: several columns have the same name, "a" (columns 1, 3, 6), "b" (columns 2, 5): rename those that the mapping needs.',
  ]);
});

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => `${line(at)}\n`).join("");
const person = (at: number) => `${at},N${at},x`;

test.each([
  ["rows", "a,b,c", '1,"Ann,1', lines(30, person), '9,Zoe",9', 34],
  ["a ragged line", "a,b,c", '1,"Ann,1', `odd\n${lines(30, person)}`, '9,Zoe",9', 35],
  ["two columns", "a,b", '1,"Ann', lines(30, (at) => `${at},N`), '9,Zoe"', 34],
  ["too few cells left", "a,b,c", '1,"Ann,1', lines(30, person), '9,Zoe,9"', 34],
])(
  "%s between two stray quotes stop the reading, with cell and lines",
  async (_, header, first, inner, last, line) => {
    const before = header.replace(/[ab]/g, "0");
    const text = `${header}\n${before}\n${first}\n${inner}${last}\n${before}\n`;
    for (const sizes of [[text.length], [7]]) {
      const { rows, damage } = await readAll(streamOf(...cut(Buffer.from(text), sizes)));
      expect(rows.map((row) => row.line)).toEqual([2]);
      expect(damage?.message).toContain(
        `a quote (") opens cell 2 of the row on the lines 3 to ${line}, and the 30 lines in it that look like rows`,
      );
    }
  },
);

test("rows in one cell are let through if an option says so, and reported", async () => {
  const text = `a,b,c\n1,"Ann,1\n${lines(30, person)}9,Zoe",9\n`;
  const source = await openSource(streamOf(text), { rowsInCells: true });
  for await (const rows of source.batches) expect(rows).toHaveLength(1);
  expect(source.warnings).toEqual([expect.stringContaining("first on the lines 2 to 33")]);
  const limited = await openSource(streamOf(text), { maxRecordBytes: 5000 });
  await expect(limited.batches[Symbol.asyncIterator]().next()).rejects.toThrow('a quote (")');
});

test.each([
  ["last", `1,x,"${lines(30, person)}"`],
  ["first", `"${lines(30, person)}30,N,x",2,3`],
  ["middle", `1,"${lines(30, person)}30,N,x",3`],
])("a table that stands in the %s cell of a row does not stop it", async (_, row) => {
  expect((await readAll(streamOf(`a,b,c\n${row}\n`))).damage).toBeUndefined();
});
