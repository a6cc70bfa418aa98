import { open } from "node:fs/promises";

/** Each line that the log has begins so. */
const logMark = '{"time":"';

/**
 * Whether a line can be added to a file without harm to what it is: before a command line is
 * understood, nobody knows which files it was to read.
 */
export async function isLogOrNew(path: string): Promise<boolean> {
  try {
    const handle = await open(path, "r");
    try {
      if (!(await handle.stat()).isFile()) return false;
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(logMark.length), 0);
      return bytesRead === 0 || buffer.toString("latin1", 0, bytesRead) === logMark;
    } finally {
      await handle.close();
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
