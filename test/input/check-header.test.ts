import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { CannotStartError } from "../../src/model/errors.ts";
import type { Reading } from "../../src/model/reading.ts";
import { casesOf } from "../mapping/given-mapping.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { readAll, refusal, streamOf } from "./given-bytes.ts";
import { readTable, xlsxParts, xlsxRow, zipOf } from "./given-workbook.ts";

/** The line that is taken for the header below a title, if the file is refused for one. */
async function lineOfHeader(open: () => Promise<unknown>): Promise<number | undefined> {
  try {
    await open();
    return undefined;
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    const [, skip] = /give --skip-lines ([1-9]\d*)/.exec(error.message) ?? [];
    if (skip === undefined) throw error;
    return Number(skip) + 1;
  }
}

const inText = (text: string, reading: Reading = {}) =>
  lineOfHeader(() => readAll(streamOf(text), reading));

/** Of a file, more than its first lines can be looked at. */
const inFile = (text: string) =>
  lineOfHeader(async () => {
    const path = join(await temporaryFolder(), "people.csv");
    await writeFile(path, text);
    return readAll({ kind: "file", path, name: "people.csv" }, {});
  });

const sheetOf = (text: string) => {
  const lines = text.trimEnd().split("\n");
  return zipOf(xlsxParts(lines.map((line) => xlsxRow(...line.split(";"))).join("")));
};

const people = "Ann;ann@example.com;Rome\nBob;bob@example.com;Bonn\n";

test.each([
  ["a title", `CRM report;;\nName;Email;Town\n${people}`, 2],
  ["a title, a date, a blank line", `CRM;;\nof 2024-05-01;;\n;;\nName;Email;Town\n${people}`, 4],
  ["a line of two cells", "CRM;;;\nMay;June;;\nName;Email;Town;Age\nAnn;a@x.org;Rome;5\n", 3],
  ["one that was merged", `CRM report;CRM report;CRM report\nName;Email;Town\n${people}`, 2],
  ["groups of columns", `Person;;Contact;\nFirst;Last;Email;Phone\nAnn;Ash;a@x.org;555\n`, 2],
  ["groups that were merged", `Who;Who;How;How\nFirst;Last;Email;Phone\nAnn;Ash;a@x.org;5\n`, 2],
  ["a group among names", `Id;Who;Who;How;How\nNo;First;Last;Email;Phone\n7;A;B;a@x.org;5\n`, 2],
  ["a title, and a name that begins with dashes", `Report;;\n--- id;Name;Town\n1;Ann;Rome\n`, 2],
  ["a title, and a name that begins with slashes", `Report;;\n//id;Name;Town\n1;Ann;Rome\n`, 2],
  ["nothing but words", `Towns;;\nName;Town;Country\nAnn;Rome;Italy\nBob;Bonn;Germany\n`, 2],
  ["a title, with a name twice", `CRM;;;;\nName;Tel;Town;Mail;Tel\nAnn;555;Rome;a@x.org;556\n`, 2],
  ["a title alone, with digits", "CRM;;;\nEmail;Name;1st;2nd\na@x.nl;Jan;Dam 1;x\n", 2],
  ["two columns", `CRM report;\nName;Email\nAnn;ann@example.com\n`, 2],
])(
  "the names of the columns below %s are found, as text and in a workbook",
  async (_, text, line) => {
    expect(await inText(text)).toBe(line);
    expect(await inText(text.replaceAll(";", ","), { delimiter: "," })).toBe(line);
    expect(await lineOfHeader(() => readTable(sheetOf(text)))).toBe(line);
  },
);

/** Lines in which ¦ stands for any delimiter. */
type Lines = readonly string[];

const fourColumns = [
  "Customer No¦First Name¦Email¦Signup",
  "1001¦Ann¦ann@example.com¦2024-01-02",
  "1002¦Bob¦bob@example.com¦2024-01-03",
  "1003¦Cyd¦cyd@example.com¦2024-01-04",
];
const words = ["Vorname¦Nachname¦Ort", "Anna¦Meier¦Bern", "Urs¦Keller¦Chur", "Eva¦Huber¦Zug"];
const two = ["email¦name", "ann@example.com¦Ann", "bob@example.com¦Bob", "cyd@example.com¦Cyd"];
const one = ["name", "Ann", "Bob"];
const [anyOfFour, noComma] = [",;\t|", ";\t|"];

