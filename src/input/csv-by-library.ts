import { type CsvError, parse } from "csv-parse";
import { InputDamagedError } from "../model/errors.ts";
import {
  type BytePosition,
  type CsvBatch,
  type CsvDialect,
  type CsvRecord,
  countLineBreaks,
  longestRecord,
  manyBreaks,
} from "./csv-record.ts";
import { type ChunksRead, unreadable, untilBroken } from "./look-ahead.ts";
import { cellsOfUnclosed, findQuoteFault, namePlace, quoteDamage } from "./quote-faults.ts";

const tooLong = Object.assign(new Error("too long"), { code: "CSV_MAX_RECORD_SIZE" });

const replacement = Buffer.from("\ufffd");

/** Longer than the parser's lookahead, so that it passes on all that stands before it. */
const lookahead = Buffer.from("x".repeat(16));

/**
 * Parses any CSV with csv-parse, a batch of records for each chunk of bytes, and reports damage.
 *
 * Records are taken in `on_record`, as they are parsed: what the parser has queued when it meets
 * damage is thrown away, and with it the good rows before the damage.
 *
 * @param from where the chunks begin in the input
 * @throws InputDamagedError if the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseByLibrary(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  from: BytePosition,
): AsyncGenerator<CsvBatch> {
  let records: CsvRecord[] = [];
  let start = from;
  let mayHoldNul = false;
  let isTooLong = false;
  const longest = longestRecord(dialect);
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
    relax_quotes: true,
    on_record(cells: string[], { bytes, lines }) {
      const end = from.offset + bytes;
      isTooLong ||= end - offset > longest;
      if (isTooLong) return null;
      // The parser counts a CRLF inside quotes as two lines, so only records without any are
      // taken from its count.
      const breaks =
        lines - linesSeen <= 1
          ? 0
          : cells.reduce((breaks, cell) => breaks + countLineBreaks(cell), 0);
      const written = breaks < manyBreaks ? {} : { written: unfinished.text(offset, end, feeding) };
      const isQuotedBlank = cells.length === 1 && cells[0] === "" && holdsQuotes(offset, end);
      const mayHaveFault =
        dialect.quote !== "" && cells.some((cell) => cell.includes(dialect.quote));
      const quoteFault = mayHaveFault
        ? findQuoteFault(unfinished.text(offset, end, feeding), dialect, line)
        : undefined;
      records.push({
        line,
        breaks,
        cells,
        ...written,
        ...(quoteFault === undefined ? {} : { quoteFault }),
        ...(isQuotedBlank ? { isQuotedBlank } : {}),
      });
      offset = end;
      line += 1 + breaks;
      linesSeen = lines;
      // For a record with another number of cells than the first, csv-parse would build an error with a
      // stack and a copy of the record, which nobody reads: thirty times the cost of parsing it.
      info.records = 0;
      return null;
    },
  });
  /** Of a record without text: two bytes are a line end, or quotes where the input ends after them. */
  const holdsQuotes = (begin: number, end: number) => {
    if (end - begin !== 2 || feeding !== undefined) return end - begin > 2;
    return dialect.quote !== "" && unfinished.text(begin, end).startsWith(dialect.quote);
  };
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

  const read: ChunksRead = {};
  for await (const chunk of untilBroken(chunks, read)) {
    mayHoldNul ||= chunk.includes(0);
    mayHoldReplacement ||= chunk.includes(replacement);
    feeding = chunk;
    const error = await feed(chunk);
    feeding = undefined;
    unfinished.add(chunk, offset);
    fed += chunk.length;
    yield* takeBatch();
    // What the parser complains of may stand after a record that is too long.
    if (error) throw damaged(isTooLong ? tooLong : error);
    if (isTooLong || fed - offset > longest + lookahead.length) throw damaged(tooLong);
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
  const last =
    error && !isTooLong ? unclosedLine(unfinished.text(offset), dialect, line) : undefined;
  if (last !== undefined) records.push(last);
  yield* takeBatch();
  if (isTooLong) throw damaged(tooLong);
  if (error && last === undefined) throw damaged(error);
}

/** The last record, if its quote is never closed, but no line follows that would be in the cell. */
function unclosedLine(text: string, dialect: CsvDialect, line: number): CsvRecord | undefined {
  const written = text.replace(/(?:\r\n|\n|\r)$/, "");
  if (countLineBreaks(written) > 0) return undefined;
  const quoteFault = findQuoteFault(written, dialect, line);
  if (quoteFault === undefined) return undefined;
  return { line, breaks: 0, cells: cellsOfUnclosed(written, dialect), quoteFault };
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
    text(offset: number, end = Number.POSITIVE_INFINITY, last?: Buffer): string {
      const pieces: Buffer[] = [];
      let from = keptFrom;
      // Of a long record before this one there may be many more, and this one may be one of thousands.
      for (const chunk of last === undefined ? kept : [...kept, last]) {
        const piece = chunk.subarray(Math.max(0, offset - from), Math.max(0, end - from));
        if (piece.length > 0) pieces.push(piece);
        from += chunk.length;
      }
      return Buffer.concat(pieces).toString("utf8");
    },
  };
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
        ? `the quote (${quote}) at ${namePlace(found.place)} is probably never closed; if it is, `
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
