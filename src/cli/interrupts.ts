import type { Clock } from "../model/clock.ts";
import { exitStatus, type Host, type InterruptSignal } from "./host.ts";

/** How long a run that was told to leave at once may take to record what it leaves. */
const graceMs = 2000;

/** Interrupts of a command that ends in stages: first in peace, then quickly, then anyhow. */
export interface Interrupts {
  /** The first of them, if there was one. */
  readonly signal: InterruptSignal | undefined;
  /** The exit status, once nothing is to be waited for any more. */
  readonly left: Promise<number>;
  /** Stops listening. */
  end(): void;
}

/**
 * Listens for interrupts. The second one gives what is running a moment to end; whatever it waits
 * for (a token command, a pipe, a disk) is left to itself then, and at once at the third.
 */
export function listenForInterrupts(
  { onInterrupt }: Pick<Host, "onInterrupt">,
  clock: Pick<Clock, "schedule">,
  { first, second }: { readonly first: () => void; readonly second: () => void },
): Interrupts {
  let signal: InterruptSignal | undefined;
  let count = 0;
  let leave = (_: number) => {};
  let cancel = () => {};
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const stopListening = onInterrupt((given) => {
    // A terminal that is closed tells it more than once: by itself, and by its shell.
    if (given === "SIGHUP" && signal !== undefined) return;
    signal ??= given;
    const status = exitStatus[signal];
    count++;
    switch (count) {
      case 1:
        first();
        break;
      case 2:
        cancel = clock.schedule(graceMs, () => leave(status));
        second();
        break;
      default:
        leave(status);
    }
  });
  return {
    get signal() {
      return signal;
    },
    left,
    end() {
      cancel();
      stopListening();
    },
  };
}
