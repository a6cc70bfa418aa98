import type { QuoteFault, Quoting } from "./quote-faults.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
  /** What is wrong with its quotes. */
  readonly quoteFault?: QuoteFault | undefined;
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

/** The records of a text. */
export interface SplitText {
  readonly records: CsvRecord[];
  /** Where the first record begins that is not among them; the text's end if there is none. */
  readonly end: number;
  /** The line on which that is. */
  line: number;
  /** Why splitting stopped there: `text_end` if no complete record is left, `many_records` if the batch is full. */
  because: "text_end" | "many_records" | "too_long" | "unclosed_quote";
  /** What is wrong with the quotes of the record there, if one is never closed. */
  fault?: QuoteFault | undefined;
}

export function countLineBreaks(cell: string): number {
  return cell.includes("\n") || cell.includes("\r") ? cell.split(/\r\n|\n|\r/).length - 1 : 0;
}
