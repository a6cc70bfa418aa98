import type { QuoteFault } from "./quote-faults.ts";
import type { Quoting } from "./scan-cells.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
  /** What is wrong with its quotes. */
  readonly quoteFault?: QuoteFault;
}

/** How the bytes are to be parsed. */
export interface CsvDialect extends Quoting {
  readonly delimiter: string;
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
