import { createHash } from "node:crypto";
import type { Disk } from "../../model/disk/disk.ts";
import type { Fingerprint } from "../../model/fingerprint.ts";

/** Size and hash of a file; undefined if there is none. */
export async function fingerprintOn(disk: Disk, path: string): Promise<Fingerprint | undefined> {
  if ((await disk.length(path)) === undefined) return undefined;
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of disk.readChunks(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
