import { randomBytes } from "node:crypto";
import { lstat, open, readdir, rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { nodeDisk } from "./node-disk.ts";
import { whenFree } from "./platform.ts";

/**
 * Creates a file that appears complete or not at all: it is written beside `path`, under an unpredictable name. It never
 * opens an existing file, link or pipe.
 *
 * @param mode whatever the umask; by default only the owner can read it, as most files hold personal data
 * @throws the system's error
 */
export async function createAtomicFile(path: string, mode = 0o600) {
  const part = `${path}.${randomBytes(6).toString("hex")}.part`;
  const handle = await open(part, "wx", mode);
  const discard = async () => {
    await handle.close().catch(() => {});
    await nodeDisk.remove(part).catch(() => {});
  };
  try {
    await handle.chmod(mode);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    handle,
    /** Syncs it and renames it into place. Removes it on failure. @throws the system's error */
    async finish() {
      try {
        await handle.sync();
        await handle.close();
        await whenFree(() => rename(part, path));
      } catch (error) {
        await discard();
        throw error;
      }
      await nodeDisk.syncFolder(path).catch(() => {});
    },
    discard,
  };
}

export async function writeAtomically(path: string, text: string, mode?: number): Promise<void> {
  const file = await createAtomicFile(path, mode);
  try {
    await file.handle.writeFile(text);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.finish();
}

/**
 * Removes the temporary files that killed processes have left beside files of these paths: nobody else has such a name.
 * Call it while no other process may write them.
 */
export async function removeTemporaries(paths: readonly string[]): Promise<void> {
  const files = new Set(paths.map((path) => resolve(path)));
  for (const folder of new Set([...files].map((path) => dirname(path)))) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, of] = /^(.+)\.[0-9a-f]{12}\.part$/s.exec(name) ?? [];
      if (of === undefined || !files.has(join(folder, of))) continue;
      const path = join(folder, name);
      const isFile = await lstat(path).then(
        (about) => about.isFile(),
        () => false,
      );
      if (isFile) await nodeDisk.remove(path).catch(() => {});
    }
  }
}
