import { exitStatus, type Host, type InterruptSignal } from "./host.ts";

/** The interrupts of a run: the first one drains it, the second one ends the process. */
export interface Interrupts {
  /** The first of them, if there was one. */
  readonly signal: InterruptSignal | undefined;
  /** The exit status, at the second interrupt: nothing is waited for any more. */
  readonly left: Promise<number>;
  /** Stops listening. */
  end(): void;
}

/** Listens for interrupts. After the second one, the process may leave as if it had been killed. */
export function listenForInterrupts(
  { onInterrupt }: Pick<Host, "onInterrupt">,
  { first, second }: { readonly first: () => void; readonly second: () => void },
): Interrupts {
  let signal: InterruptSignal | undefined;
  let leave = (_: number) => {};
  let hasLeft = false;
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  const stopListening = onInterrupt((given) => {
    if (signal === undefined) {
      signal = given;
      return first();
    }
    // A terminal that is closed sends SIGHUP more than once: by itself, and by its shell.
    if (given === "SIGHUP" || hasLeft) return;
    hasLeft = true;
    second();
    leave(exitStatus[signal]);
  });
  return {
    get signal() {
      return signal;
    },
    left,
    end: stopListening,
  };
}