test.each<[string, Lines, delimiters?: string, tables?: readonly Lines[], below?: Lines]>([
  ["a title", ["Customer report"]],
  ["a title, a date and an empty line", ["Customer report", "Generated 2024-05-01", ""]],
  ["eight lines", ["ACME Ltd", "1 Main St", "Town", "", "Report", "01/05/2024", "Page 1", ""]],
  ["comments with commas", ["# exported by a tool", "# 2024-05-01, 10:00"]],
  ["comments of a language", ["// exported by a tool", "// 2024-05-01, x, y"]],
  ["a title in quotes", ['"Customer report, May 2024"']],
  ["a title with commas", ["Customers, all of them, as of May 1, 2024"], noComma],
  ["titles with a comma each", ["Sales, North", "Generated on May 1, 2024 at 10:00"], noComma],
  [
    "pairs",
    ["Report¦Customers", "Date¦2024-05-01", "User¦jsmith"],
    anyOfFour,
    [fourColumns, words],
  ],
  ["a title, of few rows", ["Report¦", "¦"], anyOfFour, [two], ["Total¦", "Exported by a tool"]],
  ["comments, of one column", ["# exported by a tool", "# x"], ",", [one]],
  ["comments of a language, of one column", ["// exported, by a tool", "// x"], ",", [one]],
])("the header below %s is found, whatever separates cells", async (...given) => {
  const [, above, delimiters = anyOfFour, tables = [fourColumns, words, two], below = []] = given;
  for (const rows of tables) {
    for (const delimiter of delimiters) {
      const text = [...above, ...rows, ...below, ""].join("\n").replaceAll("¦", delimiter);
      expect(await inFile(text), text).toBe(above.length + 1);
    }
  }
});

test("a title of more lines than the sheet has rows is found", async () => {
  const text = `ACME\n1 Main St\nTown\n\nClients\n01/05/2024\nPage 1\n\nName;Email;Town\n${people}`;
  expect(await lineOfHeader(() => readTable(sheetOf(text)))).toBe(9);
});

test.each([
  ["prose in one column", "comment\ngood\nfine\nnice, thanks\nyes, please\nwell, no\n"],
  ["a few lists in one column", "tags\na\nb;c\nd\ne;f;g\nh\n"],
  ["fractions with commas", "a;b;c\n1,5;2,5;x\n3,5;4,5;y\n5,5;6,5;z\n"],
  ["a comma in the header only", "name;town, country\nAnn;Rome\nBob;Bonn\nCyd;Bern\n"],
  ["a header that begins with #", "#id,name,email\n1,Ann,a@example.com\n2,Bob,b@example.com\n"],
  ["paths and blank cells", "// path;name\n;Ann\n;Bob\n/x;Cyd\n"],
  ["numbers of orders", "#,total\n#1001,5\n#1002,6\n#1003,7\n"],
  ["rows of which some begin with #", "#id,name\n#1,Ann\n2,Bob\n3,Cyd\n"],
  ["a name that begins with dashes, alone", "--name,email\n"],
  ["a name behind dashes", "-- name,email\nAnn,ann@x.org\n"],
  ["tags", "#tag\n#red\n#blue\n"],
  ["rows that are short", "name,street,town\nAnn,x\nBob,y\nCyd,z,Rome\n"],
  ["an index without a name", ";town;born\n0;Rome;1990\n1;Bonn;1991\n"],
  ["an index of words", ";score\nann;none\nbob;13\ncyd;14\n"],
  ["a delimiter at every end", "name;email;\nAnn;a@x.org;\nBob;b@x.org;\n"],
  ["names that are there twice", "Name;Name;Phone\nAnn;Ash;landline\nBob;Birch;555\n"],
  ["codes", "Name;Name;Code;Room\nAnn;Ash;A1;B2\nBob;Birch;A2;B3\n"],
  ["a column without a name", "Id;Name;;Phone\nA1;Ann;x;none\nA2;Bob;y;555\n"],
  ["a first row with nothing known", "Id;;Phone;Age\nAA;Ann;none;unknown\nA2;Bob;555;44\n"],
  ["addresses in the first row", "Name;;\nAnn;a@x.org;Rome\nBob;b@x.org;Bonn\n"],
  ["cells that occur again", "Name;;\nAnn;member;Rome\nBob;guest;Rome\n"],
  ["a cell that is there twice", "Name;;\nAnn;Rome;Rome\nBob;Bonn;Ulm\n"],
  ["a header alone", "Name;;\n"],
  ["proper names", `Name;Email;Town\nForename;Mail;City\n${people}`],
  ["names", "Name,Email\nAnn,ann@x.org\nBob,bob@x.org\n"],
  ["a name above numbers beside an address", "Id,info@x.org\n1,a@x.org\n2,b@x.org\n"],
  ["days above numbers", "Town,2024-01-01,2024-01-02\nRome,5,6\nBonn,7,8\n"],
  ["a header that occurs again", "Town,2019,10\nRome,5,6\nTown,2019,10\nBonn,7,8\n"],
  ["a name that is also a cell", "Plan,2nd\nPlan,x\nFree,y\n"],
  ["one row", "Ann,Rome\nBob,Bonn\n"],
  ["a header that is not like the one row", "Town,info@x.org\nRome,5\n"],
])("the first line of a file with %s is its header, as text and in a workbook", async (_, text) => {
  expect(await inFile(text)).toBeUndefined();
  const source = await openSource(streamOf(text));
  expect(source.warnings.filter((one) => one.includes("may be a row"))).toEqual([]);
  await source.close();
  expect(await lineOfHeader(() => readTable(sheetOf(text)))).toBeUndefined();
});

