import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { baseOfRun } from "../model/run-files.ts";
import { readManifest } from "../results/manifest.ts";

const manifestName = /\.run\.json$/i;

/**
 * Makes sure that what is given for the results of a run is a file, and not its manifest.
 *
 * @throws CannotStartError saying what it is, and what to give
 */
export async function refuseNoResults(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw cannotStart("input_not_found", path);
    throw cannotStart("input_unreadable", path, reasonOf(error));
  });
  if (found.isDirectory()) {
    throw cannotStart("option_invalid", path, "it is a folder; give the results file of a run");
  }
  if (!manifestName.test(path)) return;
  const why = `it is the manifest of a run; give its results, ${await resultsBeside(path)}`;
  throw cannotStart("option_invalid", path, why);
}

/** Where the results of a run are, by its manifest. */
export async function resultsBeside(manifest: string): Promise<string> {
  const base = manifest.replace(manifestName, "");
  const read = await readManifest(manifest);
  const written = read.kind === "manifest" ? read.manifest.results : `${base}.results.csv`;
  // They may have been renamed or moved together since.
  const isRenamed = basename(baseOfRun(written)) !== basename(base);
  return isRenamed ? `${base}.results.csv` : join(dirname(manifest), basename(written));
}
