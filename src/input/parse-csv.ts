import type { BytePosition, CsvBatch, CsvDialect } from "./csv-record.ts";
import { type ChunksRead, untilBroken } from "./look-ahead.ts";
import { createSplitRecords, type SplitEnd } from "./split-records.ts";

const LF = 10;
const CR = 13;
const replacement = Buffer.from("\ufffd");

/** A record that goes on for longer is not begun again with each chunk that comes. */
const mostLeftBytes = 256 * 1024;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Records that are written by the rules are
 * split here, several times as fast as by csv-parse; what is left at the end, and all from the first
 * record on that is not so (damage, or one of great length), is for csv-parse to read, or to complain of.
 *
 * @param chunks UTF-8
 * @param from where the chunks begin in the input
 * @throws InputDamagedError where the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  from: BytePosition,
): AsyncGenerator<CsvBatch> {
  const split = createSplitRecords(dialect);
  if (split === undefined) {
    const { parseByLibrary } = await import("./parse-by-library.ts");
    return yield* parseByLibrary(chunks, dialect, from);
  }
  const read: ChunksRead = {};
  const incoming = untilBroken(chunks, read);
  let start = from;
  let left: Buffer = Buffer.alloc(0);
  let mayHoldNul = false;
  let mayHoldReplacement = false;
  try {
    for (let next = await incoming.next(); next.done !== true; next = await incoming.next()) {
      const bytes = left.length === 0 ? next.value : Buffer.concat([left, next.value]);
      mayHoldNul ||= next.value.includes(0);
      mayHoldReplacement ||= bytes.includes(replacement);
      const endOfText = endOfLines(bytes);
      const bytesFrom = start.offset;
      let text = bytes.toString("utf8", 0, endOfText);
      let because: SplitEnd = "many_records";
      while (because === "many_records") {
        const part = split(text, start.line);
        const { records, end } = part;
        if (records.length > 0) yield { records, start, mayHoldNul, mayHoldReplacement };
        start = { offset: start.offset + Buffer.byteLength(text.slice(0, end)), line: part.line };
        text = text.slice(end);
        because = part.because;
      }
      left = bytes.subarray(start.offset - bytesFrom);
      if (because === "odd_record" || left.length > mostLeftBytes) break;
    }
    if (left.length === 0 && read.broken === undefined) return;
    const { parseByLibrary } = await import("./parse-by-library.ts");
    yield* parseByLibrary(beginWith(left, incoming, read), dialect, start);
  } finally {
    await incoming.return(undefined);
  }
}

/** Up to where a text can be taken from bytes that go on: a line end, which is no part of a character. */
function endOfLines(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(LF);
  // A CR that is the last byte may be half of a CRLF.
  return 1 + (lf >= 0 ? lf : bytes.subarray(0, -1).lastIndexOf(CR));
}

async function* beginWith(
  left: Buffer,
  incoming: AsyncGenerator<Buffer>,
  read: ChunksRead,
): AsyncGenerator<Buffer> {
  if (left.length > 0) yield left;
  yield* incoming;
  if (read.broken !== undefined) throw read.broken.error;
}
