import { InputDamagedError } from "../model/errors.ts";
import {
  type CsvDialect,
  type CsvRecord,
  longestRecord,
  type QuoteFault,
  type SplitText,
} from "./csv-record.ts";
import { unreadable } from "./look-ahead.ts";
import { quoteDamage } from "./quote-faults.ts";
import { createSplitter } from "./split-csv.ts";

const LF = 10;
const CR = 13;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Quotes that are not as RFC 4180 has them are text of
 * their cell, and the record says so.
 *
 * @param chunks UTF-8
 * @param firstLine the line of the input on which they begin
 * @throws InputDamagedError if a quote is never closed, a record is too long, or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  firstLine: number,
): AsyncGenerator<CsvRecord[]> {
  const split = await createSplitter(dialect);
  const longest = longestRecord(dialect);
  const incoming = chunks[Symbol.asyncIterator]();
  let broken: { readonly error: unknown } | undefined;
  let line = firstLine;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = 0;
  try {
    for (let hasEnded = false; !hasEnded; ) {
      // What was read before an error is used first.
      const next = await incoming.next().catch((error: unknown) => {
        broken = { error };
        return { done: true, value: undefined } as const;
      });
      hasEnded = next.done === true;
      if (next.done !== true) {
        held.push(next.value);
        heldBytes += next.value.length;
      }
      if (heldBytes < wantedBytes && !hasEnded) continue;
      const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
      const isWhole = hasEnded && broken === undefined;
      const text = bytes.toString("utf8", 0, isWhole ? bytes.length : endOfLines(bytes, hasEnded));
      let at = 0;
      let because: SplitText["because"] = "many_records";
      while (because === "many_records") {
        const part = split(text, at, line, isWhole);
        if (part.records.length > 0) yield part.records;
        ({ end: at, line, because } = part);
        if (part.fault !== undefined) throw quoteDamage(part.fault, dialect, line);
      }
      const left = bytes.subarray(Buffer.byteLength(text.slice(0, at)));
      if (because === "too_long" || left.length > longest) {
        const beginning = left.toString("utf8", 0, dialect.maxRecordBytes);
        throw recordTooLong(dialect, line, split(beginning, 0, line, true).fault);
      }
      // What is not complete is split again only when it is twice as long, not with every chunk.
      wantedBytes = Math.min(2 * left.length, longest + 1);
      heldBytes = left.length;
      held = left.length === 0 ? [] : [left];
    }
    if (broken !== undefined) throw unreadable(broken.error, line, Buffer.concat(held));
  } finally {
    await incoming.return?.(undefined);
  }
}

/** Where the last complete line ends: a line end is never part of a character, so the text can be cut there. */
export function endOfLines(bytes: Buffer, hasEnded: boolean): number {
  // A CR that is the last byte may be half of a CRLF.
  const cr = (hasEnded ? bytes : bytes.subarray(0, -1)).lastIndexOf(CR);
  return 1 + Math.max(bytes.lastIndexOf(LF), cr);
}

/** @param fault the quote that is not closed within the longest record that is accepted */
function recordTooLong({ maxRecordBytes, quote }: CsvDialect, line: number, fault?: QuoteFault) {
  const mebibytes = maxRecordBytes / 1024 ** 2;
  const most = Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${maxRecordBytes} bytes`;
  const why =
    fault?.kind === "unclosed"
      ? `the quote (${quote}) at ${fault.place} is probably never closed`
      : "shorten its cells";
  return new InputDamagedError(
    line,
    `the row that starts on line ${line} is longer than ${most}: ${why}.`,
  );
}
