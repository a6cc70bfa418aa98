import { onAbort, type StopSignal } from "../../model/stop.ts";

export interface ReadAheadLimits {
  /** Of rows that have not settled. */
  readonly maxRows: number;
  readonly maxChars: number;
  /** Of all rows: this bounds what the journal may hold, and what a resume may have to load. */
  readonly maxPending: number;
  /** Of lines that wait. */
  readonly maxHeldChars: number;
}

/** What a waiting row takes beside its characters. */
const heldRowChars = 300;

/**
 * Limits how far the reader is ahead of the results: rows that have not settled, with all their cells, and rows
 * that have settled and wait, as lines of the results, for the rows before them.
 */
export function createReadAhead(
  { maxRows, maxChars, maxPending, maxHeldChars }: ReadAheadLimits,
  stop: StopSignal,
) {
  let rows = 0;
  let rowChars = 0;
  let heldRows = 0;
  let heldSum = 0;
  let isWaitedFor = false;
  let wakeReader = () => {};
  onAbort(stop, () => wakeReader());

  // A row that is larger than the limit may enter alone, or it never could.
  const hasRoom = (chars: number) =>
    (rows === 0 || (rows < maxRows && rowChars + chars <= maxChars)) &&
    rows + heldRows < maxPending &&
    heldSum <= maxHeldChars;

  const take = (chars: number): undefined => {
    rows++;
    rowChars += chars;
  };
  const takeWhenThereIsRoom = async (chars: number) => {
    isWaitedFor = true;
    while (!hasRoom(chars) && !stop.aborted) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    isWaitedFor = false;
    take(chars);
  };
  /** A row has left memory. */
  const leave = (chars: number) => {
    rows--;
    rowChars -= chars;
    wakeReader();
  };

  return {
    /** Resolves when there is room for a row, or the run stops; undefined if there is room now. */
    enter: (chars: number) => (hasRoom(chars) ? take(chars) : takeWhenThereIsRoom(chars)),
    /** A row has settled; its lines, of so many characters, wait for the rows before it. */
    hold(chars: number, heldChars: number) {
      heldRows++;
      heldSum += heldChars + heldRowChars;
      leave(chars);
    },
    leave,
    /** The lines of a row have left memory. */
    leaveHeld(heldChars: number) {
      heldRows--;
      heldSum -= heldChars + heldRowChars;
      wakeReader();
    },
    /** Rows that have entered and not left. */
    get pending() {
      return rows + heldRows;
    },
    /** Whether the reader waits for room. */
    get isWaitedFor() {
      return isWaitedFor;
    },
  };
}
