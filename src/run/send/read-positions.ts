import type { SourcePosition } from "../../model/place.ts";
import type { Checkpoint } from "../../model/run-record.ts";
import type { WrittenResults } from "../../results/results-writer.ts";
import { createTally } from "../../results/tally.ts";

/** Remembers where batches of rows began, so that a checkpoint can say where to read on. */
export function createReadPositions(from: Checkpoint | undefined) {
  const start = from ?? beginning();
  const begun = [{ rowsBefore: start.rowsBeforePosition, position: start.position }];
  return {
    /** Rows of the run before the place where this process begins to read. */
    rowsBefore: start.rowsBeforePosition,
    /** @param position undefined if reading can go on only from where this process began */
    beginBatch(rowsBefore: number, position: SourcePosition | undefined) {
      if (position !== undefined) begun.push({ rowsBefore, position });
    },
    /** @param written nothing as long as this process has not opened the results */
    checkpoint(written: WrittenResults | undefined): Checkpoint {
      if (written === undefined) return start;
      while (begun[1] !== undefined && begun[1].rowsBefore <= written.rows) begun.shift();
      const [{ rowsBefore = 0, position = null } = {}] = begun;
      return { ...written, position, rowsBeforePosition: rowsBefore };
    },
  };
}

/** Nothing is written, and reading is at the beginning. */
export function beginning(): Checkpoint {
  return {
    rows: 0,
    resultsBytes: 0,
    tally: createTally().copy(),
    position: null,
    rowsBeforePosition: 0,
  };
}
