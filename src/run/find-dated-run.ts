import { readdir } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import type { RunIdentity } from "../journal/run-identity.ts";
import { findUnfinishedRun } from "../journal/unfinished-run.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { runFiles } from "../model/run-files.ts";
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
  const [first = "", ...rest] = pattern.split(sep);
  const isRoot = first === "" && rest.length > 0;
  return isRoot ? within(sep, rest, {}) : within("", [first, ...rest], {});
}

async function within(folder: string, segments: readonly string[], parts: Parts): Promise<Parts[]> {
  const [segment, ...rest] = segments;
  if (segment === undefined) return [parts];
  const filled = fillName(segment, parts);
  const shape = shapeOf(filled);
  if (shape === undefined && rest.length > 0) return within(join(folder, filled), rest, parts);
  const names = await readdir(folder === "" ? "." : folder).catch(() => []);
  const found: Parts[] = [];
  for (const name of names) {
    const match = shape === undefined ? name === filled : shape.exec(name);
    if (match === null || match === false) continue;
    const own = match === true ? {} : match.groups;
    found.push(...(await within(join(folder, name), rest, { ...parts, ...own })));
  }
  return found;
}

/** Undefined if there is nothing to find out. */
function shapeOf(segment: string): RegExp | undefined {
  const seen = new Set<string>();
  const shape = segment.replace(
    /\{(date|time)\}|[^\w{}]|[{}]/g,
    (found, part?: "date" | "time") => {
      if (part === undefined) return `\\${found}`;
      const isFirst = !seen.has(part);
      seen.add(part);
      return isFirst ? `(?<${part}>${datedParts[part]})` : `\\k<${part}>`;
    },
  );
  return seen.size === 0 ? undefined : new RegExp(`^${shape}$`);
}
