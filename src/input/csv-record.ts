/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  readonly breaks: number;
  readonly cells: readonly string[];
  readonly quoteFault?: QuoteFault | undefined;
}

/** The quotes of a record are not as RFC 4180 has them. */
export interface QuoteFault {
  readonly kind: QuoteFaultKind;
  /** Which cell has the first of them, from 1. */
  readonly cell: number;
  /** Where the fault is, such as `line 2, column 9`, unless the quote is text. */
  readonly place?: string;
  readonly written?: string;
}

/**
 * - `text`: a quote within a cell that is not in quotes, such as `24" monitor`: it is text
 * - `stray`: something stands before or after the quotes of a cell, or quotes in them are not marked as text
 * - `unclosed`: a quote opens a cell and is never closed
 */
type QuoteFaultKind = "text" | "stray" | "unclosed";

export interface CsvDialect {
  readonly delimiter: string;
  readonly quote: string;
  /** What stands within quotes before a quote that is text, and before itself. */
  readonly escape?: "\\" | undefined;
  readonly maxRecordBytes: number;
}

export interface SplitText {
  readonly records: CsvRecord[];
  /** Where the first record begins that is not among them; the text's end if there is none. */
  readonly end: number;
  readonly line: number;
  /** Why splitting stopped there: `text_end` if no complete record is left, `many_records` if the batch is full. */
  readonly because: "text_end" | "many_records" | "too_long";
  /** What is wrong with the quotes of the record, if one is never closed. */
  readonly fault?: QuoteFault | undefined;
}

/** @param isWhole whether nothing follows the text; if not, it ends with a line end, wherever its last record ends */
export type Splitter = (
  text: string,
  from: number,
  firstLine: number,
  isWhole: boolean,
) => SplitText;

export function longestRecord({ maxRecordBytes }: CsvDialect): number {
  return maxRecordBytes + "\r\n".length;
}

export function countLineBreaks(cell: string): number {
  return cell.includes("\n") || cell.includes("\r") ? cell.split(/\r\n|\n|\r/).length - 1 : 0;
}
