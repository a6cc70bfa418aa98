import { createFastPath, type SplitEnd } from "./csv-fast-path.ts";
import type { BytePosition, CsvBatch, CsvDialect } from "./csv-record.ts";
import { type ChunksRead, untilBroken } from "./look-ahead.ts";

const LF = 10;
const CR = 13;
const replacement = Buffer.from("\ufffd");

/** A longer unfinished record goes to csv-parse, so that it is not split again with every chunk. */
const maxLeftBytes = 256 * 1024;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Records that follow the rules are split
 * by our own fast path, several times as fast as csv-parse. From the first record that does not (a
 * damaged one, or a very long one), and for the rest at the end, csv-parse reads on and reports errors.
 *
 * @param chunks UTF-8
 * @param from where the chunks begin in the input
 * @throws InputDamagedError if the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  from: BytePosition,
): AsyncGenerator<CsvBatch> {
  const split = createFastPath(dialect);
  if (split === undefined) {
    const { parseByLibrary } = await import("./csv-by-library.ts");
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
      if (because === "odd_record" || left.length > maxLeftBytes) break;
    }
    if (left.length === 0 && read.broken === undefined) return;
    const { parseByLibrary } = await import("./csv-by-library.ts");
    yield* parseByLibrary(beginWith(left, incoming, read), dialect, start);
  } finally {
    await incoming.return(undefined);
  }
}

/** Where the last complete line ends: a line end is never part of a character, so the text can be cut there. */
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
