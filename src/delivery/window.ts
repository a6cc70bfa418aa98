import type { StopSwitch } from "../domain/stop.ts";

/** Bounds what has been read and is not yet in the results, in rows and in characters. */
export interface Window {
  /** Waits for room; returns at once when the run stops. */
  enter(chars: number): Promise<void>;
  leave(chars: number): void;
  readonly pending: number;
}

export interface WindowLimits {
  readonly maxPending: number;
  readonly maxPendingChars: number;
}

export function createWindow(
  { maxPending, maxPendingChars }: WindowLimits,
  stop: StopSwitch,
): Window {
  let pending = 0;
  let pendingChars = 0;
  let wakeReader = () => {};
  stop.onStop(() => wakeReader());

  // A row larger than the bound may enter alone, or it never could.
  const hasRoom = (chars: number) =>
    pending === 0 || (pending < maxPending && pendingChars + chars <= maxPendingChars);

  return {
    async enter(chars) {
      while (!hasRoom(chars) && stop.reason === undefined) {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
      }
      pending++;
      pendingChars += chars;
    },
    leave(chars) {
      pending--;
      pendingChars -= chars;
      wakeReader();
    },
    get pending() {
      return pending;
    },
  };
}
