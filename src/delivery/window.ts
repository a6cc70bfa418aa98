import type { StopSwitch } from "../domain/stop.ts";

/**
 * Bounds what has been read and is not yet in the results: in memory, where a row is until it has
 * ended, and in all, where a row that has ended may wait on the disk for those before it.
 */
export interface Window {
  /** Waits for room, and no longer than until the run stops; nothing where there is room. */
  enter(chars: number): Promise<void> | undefined;
  /** A row has gone from memory to the disk, where it takes so many bytes. */
  setAside(chars: number, bytes: number): void;
  /** A row has gone from memory, and is done with. */
  leave(chars: number): void;
  /** The same of rows that were on the disk. */
  leaveDisk(rows: number, bytes: number): void;
  /** Rows that have entered and not left. */
  readonly pending: number;
}

export interface WindowLimits {
  /** In memory. */
  readonly maxRows: number;
  readonly maxChars: number;
  /** In memory and on the disk. */
  readonly maxPending: number;
  readonly maxBytesOnDisk: number;
}

export function createWindow(
  { maxRows, maxChars, maxPending, maxBytesOnDisk }: WindowLimits,
  stop: StopSwitch,
): Window {
  let rows = 0;
  let heldChars = 0;
  let rowsOnDisk = 0;
  let bytesOnDisk = 0;
  let wakeReader = () => {};
  stop.onStop(() => wakeReader());

  // A row larger than the bound may enter alone, or it never could.
  const hasRoom = (chars: number) =>
    (rows === 0 || (rows < maxRows && heldChars + chars <= maxChars)) &&
    rows + rowsOnDisk < maxPending &&
    bytesOnDisk <= maxBytesOnDisk;

  const take = (chars: number): undefined => {
    rows++;
    heldChars += chars;
  };
  const takeWhenThereIsRoom = async (chars: number) => {
    while (!hasRoom(chars) && stop.reason === undefined) {
      await new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    }
    take(chars);
  };

  return {
    enter: (chars) => (hasRoom(chars) ? take(chars) : takeWhenThereIsRoom(chars)),
    setAside(chars, bytes) {
      rows--;
      heldChars -= chars;
      rowsOnDisk++;
      bytesOnDisk += bytes;
      wakeReader();
    },
    leave(chars) {
      rows--;
      heldChars -= chars;
      wakeReader();
    },
    leaveDisk(count, bytes) {
      rowsOnDisk -= count;
      bytesOnDisk -= bytes;
      wakeReader();
    },
    get pending() {
      return rows + rowsOnDisk;
    },
  };
}
