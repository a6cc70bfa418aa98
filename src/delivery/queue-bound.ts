/** Counts the events that wait for their first attempt, and holds back who would add too many. */
export interface QueueBound {
  /** One more waits; the result says that it does no longer, and may be called again. */
  enter(): () => void;
  /** Resolves when fewer wait than may; nothing where that is so now. */
  room(): Promise<void> | undefined;
}

/** @param most so many may wait at the moment */
export function createQueueBound(most: () => number): QueueBound {
  let waiting = 0;
  let wake = () => {};
  const waitForRoom = async () => {
    while (waiting >= most()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    enter() {
      let isWaiting = true;
      waiting++;
      return () => {
        if (!isWaiting) return;
        isWaiting = false;
        waiting--;
        if (waiting < most()) wake();
      };
    },
    room: () => (waiting < most() ? undefined : waitForRoom()),
  };
}
