import { type CsvError, parse } from "csv-parse";
import { InputDamagedError, reasonOf } from "../domain/errors.ts";
import type { SourcePosition } from "../domain/source-position.ts";
import { locateDamage, type Place } from "./locate-damage.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
}

/** Records that were parsed together. */
export interface CsvBatch {
  readonly records: readonly CsvRecord[];
  /** Where the first of them begins. */
  readonly start: BytePosition;
  /** Whether there was a NUL in the bytes so far, so that it is worth looking for one. */
  readonly mayHoldNul: boolean;
  /** The same of U+FFFD. */
  readonly mayHoldReplacement: boolean;
}

/** The beginning of a record. */
export type BytePosition = Pick<SourcePosition, "offset" | "line">;

/** How the bytes are to be parsed. */
export interface CsvDialect {
  readonly delimiter: string;
  /** `""` where there is none. */
  readonly quote: string;
  /** What a record may be long. */
  readonly maxRecordBytes: number;
}

const replacement = Buffer.from("\ufffd");

/** More than the parser looks ahead before it takes a byte for what it seems. */
const lookahead = Buffer.from("x".repeat(16));

/**
 * Parses CSV, a batch of records for each chunk of bytes.
 *
 * Records are taken in `on_record`, as they are parsed: what the parser has queued when it meets
 * damage is thrown away, and with it the good rows before the damage.
 *
 * @param from where the chunks begin in the input
 * @throws InputDamagedError where the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  from: BytePosition,
): AsyncGenerator<CsvBatch> {
  let records: CsvRecord[] = [];
  let start = from;
  let mayHoldNul = false;
  let mayHoldReplacement = false;
  let { line, offset } = from;
  let linesSeen = 0; // the parser's count is that of a record's last line, 1 for a plain header
  const parser = parse({
    columns: false,
    delimiter: dialect.delimiter,
    escape: dialect.quote === "" ? null : dialect.quote,
    max_record_size: dialect.maxRecordBytes,
    quote: dialect.quote === "" ? null : dialect.quote,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    on_record(cells: string[], { bytes, lines }) {
      offset = from.offset + bytes;
      // The parser counts a CRLF inside quotes as two lines, so only records without any are
      // taken from its count.
      const breaks = lines - linesSeen <= 1 ? 0 : lineBreaks(cells);
      records.push({ line, breaks, cells });
      line += 1 + breaks;
      linesSeen = lines;
      // What has other than the first record's number of cells would make it build an error, with a
      // stack and a copy of the record, that nobody reads: thirty times the cost of parsing it.
      info.records = 0;
      return null;
    },
  });
  const info: { records: number } = parser.info;
  const unfinished = keepFrom(from.offset);
  parser.on("error", () => {}); // it also arrives at the callbacks below
  parser.resume();
  const feed = (chunk: Buffer) =>
    new Promise<Error | null | undefined>((done) => {
      parser.write(chunk, done);
    });
  const damaged = (error: Error) => damage(error, unfinished.text(), dialect, line);

  const takeBatch = (): CsvBatch[] => {
    const batch = { records, start, mayHoldNul, mayHoldReplacement };
    records = [];
    start = { offset, line };
    return batch.records.length === 0 ? [] : [batch];
  };

  const reading: { broken?: { readonly error: unknown } } = {};
  for await (const chunk of untilBroken(chunks, reading)) {
    mayHoldNul ||= chunk.includes(0);
    mayHoldReplacement ||= chunk.includes(replacement);
    const error = await feed(chunk);
    unfinished.add(chunk, offset);
    yield* takeBatch();
    if (error) throw damaged(error);
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
  if (error) throw damaged(error);
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

/** Keeps the bytes of the record that is being parsed, for when it turns out to be damaged. */
function keepFrom(start: number) {
  let kept: Buffer[] = [];
  let keptFrom = start;
  let recordStart = start;
  return {
    /** @param offset where the record begins that is not complete yet */
    add(chunk: Buffer, offset: number) {
      kept.push(chunk);
      recordStart = offset;
      let gone = 0;
      for (let next = kept[0]; next && keptFrom + next.length <= offset; next = kept[++gone]) {
        keptFrom += next.length;
      }
      if (gone > 0) kept = kept.slice(gone);
    },
    text: () => Buffer.concat(kept).toString("utf8", recordStart - keptFrom),
  };
}

function damage(error: Error, text: string, dialect: CsvDialect, line: number): InputDamagedError {
  const { code, column } = error as CsvError & { column?: unknown };
  const start = `the row that starts on line ${line}`;
  const isTooLong = code === "CSV_MAX_RECORD_SIZE";
  const seen = isTooLong ? text.slice(0, dialect.maxRecordBytes) : text;
  const found = locateDamage(seen, dialect, line);
  const told = (message: string) => new InputDamagedError(line, message);
  const { quote } = dialect;
  if (isTooLong) {
    const long = `${start} is longer than ${inUnits(dialect.maxRecordBytes)}`;
    const why =
      found?.kind === "unclosed"
        ? `the quote (${quote}) at ${named(found.place)} is probably never closed; if it is, `
        : "if that is right, ";
    return told(`${long}: ${why}allow more with --max-record-size.`);
  }
  const cell = (number: number) => `cell ${number} of ${start}`;
  switch (found?.kind) {
    case "unclosed":
      return told(
        `${named(found.place)}: a quote (${quote}) opens ${cell(found.cell)} and is never closed: close it, or double it where it is part of the text${orNone}.`,
      );
    case "stray":
      return told(
        `${named(found.place)}: a quote (${quote}) inside the text of ${cell(found.cell)}: put the cell in quotes and double the quotes in it${orNone}.`,
      );
    case "after_close":
      return told(
        `${named(found.place)}: text follows the quote (${quote}) that closes ${cell(found.cell)}, which is opened at ${named(found.opened)}: double the quotes that are part of the text, or close the cell where it ends${orNone}.`,
      );
    case undefined: {
      const place = typeof column === "number" ? `, cell ${column + 1},` : "";
      return told(`${start}${place} cannot be parsed: ${error.message}`);
    }
    default:
      throw found satisfies never;
  }
}

const orNone = " (--quote none, if quotes mean nothing in this file)";

function named({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}
