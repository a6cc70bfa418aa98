import { createAtomicFile } from "../model/disk/atomic-file.ts";
import { isFileAt } from "../model/disk/exists.ts";
import { createTextBuffer } from "../model/disk/text-buffer.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { toQuotedCsv } from "../results/to-csv.ts";

/** A CSV file for spreadsheet programs, which is there in one step or not at all. */
export interface SafeCopyFile {
  append(lines: readonly (readonly string[])[]): Promise<void>;
  /** Gives it its name. */
  finish(): Promise<void>;
  discard(): Promise<void>;
}

/** What Excel knows UTF-8 by. */
const byteOrderMark = "\ufeff";

/**
 * Begins such a file.
 *
 * @throws CannotStartError where there is one of its name already or it cannot be written; so do its
 *   functions
 */
export async function createSafeCopyFile(path: string): Promise<SafeCopyFile> {
  const refused = (error: unknown) => cannotStart("output_not_writable", path, reasonOf(error));
  if (await isFileAt(path)) throw cannotStart("output_exists", path, "--output");
  const { handle, finish, discard } = await createAtomicFile(path, { mayReplace: false }).catch(
    (error: unknown) => {
      throw refused(error);
    },
  );
  const toBytes = createTextBuffer();
  const write = (text: string) =>
    handle.writeFile(toBytes(text)).catch((error: unknown) => {
      throw refused(error);
    });
  await write(byteOrderMark).catch(async (error: unknown) => {
    await discard();
    throw error;
  });

  return {
    // In quotes throughout: what begins a cell does not depend on the delimiter then.
    append: (lines) => write(toQuotedCsv(lines)),
    async finish() {
      await finish().catch((error: NodeJS.ErrnoException) => {
        const isThere = error.code === "EEXIST";
        throw isThere ? cannotStart("output_exists", path, "--output") : refused(error);
      });
    },
    discard,
  };
}
