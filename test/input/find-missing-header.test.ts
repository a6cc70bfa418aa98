import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { casesOf } from "../mapping/given-mapping.ts";
import { refusal, streamOf } from "./given-bytes.ts";
import { readTable, xlsxParts, zipOf } from "./given-workbook.ts";

const skipLines0 = (spec: Parameters<typeof openSource>[0]) => openSource(spec, { skipLines: 0 });

test.each(
  casesOf(`
Ann,ann@example.com / Bob,bob@example.com / Cyd,cyd@example.com
    "ann@example.com" is an address
Ann,2024-01-02 / Bob,2024-02-03 / Cyd,2024-02-04
    "2024-01-02" is a date
1,2024-01-02T10:00:00Z / 2,2024-02-03T11:00:00Z / 3,2024-02-03T11:00:00Z
    is a date
1,Ann,ann@x.org / 2,Bob,bob@x.org
    is an address
mug,12,7.90
    "12" is a number: give
7.4,0.7,11 / 6.9,1.1,34 / 5.5,0.2,12
    "7.4" is a number
M,15,x / F,7,y / M,9,z
    "M" is also a cell below it
'40-49',a,no,x / '40-49',b,no,x / '50-59',a,yes,y
    is also a cell below it
0b0a7a3e-1111-4222-8333-444455556666,Ann / 0b0a7a3e-1111-4222-8333-444455556667,Bob / 0b0a7a3e-1111-4222-8333-444455556668,Cyd
    is a UUID
`),
)("the first row of %s is a row", async (rows, why) => {
  const text = `${rows.replaceAll(" / ", "\n")}\n`;
  const told = await refusal(streamOf(text));
  expect(told).toContain("header_missing: people.csv: line 1 (");
  expect(told).toContain(why);
  expect(told).toContain("give --no-header, or --skip-lines 0 if it does name the columns.");
  expect(await refusal(streamOf(text), skipLines0)).toBe("opened");
  expect(await refusal(streamOf(text), (spec) => openSource(spec, { header: false }))).toBe(
    "opened",
  );
});

test("in a sheet too", async () => {
  const rows = ["ann", "bob", "cyd"].map(
    (name) => `<row><c t="str"><v>${name}</v></c><c t="str"><v>${name}@x.org</v></c></row>`,
  );
  await expect(readTable(zipOf(xlsxParts(rows.join(""))))).rejects.toThrow("--no-header");
});

test.each([
  ["names", "Name,Email\nAnn,ann@x.org\nBob,bob@x.org\n"],
  ["a name above numbers beside an address", "Id,info@x.org\n1,a@x.org\n2,b@x.org\n"],
  ["days above numbers", "Town,2024-01-01,2024-01-02\nRome,5,6\nBonn,7,8\n"],
  ["a header that occurs again", "Town,2019,10\nRome,5,6\nTown,2019,10\nBonn,7,8\n"],
  ["a name that is also a cell", "Plan,2nd\nPlan,x\nFree,y\n"],
  ["one row", "Ann,Rome\nBob,Bonn\n"],
  ["a header that is not like the one row", "Town,info@x.org\nRome,5\n"],
])("nothing is said of %s in the first row", async (_, text) => {
  const source = await openSource(streamOf(text));
  expect(source.warnings).toEqual([]);
  await source.close();
});

test.each([
  [
    "a number above numbers",
    "Ann,34,Rome\nBob,25,Bonn\nCyd,19,Ulm\n",
    '"34" is a number, like the cells below it',
  ],
  [
    "words that two columns have again",
    "Ada,firm,none\nBob,person,3 months\nCyd,firm,none\n",
    '"firm" is also a cell below it',
  ],
])("%s are a warning", async (_, text, why) => {
  const source = await openSource(streamOf(text));
  expect(source.warnings).toEqual([
    `people.csv: line 1 may be a row and not the column names, because ${why}: if it is, give --no-header.`,
  ]);
  await source.close();
});
