import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { cannotStart } from "../domain/errors.ts";
import { runFiles } from "../results/run-files.ts";
import type { Setting } from "./setting.ts";

/** A file that a run reads or writes, and what it is to the run. */
export interface FileInUse {
  readonly what: string;
  readonly path: string;
}

/** The files that a run writes. */
export function outputsOf(results: string): FileInUse[] {
  const files = runFiles(results);
  return [
    { what: "the results file", path: files.results },
    { what: "the failed-rows file", path: files.failed },
    { what: "the manifest", path: files.manifest },
    { what: "the journal", path: files.journal },
  ];
}

/**
 * Makes sure that a log, or a report, is not written into a file that the run needs for something else.
 *
 * @throws CannotStartError naming what it is
 */
export async function guardLogFile(
  { value, place }: Setting,
  inUse: readonly FileInUse[],
  whatFor = "the log",
): Promise<void> {
  for (const { what, path } of inUse) {
    if (await isSameFile(value, path)) {
      throw cannotStart(
        "option_invalid",
        place,
        `${value} is ${what}; name another for ${whatFor}`,
      );
    }
  }
}

/** Also under another name: a link, or a way through a linked folder. */
async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map(identityOf));
  if (first?.inode !== undefined && second?.inode !== undefined) {
    return first.inode === second.inode;
  }
  return first?.path === second?.path;
}

async function identityOf(path: string) {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  const folder = resolve(dirname(path));
  const real = await realpath(folder).catch(() => folder);
  return {
    path: join(real, basename(resolve(path))),
    inode: found === undefined ? undefined : `${found.dev}:${found.ino}`,
  };
}
