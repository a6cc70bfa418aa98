import { writeFile } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { writeXlsx } from "hucre";
import { describe, expect, test } from "vitest";
import type { RetryOptions } from "../../../src/run/options/import-options.ts";
import { eventload } from "../../cli/fake-host.ts";
import { accepted } from "../../delivery/service-under-test.ts";
import { failedRows, openAccount } from "./account-under-test.ts";

/** What programs and people do to the cells of failed rows. */

const mapping = `version: 1
resource: users
event: user.updated
ordering_key: [Key]
when: { column: Active, in: ["true"] }
members: { email: Email, zip: Zip, phone: Phone, born: Born, sum: Sum, fee: { column: Fee, type: number } }
`;
const header = ["Key", "Email", "Zip", "Phone", "Born", "Active", "Note", "Sum", "Fee"];
const tenPeople = [
  header,
  ...Array.from({ length: 10 }, (_, at) => [
    ...[`00${at + 10}`, `p${at}@éxample`, `0${1000 + at}`, `49176123456${10 + at}`],
    ...[`2024-02-${10 + at}`, "true", `000${at}`, "=A1+1", `${at}.50`],
  ]),
];

type Change = (cell: string, at: number) => string;
type Changes = Readonly<Record<string, Change>>;

/** Ten people whom the service has refused, which takes everything from then on. */
async function tenRefused(mappingText = mapping) {
  const account = await openAccount(tenPeople, mappingText);
  account.answer(() => ({ status: 422 }));
  await account.import();
  account.received();
  account.answer(() => accepted);
  return {
    ...account,
    async alter(changes: Changes) {
      const [names = []] = await account.people.records(failedRows);
      await account.editLines(failedRows, (lines) =>
        lines.map((cells, row) =>
          cells.map((cell, at) => changes[names[at] ?? ""]?.(cell, row) ?? cell),
        ),
      );
    },
    /** What keeps a retry from being sent. */
    altered: async (options?: Partial<RetryOptions>) => {
      const { code, details } = await account.refused(() => account.retry(failedRows, options));
      expect(code).toBe("cells_altered");
      return details;
    },
    succeeded: async (options?: Partial<RetryOptions>, name = failedRows) =>
      (await account.retry(name, options)).counts.succeeded,
  };
}

const asNumber: Change = (cell) => String(Number(cell));
const asExponent: Change = (cell) => Number(cell).toExponential(2).toUpperCase();
const asUsDate: Change = (cell) => cell.replace(/^(\d+)-0?(\d+)-0?(\d+)$/, "$2/$3/$1");
const where = "row 1 (line 2 of people.failed.csv)";
const zeros = `column "Zip": leading zeros are lost in 10 of 10 rows, such as "01000" -> "1000" in ${where}`;

