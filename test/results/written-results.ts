import { createHash } from "node:crypto";
import fc from "fast-check";
import { type EventStatus, eventStatuses } from "../../src/model/outcome.ts";
import { resultsColumnsOf } from "../../src/model/results-columns.ts";
import { ResultsReader } from "../../src/results/results-reader.ts";
import { toCsv } from "../../src/results/to-csv.ts";
import { nastyCells } from "../nasty-cells.ts";

/** A line of results; blank where the run did not come to it. */
export interface WrittenLine {
  readonly row: number;
  readonly cells: readonly string[];
  readonly event: string;
  readonly status: EventStatus | "";
  readonly attempts: number;
  readonly unanswered: number;
  readonly error: string;
}

/** Its cells as they stand in the file. */
export function cellsOfLine(line: WrittenLine, hasSources = false): string[] {
  const { row, cells, event, status, attempts, unanswered, error } = line;
  const source = hasSources ? ["people.csv"] : [];
  return [
    ...[...cells, String(row), String(row + 1), ...source, event, status, ""],
    ...[String(attempts), String(unanswered), "", error, "id", "0123456789abcdef", "1", ""],
  ];
}

export function columnsOf(inputColumns: number, hasSources = false): string[] {
  const columns = Array.from({ length: inputColumns }, (_, at) => `column ${at}`);
  return [...columns, ...resultsColumnsOf(hasSources)];
}

/** Rows with one to three lines each; their numbers rise. */
export function anyLines(inputColumns: number, most = 12): fc.Arbitrary<WrittenLine[]> {
  const line = fc.record({
    cells: fc.array(nastyCells, { minLength: inputColumns, maxLength: inputColumns }),
    event: fc.constantFrom("", "1", "2", "gone"),
    status: fc.constantFrom<EventStatus | "">("", ...eventStatuses),
    attempts: fc.nat(12),
    unanswered: fc.nat(3),
    error: nastyCells,
  });
  const rows = fc.array(
    fc.record({
      gap: fc.integer({ min: 1, max: 3 }),
      lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: most },
  );
  return rows.map((all) => {
    let row = 0;
    return all.flatMap(({ gap, lines }) => {
      row += gap;
      return lines.map((one) => ({ ...one, row }));
    });
  });
}

/** A file a few bytes at a time; each chunk is of the size that comes next. */
export async function* inChunks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const size = sizes[next % sizes.length] ?? 1;
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
}

export const chunkSizes = fc.oneof(
  fc.constant([1]),
  fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }),
  fc.constant([1_000_000]),
);

export function openText(
  text: string | Buffer,
  sizes: readonly number[] = [1_000_000],
): Promise<ResultsReader> {
  const refuse = (why: string) => new Error(why);
  return ResultsReader.open(inChunks(Buffer.from(text), sizes), "people.results.csv", refuse);
}

export function textOf(columns: readonly string[], lines: readonly WrittenLine[]): string {
  const hasSources = columns.includes("import_source");
  return toCsv([columns, ...lines.map((line) => cellsOfLine(line, hasSources))]);
}

export function fingerprintOf(text: string) {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
