import { Readable } from "node:stream";
import { onAbort, type StopSignal } from "../model/stop.ts";

/**
 * Hands on what comes until the run stops, and does not wait for more then: standard input may be
 * quiet for hours.
 */
export async function* untilStop<Item>(
  items: AsyncIterable<Item>,
  stop: StopSignal,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  let forget = () => {};
  const stopped = new Promise<"stopped">((resolve) => {
    forget = onAbort(stop, () => resolve("stopped"));
  });
  try {
    while (!stop.aborted) {
      const coming = iterator.next();
      const next = await Promise.race([coming, stopped]);
      if (next === "stopped") coming.catch(() => {}); // nobody waits for it any more
      if (next === "stopped" || next.done) return;
      yield next.value;
    }
  } finally {
    forget();
    // A stream is destroyed, or it would keep the process alive. Anything else ends only when the
    // next item comes, so that is not waited for either.
    if (items instanceof Readable) items.destroy();
    else iterator.return?.().catch(() => {});
  }
}
