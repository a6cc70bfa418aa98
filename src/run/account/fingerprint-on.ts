import { createHash } from "node:crypto";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Fingerprint } from "../../model/fingerprint.ts";

/** Size and hash of a file; undefined if there is none. @throws CannotStartError if it cannot be read */
export async function fingerprintOn(disk: Disk, path: string): Promise<Fingerprint | undefined> {
  if ((await disk.length(path)) === undefined) return undefined;
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of disk.readChunks(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    throw cannotStart("input_unreadable", path, reasonOf(error));
  }
  return { bytes, sha256: hash.digest("hex") };
}
