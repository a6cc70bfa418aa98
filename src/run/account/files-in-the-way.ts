import { lstat, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { exists } from "../../model/disk/exists.ts";
import { cannotStart } from "../../model/errors.ts";
import type { RunFiles } from "../../model/run-files.ts";

/**
 * Refuses to overwrite the files of another run, or the input.
 *
 * @throws CannotStartError naming what is in the way
 */
export async function refuseExisting(
  files: RunFiles,
  inputs: readonly string[] = [],
  isNight = false,
): Promise<void> {
  const refuse = (why: string) => cannotStart("option_invalid", "--results", why);
  const leftBehind = [files.journal, files.part, files.given];
  for (const path of accountFiles(files)) {
    if (!(await exists(path))) continue;
    // What a part has left that was killed before the first record of its journal is written over.
    if (leftBehind.includes(path) && (await isPlainFile(path))) continue;
    const found = await stat(path).catch(() => undefined);
    // A dangling link counts too: writing would create its target.
    if (found === undefined) throw cannotStart("results_exist", path, isNight);
    if (found.isDirectory()) throw refuse(`${path} is a folder; give the name of a file in it`);
    for (const input of inputs) {
      const { dev, ino } = (await stat(input).catch(() => undefined)) ?? {};
      if (dev === found.dev && ino === found.ino) {
        throw refuse(`${path} is the input, and results go into a file of their own`);
      }
    }
    throw cannotStart("results_exist", path, isNight);
  }
}

function isPlainFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * Refuses to resume into anything but regular files.
 *
 * @throws CannotStartError naming what is a link, a folder or a pipe
 */
export async function refuseOtherThanFiles(files: RunFiles): Promise<void> {
  for (const path of accountFiles(files)) {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined || found.isFile()) continue;
    const what = found.isSymbolicLink() ? "a link" : found.isDirectory() ? "a folder" : "a pipe";
    throw cannotStart("output_not_writable", path, `it is ${what}; put the run's own file there`);
  }
}

function accountFiles({ results, failed, manifest, journal, part, given }: RunFiles): string[] {
  return [results, failed, manifest, journal, part, given];
}

/**
 * Removes the temporary files that a killed process left, if no part is unfinished. Only the holder of the account's
 * lock may.
 */
export async function removeLeftovers(files: RunFiles): Promise<void> {
  const { newResults, newFailed } = files;
  for (const path of [newResults, newFailed, files.given, `${files.given}.new`]) {
    await rm(path, { force: true }).catch(() => {});
  }
  const folder = dirname(files.journal);
  const own = Object.values(files).map((path) => basename(path));
  for (const name of await readdir(folder).catch(() => [])) {
    const [, whole = ""] = /^(.*)\.[0-9a-f]{12}\.part$/s.exec(name) ?? [];
    if (own.includes(whole)) await rm(join(folder, name), { force: true }).catch(() => {});
  }
}
