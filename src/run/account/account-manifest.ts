import { resolve } from "node:path";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { exists } from "../../model/disk/exists.ts";
import type { Fingerprint } from "../../model/fingerprint.ts";
import { noCounts } from "../../model/outcome.ts";
import { packageVersion } from "../../model/package-files.ts";
import { sum } from "../../model/quantities.ts";
import type { RunFigures } from "../../model/run-figures.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Tally } from "../../model/run-record.ts";
import {
  type RunSettings,
  type SendingSettings,
  settingsKeptAs,
} from "../../model/run-settings.ts";
import type { Manifest, ManifestPart } from "../../results/manifest.ts";
import type { MergedResults } from "../../results/merge-results.ts";
import { mergeFigures } from "../../stats/merge-figures.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { RunSummary } from "../options/run-events.ts";
import { sealOf } from "../options/seal.ts";
import type { ShardResults } from "./shards-to-merge.ts";

/* What the manifest of an account is made of, and the summary that it gives. */

/** What was imported, and where to, by the journal of the first part. */
export function beginningOf(run: RunIdentity) {
  const { path, name, called, id, bytes, sha256 } = run.input;
  return {
    ...{ version: 2 as const, eventload: packageVersion() },
    input: { path, name, called, id, bytes, sha256 },
    ...(run.inputs === undefined ? {} : { inputs: run.inputs.map((file) => ({ ...file })) }),
    ...whereItGoes(run),
    ...(run.state === undefined ? {} : { state: run.state }),
    started_at: run.startedAt,
  };
}

/** Where a part was sent, by which mapping, and how. @param before what it does not change of an account's options */
export function whereItGoes(
  { mapping, baseUrl, target, settings }: RunIdentity,
  before?: RunSettings,
) {
  const kept = before === undefined ? {} : settingsKeptAs(before, "rows");
  return {
    mapping: { ...mapping, lookups: [...(mapping.lookups ?? [])] },
    base_url: baseUrl,
    ...(target === undefined ? {} : { target }),
    options: { ...settings, ...kept, ca_files: [...settings.ca_files] },
  };
}

/** A part, or a resume of it, that was killed: it has left only how it sent. */
export function killedPart(
  part: number,
  command: ManifestPart["command"],
  startedAt: string,
  sending: SendingSettings,
): ManifestPart {
  return {
    ...{ part, command, started_at: startedAt, finished_at: null },
    ...{ rows: 0, counts: {}, attempts: 0, unanswered: 0 },
    ...{ exit_reason: null, is_over: false, ...sending },
  };
}

/** Whether a process that sent for an account has left no figures: it was killed, or met a full disk. */
export function wasKilled(parts: readonly ManifestPart[]): boolean {
  return parts.some(({ finished_at: at }) => at === null);
}

export interface Totals {
  readonly tally: Tally;
  /** Rows that were read, that have settled, and that are in the results, with so many lines. */
  readonly rows: number;
  readonly settled: number;
  readonly written: number;
  readonly lines: number;
  /** Undefined while a part is unfinished. */
  readonly results?: Fingerprint | undefined;
  readonly failed?: Fingerprint | undefined;
  readonly superseded?: Readonly<Record<string, number>>;
}

/** What merged lines add up to. */
export function totalsOfMerged(
  { rows, tally, results, failed }: MergedResults,
  superseded: Readonly<Record<string, number>>,
): Totals {
  const { lines } = tally;
  return {
    ...{ tally, rows, settled: rows, written: rows, lines },
    ...{ results, failed, superseded },
  };
}

/** What the lines of an account add up to, and the files that they are in. */
export function totalsOf(files: RunFiles, totals: Totals) {
  const { tally, rows, settled, written, lines, results, failed, superseded = {} } = totals;
  return {
    rows,
    events: tally.events,
    counts: results === undefined ? { ...tally.counts, not_sent: rows - settled } : tally.counts,
    attempts: tally.attempts,
    unanswered: tally.unanswered,
    perhaps_twice: tally.perhapsTwice,
    superseded: { ...superseded },
    reconciliation: {
      ...{ rows_read: rows, rows_settled: settled, rows_not_settled: rows - settled },
      ...{ rows_written: written, lines, adds_up: results !== undefined && rows === settled },
    },
    results: resolve(files.results),
    failed_rows: failed === undefined ? null : resolve(files.failed),
    results_file: results ?? null,
    failed_rows_file: failed ?? null,
  };
}

