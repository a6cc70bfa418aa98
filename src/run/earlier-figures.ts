import type { UnfinishedRun } from "../journal/unfinished-run.ts";
import type { RunFigures } from "../model/run-figures.ts";
import { readManifest } from "../results/manifest.ts";

/**
 * The figures of the parts of a run that it goes on with. A part that was killed has left none: its
 * outcomes are known, and not how they came about.
 */
export async function earlierFigures(
  manifestPath: string,
  unfinished: UnfinishedRun | undefined,
): Promise<RunFigures | undefined> {
  if (unfinished === undefined) return undefined;
  const read = await readManifest(manifestPath);
  if (read.kind !== "manifest" || read.manifest.started_at !== unfinished.run.startedAt) {
    return undefined;
  }
  return read.manifest.figures;
}
