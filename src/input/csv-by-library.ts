import type { CsvError } from "csv-parse/sync";
import { type CsvDialect, countLineBreaks, longestRecord, type SplitText } from "./csv-record.ts";
import { isQuoteText, perhapsMeant, placeOf, type QuoteFault } from "./quote-faults.ts";

/**
 * Splits the records of a text with csv-parse, in any dialect. What it reads in quotes is written again: if that is
 * not what stands in the file, the cell stays as it is written, and the record says so.
 */
export async function createLibrarySplitter(dialect: CsvDialect) {
  const { parse } = await import("csv-parse/sync");
  const { delimiter, quote, escape: before = quote } = dialect;
  const longest = longestRecord(dialect);
  const isAsWritten = (cell: string, written: string) => {
    const escaped = before === quote ? cell : cell.split(before).join(before + before);
    const again = quote + escaped.split(quote).join(before + quote) + quote;
    // MySQL puts the escape before a line end, too.
    return again === written || again === written.replaceAll(/(\\[^\r\n])|\\(?=[\r\n])/g, "$1");
  };

  /** @param isWhole whether nothing follows the text; if not, it ends with a line end, wherever its last record ends */
  return (text: string, from: number, firstLine: number, isWhole: boolean): SplitText => {
    const bytes = Buffer.from(text.slice(from));
    const split = { records: [], line: firstLine, because: "text_end" } as Omit<SplitText, "end">;
    /** Of the record that is being read, and of its cell. */
    let [begin, cellBegin] = [0, 0];
    let [cell, breaks] = [1, 0];
    let asText: QuoteFault | undefined;
    let fault: QuoteFault | undefined;
    const faultAt = (kind: "stray" | "unclosed", written: string): QuoteFault => {
      const place = placeOf(bytes.toString("utf8", begin, cellBegin), split.line);
      return { kind, cell, place, perhaps: perhapsMeant(written, dialect) };
    };
    try {
      parse(bytes, {
        ...{ delimiter, quote, escape: before },
        record_delimiter: ["\r\n", "\n", "\r"],
        relax_column_count: true,
        relax_quotes: true,
        cast(read, { bytes: end }) {
          const written = bytes.toString("utf8", cellBegin, end);
          const hasQuote = quote !== "" && written.includes(quote);
          const isQuoted = hasQuote && written.startsWith(quote);
          const isStray = isQuoted
            ? !isAsWritten(read, written)
            : hasQuote && !isQuoteText(written, quote);
          if (isStray) fault ??= faultAt("stray", written);
          else if (hasQuote && !isQuoted) asText ??= { kind: "text", cell };
          breaks += countLineBreaks(written);
          cell++;
          cellBegin = end + Buffer.byteLength(delimiter);
          return isStray ? written : read;
        },
        on_record(cells: string[], { bytes: end }) {
          if (end - begin > longest) {
            split.because = "too_long";
            throw new Error(split.because);
          }
          // Not by csv-parse, which drops them when it meets an error.
          split.records.push({ line: split.line, breaks, cells, quoteFault: fault ?? asText });
          split.line += 1 + breaks;
          begin = cellBegin = end;
          [cell, breaks, asText, fault] = [1, 0, undefined, undefined];
          return null;
        },
      });
    } catch (error) {
      const isUnclosed = (error as CsvError).code === "CSV_QUOTE_NOT_CLOSED";
      if (!isUnclosed && split.because === "text_end") throw error;
      if (isUnclosed && isWhole) {
        split.because = "unclosed_quote";
        split.fault = fault ?? faultAt("unclosed", bytes.toString("utf8", cellBegin));
      }
    }
    return { ...split, end: from + bytes.toString("utf8", 0, begin).length };
  };
}
