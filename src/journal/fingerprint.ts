import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { cannotStart, reasonOf } from "../model/errors.ts";

/** What a file was, so that it can be known again. */
export interface Fingerprint {
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}

/** @throws CannotStartError if the file is not there or cannot be read */
export async function fingerprintFile(path: string): Promise<Fingerprint> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 128 * 1024 })) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOENT"
      ? cannotStart("input_not_found", path)
      : cannotStart("input_unreadable", path, reasonOf(error));
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** The fingerprint of a file that is read for something else anyway. */
export interface HashedFile {
  /** Begins to hash a reading of the file from its beginning; undefined if its hash is known. */
  watch(): { see(chunk: Buffer): void; end(): void } | undefined;
  /**
   * Reads the file where no reading of it has come to its end.
   *
   * @throws CannotStartError if the file is not there or cannot be read
   */
  fingerprint(): Promise<Fingerprint>;
}

/** Hashes a file while somebody else reads it. */
export function hashWhileReading(path: string): HashedFile {
  let known: Fingerprint | undefined;
  return {
    watch() {
      if (known !== undefined) return undefined;
      const hash = createHash("sha256");
      let bytes = 0;
      return {
        see(chunk) {
          hash.update(chunk);
          bytes += chunk.length;
        },
        end() {
          known ??= { bytes, sha256: hash.digest("hex") };
        },
      };
    },
    async fingerprint() {
      known ??= await fingerprintFile(path);
      return known;
    },
  };
}

/**
 * What the file system says of a file that changes with every change of it: while it says the same, the file
 * need not be read again. Undefined if there is no such file.
 */
export async function fileState(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = found;
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** What several files are together: one that is changed, left out or moved makes another. */
export function fingerprintOfAll(files: readonly Fingerprint[]): Fingerprint | undefined {
  const [first, ...rest] = files;
  if (first === undefined) return undefined;
  if (rest.length === 0) return { bytes: first.bytes, sha256: first.sha256 };
  const hash = createHash("sha256");
  for (const { sha256 } of files) hash.update(`${sha256}\n`);
  return { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), sha256: hash.digest("hex") };
}

/** Identity of an input in event ids and results: the first 16 hex digits of its SHA-256. */
export function inputId({ sha256 }: Fingerprint): string {
  return sha256.slice(0, 16);
}

/** Identity of an input that can be read only once, and so not be known again. */
export function randomInputId(): string {
  return randomBytes(8).toString("hex");
}
