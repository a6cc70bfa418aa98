import { resolve } from "node:path";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { countsOnRecord, rowsSettled } from "../../journal/unfinished-run.ts";
import { exists } from "../../model/disk/exists.ts";
import type { Manifest, ManifestPart } from "../../model/manifest.ts";
import { noCounts } from "../../model/outcome.ts";
import { packageVersion } from "../../model/package-files.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint, Tally } from "../../model/run-record.ts";
import { hasLostPart } from "../../report/reported-run.ts";
import { createTally } from "../../results/tally.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { RunSummary } from "../options/run-events.ts";
import { sealOf } from "../options/seal.ts";
import type { UnfinishedAccount } from "./read-account.ts";

/* What the manifest of an account is made of, and the summary that it gives. */

/**
 * What each import, resume and retry did.
 *
 * @param known those of the account, as far as they could write what they did
 * @param run the last part: where a process of it was killed, it has left only how it sent
 */
export function partsSoFar(
  known: readonly ManifestPart[],
  { kind, part, parts }: RunIdentity,
): ManifestPart[] {
  const own = parts.map(({ startedAt, sending }, at): ManifestPart => {
    const left = known.find((one) => one.started_at === startedAt && one.part === part);
    const killed = {
      part,
      command: at === 0 ? kind : "resume",
      started_at: startedAt,
      finished_at: null,
      rows: 0,
      counts: {},
      attempts: 0,
      unanswered: 0,
      exit_reason: null,
      is_over: false,
      ...sending,
    } as const;
    return left ?? killed;
  });
  return [...known.filter((one) => one.part < part), ...own];
}

/** What the journal of an unfinished account says. Of a part, attempts are those of written lines. */
export function manifestSoFar({ files, part, manifest }: UnfinishedAccount): Manifest {
  const { run, checkpoint, end } = part;
  if (end !== undefined) return end.manifest;
  const { rows: written = 0, tally = createTally().tally } = checkpoint ?? {};
  const settled = rowsSettled(part);
  const rows = Math.max(settled, run.rowsTotal ?? 0);
  const parts = partsSoFar(manifest?.parts ?? [], run);
  const { started_at = "", exit_reason } = parts.at(-1) ?? {};
  return {
    version: 2,
    eventload: packageVersion(),
    ...run.imported,
    ...totalsOf(files, {
      tally: { ...tally, counts: countsOnRecord(part) },
      rows,
      settled,
      written,
    }),
    parts,
    finished_at: started_at,
    elapsed_ms: 0,
    exit_reason: exit_reason ?? "interrupted",
    message: null,
  };
}

export interface Totals {
  readonly tally: Tally;
  /** Rows that were read, that have settled, and that are in the results; default all. */
  readonly rows: number;
  readonly settled?: number;
  readonly written?: number;
  /** Undefined while a part is unfinished. */
  readonly results?: Fingerprint | undefined;
  readonly failed?: Fingerprint | undefined;
  readonly superseded?: number;
}

/** What the lines of an account add up to, and the files that they are in. */
export function totalsOf(files: RunFiles, totals: Totals) {
  const { tally, rows, settled = rows, written = rows } = totals;
  const { results, failed, superseded = 0 } = totals;
  return {
    rows,
    events: tally.events,
    counts: results === undefined ? { ...tally.counts, not_sent: rows - settled } : tally.counts,
    attempts: tally.attempts,
    unanswered: tally.unanswered,
    perhaps_twice: tally.perhapsTwice,
    superseded,
    reconciliation: {
      rows_read: rows,
      rows_settled: settled,
      rows_not_settled: rows - settled,
      rows_written: written,
      lines: tally.lines,
      adds_up: results !== undefined && rows === settled,
    },
    results: resolve(files.results),
    failed_rows: failed === undefined ? null : resolve(files.failed),
    results_file: results ?? null,
    failed_rows_file: failed ?? null,
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
  const { rows, events, attempts, unanswered, figures, options } = manifest;
  const { merged_into: into, superseded = 0 } = manifest;
  // What was merged is retried there.
  const hasFailedRows = manifest.failed_rows !== null && into === undefined;
  const areThere = hasFailedRows && (await exists(files.failed));
  return {
    exitReason: manifest.exit_reason as RunSummary["exitReason"],
    ...(manifest.message === null ? {} : { message: manifest.message }),
    delivery: options.delivery,
    wasComplete: true,
    isOver: true,
    rows,
    events,
    attempts,
    unanswered,
    counts: { ...noCounts(), ...manifest.counts },
    perhapsTwice: manifest.perhaps_twice,
    elapsedMs: manifest.elapsed_ms,
    ...(figures === undefined ? {} : { sending: summarizeFigures(figures, hasLostPart(manifest)) }),
    superseded,
    problems: [],
    ungroupedProblems: 0,
    ...(options.shard === null || into !== undefined ? {} : { shard: options.shard }),
    results: files.results,
    ...(areThere ? { failedRows: files.failed } : {}),
    ...(hasFailedRows && !areThere ? { lacksFailedRows: true } : {}),
    manifest: files.manifest,
  };
}
