import type { StopSwitch } from "../domain/stop.ts";

/** Lets one event go ahead, and the others only when that one has had an answer. */
export interface FirstEvent {
  /** Whether the caller is the one that goes ahead; the others wait here. */
  enter(): Promise<boolean>;
  /** The service answered: the others may go. */
  answered(): void;
  readonly isAnswered: boolean;
}

/** @param stop wakes those who wait, so that a run that stops does not hang */
export function createFirstEvent(stop: StopSwitch): FirstEvent {
  let taken = false;
  let isAnswered = false;
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  stop.onStop(() => open());
  return {
    async enter() {
      if (isAnswered) return false;
      if (!taken) {
        taken = true;
        return true;
      }
      await opened;
      return false;
    },
    answered() {
      isAnswered = true;
      open();
    },
    get isAnswered() {
      return isAnswered;
    },
  };
}
