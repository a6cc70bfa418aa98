import type { Row } from "../domain/row.ts";

/** An input opened for one pass over its rows. */
export interface Source {
  /** What a person calls it: the file's name without its folder, or `stdin`. */
  readonly name: string;
  /** The header's cells, exactly as they stand. */
  readonly columns: readonly string[];
  /**
   * The rows in input order, some at a time. To be read once.
   *
   * @throws InputDamagedError after the last row before a place that cannot be parsed
   */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** Bytes of the whole, where that is known beforehand. */
  readonly totalBytes: number | undefined;
  bytesRead(): number;
  /** Lines with nothing on them, which are no rows. */
  blankLines(): number;
  /** Hex SHA-256 of the input. Once, and after the last batch. */
  sha256(): string;
  /** Lets go of the file. */
  close(): Promise<void>;
}
