import { type CsvError, parse } from "csv-parse";
import { InputDamagedError } from "../model/errors.ts";
import { type CsvDialect, type CsvRecord, countLineBreaks, longestRecord } from "./csv-record.ts";
import { type ChunksRead, unreadable, untilBroken } from "./look-ahead.ts";
import { findQuoteFault, quoteDamage } from "./quote-faults.ts";

const tooLong = Object.assign(new Error("too long"), { code: "CSV_MAX_RECORD_SIZE" });

/** Longer than the parser's lookahead, so that it passes on all that stands before it. */
const lookahead = Buffer.from("x".repeat(16));

/**
 * Parses any CSV with csv-parse, a batch of records for each chunk of bytes, and reports damage.
 *
 * Records are taken in `on_record`, as they are parsed: what the parser has queued when it meets
 * damage is thrown away, and with it the good rows before the damage.
 *
 * @param firstLine the line of the input on which they begin
 * @throws InputDamagedError if the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseByLibrary(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  firstLine: number,
): AsyncGenerator<readonly CsvRecord[]> {
  let records: CsvRecord[] = [];
  let isTooLong = false;
  const longest = longestRecord(dialect);
  let line = firstLine;
  /** Where the record begins that is being parsed. */
  let offset = 0;
  /** The bytes from the record on that is being parsed, for when there is something wrong with it. */
  let kept: Buffer[] = [];
  let keptFrom = 0;
  let keptTo = 0;
  const textOf = (begin: number, end?: number) => {
    // Joined when somebody asks, not for every chunk of a long record.
    if (kept.length > 1) kept = [Buffer.concat(kept)];
    return kept[0]?.toString("utf8", begin - keptFrom, end && end - keptFrom) ?? "";
  };
  const parser = parse({
    columns: false,
    delimiter: dialect.delimiter,
    escape: dialect.quote === "" ? null : dialect.quote,
    max_record_size: dialect.maxRecordBytes,
    quote: dialect.quote === "" ? null : dialect.quote,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
    on_record(cells: string[], { bytes: end }) {
      isTooLong ||= end - offset > longest;
      if (isTooLong) return null;
      // Not the parser's count, for which a CRLF inside quotes is two lines.
      let breaks = 0;
      for (const cell of cells) breaks += countLineBreaks(cell);
      const isBlank = cells.length === 1 && cells[0] === "" && dialect.quote !== "";
      const isQuotedBlank = isBlank && textOf(offset, end).startsWith(dialect.quote);
      const mayHaveFault =
        dialect.quote !== "" && cells.some((cell) => cell.includes(dialect.quote));
      const quoteFault = mayHaveFault
        ? findQuoteFault(textOf(offset, end), dialect, line)
        : undefined;
      records.push({
        line,
        breaks,
        cells,
        ...(quoteFault === undefined ? {} : { quoteFault }),
        ...(isQuotedBlank ? { isQuotedBlank } : {}),
      });
      offset = end;
      line += 1 + breaks;
      // For a record with another number of cells than the first, csv-parse would build an error with a
      // stack and a copy of the record, which nobody reads: thirty times the cost of parsing it.
      info.records = 0;
      return null;
    },
  });
  const info: { records: number } = parser.info;
  parser.on("error", () => {}); // it also arrives at the callbacks below
  parser.resume();
  const feed = (chunk: Buffer) =>
    new Promise<Error | null | undefined>((done) => {
      parser.write(chunk, done);
    });
  const damaged = (error: Error) => csvDamage(error, textOf(offset), dialect, line);

  const takeBatch = () => {
    const batch = records;
    records = [];
    return batch.length === 0 ? [] : [batch];
  };

  const read: ChunksRead = {};
  for await (const chunk of untilBroken(chunks, read)) {
    // Up to the last record that ended; of one that has not, all chunks are kept.
    if (offset > keptFrom) kept = [Buffer.concat(kept).subarray(offset - keptFrom)];
    kept.push(chunk);
    keptFrom = offset;
    keptTo += chunk.length;
    const error = await feed(chunk);
    yield* takeBatch();
    // What the parser complains of may stand after a record that is too long.
    if (error) throw damaged(isTooLong ? tooLong : error);
    if (isTooLong || keptTo - offset > longest + lookahead.length) throw damaged(tooLong);
  }
  if (read.broken !== undefined) {
    // The parser holds back the last bytes until it has seen more, and with them the end of a
    // record that is complete. What it is given here belongs to a record that never ends.
    await feed(lookahead);
    yield* takeBatch();
    throw unreadable(read.broken.error, line);
  }
  const error = await new Promise<Error | null | undefined>((done) => {
    parser.end(done);
  });
  yield* takeBatch();
  if (isTooLong) throw damaged(tooLong);
  if (error) throw damaged(error);
}

/**
 * Explains why a record cannot be parsed: what is wrong, where, and what to do.
 *
 * @param error the parser's
 * @param text of the record, as far as it was read
 * @param line on which it starts
 */
function csvDamage(
  error: Error,
  text: string,
  dialect: CsvDialect,
  line: number,
): InputDamagedError {
  const { code, column } = error as CsvError & { column?: unknown };
  const start = `the row that starts on line ${line}`;
  const isTooLong = code === "CSV_MAX_RECORD_SIZE";
  const seen = isTooLong ? text.slice(0, dialect.maxRecordBytes) : text;
  const found = findQuoteFault(seen, dialect, line);
  const damage = (message: string) => new InputDamagedError(line, message);
  const { quote } = dialect;
  if (isTooLong) {
    const long = `${start} is longer than ${inUnits(dialect.maxRecordBytes)}`;
    const why =
      found?.kind === "unclosed" && found.place !== undefined
        ? `the quote (${quote}) at ${found.place} is probably never closed; if it is, `
        : "if that is right, ";
    return damage(`${long}: ${why}allow more with max_record_size in eventload.yaml.`);
  }
  if (found !== undefined) return quoteDamage(found, quote, line);
  const place = typeof column === "number" ? `, cell ${column + 1},` : "";
  return damage(`${start}${place} cannot be parsed: ${error.message}`);
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}
