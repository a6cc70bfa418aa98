import type { Dialect, FilesReadAs } from "../model/reading.ts";
import type { Row } from "../model/row.ts";
import type { BlankLines } from "./make-rows.ts";

/** An input opened for one pass over its rows. */
export interface Source {
  /** What a person calls it: the file's name without its folder, or `stdin`. */
  readonly name: string;
  readonly dialect: Dialect;
  /** Where several files are written in several ways. */
  readonly readAs?: readonly FilesReadAs[];
  /** Warnings, a sentence each; reading the rows may add more. */
  readonly warnings: readonly string[];
  readonly columns: readonly string[];
  readonly hasSources?: boolean;
  /** To be read once. @throws InputDamagedError after the last row before a place that cannot be parsed */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Bytes of the whole input, if known beforehand. */
  readonly totalBytes: number | undefined;
  bytesRead(): number;
  blankLines(): BlankLines;
  close(): Promise<void>;
}