test("the rows of a sheet that are longer than its header are ragged, where they are few", async () => {
  const read = await readTable(sheetOf("Name\nBob;call him;soon\nCyd\nDan\n"));
  expect(read.columns).toEqual(["Name"]);
  expect(read.rows.filter(({ problem }) => problem !== undefined)).toHaveLength(1);
});

test("a title above a sheet whose header is wider is found", async () => {
  const title = '<row r="2"><c t="str"><v>CRM report</v></c></row>';
  const rows = xlsxRow("Name", "Email", "Town") + xlsxRow("Ann", "a@x.org", "Rome");
  const bytes = zipOf(xlsxParts(title + rows));
  expect(await lineOfHeader(() => readTable(bytes))).toBe(3);
  const read = await readTable(bytes, { skipLines: 2 });
  expect(read.columns).toEqual(["Name", "Email", "Town"]);
});

const titled = `CRM report;;\n;;\nName;Email;Town\n${people}`;

test("the names of the columns are found where there are no rows", async () => {
  expect(await inText("CRM report;;\nName;Email;Town\n")).toBe(2);
});

test("what was said of the header counts", async () => {
  expect(await inText(titled, { skipLines: 0 })).toBeUndefined();
  expect(await inText(titled, { skipLines: 2 })).toBeUndefined();
  expect(await inText(titled, { header: false })).toBeUndefined();
  expect((await readTable(sheetOf(titled), { skipLines: 0 })).columns).toEqual(["CRM report"]);
});

test("the message names both lines, and what to give", async () => {
  await expect(openSource(streamOf(titled))).rejects.toThrow(
    'people.csv: line 1 ("CRM report") does not name every column, and line 3 seems to ("Name", "Email", "Town"): give --skip-lines 2, or --skip-lines 0 if the names are on line 1.',
  );
});

test("of comments above rows, the last may name the columns", async () => {
  expect(await refusal(streamOf("# a tool\n#id;name\n1;Ann\n2;Bob\n"))).toContain(
    'line 2 seems to ("#id", "name"): give --skip-lines 1',
  );
});

test("where the delimiter is in doubt too, it has to be given with --skip-lines 0", async () => {
  const text = "Report\n\nname,age,plan\nAnn,5,x\n";
  const told = await refusal(streamOf(text));
  expect(told).toContain("or --skip-lines 0 and --delimiter if the names are on line 1.");
  expect(await inText(text, { skipLines: 0 })).toBeDefined();
  expect(await inText(text, { skipLines: 0, delimiter: ";" })).toBeUndefined();
});

