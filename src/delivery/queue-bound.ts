/** Counts the events that wait for their first attempt, and holds back who would add too many. */
export interface QueueBound {
  /** One more waits. */
  enter(): void;
  /** One waits no longer. */
  leave(): void;
  /** Resolves when fewer wait than may; nothing where that is so now. */
  room(): Promise<void> | undefined;
}

/** @param most so many may wait at the moment */
export function createQueueBound(most: () => number): QueueBound {
  let waiting = 0;
  let wake: (() => void) | undefined;
  const waitForRoom = async () => {
    while (waiting >= most()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    enter() {
      waiting++;
    },
    leave() {
      waiting--;
      if (waiting >= most()) return;
      wake?.();
      wake = undefined;
    },
    room: () => (waiting < most() ? undefined : waitForRoom()),
  };
}
