import { normalize, resolve } from "node:path";
import type { RunIdentity } from "../journal/run-identity.ts";
import { findUnfinishedRun } from "../journal/unfinished-run.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { runFiles } from "../model/run-files.ts";
import { matchPaths } from "./match-paths.ts";
import { datedParts, fillName, type NameParts } from "./results-name.ts";

/** Unfinished runs whose results have the name of a pattern, the oldest first. */
export interface DatedRuns {
  /** Results of runs of the same inputs, and what date and time are in their names. */
  readonly same: readonly { readonly results: string; readonly parts: Parts }[];
  /** Results of runs that read something else. */
  readonly others: readonly string[];
}

/**
 * Finds the runs that an earlier call of the same command line has left unfinished.
 *
 * @param name of results, with everything filled in but date and time
 * @throws CannotStartError if a journal is damaged
 */
export async function findDatedRuns(name: string, inputs: readonly string[]): Promise<DatedRuns> {
  const paths = inputs.map((path) => resolve(path));
  const found: {
    readonly results: string;
    readonly parts: Parts;
    readonly startedAt: string;
    readonly isSame: boolean;
  }[] = [];
  for (const parts of await findJournals(runFiles(name).journal)) {
    const results = fillName(name, parts);
    const unfinished = await findUnfinishedRun(nodeDisk, runFiles(results).journal);
    if (unfinished === undefined) continue;
    const { run } = unfinished;
    found.push({ results, parts, startedAt: run.startedAt, isSame: isOf(run, paths) });
  }
  found.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  return {
    same: found.filter(({ isSame }) => isSame),
    others: found.filter(({ isSame }) => !isSame).map(({ results }) => results),
  };
}

function isOf({ input, inputs }: RunIdentity, paths: readonly string[]): boolean {
  const read = inputs?.map(({ path }) => path) ?? [input.path];
  return read.length === paths.length && read.every((path, at) => path === paths[at]);
}

type Parts = Partial<Pick<NameParts, "date" | "time">>;

/** What date and time are in the files that there are of a pattern. */
async function findJournals(pattern: string): Promise<Parts[]> {
  const paths = await matchPaths(fillName(pattern, { date: "*", time: "*" }));
  const shape = shapeOf(pattern);
  return paths.flatMap((path): Parts[] => {
    const found = shape.exec(path);
    return found === null ? [] : [{ ...found.groups }];
  });
}

/** The pattern as an expression that gives its parts; the same part is the same wherever it is. */
function shapeOf(pattern: string): RegExp {
  const seen = new Set<string>();
  const shape = normalize(pattern).replace(
    /\{(date|time)\}|[^\w{}]|[{}]/g,
    (found, part?: "date" | "time") => {
      if (part === undefined) return `\\${found}`;
      const isFirst = !seen.has(part);
      seen.add(part);
      return isFirst ? `(?<${part}>${datedParts[part]})` : `\\k<${part}>`;
    },
  );
  return new RegExp(`^${shape}$`);
}
