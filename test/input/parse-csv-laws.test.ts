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

describe("parseCsv", () => {
  it("reads what csv-parse reads, and complains where it does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, table), dialect, async (content, csv) => {
        const { quote } = csv;
        const ours = await parsed(content, { ...csv, maxRecordBytes: 1_048_576 }, 64);
        let theirs: readonly (readonly string[])[] | undefined;
        try {
          theirs = parse(content, {
            delimiter: csv.delimiter,
            escape: quote === "" ? null : quote,
            quote: quote === "" ? null : quote,
            record_delimiter: ["\r\n", "\n", "\r"],
            relax_column_count: true,
            relax_quotes: true,
          });
        } catch {}
        expect(ours.damage === undefined).toBe(theirs !== undefined);
        if (theirs === undefined) return;
        // Where quotes are not as they should be, csv-parse undoubles some that are text here.
        const stray = ours.records.map(({ quoteFault }) => quoteFault?.kind === "stray");
        const shown = (cells: readonly string[], at: number) =>
          stray[at] ? cells.map((cell) => cell.replaceAll(quote, "")) : cells;
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
        fc.constantFrom<CsvDialect["escape"]>(undefined, "\\"),
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

async function parsed(content: string, csv: CsvDialect, chunkBytes: number): Promise<Parsed> {
  const records: CsvRecord[] = [];
  try {
    for await (const batch of parseCsv(chunksOf(content, chunkBytes), csv, firstLine)) {
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
