import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, stat } from "node:fs/promises";
import type { Disk } from "../model/disk/disk.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import type { Fingerprint } from "../model/run-record.ts";

/** Size and hash of a file; undefined if there is none. @throws CannotStartError if it cannot be read */
export async function fingerprintOn(
  { readChunks }: Pick<Disk, "readChunks">,
  path: string,
): Promise<Fingerprint | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of readChunks(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cannotStart("input_unreadable", path, reasonOf(error));
  }
  return { bytes, sha256: hash.digest("hex") };
}

/**
 * @param held the file, if it is open: its name may be another's by now
 * @throws CannotStartError if the file is not there or cannot be read
 */
export async function fingerprintFile(path: string, held?: FileHandle): Promise<Fingerprint> {
  const readHeld = () => held?.createReadStream({ start: 0, autoClose: false });
  const disk = held === undefined ? nodeDisk : { readChunks: readHeld as Disk["readChunks"] };
  const found = await fingerprintOn(disk, path);
  if (found === undefined) throw cannotStart("input_not_found", path);
  return found;
}

/** What the file system says about a file, which changes with the file; undefined if there is no such file. */
export async function fileState(path: string, held?: FileHandle): Promise<string | undefined> {
  const asked = held === undefined ? stat(path, { bigint: true }) : held.stat({ bigint: true });
  const found = await asked.catch(() => undefined);
  if (found === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** The fingerprint of several files: it differs if one is changed, left out or moved. */
export function fingerprintOfAll(files: readonly Fingerprint[]): Fingerprint | undefined {
  const [first, ...rest] = files;
  if (first === undefined) return undefined;
  if (rest.length === 0) return { bytes: first.bytes, sha256: first.sha256 };
  const hash = createHash("sha256");
  for (const { sha256 } of files) hash.update(`${sha256}\n`);
  return { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), sha256: hash.digest("hex") };
}

/**
 * Identity of an input in event ids and results: the first 16 hex digits of its SHA-256.
 *
 * @param ids of a night, what sets it apart: then it is of both, as the same export may come again
 */
export function inputId({ sha256 }: Fingerprint, ids?: string): string {
  const text =
    ids === undefined ? sha256 : createHash("sha256").update(`${sha256}\n${ids}`).digest("hex");
  return text.slice(0, 16);
}

/** Identity of an input that can be read only once, and so is never recognized. */
export function randomInputId(): string {
  return randomBytes(8).toString("hex");
}
