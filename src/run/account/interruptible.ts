import type { StopController } from "../../model/stop.ts";
import type { SendOptions } from "../options/import-options.ts";

/**
 * Ends a run when its signal fires or one of its listeners throws; the listener's error is
 * rethrown when everything is recorded.
 */
export async function interruptible<Options extends SendOptions, Result>(
  options: Options,
  act: (options: Options, stop: StopController) => Promise<Result>,
): Promise<Result> {
  const { signal, onProgress, onNotice } = options;
  const stop = new AbortController();
  const interrupt = () =>
    stop.abort({
      code: "interrupted",
      message: `Interrupted: ${saidBy(signal)}what was in flight is recorded.`,
    });
  signal?.addEventListener("abort", interrupt);
  if (signal?.aborted === true) interrupt();
  const thrown: unknown[] = [];
  const guard =
    <Argument>(listener: (argument: Argument) => void) =>
    (argument: Argument) => {
      try {
        listener(argument);
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
    signal?.removeEventListener("abort", interrupt);
  }
}

/** The reason given with a signal; blank if there is none. */
function saidBy(signal: AbortSignal | undefined): string {
  const reason: unknown = signal?.reason;
  // Without a reason of its own, a signal has a DOMException.
  if (!(reason instanceof Error) || reason instanceof DOMException) return "";
  return `${reason.message.replace(/\.?$/, ";")} `;
}
