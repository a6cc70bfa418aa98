import { cannotStart, type InputDamagedError } from "../model/errors.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import type { RowProblem } from "../model/row.ts";
import { readPreamble } from "./csv-preamble.ts";
import type { CsvDialect, CsvRecord } from "./csv-record.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { createRowMaker, raggedMark } from "./make-rows.ts";
import { parseCsv } from "./parse-csv.ts";
import { quoteDamage, quoteProblem } from "./quote-faults.ts";
import type { ByteReader } from "./read-bytes.ts";
import { readTop } from "./read-top.ts";
import type { Source } from "./source.ts";
import { watchRecords } from "./watch-records.ts";

/**
 * Opens CSV. Its encoding, delimiter and first line are detected unless they are given.
 *
 * @param reader of its bytes, decompressed; the counts are those of the input
 * @throws CannotStartError if it has no header, or the delimiter has to be given
 * @throws InputDamagedError if it cannot be read to its first row
 */
export async function openCsv(
  name: string,
  reader: ByteReader,
  compression: "gzip" | undefined,
  reading: Reading,
): Promise<Source> {
  if (reading.sheet !== undefined) {
    throw cannotStart("option_invalid", "--sheet", `${name} is no workbook`);
  }
  if (reading.hiddenRows === "skip") {
    throw cannotStart("option_invalid", "--hidden-rows", `${name} is no workbook`);
  }
  const decoded = await decodeBytes(name, reader.chunks, reading.encoding);
  const preamble = await readPreamble(name, decoded.chunks, reading);
  const { delimiter, quote, line, doubt } = preamble;
  const { maxRecordBytes = usualRecordBytes, rowsInCells = false } = reading;
  const before = reading.escape;
  if (before !== undefined && quote === "") {
    throw cannotStart("option_invalid", "escape", "it works within quotes, and quote is none");
  }
  const csv = { delimiter, quote, escape: before, maxRecordBytes };
  const seen: BytesSeen = { nul: false, endMark: false };
  const parsed = parseCsv(watched(preamble.chunks, seen), csv, line);
  const found = await readTop(name, parsed, reading, {
    isSheet: false,
    doubt,
    refuse({ cells, line, quoteFault }) {
      if (cells.some((cell) => cell.includes("\0")))
        throw cannotStart("input_no_text", name, decoded.wide);
      if (quoteFault !== undefined && quoteFault.kind !== "text") {
        throw quoteDamage(quoteFault, csv, line);
      }
    },
  });
  const { columns, areRowsEnded } = found;
  const warnings = [...decoded.warnings, ...found.warnings];
  const columnCount = columns.length + (areRowsEnded ? 1 : 0);
  const watch = watchRecords({ name, csv, columnCount, rowsInCells }, warnings);
  const rows = createRowMaker<CsvRecord>(
    {
      ...{ name, columns, reading, areRowsEnded },
      problemOf: csvCellProblems(columns, csv, seen),
      whyRagged: ({ quoteFault }) =>
        quoteFault && `cell ${quoteFault.cell} ${quoteProblem(quoteFault, csv)}`,
    },
    warnings,
  );
  async function* batches() {
    try {
      for await (const records of found.batches) {
        let damage: InputDamagedError | undefined;
        const sound = records.findIndex((record) => {
          damage = watch.look(record);
          return damage !== undefined;
        });
        yield* rows.make(sound < 0 ? records : records.slice(0, sound));
        if (damage !== undefined) throw damage;
      }
    } finally {
      rows.end();
      watch.end();
      if (seen.endMark) warnings.push(`${name}: the DOS end-of-file mark at its end is left out.`);
    }
  }
  const packed = compression === undefined ? {} : { compression };
  return {
    name,
    columns,
    dialect: {
      ...{ ...packed, encoding: decoded.encoding, delimiter, quote },
      ...(before === undefined ? {} : { escape: before }),
    },
    warnings,
    batches: batches(),
    totalBytes: reader.totalBytes,
    bytesRead: reader.bytesRead,
    blankLines: rows.blankLines,
    close: reader.close,
  };
}

/** What the bytes so far hold, so that rows have to be searched for it. */
interface BytesSeen {
  nul: boolean;
  /** Whether the bytes ended with what DOS wrote at the end of a text (0x1A). */
  endMark: boolean;
}

/** Passes on all but the mark at the end. */
async function* watched(chunks: AsyncIterable<Buffer>, seen: BytesSeen): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of chunks) {
      seen.nul ||= chunk.includes(0);
      const bytes = Buffer.concat([held, chunk]);
      const known = Math.max(0, bytes.length - longestEnd);
      if (known > 0) yield bytes.subarray(0, known);
      held = bytes.subarray(known);
    }
  } catch (error) {
    yield held;
    throw error;
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the mark
  const end = held.toString("latin1").search(/\u001a[\u001a\r\n]*$/);
  seen.endMark = end >= 0;
  yield seen.endMark ? held.subarray(0, end) : held;
}

/** CP/M filled the last 128 bytes with it. */
const longestEnd = 1024;

function csvCellProblems(columns: readonly string[], csv: CsvDialect, seen: BytesSeen) {
  return ({ quoteFault }: CsvRecord, cells: readonly string[]): RowProblem | undefined => {
    const placeOf = (at: number) => ({ column: columns[at] ?? "", value: cells[at] ?? "" });
    const nul = seen.nul ? cells.findIndex((cell) => cell.includes("\0")) : -1;
    if (nul >= 0) {
      const message = "holds a NUL character: remove it";
      return { code: "nul_character", ...placeOf(nul), message };
    }
    if (quoteFault === undefined || quoteFault.kind === "text") return undefined;
    const message = quoteProblem(quoteFault, csv);
    const mark = raggedMark(cells);
    return { code: "stray_quote", ...placeOf(quoteFault.cell - 1), message, mark };
  };
}
