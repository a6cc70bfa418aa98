import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Manifest, readManifest } from "../results/manifest.ts";

const manifestName = ".run.json";

/**
 * Finds the results that a shard was merged into, in its folder or the one above.
 *
 * @param first the path of the shard's results without their extension
 * @returns their paths, likewise without it
 */
export async function findMergedFrom(first: string, shard: Manifest): Promise<string[]> {
  const folder = dirname(first);
  const found: string[] = [];
  for (const place of new Set([folder, join(folder, "..")])) {
    for (const name of await readdir(place).catch(() => [])) {
      if (!name.endsWith(manifestName)) continue;
      const read = await readManifest(join(place, name));
      if (read.kind !== "manifest" || !isMergedFrom(read.manifest, shard)) continue;
      found.push(join(place, basename(name, manifestName)));
    }
  }
  return found;
}

function isMergedFrom({ shards = [] }: Manifest, { options, started_at: startedAt }: Manifest) {
  return shards.some(
    ({ index, started_at: began }) => index === options.shard?.index && began === startedAt,
  );
}
