import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { asWritten } from "../input/open-results-file.ts";
import { openSource } from "../input/open-source.ts";
import { exists } from "../model/disk/exists.ts";
import { type CannotStartError, cannotStart } from "../model/errors.ts";
import { hasEnded } from "../model/next-step.ts";
import { baseOfRun, type RunFiles, runFiles } from "../model/run-files.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
import { isReadOnceRun } from "./find-unfinished.ts";

/** A run that was not finished and whose journal is missing: nobody knows all that it sent. */
export interface LostJournal {
  readonly results: string;
  readonly journal: string;
  /** Absent if the run was killed, or if its files were moved without it. */
  readonly manifest: Manifest | undefined;
  readonly manifestPath: string;
}

/**
 * Finds out whether a file belongs to a run that was not finished and whose journal is missing.
 *
 * @param path of one of the files that the run leaves
 * @param known those files, if the path is that of the results
 */
export async function findLostJournal(
  path: string,
  known?: RunFiles,
): Promise<LostJournal | undefined> {
  const named = known ?? runFiles(`${baseOfRun(path)}.results.csv`);
  const { journal, manifest: manifestPath } = named;
  if (await exists(journal)) return undefined;
  const read = await readManifest(manifestPath);
  if (read.kind === "manifest") {
    const { manifest } = read;
    if (hasEnded(manifest.exit_reason) || isReadOnceRun(manifest)) return undefined;
    const results = join(dirname(path), basename(manifest.results));
    return { results, journal, manifest, manifestPath };
  }
  // A file of another name may be a copy, made to be retried.
  const [, kind] = /\.(results|failed)[^/\\]*$/i.exec(path) ?? [];
  if (known === undefined && kind === undefined) return undefined;
  const results = known === undefined && kind === "failed" ? named.results : path;
  if (!(await isResultsFile(results))) return undefined;
  return { results, journal, manifest: undefined, manifestPath };
}

export function lostJournalError({
  results,
  journal,
  manifest,
  manifestPath,
}: LostJournal): CannotStartError {
  return manifest === undefined
    ? cannotStart(
        "journal_and_manifest_missing",
        results,
        basename(journal),
        basename(manifestPath),
      )
    : cannotStart("journal_missing", results, basename(journal));
}

/** Whether a file can be read as results or failed rows. */
export async function isResultsFile(path: string): Promise<boolean> {
  try {
    // A pipe would be waited for.
    if (!(await stat(path)).isFile()) return false;
    const source = await openSource({ kind: "file", path, name: basename(path) }, asWritten);
    await source.close();
    return source.columns.includes("import_status");
  } catch {
    return false; // whoever reads it says why it cannot be read
  }
}
