import type { Disk } from "../domain/disk.ts";
import { isDone, type Outcome } from "../domain/outcome.ts";
import { createTextBuffer } from "../domain/text-buffer.ts";
import { createOutcomeShapes, type OutcomeShape } from "./outcome-shapes.ts";
import { recordEnds } from "./record-ends.ts";
import type { QueuedRow } from "./row-queue.ts";
import { createSpillFile } from "./spill-file.ts";
import { createSpillIndex } from "./spill-index.ts";
import { toCsv } from "./to-csv.ts";

/** Rows whose lines have been read back. */
export interface RestoredRows {
  /** Their lines, as they stand in the results. Valid until more are restored. */
  readonly lines: Buffer;
  /** Of these, those that stand in the failed rows too. */
  readonly failedLines: Buffer;
  readonly outcomes: readonly (readonly OutcomeShape[])[];
}

/**
 * The lines of rows that have ended before their turn. They are in a file beside the results, and
 * what is kept of them in memory is where.
 */
export interface Spill {
  /**
   * Writes the lines of rows.
   *
   * @param oldest the first in line of those that have not been written to the results
   * @param take asked for each when it is written, with its size: whether it is still wanted
   * @throws DiskError
   */
  store(
    oldest: number,
    rows: readonly QueuedRow[],
    linesOf: (row: QueuedRow, outcomes: readonly Outcome[]) => string[][],
    take: (row: QueuedRow, bytes: number) => boolean,
  ): Promise<void>;
  /**
   * Reads the lines of rows that stand in line one after another, as many as go together, and lets
   * go of them.
   *
   * @throws DiskError
   */
  restore(first: number, most: number): Promise<RestoredRows>;
  close(): Promise<void>;
}

/** Characters of cells that are written at once, and bytes that are read at once. */
const pieceChars = 64 * 1024;
const readBytes = 256 * 1024;

export function createSpill(disk: Disk, path: string): Spill {
  const file = createSpillFile(disk, path);
  const index = createSpillIndex();
  const shapes = createOutcomeShapes();
  const toBytes = createTextBuffer();
  let buffer = Buffer.alloc(0);

  return {
    async store(oldest, rows, linesOf, take) {
      index.leave(oldest);
      for (const piece of inPieces(rows)) {
        const lines = piece.flatMap((row) => linesOf(row, row.outcomes ?? []));
        const bytes = toBytes(toCsv(lines));
        const ends = recordEnds(bytes);
        const offset = await file.write(bytes, piece.length);
        let start = 0;
        for (const row of piece) {
          const { outcomes = [] } = row;
          let end = start;
          for (let more = outcomes.length; more > 0; more--) end = ends.next().value ?? end;
          if (take(row, end - start)) {
            const place = { offset: offset + start, bytes: end - start };
            index.set(row.place, { ...place, shape: shapes.keep(outcomes) });
          } else file.release(offset + start);
          start = end;
        }
      }
    },
    async restore(first, most) {
      const { offset } = index.get(first);
      const places = [];
      let bytes = 0;
      for (let place = first; place < first + most; place++) {
        const next = index.get(place);
        if (next.offset !== offset + bytes) break;
        if (bytes > 0 && bytes + next.bytes > readBytes) break;
        places.push(next);
        bytes += next.bytes;
      }
      if (bytes > buffer.length) buffer = Buffer.alloc(Math.max(bytes, readBytes));
      const lines = buffer.subarray(0, bytes);
      await file.read(lines, offset);
      const failed: Buffer[] = [];
      const outcomes = places.map((place) => {
        const start = place.offset - offset;
        const ofRow = shapes.get(place.shape);
        failed.push(...failedRecords(lines.subarray(start, start + place.bytes), ofRow));
        shapes.release(place.shape);
        file.release(place.offset);
        return ofRow;
      });
      return { lines, failedLines: Buffer.concat(failed), outcomes };
    },
    close: file.close,
  };
}

function* inPieces(rows: readonly QueuedRow[]): Generator<QueuedRow[]> {
  let piece: QueuedRow[] = [];
  let chars = 0;
  for (const row of rows) {
    if (piece.length > 0 && chars + row.heldChars > pieceChars) {
      yield piece;
      piece = [];
      chars = 0;
    }
    piece.push(row);
    chars += row.heldChars;
  }
  if (piece.length > 0) yield piece;
}

/** Of the lines of a row, those of events that are not done with. */
function failedRecords(lines: Buffer, outcomes: readonly OutcomeShape[]): Buffer[] {
  if (outcomes.every(({ ending }) => isDone(ending))) return [];
  const records: Buffer[] = [];
  let start = 0;
  let at = 0;
  for (const end of recordEnds(lines)) {
    if (!isDone(outcomes[at]?.ending ?? "not_sent")) records.push(lines.subarray(start, end));
    start = end;
    at++;
  }
  return records;
}