/**
 * The manifest of the shards of an import as if they were one: it lasts from the beginning of the first to the end of
 * the last.
 *
 * @param shards all of them, in their order, each complete
 */
export function mergedManifest(
  shards: readonly ShardResults[],
  totals: ReturnType<typeof totalsOf>,
  mergedAt: string,
): Manifest {
  const all = shards.map(({ manifest }) => manifest);
  const first = all[0] as Manifest;
  const began = all.map((one) => one.started_at).toSorted()[0] ?? first.started_at;
  const ends = all.map((one) => one.finished_at).toSorted();
  const ended = ends.at(-1) ?? first.finished_at;
  const { figures: _, merged_into: __, ...common } = first;
  const figures = all.map((one) => one.figures);
  const parts = all.flatMap((one) => one.parts);
  const rates = all.map(({ options }) => options.rate_per_second);
  return {
    ...common,
    ...totals,
    eventload: packageVersion(),
    options: {
      ...first.options,
      // The rate was divided among the shards, and thirds of it do not add up to it exactly; the concurrency was that
      // of each.
      rate_per_second: rates.includes(null) ? null : Number(sum(rates.map(Number)).toPrecision(12)),
      concurrency: Math.max(...all.map(({ options }) => options.concurrency)),
      shard: null,
    },
    parts: parts.toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1)),
    shards: shards.map(shardOf),
    ...{ merged_at: mergedAt, started_at: began, finished_at: ended },
    elapsed_ms: Math.max(0, Date.parse(ended) - Date.parse(began)),
    // Where a shard lacks its figures, those of the others would pass for all.
    ...(figures.every((one): one is RunFigures => one !== undefined)
      ? { figures: mergeFigures(figures) }
      : {}),
  };
}

/** What the manifest of a merge keeps of a shard. */
export function shardOf({
  path,
  manifest,
  shard,
}: ShardResults): NonNullable<Manifest["shards"]>[number] {
  const { eventload, started_at, finished_at, elapsed_ms, options } = manifest;
  const { rows, events, counts, attempts, unanswered, perhaps_twice, reconciliation } = manifest;
  const { concurrency, rate_per_second } = options;
  return {
    ...{ ...shard, eventload, results: path, started_at, finished_at, elapsed_ms },
    ...{ concurrency, rate_per_second, rows, events, lines: reconciliation.lines },
    ...{ counts, attempts, unanswered, perhaps_twice },
  };
}

/**
 * Seals a manifest.
 *
 * @param isTrusted whether what it was made of had a good seal; otherwise anybody's values would get one
 */
export async function sealedManifest(
  path: string,
  { seal: _, ...manifest }: Manifest,
  isTrusted: boolean,
  stateFolder: string | undefined,
): Promise<Manifest> {
  if (!isTrusted) return manifest;
  // Why there is no seal was said at the start.
  const seal = await sealOf(path, manifest, stateFolder).catch(() => undefined);
  return seal === undefined ? manifest : { ...manifest, seal };
}

/** The summary of an account to which nothing was added now. What did not succeed is in its failed rows. */
export async function summaryOfAccount(files: RunFiles, manifest: Manifest): Promise<RunSummary> {
  const { rows, events, attempts, unanswered, figures, options, parts } = manifest;
  const { merged_into: into, superseded = {} } = manifest;
  // Somebody may have moved them, to work on them.
  const hasFailedRows = manifest.failed_rows !== null && (await exists(files.failed));
  return {
    exitReason: manifest.exit_reason as RunSummary["exitReason"],
    ...(manifest.message === null ? {} : { message: manifest.message }),
    delivery: options.delivery,
    wasComplete: true,
    isOver: true,
    ...{ rows, events, attempts, unanswered },
    counts: { ...noCounts(), ...manifest.counts },
    perhapsTwice: manifest.perhaps_twice,
    elapsedMs: manifest.elapsed_ms,
    ...(figures === undefined ? {} : { sending: summarizeFigures(figures, wasKilled(parts)) }),
    superseded,
    problems: [],
    ungroupedProblems: 0,
    ...(options.shard === null || into !== undefined ? {} : { shard: options.shard }),
    results: files.results,
    // What was merged is retried there.
    ...(hasFailedRows && into === undefined ? { failedRows: files.failed } : {}),
    manifest: files.manifest,
  };
}
