import { type FileHandle, open, rm } from "node:fs/promises";
import { stringify } from "csv-stringify/sync";
import { cannotStart, DiskError, reasonOf } from "../domain/errors.ts";

/** A CSV file that is written from its beginning, and never over another. */
export interface CsvFile {
  readonly path: string;
  append(lines: readonly (readonly string[])[]): Promise<void>;
  /** Makes sure that all of it is on the disk, and closes it. */
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
  await write(handle, path, [header]);
  return {
    path,
    append: (lines) => write(handle, path, lines),
    close: () =>
      guard(path, async () => {
        await handle.sync();
        await handle.close();
      }),
    async remove() {
      await handle.close().catch(() => {});
      await rm(path, { force: true });
    },
  };
}

function write(
  handle: FileHandle,
  path: string,
  lines: readonly (readonly string[])[],
): Promise<void> {
  return guard(path, () => handle.appendFile(toCsv(lines)));
}

async function guard(path: string, act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    throw new DiskError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  });
}

/**
 * CSV text (RFC 4180, with line feeds). A lone carriage return would end a record when it is read
 * again, and a byte order mark at the very beginning would be taken off, so both are put in quotes.
 */
export function toCsv(lines: readonly (readonly string[])[]): string {
  return stringify(lines as string[][], { quoted_match: /\r|^\ufeff/, record_delimiter: "\n" });
}
