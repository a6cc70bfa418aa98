/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
  /** What is wrong with its quotes. */
  readonly quoteFault?: QuoteFault | undefined;
}

/** The quotes of a record are not as RFC 4180 has them. */
export interface QuoteFault {
  readonly kind: QuoteFaultKind;
  /** Which cell has the first of them, from 1. */
  readonly cell: number;
  /** Where it is, such as `line 2, column 9`, unless it is text. */
  readonly place?: string;
  /** The cell as it is written. */
  readonly written?: string;
}

/**
 * - `text`: a quote within a cell that is not in quotes, such as `24" monitor`: it is text
 * - `stray`: something stands before or after the quotes of a cell, or quotes in them are not marked as text
 * - `unclosed`: a quote opens a cell and is never closed
 */
type QuoteFaultKind = "text" | "stray" | "unclosed";

/** How the bytes are to be parsed. */
export interface CsvDialect {
  readonly delimiter: string;
  /** `""` where there is none. */
  readonly quote: string;
  /** What stands within quotes before a quote that is text, and before itself. */
  readonly escape?: "\\" | undefined;
  /** The longest that a record may be. */
  readonly maxRecordBytes: number;
}

/** The most bytes of a record, with its line end. */
export function longestRecord({ maxRecordBytes }: CsvDialect): number {
  return maxRecordBytes + "\r\n".length;
}

export function countLineBreaks(cell: string): number {
  return cell.includes("\n") || cell.includes("\r") ? cell.split(/\r\n|\n|\r/).length - 1 : 0;
}
