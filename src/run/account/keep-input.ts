import { Readable } from "node:stream";
import type { RunIdentity } from "../../journal/run-identity.ts";
import type { Disk } from "../../model/disk/disk.ts";
import {
  CannotStartError,
  cannotStart,
  DiskError,
  InputDamagedError,
  reasonOf,
} from "../../model/errors.ts";
import type { RunFiles } from "../../model/run-files.ts";
import { onAbort, type StopSignal } from "../../model/stop.ts";
import { createHashedFile, type HashedFile } from "../../results/hashed-file.ts";
import { notWritable } from "./claim-files.ts";

/**
 * Writes an input that can be read only once beside the results: from then on it is a file like any other. It gets its
 * name when all of it is there, as half an input is none.
 *
 * @param name what people call it
 * @param unfinished the part that is resumed, whose input has to come again
 * @returns whether it is there; not if the run was stopped meanwhile
 * @throws CannotStartError if it cannot be read or written, or is not the input of the unfinished part
 */
export async function keepInput(
  disk: Disk,
  files: RunFiles,
  input: AsyncIterable<Uint8Array>,
  name: string,
  unfinished: RunIdentity | undefined,
  stop: StopSignal,
): Promise<boolean> {
  let file: HashedFile | undefined;
  try {
    file = await createHashedFile(disk, files.newInput);
    for await (const chunk of untilStop(input, stop)) await file.add(Buffer.from(chunk));
    if (stop.aborted) return false;
    const { sha256 } = await file.finish();
    const before = unfinished?.imported.input.sha256 ?? sha256;
    if (before !== sha256) {
      throw cannotStart("resume_differs", files.results, [`the input ${name} has changed`]);
    }
    await disk.rename(files.newInput, files.input);
    await disk.syncFolder(files.input);
    return true;
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    if (error instanceof DiskError) throw notWritable(files.input, error);
    const isDamaged = error instanceof InputDamagedError;
    throw cannotStart(isDamaged ? "input_damaged" : "input_unreadable", name, reasonOf(error));
  } finally {
    await file?.discard();
  }
}

/** Passes items on until the run stops, and then waits for no more: standard input may be quiet for hours. */
async function* untilStop<Item>(
  items: AsyncIterable<Item>,
  stop: StopSignal,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  const stopped = new Promise<undefined>((resolve) => {
    onAbort(stop, () => resolve(undefined));
  });
  try {
    for (;;) {
      const next = await Promise.race([stopped, iterator.next()]);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } finally {
    // A stream is destroyed, or it would keep the process alive. Anything else ends only at the
    // next item, so this does not wait for it.
    if (items instanceof Readable) items.destroy();
    else iterator.return?.().catch(() => {});
  }
}
