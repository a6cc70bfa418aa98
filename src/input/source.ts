import type { Dialect, FilesReadAs } from "../model/dialect.ts";
import type { Row } from "../model/row.ts";
import type { SourcePosition } from "../model/source-position.ts";

/** An input opened for one pass over its rows. */
export interface Source {
  /** What a person calls it: the file's name without its folder, or `stdin`. */
  readonly name: string;
  /** What was found out of how it is written. */
  readonly dialect: Dialect;
  /** Where several files are written in several ways, each way with its files. */
  readonly readAs?: readonly FilesReadAs[];
  /** What is odd and no reason to stop, a sentence each; more of it may be found as rows are read. */
  readonly warnings: readonly string[];
  /** The header's cells, exactly as they stand. */
  readonly columns: readonly string[];
  /** Whether each row says which of several inputs it is from. */
  readonly hasSources?: boolean;
  /**
   * The rows in input order, some at a time. To be read once.
   *
   * @throws InputDamagedError after the last row before a place that cannot be parsed
   */
  readonly batches: AsyncIterable<readonly Row[]>;
  /**
   * Where the batch that was handed out last begins, so that reading can go on from there another
   * time; nothing where reading can only begin at the beginning.
   */
  batchStart(): SourcePosition | undefined;
  /** Bytes of the whole, where that is known beforehand. */
  readonly totalBytes: number | undefined;
  bytesRead(): number;
  /** Lines with nothing on them, which are no rows. */
  blankLines(): number;
  /** Lets go of the file. */
  close(): Promise<void>;
}
