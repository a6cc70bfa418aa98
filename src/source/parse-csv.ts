import { parse } from "csv-parse";
import { InputDamagedError, reasonOf } from "../domain/errors.ts";
import type { SourcePosition } from "../domain/source-position.ts";
import { csvDamage } from "./csv-damage.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
  /** How it stands in the file, quotes and all, where it has very many lines. */
  readonly written?: string;
}

/** Line ends within a record from which on it is kept as it is written. */
const manyBreaks = 20;

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

const tooLong = Object.assign(new Error("too long"), { code: "CSV_MAX_RECORD_SIZE" });

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
  let isTooLong = false;
  // The parser counts what is in the cells, and a record of nothing but delimiters is without end.
  const longestRecord = dialect.maxRecordBytes + "\r\n".length;
  let fed = from.offset;
  let mayHoldReplacement = false;
  let { line, offset } = from;
  let feeding: Buffer | undefined;
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
      const end = from.offset + bytes;
      isTooLong ||= end - offset > longestRecord;
      if (isTooLong) return null;
      // The parser counts a CRLF inside quotes as two lines, so only records without any are
      // taken from its count.
      const breaks = lines - linesSeen <= 1 ? 0 : lineBreaks(cells);
      const written = breaks < manyBreaks ? {} : { written: unfinished.text(offset, end, feeding) };
      records.push({ line, breaks, cells, ...written });
      offset = end;
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
  const damaged = (error: Error) => csvDamage(error, unfinished.text(offset), dialect, line);

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
    feeding = chunk;
    const error = await feed(chunk);
    feeding = undefined;
    unfinished.add(chunk, offset);
    fed += chunk.length;
    yield* takeBatch();
    if (error) throw damaged(error);
    if (isTooLong || fed - offset > longestRecord + lookahead.length) throw damaged(tooLong);
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
  if (isTooLong) throw damaged(tooLong);
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

/** Why nothing more can be read from a line on, in which a row starts. */
export function unreadable(error: unknown, line: number): InputDamagedError {
  if (error instanceof InputDamagedError) {
    if (error.line === line) return error;
    return new InputDamagedError(
      line,
      `${error.message} It is in the row that starts on line ${line}.`,
    );
  }
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

/** Keeps the bytes of the record that is being parsed, for when there is something wrong with it. */
function keepFrom(start: number) {
  let kept: Buffer[] = [];
  let keptFrom = start;
  return {
    /** @param offset where the record begins that is not complete yet */
    add(chunk: Buffer, offset: number) {
      kept.push(chunk);
      let gone = 0;
      for (let next = kept[0]; next && keptFrom + next.length <= offset; next = kept[++gone]) {
        keptFrom += next.length;
      }
      if (gone > 0) kept = kept.slice(gone);
    },
    /** @param last a chunk that follows those that were added */
    text(offset: number, end?: number, last?: Buffer): string {
      const bytes = Buffer.concat(last === undefined ? kept : [...kept, last]);
      const after = end === undefined ? bytes.length : end - keptFrom;
      return bytes.toString("utf8", offset - keptFrom, after);
    },
  };
}
