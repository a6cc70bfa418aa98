import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reading } from "../../src/model/reading.ts";
import type { Row } from "../../src/model/row.ts";
import { odsOf, readTable, xlsxParts, zipOf } from "./given-workbook.ts";

/* The law of rows: whatever is inserted that is no row, the rows are the same, and each has the line on which it is. */

const columns = ["Name", "Town", "Age"];
const cell = fc.constantFrom("", "Ann", "x y", " ", "7", "Name", "#N/A", "-");
const table = fc
  .array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), { minLength: 1 })
  .map((rows) => rows.filter((cells) => cells.some((one) => one.trim() !== "")));

/** How a row that is none looks, in each kind of file; `header` stands for the header once more. */
interface NoRow {
  readonly csv: string;
  readonly xlsx: string;
  readonly ods: string;
}

const xlsxRow = (cells: readonly string[], more = "") =>
  `<row ${more}>${cells.map((one) => `<c t="str"><v>${one}</v></c>`).join("")}</row>`;
const odsRow = (cells: readonly string[], more = "") =>
  `<table:table-row ${more}>${cells.map((one) => `<table:table-cell office:value-type="string" office:string-value="${one}"/>`).join("")}</table:table-row>`;

const noRow: fc.Arbitrary<NoRow> = fc.constantFrom(
  { csv: "", xlsx: "<row/>", ods: odsRow([]) },
  { csv: ",,", xlsx: xlsxRow(["", "", ""]), ods: odsRow(["", ""]) },
  { csv: ' ,"",\t', xlsx: xlsxRow([" ", "", "\t"]), ods: odsRow([" "]) },
  { csv: "\u200b,\u2060", xlsx: xlsxRow(["\u200b"]), ods: odsRow(["\ufeff\u200b"]) },
  { csv: '"  "', xlsx: xlsxRow(["\u00a0"]), ods: odsRow(["\u00a0"]) },
  { csv: columns.join(","), xlsx: xlsxRow(columns), ods: odsRow(columns) },
  { csv: '" Name",Town ,"Age"', xlsx: xlsxRow([" Name", "Town ", "Age"]), ods: odsRow(columns) },
  // A hidden row, which is left out here.
  {
    csv: ",,",
    xlsx: xlsxRow(["hid", "den", "1"], 'hidden="1"'),
    ods: odsRow(["hid"], 'table:visibility="filter"'),
  },
);

const inserted = fc.array(fc.array(noRow, { maxLength: 3 }), { maxLength: 12 });

const kinds: Record<
  string,
  (rows: readonly (readonly string[])[], others: readonly NoRow[][], mark: string) => Buffer
> = {
  csv: (rows, others, mark) =>
    Buffer.from(lines(rows, others, "csv", (cells) => cells.join(",")).join("\r\n") + mark),
  xlsx: (rows, others) => zipOf(xlsxParts(lines(rows, others, "xlsx", xlsxRow).join(""))),
  ods: (rows, others) =>
    odsOf(
      `<table:table table:name="A">${lines(rows, others, "ods", odsRow).join("")}</table:table>`,
    ),
};

/** The header and rows as they are written, with what is no row between and behind them. */
function lines(
  rows: readonly (readonly string[])[],
  others: readonly NoRow[][],
  kind: keyof NoRow,
  write: (cells: readonly string[]) => string,
): string[] {
  const between = (at: number) => (others[at] ?? []).map((one) => one[kind]);
  return [
    write(columns),
    ...rows.flatMap((cells, at) => [...between(at), write(cells)]),
    ...between(rows.length),
  ];
}

test.each(Object.keys(kinds))("of %s", async (kind) => {
  const write = kinds[kind]!;
  const reading: Reading = {
    skipLines: 0,
    ...(kind === "csv" ? { delimiter: "," } : { hiddenRows: "skip" }),
  };
  await fc.assert(
    fc.asyncProperty(
      table,
      inserted,
      fc.constantFrom("", "\r\n", "\r\n\u001a", "\u001a\u001a", "\r\n\u001a,,\r\n"),
      fc.integer({ min: 1, max: 99 }),
      async (rows, others, mark, pieceBytes) => {
        const alone = await readTable(write(rows, [], "\r\n"), reading);
        const among = await readTable(write(rows, others, mark), reading, pieceBytes);
        const withoutLines = ({ line: _, ...row }: Row) => row;
        expect(among.rows.map(withoutLines)).toEqual(alone.rows.map(withoutLines));
        const places = rows.map((_, at) => 2 + at + others.slice(0, at + 1).flat().length);
        expect(among.rows.map(({ line }) => line)).toEqual(places);
      },
    ),
    { numRuns: 150 },
  );
});