describe("cells that a program has altered keep everything from being sent", () => {
  test.each<[string, Changes, string, Partial<RetryOptions>?]>([
    ["leading zeros of ten rows", { Zip: asNumber }, zeros],
    [
      "the key, of which nothing is in the event",
      { Key: asNumber },
      `column "Key": leading zeros are lost in 10 of 10 rows, such as "0010" -> "10" in ${where}`,
    ],
    [
      "exponents",
      { Phone: asExponent },
      `column "Phone": numbers are cut to an exponent in 10 of 10 rows, such as "4917612345610" -> "4.92E+12" in ${where}`,
    ],
    [
      "dates",
      { Born: asUsDate },
      `column "Born": dates are written in another way in 10 of 10 rows, such as "2024-02-10" -> "2/10/2024" in ${where}`,
    ],
    [
      "a column that a condition alone reads",
      { Active: () => "TRUE" },
      `column "Active": values are written in another way in 10 of 10 rows, such as "true" -> "TRUE" in ${where}`,
    ],
    [
      "errors of a lookup, whatever the language of the program",
      { Zip: () => "#NV" },
      `column "Zip": texts have become errors in 10 of 10 rows, such as "01000" -> "#NV" in ${where}`,
    ],
    [
      "formulas",
      { Sum: () => "0" },
      `column "Sum": formulas have been computed in 10 of 10 rows, such as "=A1+1" -> "0" in ${where}`,
    ],
    [
      "zeros, beside the fix of a person",
      { Email: (cell, at) => (at === 3 ? "p3@example.com" : cell), Zip: asNumber },
      zeros,
    ],
    ["zeros, where rows are not checked", { Zip: asNumber }, zeros, { check: false }],
    ["zeros, where few of the rows are chosen", { Zip: asNumber }, zeros, { limit: 1 }],
  ])("%s", async (_what, changes, said, options) => {
    const { alter, altered, retry } = await tenRefused();
    await alter(changes);
    expect(await altered(options)).toEqual([said]);
    const { counts } = await retry(failedRows, { ...options, allowAltered: true });
    expect(counts.rejected).toBe(10 - (options?.limit ?? 10));
  });

  test("in a file that was sorted, and of which columns were moved", async () => {
    const { people, alter, altered } = await tenRefused();
    await alter({ Zip: asNumber });
    const [names = [], ...lines] = await people.records(failedRows);
    const moved = [names, ...lines.toReversed()].map((cells) => cells.toReversed());
    await people.write(failedRows, moved);
    expect(await altered()).toEqual([zeros.replace("line 2", "line 11")]);
  });

  test("of a mapping that is a function, in any column", async () => {
    const { people, alter, altered } = await tenRefused();
    const text = "export default (row) => ({ resource: 'users', body: { event: 'e', ...row } });\n";
    await people.write("people.mjs", text);
    await alter({ Note: asNumber });
    expect(await altered({ mapping: people.path("people.mjs") })).toHaveLength(1);
  });

  test("the command names the columns and what to do, ends with 2, and takes --allow-altered", async () => {
    const { people, alter, received } = await tenRefused();
    await alter({ Zip: asNumber });
    const failed = people.path(failedRows);
    const { status, stderr } = await eventload(`retry ${failed} --quiet`);
    expect(stderr).toContain("they differ from people.results.csv");
    expect(stderr).toContain(
      `To put these cells back and keep what you changed, add --restore-altered. To send them as they are, add --allow-altered.\n  ${zeros}\n`,
    );
    expect(status).toBe(2);
    expect(received()).toEqual([]);
    expect((await eventload(`retry ${failed} --quiet --allow-altered`)).status).toBe(0);
    expect(received()).toHaveLength(10);
  });
});

describe("--restore-altered", () => {
  test("puts back what a program rewrote, keeps what a person changed, and lists both", async () => {
    const { people, alter, received, lines } = await tenRefused();
    await people.write("first.csv", await people.text(failedRows));
    const bodies = (await people.lines("first.csv")).map(({ Email, Zip, Phone, Born, Sum }) => {
      return { email: Email, zip: Zip, phone: Phone, born: Born, sum: Sum };
    });
    await alter({
      ...{ Key: asNumber, Zip: asNumber, Phone: asExponent, Born: asUsDate, Sum: () => "0" },
      ...{ Fee: asNumber, Email: (cell, at) => (at === 3 ? "p3@example.com" : cell) },
    });
    const { status, stderr } = await eventload(
      `retry ${people.path(failedRows)} --restore-altered`,
    );
    expect(status).toBe(0);
    expect(stderr).toContain(
      'Put back, as a program had rewritten them:\n  column "Key": leading zeros are lost in 10 of 10 rows, such as "0010" -> "10" in row 1',
    );
    // Its event is the same either way.
    expect(stderr).not.toContain('column "Fee"');
    expect(stderr).toContain(
      'Changed cells:\n  column "Email": 1 row, such as "p3@éxample" -> "p3@example.com" in row 4\n',
    );
    const sent = received().toSorted((one, other) =>
      String(one.zip) < String(other.zip) ? -1 : 1,
    );
    expect(sent).toEqual(
      bodies.map((body, at) =>
        expect.objectContaining(at === 3 ? { ...body, email: "p3@example.com" } : body),
      ),
    );
    expect((await lines()).map(({ Fee }) => Fee)).toContain("0.50");
  });

  test("puts back one cell that nobody touched, also where it was wrong", async () => {
    const date = "born: { column: Born, type: date, format: yyyy-MM-dd }";
    const { alter, retry, lines } = await tenRefused(mapping.replace("born: Born", date));
    const born = async () => (await lines()).map(({ Born }) => Born);
    const before = await born();
    await alter({ Born: (cell, at) => (at === 3 ? asUsDate(cell, at) : cell) });
    expect((await retry(failedRows)).counts).toMatchObject({ succeeded: 9, invalid: 1 });
    expect(await born()).toEqual(before.with(3, "2/13/2024"));
    await alter({ Born: () => "2024-02-13" });
    expect((await retry(failedRows, { restoreAltered: true })).counts.invalid).toBe(1);
    expect(await born()).toEqual(before.with(3, "2/13/2024"));
  });

  test("sends nothing of a row that was invalid for its own cells and is so again", async () => {
    const { lines, alter, retry, selected } = await tenRefused(
      mapping.replace("born: Born", "born: { column: Born, type: date, format: d.M.yyyy }"),
    );
    await alter({
      Zip: (cell, at) => (at === 4 ? "4109" : asNumber(cell, at)),
      Born: (cell, at) => (at === 3 ? "13.2.2024" : cell),
    });
    const { counts } = await retry(failedRows, { restoreAltered: true });
    expect(counts).toMatchObject({ succeeded: 1, invalid: 9 });
    expect((await lines()).map(({ Zip }) => Zip)[0]).toBe("01000");
    expect(selected()).toMatchObject({
      restored: [expect.stringContaining('column "Zip": leading zeros are lost in 9 of 10 rows')],
      changed: [
        { column: "Born", rows: 1 },
        { column: "Zip", rows: 1 },
      ],
    });
  });
});

