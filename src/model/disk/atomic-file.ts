import { randomBytes } from "node:crypto";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { exists } from "./exists.ts";

/** A file that is there in one step or not at all: until then it has another name. */
export interface AtomicFile {
  /** To write to it. */
  readonly handle: FileHandle;
  /**
   * Gives it its name, when all of it is on the disk. Where that fails, nothing is left of it.
   *
   * @throws the system's error; `EEXIST` where a file may not be replaced and there is one
   */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

export interface AtomicFileOptions {
  /** Who may read it, whatever the umask; default its owner alone, as most files hold people's data. */
  readonly mode?: number;
  /** Whether it may take the place of another file; default it may. */
  readonly mayReplace?: boolean;
}

/**
 * Begins a file beside its place, under a name that nobody can know before. It is made there, and never
 * found: a link or a pipe of that name would be an error.
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
        if (mayReplace) await rename(part, path);
        else await nameAs(part, path);
      } catch (error) {
        await discard();
        throw error;
      }
      await syncFolder(dirname(path));
    },
    discard,
  };
}

/** Writes a whole text so. */
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

/** Another program may have made a file of that name meanwhile, which a rename would replace. */
async function nameAs(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
    await rm(part);
  } catch (error) {
    if (!cannotLink.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    if (await exists(path)) throw Object.assign(new Error("it exists"), { code: "EEXIST" });
    await rename(part, path);
  }
}

/** File systems without hard links, such as those of memory sticks. */
const cannotLink = ["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];

/** As far as the system can: Windows opens no folders. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
