import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { exists } from "./exists.ts";

/** A file that appears complete or not at all: it is written under a temporary name. */
export interface AtomicFile {
  readonly handle: FileHandle;
  /**
   * Syncs it and renames it into place. Removes it on failure.
   *
   * @throws the system's error; `EEXIST` if there is a file and it may not be replaced
   */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

export interface AtomicFileOptions {
  /** The mode, whatever the umask; default 0600, as most files hold personal data. */
  readonly mode?: number;
  /** Whether it may replace a file; default true. */
  readonly mayReplace?: boolean;
}

/**
 * Creates a temporary file beside `path`, under an unpredictable name. It never opens an existing file, link or
 * pipe.
 *
 * @throws the system's error
 */
export async function createAtomicFile(
  path: string,
  { mode = 0o600, mayReplace = true }: AtomicFileOptions = {},
): Promise<AtomicFile> {
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  const handle = await open(part, "wx", mode);
  const discard = async () => {
    await handle.close().catch(() => {});
    await rm(part, { force: true }).catch(() => {});
  };
  try {
    await handle.chmod(mode);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    handle,
    async finish() {
      try {
        await handle.sync();
        await handle.close();
        // Another program may have made a file of that name meanwhile.
        if (!mayReplace && (await exists(path))) {
          throw Object.assign(new Error("it exists"), { code: "EEXIST" });
        }
        await rename(part, path);
      } catch (error) {
        await discard();
        throw error;
      }
      await syncFolder(dirname(path));
    },
    discard,
  };
}

/** Writes a text file atomically. */
export async function writeAtomically(
  path: string,
  text: string,
  options?: AtomicFileOptions,
): Promise<void> {
  const file = await createAtomicFile(path, options);
  try {
    await file.handle.writeFile(text);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.finish();
}

/** Best effort: Windows cannot open folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
