import { type CsvError, parse } from "csv-parse";
import { InputDamagedError } from "../domain/errors.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const maxRecordBytes = 1024 * 1024;

/**
 * Parses CSV, a batch of records for each chunk of bytes.
 *
 * Records are taken in `on_record`, as they are parsed: what the parser has queued when it meets
 * damage is thrown away, and with it the good rows before the damage.
 *
 * @throws InputDamagedError where the bytes cannot be CSV, after the last good record
 */
export async function* parseCsv(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  let batch: CsvRecord[] = [];
  let line = 1;
  let linesSeen = 1;
  const parser = parse({
    bom: true,
    columns: false,
    max_record_size: maxRecordBytes,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    on_record(cells: string[], { lines }) {
      batch.push({ line, cells });
      // The parser counts a CRLF inside quotes as two lines, so only records without any are
      // taken from its count.
      line += lines - linesSeen <= 1 ? 1 : 1 + lineBreaks(cells);
      linesSeen = lines;
      return null;
    },
  });
  parser.on("error", () => {}); // it also arrives at the callbacks below
  parser.resume();
  for await (const chunk of chunks) {
    const error = await new Promise<Error | null | undefined>((done) => {
      parser.write(chunk, done);
    });
    if (batch.length > 0) yield batch;
    batch = [];
    if (error) throw damage(error, line);
  }
  const error = await new Promise<Error | null | undefined>((done) => {
    parser.end(done);
  });
  if (batch.length > 0) yield batch;
  if (error) throw damage(error, line);
}

function lineBreaks(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes("\n") || cell.includes("\r")) breaks += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return breaks;
}

function damage(error: Error, line: number): InputDamagedError {
  const { code, column } = error as CsvError & { column?: unknown };
  const cell = typeof column === "number" ? `, cell ${column + 1}` : "";
  const place = `the row that starts on line ${line}${cell}`;
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return new InputDamagedError(
        line,
        `${place}, opens a quote (") that is never closed: close it, or double it where it is part of the text.`,
      );
    case "CSV_INVALID_CLOSING_QUOTE":
    case "INVALID_OPENING_QUOTE":
      return new InputDamagedError(
        line,
        `${place}, has a quote (") inside its text: put the cell in quotes and double the quotes in it.`,
      );
    case "CSV_MAX_RECORD_SIZE":
      return new InputDamagedError(
        line,
        `${place}, is longer than 1 MiB: a quote (") is probably opened there and never closed.`,
      );
    default:
      return new InputDamagedError(line, `${place}, cannot be parsed: ${error.message}`);
  }
}
