import { lstat, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { cannotStart, reasonOf, refuseWrite } from "../errors.ts";
import { comparedName } from "./platform.ts";

/** Whether something of that name exists, even a link that leads nowhere; false if that cannot be seen. */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Whether a file stands where one is to be written. It can be opened then without waiting.
 *
 * @throws CannotStartError if something else does: a folder, a pipe, or a link that leads nowhere
 */
export async function isFileAt(path: string): Promise<boolean> {
  const refused = (why: string) => cannotStart("output_not_writable", path, why);
  const orNothing = (error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw refused(reasonOf(error));
  };
  if ((await lstat(path).catch(orNothing)) === undefined) return false;
  const found = await stat(path).catch(orNothing);
  // Whoever made the link would decide where the file is created.
  if (found === undefined) throw refused("it is a link that leads nowhere");
  if (found.isDirectory()) throw refused("it is a directory");
  if (!found.isFile()) throw refused("it is not a file but a pipe or a device");
  return true;
}

/**
 * Whether a file that eventload wrote, or a blank one, stands where one is to be written.
 *
 * @param marks what the first bytes of such a file may be
 * @throws CannotStartError if something else does, with the option to name another
 */
export async function isOursAt(
  path: string,
  marks: readonly string[],
  option: string,
): Promise<boolean> {
  if (!(await isFileAt(path))) return false;
  const beginning = await beginningOfFile(path).catch(refuseWrite(path));
  if (beginning !== "" && !marks.some((mark) => beginning.startsWith(mark)))
    throw cannotStart("output_exists", path, option);
  return true;
}

const beginningBytes = 100;

async function beginningOfFile(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(beginningBytes), 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** A path by which files are compared: links to its folder are followed, and the name in it may be one. */
export async function inRealFolder(path: string): Promise<string> {
  const folder = dirname(resolve(path));
  return join(await realpath(folder).catch(() => folder), comparedName(basename(path)));
}

/** Whether a path is in a folder, whichever links lead to either. What it leads to counts, if that is there. */
export async function isWithin(folder: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => inRealFolder(path));
  const way = relative(await realpath(folder), real);
  return !isAbsolute(way) && !/^\.\.(?:[/\\]|$)/.test(way);
}
