import { sum } from "../model/quantities.ts";

/** A row is read only if it is less than so many rows behind the oldest one that is not done. */
export const windowRows = 200_000;

/** Which rows of a part are done: rows are numbered densely, so that is one number and a place for each row of the window. */
export type DoneRows = ReturnType<typeof createDoneRows>;

export function createDoneRows() {
  /** For each row of the window, the characters of its lines and one more; 0 if it is not done. */
  const window = new Uint32Array(windowRows);
  /** The lines that there are of rows that are not done: their characters by their places. */
  const begun = new Map<number, Map<number, number>>();
  let upTo = 0;
  let count = 0;
  let heldChars = 0;

  const isDone = (row: number) =>
    row <= upTo || (row <= upTo + windowRows && window[row % windowRows] !== 0);

  return {
    isDone,
    /** Rows that are not done and have lines, each with the places of these. */
    begun: begun as ReadonlyMap<number, ReadonlyMap<number, number>>,
    /** Whether a row can be in the window at all. */
    isWithin: (row: number) => row <= upTo + windowRows,
    /** All rows up to this one are done. */
    get upTo() {
      return upTo;
    },
    get count() {
      return count;
    },
    /** The characters of lines that a render has to hold, as a row before them is not done. */
    get heldChars() {
      return heldChars;
    },
    /**
     * A row has a line.
     *
     * @param at its place among those of its row
     * @param isLast whether it completes the row
     * @returns whether it is new; a line that a killed process had written may come again
     */
    line(row: number, at: number, chars: number, isLast: boolean): boolean {
      if (isDone(row)) return false;
      const lines = begun.get(row);
      if (lines?.has(at)) return false;
      if (!isLast) {
        begun.set(row, (lines ?? new Map<number, number>()).set(at, chars));
        return true;
      }
      begun.delete(row);
      const all = lines === undefined ? chars : chars + sum([...lines.values()]);
      window[row % windowRows] = all + 1;
      count++;
      heldChars += all;
      for (let next = (upTo + 1) % windowRows; window[next] !== 0; next = (upTo + 1) % windowRows) {
        heldChars -= (window[next] ?? 0) - 1;
        window[next] = 0;
        upTo++;
      }
      return true;
    },
  };
}
