import { open, rm } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { cannotStart, DiskError, reasonOf } from "../domain/errors.ts";

/** A CSV file that is written from its beginning, and never over another. */
export interface CsvFile {
  readonly path: string;
  /**
   * Adds whole records: where that does not succeed, the file ends as it ended before.
   *
   * @throws DiskError
   */
  append(lines: readonly (readonly string[])[]): Promise<void>;
  /**
   * Makes sure that all of it is on the disk, and closes it.
   *
   * @throws DiskError
   */
  close(): Promise<void>;
  /** Takes it away again. */
  remove(): Promise<void>;
}

/**
 * Creates the file with its header.
 *
 * @throws CannotStartError where it exists already or cannot be made
 */
export async function createCsvFile(path: string, header: readonly string[]): Promise<CsvFile> {
  const handle = await open(path, "wx").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? cannotStart("results_exist", path)
      : cannotStart("output_not_writable", path, reasonOf(error));
  });
  let bytes = 0;

  const append = async (lines: readonly (readonly string[])[]) => {
    const text = Buffer.from(toCsv(lines));
    try {
      await handle.appendFile(text);
      bytes += text.length;
    } catch (error) {
      // A record of which only the beginning is there would make the file unreadable.
      await handle.truncate(bytes).catch(() => {});
      throw diskError(path, error);
    }
  };
  const remove = async () => {
    await handle.close().catch(() => {});
    await rm(path, { force: true });
  };

  try {
    await append([header]);
  } catch (error) {
    await remove().catch(() => {});
    throw cannotStart("output_not_writable", path, reasonOf((error as DiskError).cause));
  }
  return {
    path,
    append,
    async close() {
      try {
        await handle.sync();
      } catch (error) {
        throw diskError(path, error);
      } finally {
        await handle.close().catch(() => {});
      }
    },
    remove,
  };
}

function diskError(path: string, cause: unknown): DiskError {
  return new DiskError(`${path} cannot be written: ${reasonOf(cause)}`, { cause });
}

/**
 * CSV text (RFC 4180, with line feeds). A lone carriage return would end a record when it is read
 * again, and a byte order mark at the very beginning would be taken off, so both are put in quotes.
 */
export function toCsv(lines: readonly (readonly string[])[]): string {
  return stringify(lines as string[][], { quoted_match: /\r|^\ufeff/, record_delimiter: "\n" });
}
