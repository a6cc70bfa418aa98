import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { CsvDialect, CsvRecord } from "../../src/input/csv-record.ts";
import { parseCsv } from "../../src/input/parse-csv.ts";
import { InputDamagedError, reasonOf } from "../../src/model/errors.ts";

interface Parsed {
  readonly records: readonly CsvRecord[];
  readonly damage?: string;
}

const firstLine = 7;

/** Texts in which what matters to a parser is as frequent as what does not. */
const text = fc
  .array(
    fc.constantFrom(
      ...["a", "b", "é", "😀", " ", ",", ",", ";", '"', '""', "\n", "\r\n", "\r", "\\", '\\"'],
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(""));

/** Such as are CSV, more often than not. */
const table = fc
  .tuple(
    fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
    fc.constantFrom("\n", "\r\n", "\r"),
    fc.constantFrom("", "\n", '"', "x"),
  )
  .map(
    ([rows, eol, tail]) =>
      rows
        .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))
        .join(eol) + tail,
  );

const dialect = fc.record({
  delimiter: fc.constantFrom(",", ";", "é", ",,", "a,"),
  quote: fc.constantFrom('"', '"', "", "b"),
  maxRecordBytes: fc.constantFrom(1_048_576, 40, 12),
});

const anyEscape = fc.constantFrom<CsvDialect["escape"]>(undefined, "\\");

