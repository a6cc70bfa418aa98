import type { CsvError } from "csv-parse/sync";
import {
  type CsvDialect,
  countLineBreaks,
  longestRecord,
  type QuoteFault,
  type SplitText,
  type Splitter,
} from "./csv-record.ts";
import { isQuoteText, placeInText } from "./quote-faults.ts";

/**
 * Splits the records of a text with csv-parse, where quotes have an escape. What it reads in quotes is written again: if that is
 * not what stands in the file, the cell stays as it is written, and the record says so.
 */
export async function createLibrarySplitter(dialect: CsvDialect): Promise<Splitter> {
  const { parse } = await import("csv-parse/sync");
  const { delimiter, quote, escape: before = quote } = dialect;
  const longest = longestRecord(dialect);
  const marked = (cell: string, sign: string) => cell.split(sign).join(before + sign);
  const inQuotes = (cell: string) =>
    quote + marked(before === quote ? cell : marked(cell, before), quote) + quote;
  /** Where a cell ends of which csv-parse has left out quotes and escapes (and half of a quote of several bytes). */
  const endOf = (cell: string, text: string, start: number) => {
    let at = start;
    for (const one of cell) at = Math.max(at, text.indexOf(one, at) + one.length);
    const end = text.indexOf(delimiter, at);
    return end < 0 ? text.length : end;
  };
  const toRecord = (read: readonly string[], text: string, line: number) => {
    let start = 0;
    let quoteFault: QuoteFault | undefined;
    const cells = read.map((cell, at) => {
      const isQuoted = quote !== "" && text.startsWith(quote, start);
      const again = isQuoted ? inQuotes(cell) : cell;
      const isAgain = text.startsWith(again, start);
      const end = isAgain ? start + again.length : endOf(cell, text, start);
      const written = text.slice(start, end);
      const hasQuote = quote !== "" && written.includes(quote);
      const isSound = isQuoted
        ? // MySQL puts the escape before a line end, too.
          isAgain || again === written.replaceAll(/(\\[^\r\n])|\\(?=[\r\n])/g, "$1")
        : !hasQuote || isQuoteText(written, quote);
      if (!isSound && quoteFault?.kind !== "stray") {
        const place = placeInText(text.slice(0, start), line);
        quoteFault = { kind: "stray", cell: at + 1, place, written };
      }
      if (isSound && hasQuote && !isQuoted) quoteFault ??= { kind: "text", cell: at + 1 };
      start = end + delimiter.length;
      return isSound ? cell : written;
    });
    return { line, breaks: countLineBreaks(text), cells, quoteFault };
  };

  return (text, from, firstLine, isWhole) => {
    const bytes = Buffer.from(text.slice(from));
    const records: SplitText["records"] = [];
    let because: SplitText["because"] = "text_end";
    let line = firstLine;
    let begin = 0;
    let fault: SplitText["fault"];
    try {
      parse(bytes, {
        ...{ delimiter, quote, escape: before },
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        relax_quotes: true,
        // Records that csv-parse keeps are gone when it meets an error.
        on_record(cells: string[], { bytes: end }) {
          if (end - begin > longest) because = "too_long";
          if (because === "too_long") return null;
          const written = bytes.toString("utf8", begin, end).replace(/(?:\r\n|\n|\r)$/, "");
          const record = toRecord(cells, written, line);
          records.push(record);
          line += 1 + record.breaks;
          begin = end;
          return null;
        },
      });
    } catch (error) {
      const { code, column, bytes: end } = error as CsvError & { column: number; bytes: number };
      if (code !== "CSV_QUOTE_NOT_CLOSED") throw error;
      if (isWhole && because === "text_end") {
        const cells = column === 0 ? "" : bytes.toString("utf8", begin, end) + delimiter;
        const written = bytes.toString("utf8", begin).slice(cells.length);
        fault = { kind: "unclosed", cell: column + 1, place: placeInText(cells, line), written };
      }
    }
    return { records, end: from + bytes.toString("utf8", 0, begin).length, line, because, fault };
  };
}
