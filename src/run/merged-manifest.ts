import { noCounts, type OutcomeStatus } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import type { Manifest } from "../results/manifest.ts";
import { mergeFigures } from "../stats/merge-figures.ts";
import { packageVersion } from "./package-files.ts";
import type { Shard } from "./shard.ts";

interface RunOfShard {
  /** Where its results were merged from: its run may have written them elsewhere. */
  readonly path: string;
  readonly manifest: Manifest;
  readonly shard: Shard;
}

interface MergedFiles {
  readonly results: string;
  readonly failedRows: string | null;
  readonly mergedAt: string;
}

/**
 * The manifest of the shards of an import as if they were one run: what is counted adds up, and it lasts from
 * the beginning of the first to the end of the last.
 *
 * @param shards all of them, in their order, each complete
 */
export function mergedManifest(shards: readonly RunOfShard[], files: MergedFiles): Manifest {
  const all = shards.map(({ manifest }) => manifest);
  const total = (of: (manifest: Manifest) => number) => sum(all.map(of));
  const first = all[0] as Manifest;
  const began = all.map((one) => one.started_at).toSorted()[0] ?? first.started_at;
  const ended =
    all
      .map((one) => one.finished_at)
      .toSorted()
      .at(-1) ?? first.finished_at;
  const statuses = Object.keys(noCounts()) as OutcomeStatus[];
  const { seal: _, parts: __, figures: ___, ...common } = first;
  const figures = all.map((one) => one.figures);
  return {
    ...common,
    eventload: packageVersion(),
    options: mergedOptions(all),
    shards: shards.map(identityOf),
    merged_at: files.mergedAt,
    started_at: began,
    finished_at: ended,
    elapsed_ms: Math.max(0, Date.parse(ended) - Date.parse(began)),
    rows: total(({ rows }) => rows),
    events: total(({ events }) => events),
    counts: Object.fromEntries(
      statuses.map((status) => [status, total(({ counts }) => counts[status] ?? 0)]),
    ),
    attempts: total(({ attempts }) => attempts),
    unanswered: total(({ unanswered }) => unanswered),
    perhaps_twice: total((one) => one.perhaps_twice),
    reconciliation: {
      rows_read: total(({ reconciliation }) => reconciliation.rows_read),
      rows_settled: total(({ reconciliation }) => reconciliation.rows_settled),
      rows_not_settled: total(({ reconciliation }) => reconciliation.rows_not_settled),
      rows_written: total(({ reconciliation }) => reconciliation.rows_written),
      lines: total(({ reconciliation }) => reconciliation.lines),
      adds_up: all.every(({ reconciliation }) => reconciliation.adds_up),
    },
    results: files.results,
    failed_rows: files.failedRows,
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
