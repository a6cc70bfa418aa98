import type { Row } from "../model/row.ts";

/** Which part of an input a run is about. */
export interface RowSelection {
  /** Rows to leave out at the beginning. */
  readonly skip: number;
  /** Rows at most, after those left out. */
  readonly limit: number;
}

/**
 * Passes on the chosen rows; reads no further than it has to. Rows keep their numbers.
 *
 * @param isWanted which of them; default all
 */
export async function* selectRows(
  batches: AsyncIterable<readonly Row[]>,
  { skip, limit }: RowSelection,
  isWanted?: (row: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  let seen = 0;
  if (limit === 0) return;
  for await (const rows of batches) {
    const part = rows.slice(Math.max(0, skip - seen), Math.max(0, skip + limit - seen));
    seen += rows.length;
    const chosen = isWanted === undefined ? part : part.filter(isWanted);
    if (chosen.length > 0) yield chosen;
    if (seen >= skip + limit) return;
  }
}
