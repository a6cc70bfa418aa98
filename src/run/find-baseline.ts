import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { exists } from "../model/disk/exists.ts";
import { cannotStart } from "../model/errors.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";
import { readManifest } from "../results/manifest.ts";
import { isPattern, matchPaths } from "./match-paths.ts";

/** With which results a run is to be compared, the oldest first. */
export interface FoundBaseline {
  readonly paths: readonly string[];
  /** Patterns that fit no results, as on the first night. */
  readonly unmatched: readonly UnmatchedPattern[];
}

export interface UnmatchedPattern {
  readonly pattern: string;
  /** A file that it fits all the same. */
  readonly fits?: string;
}

/**
 * Finds the results that patterns such as `out/people.*.results.csv` mean: those of the last import
 * that came to its end, and of all that was sent since. One that has not ended is among them: it is
 * refused later, as what it delivered is not certain.
 *
 * @param given paths and patterns
 * @param own results of the run itself, which it is not compared with
 * @throws CannotStartError if results have another name than their manifest says
 */
export async function findBaseline(
  given: readonly string[],
  own: string | undefined,
): Promise<FoundBaseline> {
  const paths: string[] = [];
  const unmatched: UnmatchedPattern[] = [];
  for (const pattern of given) {
    if (!isPattern(pattern) || (await exists(pattern))) {
      paths.push(pattern);
      continue;
    }
    const others = (await matchPaths(pattern)).filter((path) => !isOf(path, own));
    const found = await lastRuns(others);
    if (found.length === 0) {
      const [fits] = others;
      unmatched.push({ pattern, ...(fits === undefined ? {} : { fits }) });
    }
    paths.push(...found);
  }
  return { paths, unmatched };
}

/** Later than any time in ISO 8601: what has no manifest has not ended. */
const notEnded = "~";

function isOf(path: string, results: string | undefined): boolean {
  return results !== undefined && resolve(baseOfRun(path)) === resolve(baseOfRun(results));
}

interface FoundRun {
  readonly path: string;
  /** When it ended, in ISO 8601. */
  readonly at: string;
  /** When a complete import began; undefined for other runs. */
  readonly began?: string;
}

async function lastRuns(paths: readonly string[]): Promise<string[]> {
  const runs: FoundRun[] = [];
  for (const path of paths) {
    const base = baseOfRun(path);
    const read = await readManifest(`${base}.run.json`);
    if (read.kind !== "manifest") {
      const hasBegun = await isBegun(path, base);
      // Where its journal is gone too, nothing more can come of it.
      if (hasBegun) runs.push({ path, at: notEnded });
      else if (path.endsWith(".results.csv")) runs.push({ path, at: await lastWritten(path) });
      continue;
    }
    const { results, started_at, finished_at, kind, exit_reason: status } = read.manifest;
    // Merged results come after the last of their shards, and stand for all of them.
    const { merged_at: at = finished_at, merged_at: began = started_at } = read.manifest;
    refuseRenamed(path, results);
    if (basename(results) !== basename(path)) continue; // its failed rows
    const isWhole = kind === "import" && status === "complete";
    runs.push({ path, at, ...(isWhole ? { began } : {}) });
  }
  runs.sort((a, b) => (a.at < b.at ? -1 : 1));
  const last = runs.findLast(({ began }) => began !== undefined);
  // Another run may have sent something while that one was interrupted.
  const since = last?.began ?? "";
  return runs.filter((run) => run === last || run.at > since).map(({ path }) => path);
}

async function lastWritten(path: string): Promise<string> {
  return (await stat(path)).mtime.toISOString();
}

/** What a pattern means goes by names: from a copy under another name, a run would count twice. */
function refuseRenamed(path: string, results: string): void {
  const its = basename(baseOfRun(path));
  if (its === basename(baseOfRun(results))) return;
  const why = `the manifest beside it, ${its}.run.json, names other results, ${basename(results)}, so it was renamed or copied; give the file without a pattern, or rename it back`;
  throw cannotStart("baseline_unusable", basename(path), why);
}

/** Whether it is what a run has written so far that was killed. */
async function isBegun(path: string, base: string): Promise<boolean> {
  const { journal, failed } = runFiles(`${base}.results.csv`);
  return path !== journal && path !== failed && (await exists(journal));
}
