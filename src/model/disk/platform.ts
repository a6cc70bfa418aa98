import type { BigIntStats } from "node:fs";
import { open, rename } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../clock.ts";

/* What differs by platform, but for the lock: nothing else asks where it runs. */

export const isWindows = platform() === "win32";

/** Whether modes and owners say who can read and write a file. On Windows the rights of its folder do. */
export const hasModes = !isWindows;

/** Whether names of new, renamed and removed files can be synced. Windows cannot sync a folder. */
export const syncsFolders = !isWindows;

/** The shells for which commands are printed: PowerShell and cmd, or PowerShell and those of Unix. */
export const shells: "unix" | "windows" = isWindows ? "windows" : "unix";

/** Where the key of the seals is: by the XDG Base Directory Specification, or in `%LOCALAPPDATA%`. */
export function usualStateFolder(): string {
  return join(homedir(), ...(isWindows ? ["AppData", "Local"] : [".local", "state"]), "eventload");
}

/** The name of a file as it is compared: Windows takes names that differ by case only for the same. */
export function comparedName(name: string): string {
  return isWindows ? name.toLowerCase() : name;
}

export function isSamePath(one: string, other: string): boolean {
  return comparedName(resolve(one)) === comparedName(resolve(other));
}

/** Whether two answers are about one file. On Windows, those for a path and an open file may differ in the device. */
export function isSameFile(one: FileNumbers, other: FileNumbers): boolean {
  return one.ino === other.ino && (isWindows || one.dev === other.dev);
}

type FileNumbers = Pick<BigIntStats, "dev" | "ino">;

/** Why Windows takes a name for a stream, a pattern or a device, as the end of a sentence. */
export function whyNotFileName(path: string, on = shells): string | undefined {
  const name = path.replace(/^[a-z]:(?=[\\/])/i, "");
  const isOther = /[<>:"|?*\p{Cc}]|(?:^|[\\/])(?:con|prn|aux|nul|com\d|lpt\d)\.[^\\/]*$/iu.test(
    name,
  );
  if (on === "unix" || !isOther) return undefined;
  return `${path} is no name for a file on Windows: leave out < > : " | ? and *, control characters, and names of devices such as nul`;
}

/** Codes of Windows for a file that another program has open. Some of them have other reasons, too. */
const inUse: readonly unknown[] = ["EPERM", "EACCES", "EBUSY"];
const longestWaitMs = 2000;
const replaceAgainMs = 50;

/**
 * Whether another program has a file open so that it cannot be replaced, as spreadsheet programs do on Windows. Virus
 * scanners do it for a moment, which is waited for.
 */
export async function isInUse(path: string): Promise<boolean> {
  if (!isWindows) return false;
  const replaceAsItIs = async () => {
    await rename(path, path);
    await (await open(path, "r+")).close();
  };
  return whenFree(replaceAsItIs).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT",
  );
}

/**
 * Replaces or removes a file. On Windows it waits a moment while another program has it open. Do not use it for a file
 * that says who owns a journal: meanwhile another process may have taken that over.
 *
 * @throws the system's error, or one that says to close the file
 */
export async function whenFree<Result>(replace: () => Promise<Result>): Promise<Result> {
  for (let leftMs = isWindows ? longestWaitMs : 0; ; leftMs -= replaceAgainMs) {
    try {
      return await replace();
    } catch (error) {
      const { code, cause } = error as NodeJS.ErrnoException;
      const isHeld = inUse.includes(code ?? (cause as NodeJS.ErrnoException | undefined)?.code);
      if (!isWindows || !isHeld) throw error;
      const closeIt = "another program has it open, such as a spreadsheet program: close it there";
      if (leftMs <= 0) throw new Error(closeIt, { cause: error });
    }
    await new Promise<void>((resolve) => void systemClock.schedule(replaceAgainMs, resolve));
  }
}
