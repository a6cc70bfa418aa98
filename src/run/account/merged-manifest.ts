import { packageVersion } from "../../model/package-files.ts";
import { sum } from "../../model/quantities.ts";
import type { RunFigures } from "../../model/run-figures.ts";
import type { Manifest } from "../../results/manifest.ts";
import { mergeFigures } from "../../stats/merge-figures.ts";
import type { Shard } from "../options/shard.ts";
import type { totalsOf } from "./finish-run.ts";

interface RunOfShard {
  /** Where its results were merged from: its run may have written them elsewhere. */
  readonly path: string;
  readonly manifest: Manifest;
  readonly shard: Shard;
}

/**
 * The manifest of the shards of an import as if they were one: it lasts from the beginning of the first to the end of
 * the last.
 *
 * @param shards all of them, in their order, each complete
 * @param totals what the merged lines add up to
 */
export function mergedManifest(
  shards: readonly RunOfShard[],
  totals: ReturnType<typeof totalsOf>,
  mergedAt: string,
): Manifest {
  const all = shards.map(({ manifest }) => manifest);
  const first = all[0] as Manifest;
  const began = all.map((one) => one.started_at).toSorted()[0] ?? first.started_at;
  const ended =
    all
      .map((one) => one.finished_at)
      .toSorted()
      .at(-1) ?? first.finished_at;
  const { seal: _, figures: __, merged_into: ___, ...common } = first;
  const figures = all.map((one) => one.figures);
  const parts = all.flatMap((one) => one.parts);
  return {
    ...common,
    ...totals,
    eventload: packageVersion(),
    options: mergedOptions(all),
    parts: parts.toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1)),
    shards: shards.map(identityOf),
    merged_at: mergedAt,
    started_at: began,
    finished_at: ended,
    elapsed_ms: Math.max(0, Date.parse(ended) - Date.parse(began)),
    // Where a shard lacks its figures, those of the others would pass for all.
    ...(figures.every((one): one is RunFigures => one !== undefined)
      ? { figures: mergeFigures(figures) }
      : {}),
  };
}

/** The rate was divided among the shards; the concurrency was that of each. */
function mergedOptions(all: readonly Manifest[]): Manifest["options"] {
  const { options } = all[0] as Manifest;
  const rates = all.map((one) => one.options.rate_per_second);
  const isBounded = rates.every((rate): rate is number => rate !== null);
  return {
    ...options,
    concurrency: Math.max(...all.map((one) => one.options.concurrency)),
    // Thirds of a rate do not add up to it exactly.
    rate_per_second: isBounded ? Number(sum(rates).toPrecision(12)) : null,
    shard: null,
  };
}

/** What the manifest of a merge keeps of a shard. */
export function identityOf({
  path,
  manifest,
  shard,
}: RunOfShard): NonNullable<Manifest["shards"]>[number] {
  const { options } = manifest;
  return {
    index: shard.index,
    count: shard.count,
    eventload: manifest.eventload,
    results: path,
    started_at: manifest.started_at,
    finished_at: manifest.finished_at,
    elapsed_ms: manifest.elapsed_ms,
    concurrency: options.concurrency,
    rate_per_second: options.rate_per_second,
    rows: manifest.rows,
    events: manifest.events,
    lines: manifest.reconciliation.lines,
    counts: manifest.counts,
    attempts: manifest.attempts,
    unanswered: manifest.unanswered,
    perhaps_twice: manifest.perhaps_twice,
  };
}
