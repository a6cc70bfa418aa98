import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseByLibrary } from "../../src/input/csv-by-library.ts";
import type { CsvDialect, CsvRecord } from "../../src/input/csv-record.ts";
import { parseCsv } from "../../src/input/parse-csv.ts";
import { reasonOf } from "../../src/model/errors.ts";

type Parse = typeof parseCsv;

interface Parsed {
  readonly records: readonly CsvRecord[];
  readonly damage?: string;
}

const firstLine = 7;

/** Texts in which what matters to a parser is as frequent as what does not. */
const text = fc
  .array(fc.constantFrom("a", "b", "é", "😀", " ", ",", ",", ";", '"', '""', "\n", "\r\n", "\r"), {
    maxLength: 60,
  })
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
  it("reads what csv-parse reads, and complains as it does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(text, table),
        dialect,
        fc.integer({ min: 1, max: 70 }),
        async (content, csv, chunkBytes) => {
          const quick = await parsed(parseCsv, content, csv, chunkBytes);
          const slow = await parsed(parseByLibrary, content, csv, content.length * 4 + 1);
          expect(quick.records).toEqual(slow.records);
          // Of a record that is too long and damaged as well, either can be told.
          if (csv.maxRecordBytes < 100) expect(!quick.damage).toBe(!slow.damage);
          else expect(quick.damage).toBe(slow.damage);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it("reads a record of many chunks, and what comes after it", async () => {
    const long = `"${"x\n".repeat(300_000)}"`;
    const content = `a,b\n1,${long}\n2,c\n`;
    const csv = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576 };
    const { records, damage } = await parsed(parseCsv, content, csv, 32_768);
    expect(damage).toBeUndefined();
    expect(records.map(({ line, cells }) => [line, cells[0]])).toEqual([
      [7, "a"],
      [8, "1"],
      [300_009, "2"],
    ]);
  });

  it("copies the bytes of a record once, however many chunks it has", async () => {
    const content = `a,b\n1,"${"x".repeat(1_000_000)}"\n2,c\n`;
    const csv = { delimiter: ",", quote: '"', maxRecordBytes: 1_048_576 };
    const concat = vi.spyOn(Buffer, "concat");
    await parsed(parseByLibrary, content, csv, 1000);
    const copied = concat.mock.results.reduce((sum, { value }) => sum + value.length, 0);
    concat.mockRestore();
    expect(copied).toBeLessThan(3 * content.length);
  });
});

async function parsed(
  parse: Parse,
  content: string,
  csv: CsvDialect,
  chunkBytes: number,
): Promise<Parsed> {
  const records: CsvRecord[] = [];
  try {
    for await (const batch of parse(chunksOf(content, chunkBytes), csv, firstLine)) {
      records.push(...batch);
    }
  } catch (error) {
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
