import { resolve } from "node:path";
import { runFiles } from "../../model/run-files.ts";
import { type Manifest, writeManifest } from "../../results/manifest.ts";
import { sealOf } from "../options/seal.ts";
import { readEarlierManifest } from "../options/unsealed.ts";

/**
 * Notes in each shard's manifest where it was merged into: from then on, that account is retried. A shard that is
 * not where it was stays as it is.
 *
 * @param shards paths of their results
 * @param merged path of the results that they were merged into
 */
export async function noteMerged(
  shards: readonly string[],
  merged: string,
  stateFolder: string | undefined,
): Promise<void> {
  for (const shard of shards) {
    const path = runFiles(shard).manifest;
    const read = await readEarlierManifest(path, stateFolder);
    if (read.kind !== "sealed" && read.kind !== "unsealed") continue;
    const { seal: _, ...before } = read.manifest;
    if (before.options.shard === null || before.merged_into === resolve(merged)) continue;
    const noted: Manifest = { ...before, merged_into: resolve(merged) };
    // Otherwise anybody's values would get a good seal by a merge.
    const seal =
      read.kind === "sealed"
        ? await sealOf(path, noted, stateFolder).catch(() => undefined)
        : undefined;
    await writeManifest(path, { ...noted, seal });
  }
}
