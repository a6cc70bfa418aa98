import type { Fingerprint } from "../journal/fingerprint.ts";
import type { Manifest } from "../results/manifest.ts";
import type { Shard } from "./shard.ts";

/** The results of an earlier run, with which events are compared. */
export interface BaselineFile extends Fingerprint {
  readonly path: string;
  readonly name: string;
  readonly manifest: Manifest;
  /** The keys of which that run planned nothing, if there were any: it knew them from its own baseline. */
  readonly gone?: Fingerprint & { readonly path: string; readonly name: string };
}

/** One of the files that are read of a baseline. */
export interface BaselinePart extends Fingerprint {
  readonly path: string;
  readonly name: string;
  readonly file: BaselineFile;
}

/** The files that are read of a baseline, in the order in which they are numbered. */
export function partsOf(files: readonly BaselineFile[]): BaselinePart[] {
  return files.flatMap((file) => [
    ...(file.gone === undefined ? [] : [{ ...file.gone, file }]),
    { ...file, file },
  ]);
}

/** The shard that alone has its rows in the baseline: a run takes no results of another shard than its own. */
export function ownShardOf(files: readonly BaselineFile[]): Shard | undefined {
  const own = files.find(({ manifest }) => manifest.options.shard !== null);
  return own?.manifest.options.shard ?? undefined;
}
