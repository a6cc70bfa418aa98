import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { exists } from "../model/disk/exists.ts";
import { cannotStart } from "../model/errors.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
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
  /** Undefined without a manifest. */
  readonly identity?: string;
}

/** Distinguishes a run from others whose results had the same name; also where they were moved. */
function identityOf({ results, started_at: startedAt }: Pick<Manifest, "results" | "started_at">) {
  return `${startedAt} ${basename(results)}`;
}

async function lastRuns(paths: readonly string[]): Promise<string[]> {
  const found: FoundRun[] = [];
  const merged = new Set<string>();
  for (const path of paths) {
    const base = baseOfRun(path);
    const read = await readManifest(`${base}.run.json`);
    if (read.kind !== "manifest") {
      const hasBegun = await isBegun(path, base);
      // Where its journal is gone too, nothing more can come of it.
      if (hasBegun) found.push({ path, at: notEnded });
      else if (path.endsWith(".results.csv")) found.push({ path, at: await lastWritten(path) });
      continue;
    }
    const { results, started_at: began, finished_at: at, shards = [] } = read.manifest;
    const { kind, exit_reason: status } = read.manifest;
    refuseRenamed(path, results);
    if (basename(results) !== basename(path)) continue; // its failed rows
    const isWhole = kind === "import" && status === "complete";
    for (const shard of shards) merged.add(identityOf(shard));
    const identity = identityOf(read.manifest);
    found.push({ path, at, identity, ...(isWhole ? { began } : {}) });
  }
  // The merged results stand for them.
  const runs = found.filter(({ identity = "" }) => !merged.has(identity));
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
