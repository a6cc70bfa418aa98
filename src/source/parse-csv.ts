import { type CsvError, parse } from "csv-parse";
import { InputDamagedError, reasonOf } from "../domain/errors.ts";
import type { SourcePosition } from "../domain/source-position.ts";
import { usualRecordBytes } from "./reading.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Records that were parsed together. */
export interface CsvBatch {
  readonly records: readonly CsvRecord[];
  /** Where the first of them begins. */
  readonly start: BytePosition;
}

/** The beginning of a record. */
export type BytePosition = Pick<SourcePosition, "offset" | "line">;

const beginning: BytePosition = { offset: 0, line: 1 };

/** More than the parser looks ahead before it takes a byte for what it seems. */
const lookahead = Buffer.from("x".repeat(16));

/**
 * Parses CSV, a batch of records for each chunk of bytes.
 *
 * Records are taken in `on_record`, as they are parsed: what the parser has queued when it meets
 * damage is thrown away, and with it the good rows before the damage.
 *
 * @param from where the chunks begin in the input
 * @param maxRecordBytes what a record may be long
 * @throws InputDamagedError where the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  from: BytePosition = beginning,
  maxRecordBytes = usualRecordBytes,
): AsyncGenerator<CsvBatch> {
  let records: CsvRecord[] = [];
  let start = from;
  let { line, offset } = from;
  let linesSeen = 0; // the parser's count is that of a record's last line, 1 for a plain header
  const parser = parse({
    bom: from.offset === 0,
    columns: false,
    max_record_size: maxRecordBytes,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    on_record(cells: string[], { bytes, lines }) {
      records.push({ line, cells });
      offset = from.offset + bytes;
      // The parser counts a CRLF inside quotes as two lines, so only records without any are
      // taken from its count.
      line += lines - linesSeen <= 1 ? 1 : 1 + lineBreaks(cells);
      linesSeen = lines;
      return null;
    },
  });
  parser.on("error", () => {}); // it also arrives at the callbacks below
  parser.resume();
  const feed = (chunk: Buffer) =>
    new Promise<Error | null | undefined>((done) => {
      parser.write(chunk, done);
    });

  const takeBatch = (): CsvBatch[] => {
    const batch = { records, start };
    records = [];
    start = { offset, line };
    return batch.records.length === 0 ? [] : [batch];
  };

  const reading: { broken?: { readonly error: unknown } } = {};
  for await (const chunk of untilBroken(chunks, reading)) {
    const error = await feed(chunk);
    yield* takeBatch();
    if (error) throw damage(error, line, maxRecordBytes);
  }
  if (reading.broken !== undefined) {
    // The parser holds back the last bytes until it has seen more, and with them the end of a
    // record that is complete. What it is given here belongs to a record that never ends.
    await feed(lookahead);
    yield* takeBatch();
    throw unreadable(reading.broken.error, line);
  }
  const error = await new Promise<Error | null | undefined>((done) => {
    parser.end(done);
  });
  yield* takeBatch();
  if (error) throw damage(error, line, maxRecordBytes);
}

/** Passes chunks on up to an error, which is kept for after the records before it. */
async function* untilBroken(
  chunks: AsyncIterable<Buffer>,
  reading: { broken?: { readonly error: unknown } },
): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (error) {
    reading.broken = { error };
  }
}

function unreadable(error: unknown, line: number): InputDamagedError {
  if (error instanceof InputDamagedError) return error;
  return new InputDamagedError(
    line,
    `line ${line} and what follows cannot be read (${reasonOf(error)}): check the file or its disk.`,
  );
}

function lineBreaks(cells: readonly string[]): number {
  let breaks = 0;
  for (const cell of cells) {
    if (cell.includes("\n") || cell.includes("\r")) breaks += cell.split(/\r\n|\n|\r/).length - 1;
  }
  return breaks;
}

function damage(error: Error, line: number, maxRecordBytes: number): InputDamagedError {
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
        `${place}, is longer than ${inUnits(maxRecordBytes)}: a quote (") is probably opened there and never closed; if not, allow more with --max-record-size.`,
      );
    default:
      return new InputDamagedError(line, `${place}, cannot be parsed: ${error.message}`);
  }
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}
