import { expect, test } from "vitest";
import { openSource } from "../../src/source/open-source.ts";
import { streamOf } from "./given-bytes.ts";

async function warningsOf(text: string): Promise<readonly string[]> {
  const source = await openSource(streamOf(text));
  for await (const rows of source.batches) expect(rows.length).toBeGreaterThan(0);
  return source.warnings;
}

test("rows that two stray quotes have made one are told, also where the cells are as many as ever", async () => {
  expect(await warningsOf('a,b,c\n1,"Ann,x\n2,Bob",y\n3,Cid,z\n')).toEqual([
    "people.csv: the lines 2 to 3 are one row, as a quote is opened in the first of them, but each looks like a row of its own: is a quote missing there, or one too many?",
  ]);
  const many = Array.from({ length: 9 }, () => '1,"Ann,x\n2,Bob",y\n').join("");
  expect(await warningsOf(`a,b,c\n${many}`)).toHaveLength(5);
});

test.each([
  ["text of several lines", 'a,b,c\n1,"Ann\nBob",x\n2,"one, two\nthree",y\n'],
  ["an address, where there are but two columns", 'a,b\n1,"Street 5\nTown, Country"\n'],
  ["rows as they should be", "a,b,c\n1,2,3\n"],
])("nothing is said of %s", async (_, text) => {
  expect(await warningsOf(text)).toEqual([]);
});

test("U+FFFD is kept, and told once", async () => {
  expect(await warningsOf("a,b\n1,2\n3,Jos\ufffd\n4,\ufffd\n")).toEqual([
    "people.csv: the row on line 3 holds U+FFFD, which some program wrote in place of what it could not read: it is kept, and what stood there has to be got from where the file came from.",
  ]);
});
