import { type DoneRows, windowRows } from "../../journal/done-rows.ts";
import { onAbort, type StopSignal } from "../../model/stop.ts";

/** Of rows that have not settled. A character takes up to two bytes in memory. */
const maxRowsAhead = 10_000;
const maxCharsAhead = 4 * 1024 * 1024;
/** Of the lines of rows that have settled, while one before them has not. */
const maxSettledChars = 16 * 1024 * 1024;

/**
 * Limits how far the reader is ahead of the oldest row that is not done: rows that have not settled, with all their
 * cells, and the lines that a render will have to hold.
 */
export function createReadAhead(done: DoneRows, stop: StopSignal) {
  let rows = 0;
  let rowChars = 0;
  let isWaitedFor = false;
  let wakeReader = () => {};
  onAbort(stop, () => wakeReader());

  // A row that is larger than the limits may enter alone, or it never could.
  const hasRoom = (row: number, chars: number) =>
    rows === 0 ||
    (rows < maxRowsAhead &&
      rowChars + chars <= maxCharsAhead &&
      row < done.upTo + windowRows &&
      done.heldChars <= maxSettledChars);

  const take = (chars: number): undefined => {
    rows++;
    rowChars += chars;
  };
  const takeWhenThereIsRoom = async (row: number, chars: number) => {
    isWaitedFor = true;
    while (!hasRoom(row, chars) && !stop.aborted) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    isWaitedFor = false;
    take(chars);
  };

  return {
    /** Resolves when there is room for the row with this number, or the run stops; undefined if there is room now. */
    enter: (row: number, chars: number) =>
      hasRoom(row, chars) ? take(chars) : takeWhenThereIsRoom(row, chars),
    /** A row has settled, or is not sent after all. */
    leave(chars: number) {
      rows--;
      rowChars -= chars;
      wakeReader();
    },
    /** Whether the reader waits for room. */
    get isWaitedFor() {
      return isWaitedFor;
    },
  };
}
