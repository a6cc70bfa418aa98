import { open, stat } from "node:fs/promises";

/** Each line that the log has begins so. */
const logMark = '{"time":"';

/** What is where a log is to be: nothing yet or a log, something that holds no text, or a file of something else. */
export type LogPlace = "free" | "no_file" | "taken";

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
    // What keeps a new one from being made is told where that is tried.
    return code === "ENOENT" || code === "ENOTDIR" ? "free" : "taken";
  }
}
