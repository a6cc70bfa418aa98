import { onAbort, type StopSignal } from "../model/stop.ts";

/**
 * Bounds what has been read and is not in the results: rows that have not settled, with all their cells, and
 * rows that settled and wait as lines for those before them.
 */
export interface ReadAhead {
  /** Waits for room, and no longer than until the run stops; undefined if there is room. */
  enter(chars: number): Promise<void> | undefined;
  /** Of a row, only lines are left, of so many characters. */
  hold(chars: number, heldChars: number): void;
  /** A row has left memory. */
  leave(chars: number): void;
  /** A row that was held has left memory. */
  leaveHeld(heldChars: number): void;
  /** Rows that have entered and not left. */
  readonly pending: number;
  /** Whether the reader waits for room. */
  readonly isWaitedFor: boolean;
}

export interface ReadAheadLimits {
  /** Of rows that have not settled. */
  readonly maxRows: number;
  readonly maxChars: number;
  /** Of all rows: what a resume may have to load, and what the journal may hold, goes by this. */
  readonly maxPending: number;
  /** Of lines that are held. */
  readonly maxHeldChars: number;
}

/** What a held row takes beside its characters. */
const heldRowChars = 300;

export function createReadAhead(
  { maxRows, maxChars, maxPending, maxHeldChars }: ReadAheadLimits,
  stop: StopSignal,
): ReadAhead {
  let rows = 0;
  let rowChars = 0;
  let heldRows = 0;
  let heldSum = 0;
  let isWaitedFor = false;
  let wakeReader = () => {};
  onAbort(stop, () => wakeReader());

  // A row larger than the bound may enter alone, or it never could.
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
  const leave = (chars: number) => {
    rows--;
    rowChars -= chars;
    wakeReader();
  };

  return {
    enter: (chars) => (hasRoom(chars) ? take(chars) : takeWhenThereIsRoom(chars)),
    hold(chars, heldChars) {
      heldRows++;
      heldSum += heldChars + heldRowChars;
      leave(chars);
    },
    leave,
    leaveHeld(heldChars) {
      heldRows--;
      heldSum -= heldChars + heldRowChars;
      wakeReader();
    },
    get pending() {
      return rows + heldRows;
    },
    get isWaitedFor() {
      return isWaitedFor;
    },
  };
}
