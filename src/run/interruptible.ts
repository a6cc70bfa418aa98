import type { StopController, StopReason } from "../model/stop.ts";
import type { ImportOptions } from "./import-options.ts";

const recorded = "what was on the wire is recorded.";

/**
 * Ends a run when its signals say so, or when one of its listeners throws; what a listener threw is
 * thrown when all is recorded.
 */
export async function interruptible<Result>(
  options: ImportOptions,
  act: (options: ImportOptions, stop: StopController) => Promise<Result>,
): Promise<Result> {
  const { signal, cutOffSignal, onProgress, onNotice } = options;
  const stop = new AbortController();
  const interrupt = () =>
    stop.abort({
      code: "interrupted",
      message: `Interrupted: ${saidBy(signal) ?? saidBy(cutOffSignal) ?? ""}${recorded}`,
    });
  const signals = [signal, cutOffSignal].filter((given) => given !== undefined);
  for (const given of signals) {
    given.addEventListener("abort", interrupt);
    if (given.aborted) interrupt();
  }
  const thrown: unknown[] = [];
  const guard =
    <Told>(listener: (told: Told) => void) =>
    (told: Told) => {
      try {
        listener(told);
      } catch (error) {
        thrown.push(error);
        interrupt();
      }
    };
  try {
    const guarded = {
      ...options,
      ...(onProgress === undefined ? {} : { onProgress: guard(onProgress) }),
      ...(onNotice === undefined ? {} : { onNotice: guard(onNotice) }),
    };
    const result = await act(guarded, stop);
    if (thrown.length > 0) throw thrown[0];
    return result;
  } finally {
    for (const given of signals) given.removeEventListener("abort", interrupt);
  }
}

/** The same reason for where nothing had been on the wire. */
export function beforeSending({ code, message }: StopReason): StopReason {
  return {
    code,
    message: message
      .replace(`Interrupted: ${recorded}`, "Interrupted while checking; nothing was sent.")
      .replace(recorded, "nothing was sent."),
  };
}

/** Why a signal was given, where that was said. */
function saidBy(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  // What a signal says by itself is a DOMException.
  if (!(reason instanceof Error) || reason instanceof DOMException) return undefined;
  return `${reason.message.replace(/\.?$/, ";")} `;
}