test("where the mapping reads nothing, a program's work is always put back, and a person's stays", async () => {
  const { lines, alter, succeeded, selected } = await tenRefused();
  const before = (await lines()).map(({ Note }) => Note);
  await alter({ Note: (cell, at) => (at === 3 ? "call her" : asNumber(cell, at)) });
  expect(await succeeded()).toBe(10);
  expect((await lines()).map(({ Note }) => Note)).toEqual(before.with(3, "call her"));
  expect(selected()).toMatchObject({
    restored: [expect.stringContaining('column "Note": leading zeros are lost in 9 of 10 rows')],
    changed: [{ column: "Note", rows: 1 }],
  });
});

describe("what a person has fixed goes without a flag", () => {
  test.each<[string, Changes]>([
    ["an e-mail address", { Email: (cell, at) => (at === 3 ? `${cell}.com` : cell) }],
    ["ten of them", { Email: (cell) => `${cell}.com` }],
    ["one date and one code", { Born: (cell, at) => (at === 3 ? "3/2/2024" : cell) }],
    ["a column that the mapping does not read", { Note: asNumber }],
    ["cells that give the same event", { Fee: asNumber }],
  ])("%s", async (_what, changes) => {
    const { alter, succeeded } = await tenRefused();
    await alter(changes);
    expect(await succeeded()).toBe(10);
  });

  test("what the mapping could not read", async () => {
    const { lines, alter, succeeded } = await tenRefused(
      mapping.replace("born: Born", "born: { column: Born, type: date, format: M/d/yyyy }"),
    );
    expect((await lines()).every((line) => line.import_status === "invalid")).toBe(true);
    await alter({ Born: asUsDate });
    expect(await succeeded()).toBe(10);
  });
});

