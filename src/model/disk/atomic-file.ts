import { lstat, readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createWhole, type Disk, writeWhole } from "./disk.ts";
import { nodeDisk } from "./node-disk.ts";
import { whenFree } from "./platform.ts";

/** A disk on which a file that another program has open is waited for. */
const patientDisk: Disk = {
  ...nodeDisk,
  rename: (from, to) => whenFree(() => nodeDisk.rename(from, to)),
};

export const createAtomicFile = (path: string) => createWhole(patientDisk, path);

/** @param mode whatever the umask; by default only the owner can read it, as most files hold personal data */
export function writeAtomically(path: string, text: string, mode?: number): Promise<void> {
  return writeWhole(patientDisk, path, [Buffer.from(text)], mode);
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
