import { constants } from "node:fs";
import { type FileHandle, lstat, open, stat } from "node:fs/promises";

/** Each line that the log has begins so. */
const logMark = '{"time":"';

/**
 * What is where a log is to be: nothing yet or a log, something that holds no text, a file of something
 * else, or a link that leads nowhere.
 */
export type LogPlace = "free" | "no_file" | "taken" | "link_to_nothing";

/** Whether a line can be added to what is there without harm to what it is. */
export async function logPlaceOf(path: string): Promise<LogPlace> {
  try {
    // Not by opening it: a pipe would wait for somebody who writes.
    if (!(await stat(path)).isFile()) return "no_file";
    const handle = await open(path, "r");
    try {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(logMark.length), 0);
      const isLog = buffer.toString("latin1", 0, bytesRead) === logMark;
      return isLog || bytesRead === 0 ? "free" : "taken";
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (await isLink(path)) return "link_to_nothing";
    // What keeps a new one from being made is told where that is tried.
    return code === "ENOENT" || code === "ENOTDIR" ? "free" : "taken";
  }
}

/**
 * Opens it for adding to its end. Nothing is made where a link leads: one that is there is followed, as
 * `/dev/stderr` is one.
 */
export async function openLog(path: string): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const how = (await isLink(path)) ? 0 : O_CREAT | O_NOFOLLOW;
  return open(path, O_WRONLY | O_APPEND | how, 0o600);
}

function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