test("rows that were looked at come all the same, up to damage", async () => {
  const rows = Array.from({ length: 50 }, (_, at) => `${at},x,y\n`).join("");
  const read = await readAll(streamOf(`,a,b\n${rows}"\n1,x,y`), openSource);
  expect(read.rows.map(({ cells }) => cells[0])).toEqual(
    Array.from({ length: 50 }, (_, at) => `${at}`),
  );
  expect(read.damage?.line).toBe(52);
  const early = await readAll(streamOf(',a,b\n1,x,y\n2,"x\n3,x,y'), openSource);
  expect(early.rows).toHaveLength(1);
  expect(early.damage?.line).toBe(3);
});

const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url));
const tables = readdirSync(fixtures, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.(csv|xlsx|ods)$/.test(path) && !path.startsWith("inputs/"))
  .filter((path) => !/password|empty-file|title-lines/.test(path));

test.each(tables)("%s is an ordinary file", async (path) => {
  const name = basename(path);
  const source = await openSource({ kind: "file", path: join(fixtures, path), name });
  await source.close();
});

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
,,,Acme,"",12 High St,no,active,no / ,,,Beta,"",7 Low St,yes,active,yes / ,,x,7,"",9,no,,yes
    "no" stands in it twice, like the cells below it
Ann Lee,Paris,ja,ja / Bo,4,ja,nein / Cy,5,nein,
    "ja" stands in it twice
0b0a7a3e-1111-4222-8333-444455556666,Ann / 0b0a7a3e-1111-4222-8333-444455556667,Bob / 0b0a7a3e-1111-4222-8333-444455556668,Cyd
    is a UUID
-- exported by a tool
    "-- exported by a tool" is a comment: give
# a / # b / # c
    "# a" is a comment, like the cells below it
-- name,email / -- x,y / // u,v
    is a comment, like
`),
)("the first row of %s is a row", async (rows, why) => {
  const text = `${rows.replaceAll(" / ", "\n")}\n`;
  const told = await refusal(streamOf(text));
  expect(told).toContain("header_missing: people.csv: line 1 (");
  expect(told).toContain(why);
  expect(told).toContain("give --no-header, or --skip-lines 0 if it does name the columns.");
  expect(await refusal(streamOf(text), { skipLines: 0 })).toBe("opened");
  expect(await refusal(streamOf(text), { header: false })).toBe("opened");
});

test("the first row of a sheet too", async () => {
  const rows = "ann;ann@x.org\nbob;bob@x.org\ncyd;cyd@x.org\n";
  await expect(readTable(sheetOf(rows))).rejects.toThrow("--no-header");
});

test.each(
  casesOf(`
Ann,34,Rome / Bob,25,Bonn / Cyd,19,Ulm
    "34" is a number, like the cells below it
Ada,firm,none / Bob,person,3 months / Cyd,firm,none
    "firm" is also a cell below it
`),
)("that the first of %s may be a row is a warning", async (rows, why) => {
  const source = await openSource(streamOf(`${rows.replaceAll(" / ", "\n")}\n`));
  expect(source.warnings[0]).toBe(
    `people.csv: line 1 may be a row and not the column names, because ${why}: if it is, give --no-header.`,
  );
  await source.close();
});

test.each(
  casesOf(`
Report /  / name,age,plan / Ann,5,x
    header_further_down 2
# a / # b / name / Ann / Bob
    header_further_down 2
Report,, / #,Name,Email / 1,Ann,a@x / 2,Bob,b@x
    header_further_down 1
Report,2024 / Rows,3 / Id,Name,Email / 1,Ann,a@x / 2,Bob,b@x / 3,Cyd,c@x
    header_further_down 2
/ # a / Name|Town|Town / x|y|z / u|v|w
    delimiter_unclear 2
`),
)("what is said of the header of %s: %s", async (rows, said) => {
  const [code, skip] = said.split(" ");
  const told = await refusal(streamOf(`${rows.replaceAll(/(^| )\/ /g, "\n")}\n`));
  expect(told).toContain(`${code}: people.csv: `);
  expect(told).toContain(`give --skip-lines ${skip}`);
});
