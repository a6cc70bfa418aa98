import { link, open, rename, rm } from "node:fs/promises";
import { cannotStart, reasonOf } from "../domain/errors.ts";
import { createTextBuffer } from "../domain/text-buffer.ts";
import { exists } from "./exists.ts";
import { toQuotedCsv } from "./to-csv.ts";

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
 * Begins such a file under the name of its part.
 *
 * @throws CannotStartError where there is one of its name already or it cannot be written; so do its
 *   functions
 */
export async function createSafeCopyFile(path: string): Promise<SafeCopyFile> {
  const part = `${path}.part`;
  const refused = (error: unknown) => cannotStart("output_not_writable", path, reasonOf(error));
  if (await exists(path)) throw cannotStart("output_exists", path, "--output");
  const handle = await open(part, "w").catch((error: unknown) => {
    throw refused(error);
  });
  const toBytes = createTextBuffer();
  const write = (text: string) =>
    handle.writeFile(toBytes(text)).catch((error: unknown) => {
      throw refused(error);
    });

  const discard = async () => {
    await handle.close().catch(() => {});
    await rm(part, { force: true }).catch(() => {});
  };
  await write(byteOrderMark).catch(async (error: unknown) => {
    await discard();
    throw error;
  });

  return {
    // In quotes throughout: what begins a cell does not depend on the delimiter then.
    append: (lines) => write(toQuotedCsv(lines)),
    async finish() {
      try {
        await handle.sync();
        await handle.close();
        await nameAs(part, path);
      } catch (error) {
        const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
        throw isThere ? cannotStart("output_exists", path, "--output") : refused(error);
      }
    },
    discard,
  };
}

/** Another program may have made a file of that name meanwhile, which a rename would overwrite. */
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
