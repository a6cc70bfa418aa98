import type { SourcePosition } from "../model/source-position.ts";

/** A record of a CSV file (RFC 4180), with the physical line on which it starts. */
export interface CsvRecord {
  readonly line: number;
  /** Line ends within its cells. */
  readonly breaks: number;
  readonly cells: readonly string[];
  /** Whether it is one empty cell in quotes: a line with nothing on it is none. */
  readonly isQuotedBlank?: true;
  /** How it stands in the file, quotes and all, where it has very many lines. */
  readonly written?: string;
}

/** Line ends within a record from which on it is kept as it is written. */
export const manyBreaks = 20;

/** Records that were parsed together. */
export interface CsvBatch {
  readonly records: readonly CsvRecord[];
  /** Where the first of them begins. */
  readonly start: BytePosition;
  /** Whether there was a NUL in the bytes so far, so that it is worth looking for one. */
  readonly mayHoldNul: boolean;
  /** The same of U+FFFD. */
  readonly mayHoldReplacement: boolean;
}

/** The beginning of a record. */
export type BytePosition = Pick<SourcePosition, "offset" | "line">;

/** How the bytes are to be parsed. */
export interface CsvDialect {
  readonly delimiter: string;
  /** `""` where there is none. */
  readonly quote: string;
  /** What a record may be long. */
  readonly maxRecordBytes: number;
}

/**
 * Bytes of a record at most, its line end among them: the library counts what is in the cells, and a
 * record of nothing but delimiters would be without end.
 */
export function longestRecord({ maxRecordBytes }: CsvDialect): number {
  return maxRecordBytes + "\r\n".length;
}

export function countLineBreaks(cell: string): number {
  return cell.includes("\n") || cell.includes("\r") ? cell.split(/\r\n|\n|\r/).length - 1 : 0;
}