describe("failed rows that a program saved its own way are the same events as before", () => {
  type Save = (lines: string[][]) => string | Uint8Array | Promise<Uint8Array>;
  const csv =
    (delimiter: string, before = "\ufeff"): Save =>
    (lines) =>
      before + stringify(lines, { delimiter, record_delimiter: "\r\n" });

  test.each<[string, Save, name?: string]>([
    ["commas, a mark and CRLF", csv(",")],
    ["semicolons", csv(";")],
    ["tabs", csv("\t", "")],
    ["Excel's Unicode text", (lines) => Buffer.from(csv("\t")(lines) as string, "utf16le")],
    [
      "a workbook",
      (rows) => writeXlsx({ sheets: [{ name: "people", rows }] }),
      "people.failed.xlsx",
    ],
  ])("%s", async (_form, save, name = failedRows) => {
    const { people, lines, succeeded, selected } = await tenRefused();
    const before = await lines();
    await writeFile(people.path(name), await save(await people.records(failedRows)));
    expect(await succeeded({}, name)).toBe(10);
    expect(selected()).toMatchObject({ events: 10, changed: [] });
    const id = (line: Record<string, string>) => line.import_event_id;
    expect((await lines()).map(id)).toEqual(before.map(id));
  });

  const western = (lines: string[][]) => Buffer.from(csv(";", "")(lines) as string, "latin1");
  const mac = (lines: string[][]) => {
    const text = csv(",", "")(lines) as string;
    return Buffer.from(text.replaceAll("\r\n", "\r").replaceAll("é", "\x8e"), "latin1");
  };

  test.each<[string, Save, Partial<RetryOptions>?]>([
    [
      "an encoding of before, where it is named",
      western,
      { reading: { encoding: "windows-1252" } },
    ],
    ["German Excel", western],
    ["Excel on a Macintosh", mac],
  ])("%s", async (_form, save, options) => {
    const { people, succeeded, selected } = await tenRefused();
    await writeFile(people.path(failedRows), await save(await people.records(failedRows)));
    expect(await succeeded(options)).toBe(10);
    expect(selected()?.changed).toEqual([]);
  });

  test("where several encodings explain the account's cells, and differ in what was typed, none is taken", async () => {
    const { people, succeeded, received, refused, retry, alter } = await tenRefused();
    await alter({ Note: (cell, at) => (at === 3 ? "Sz\xf5ke" : cell) });
    await writeFile(people.path(failedRows), western(await people.records(failedRows)));
    const { message } = await refused(() => retry(failedRows));
    expect(message).toContain('it may be in windows-1252 ("Szõke") or windows-1250 ("Szőke")');
    expect(await succeeded({ reading: { encoding: "windows-1250" } })).toBe(10);
    expect(received()).toHaveLength(10);
  });

  test("where a program has read UTF-8 as windows-1252, it is said how to undo that", async () => {
    const { people, refused, retry, received } = await tenRefused();
    const text = await people.text(failedRows);
    const typed = Buffer.from(text.replace("0003", "J?rgens").replace(/^\ufeff/, ""));
    typed[typed.indexOf("J?rgens") + 1] = 0xfc;
    await writeFile(people.path(failedRows), typed);
    const { message } = await refused(() => retry(failedRows));
    expect(message).toContain("such as windows-1252, and --restore-altered");
    const reading = { encoding: "windows-1252" };
    await retry(failedRows, { reading, restoreAltered: true });
    expect(received().map(({ email }) => email)).toContain("p3@éxample");
  });

  test("line breaks in a cell or a header are as they were, whatever a program makes of them", async () => {
    const {
      people,
      answer,
      refused: _,
      ...account
    } = await openAccount(
      [["Key", "Zip\r\nCode"], ...["1", "2", "3"].map((key) => [key, `0${key}\r\nx`])],
      mapping.replace(/^ordering_key.*/ms, 'members: { zip: "Zip\\r\\nCode" }\n'),
    );
    answer(() => ({ status: 422 }));
    await account.import();
    account.received();
    answer(() => accepted);
    const rows = (await people.text(failedRows)).replaceAll("\r\n", "\n");
    await people.write(failedRows, rows);
    expect((await account.retry(failedRows)).counts.succeeded).toBe(3);
    expect(account.received().map(({ zip }) => zip)).toEqual(["01\r\nx", "02\r\nx", "03\r\nx"]);
    expect(account.selected()?.changed).toEqual([]);
  });

  test("columns that somebody deleted are those of the account, but for one that was renamed", async () => {
    const { people, received, refused, retry } = await tenRefused();
    const [names = [], ...rest] = await people.records(failedRows);
    const without = (name: string) => (cells: string[]) => cells.toSpliced(names.indexOf(name), 1);
    await people.write(failedRows, [names, ...rest].map(without("Zip")));
    const named = (name: string) => (name === "Zip" ? "ZIP code" : name);
    await people.write("renamed.csv", [names.map(named), ...rest]);
    const results = { results: people.path("people.results.csv") };
    await retry(failedRows);
    expect(received().map(({ zip }) => zip)).toContain("01000");
    const { message } = await refused(() => retry("renamed.csv", results));
    expect(message).toContain("it has lost the columns Zip: put them back");
  });
});