describe("parseCsv", () => {
  it("reads what csv-parse reads, and complains where it does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, table), dialect, anyEscape, async (content, csv, before) => {
        const { quote } = csv;
        const given = { ...csv, escape: before, maxRecordBytes: 1_048_576 };
        const ours = await parsed(content, given, 64);
        let theirs: readonly (readonly string[])[] | undefined;
        try {
          theirs = parse(content, {
            delimiter: csv.delimiter,
            escape: quote === "" ? null : (before ?? quote),
            quote: quote === "" ? null : quote,
            record_delimiter: ["\r\n", "\n", "\r"],
            relax_column_count: true,
            relax_quotes: true,
          });
        } catch {}
        expect(ours.damage === undefined).toBe(theirs !== undefined);
        if (theirs === undefined) return;
        // Where quotes are not as they should be, csv-parse drops what marks them, and here it is text.
        const stray = ours.records.map(({ quoteFault }) => quoteFault?.kind === "stray");
        const marks = before === undefined ? quote : /["b\\]/g;
        const shown = (cells: readonly string[], at: number) =>
          stray[at] ? cells.map((cell) => cell.replaceAll(marks, "")) : cells;
        expect(ours.records.map(({ cells }) => cells).map(shown)).toEqual(theirs.map(shown));
      }),
      { numRuns: 1000 },
    );
  });

  it("reads the same, however the bytes come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, table),
        dialect,
        anyEscape,
        fc.integer({ min: 1, max: 70 }),
        async (content, csv, before, chunkBytes) => {
          const given = { ...csv, escape: before };
          const whole = await parsed(content, given, content.length * 4 + 1);
          expect(await parsed(content, given, chunkBytes)).toEqual(whole);
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each<[row: string, dialect: Partial<CsvDialect>, cells: readonly string[]]>([
    ['1,"a ""b"" c"', { escape: "\\" }, ["1", '"a ""b"" c"']],
    ['1,"C:\\dir"', { escape: "\\" }, ["1", '"C:\\dir"']],
    ['1,"say \\"hi\\"" x', { escape: "\\" }, ["1", '"say \\"hi\\"" x']],
    [' "1",x', { escape: "\\" }, [' "1"', "x"]],
    ["b::éaéb::c", { delimiter: "::", quote: "é" }, ["b", "éaéb", "c"]],
    ["b::😀a😀b::c", { delimiter: "::", quote: "😀" }, ["b", "😀a😀b", "c"]],
    ['1::"a"b::c', { delimiter: "::" }, ["1", '"a"b', "c"]],
    ['1::"a""b"c', { delimiter: "::" }, ["1", '"a""b"c']],
  ])(
    "a row with bad quotes, %s, is as it is written, and its neighbours are read",
    async (row, given, cells) => {
      const csv = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576, ...given };
      const { quote, escape: before = quote } = csv;
      const marked = (sign: string) => (sign === quote || before !== quote ? before + sign : sign);
      const written = (cell: string) =>
        quote + cell.replaceAll(new RegExp(`${quote}|\\\\`, "g"), marked) + quote;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(text, { minLength: 1 }), { minLength: 1 }),
          fc.integer({ min: 1, max: 70 }),
          async (rows, chunkBytes) => {
            const line = (one: readonly string[]) => `${one.map(written).join(csv.delimiter)}\n`;
            const around = rows.map(line).join("");
            const { records, damage } = await parsed(`${around}${row}\n${around}`, csv, chunkBytes);
            expect(damage).toBeUndefined();
            expect(records.map((record) => record.cells)).toEqual([...rows, cells, ...rows]);
            const faulty = records.flatMap(({ quoteFault }, at) => (quoteFault ? [at] : []));
            expect(faulty).toEqual([rows.length]);
            expect(records[rows.length]?.quoteFault?.kind).toBe("stray");
          },
        ),
        { numRuns: 50 },
      );
    },
  );

  it.each([
    [
      '1,"a\\"\n2,b\n',
      { escape: "\\" },
      'line 8, column 3: cell 2 of the row that starts on line 8 is opened by a quote (") that is never closed: close it, or put the cell in quotes and write \\ before',
    ],
    [
      '1::"a\n2::b\n',
      { delimiter: "::" },
      'line 8, column 4: cell 2 of the row that starts on line 8 is opened by a quote (") that is never closed: close it, or put the cell in quotes and double',
    ],
    [
      `1::"${"a".repeat(60)}\n2::b\n`,
      { delimiter: "::", maxRecordBytes: 40 },
      'the row that starts on line 8 is longer than 40 bytes: the quote (") at line 8, column 4 is probably never closed',
    ],
    [
      `1,${"a".repeat(60)}\n2,b\n`,
      { escape: "\\", maxRecordBytes: 40 },
      "the row that starts on line 8 is longer than 40 bytes: shorten its cells",
    ],
  ] as const)("%j in %j is damage behind what is sound", async (content, given, says) => {
    const csv: CsvDialect = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576, ...given };
    const { records, damage } = await parsed(`x${csv.delimiter}y\n${content}`, csv, 16);
    expect(records.map(({ cells }) => cells)).toEqual([["x", "y"]]);
    expect(damage).toContain(says);
  });

  it("reads what came before an input broke off in any dialect", async () => {
    for (const [delimiter, before] of [
      [",", undefined],
      [",", "\\"],
      ["::", undefined],
    ] as const) {
      const csv = { delimiter, quote: '"', escape: before, maxRecordBytes: 1_048_576 };
      const broken = async function* () {
        yield Buffer.from(`x${delimiter}y\n1${delimiter}"a"\n2${delimiter}"b`);
        throw new Error("EIO");
      };
      const { records, damage } = await parsedChunks(broken(), csv);
      expect(records.map(({ cells }) => cells)).toEqual([
        ["x", "y"],
        ["1", "a"],
      ]);
      expect(damage).toMatch(/^line 9 and what follows cannot be read \(EIO\)/);
    }
  });

  it("takes back what is written with an escape", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(text, { minLength: 1 })), async (rows) => {
        const csv = {
          delimiter: ",",
          quote: '"',
          escape: "\\",
          maxRecordBytes: 1_048_576,
        } as const;
        const written = (cell: string) => `"${cell.replaceAll(/["\\]/g, "\\$&")}"`;
        const content = rows.map((cells) => `${cells.map(written).join(",")}\n`).join("");
        const { records, damage } = await parsed(content, csv, 64);
        expect(damage).toBeUndefined();
        expect(records.map(({ cells }) => cells)).toEqual(rows);
      }),
    );
  });

  it("reads a record of many chunks, and what comes after it", async () => {
    const long = `"${"x\n".repeat(300_000)}"`;
    const content = `a,b\n1,${long}\n2,c\n`;
    const csv = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576 };
    const { records, damage } = await parsed(content, csv, 32_768);
    expect(damage).toBeUndefined();
    expect(records.map(({ line, cells }) => [line, cells[0]])).toEqual([
      [7, "a"],
      [8, "1"],
      [300_009, "2"],
    ]);
  });

  it("copies the bytes of a record a few times at most, however many chunks it has", async () => {
    const content = `a,b\n1,"${"x".repeat(1_000_000)}"\n2,c\n`;
    const csv = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576 };
    const concat = vi.spyOn(Buffer, "concat");
    await parsed(content, csv, 1000);
    const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0);
    concat.mockRestore();
    expect(copied).toBeLessThan(4 * content.length);
  });
});

function parsed(content: string, csv: CsvDialect, chunkBytes: number): Promise<Parsed> {
  return parsedChunks(chunksOf(content, chunkBytes), csv);
}

async function parsedChunks(chunks: AsyncIterable<Buffer>, csv: CsvDialect): Promise<Parsed> {
  const records: CsvRecord[] = [];
  try {
    for await (const batch of parseCsv(chunks, csv, firstLine)) {
      records.push(...batch);
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    return { records, damage: reasonOf(error) };
  }
  return { records };
}

/** Chunks that end between characters, as what validates them passes them on. */
async function* chunksOf(content: string, chunkBytes: number): AsyncGenerator<Buffer> {
  let chunk = "";
  for (const character of content) {
    chunk += character;
    if (Buffer.byteLength(chunk) < chunkBytes) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  if (chunk !== "") yield Buffer.from(chunk);
}
