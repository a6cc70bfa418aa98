import { resolve } from "node:path";
import { selectedRows } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { exists } from "../../model/disk/exists.ts";
import { type Manifest, type ManifestPart, strictManifestSchema } from "../../model/manifest.ts";
import { noCounts, outcomeStatuses } from "../../model/outcome.ts";
import { packageVersion } from "../../model/package-files.ts";
import type { AccountLine } from "../../model/row.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import { settingsKeptAs } from "../../model/run-settings.ts";
import { createTally, type Tally } from "../../results/tally.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import { sealOf } from "../send/seal.ts";

/** A part of an account, as its journal has it. */
export interface PartOfAccount extends Pick<PartOnRecord, "run" | "record"> {
  /** What the account was before the part; undefined in the first part. */
  readonly before: Manifest | undefined;
}

/** What each import, resume and retry did. @param isOver whether the last of them has completed the part */
function partsSoFar({ before, run, record }: PartOfAccount, isOver: boolean): ManifestPart[] {
  const nothing = { rows: 0, counts: {}, attempts: 0, unanswered: 0 };
  const own = run.parts.map(({ startedAt, sending }, at): ManifestPart => {
    const did = record.processes[at] ?? { ...nothing, finished_at: null, exit_reason: null };
    return {
      part: run.part,
      command: at === 0 ? run.kind : "resume",
      started_at: startedAt,
      ...did,
      is_over: isOver && at === run.parts.length - 1,
      ...sending,
    };
  });
  return [...(before?.parts ?? []).filter((one) => one.part < run.part), ...own];
}

/**
 * The manifest of an account with a part.
 *
 * @param by what the process that writes it knows beside the records: the number of the last file of the journal and more
 * @param own what the lines of the account add up to; undefined while the part is unfinished
 */
export function manifestWith(
  files: RunFiles,
  part: PartOfAccount,
  by: Partial<Manifest> & Pick<Required<Manifest>, "journal">,
  own: Totals | undefined,
): Manifest {
  const { before, run, record } = part;
  const last = record.processes.at(-1);
  const figures = record.meter.figures();
  const { started_at = "", at_ms = 0 } = figures.parts.at(-1) ?? {};
  const lastKnownMs = Date.parse(started_at) + figures.series.duration_ms - at_ms;
  const common = {
    eventload: packageVersion(),
    parts: partsSoFar(part, own !== undefined),
    finished_at: last?.finished_at ?? new Date(lastKnownMs).toISOString(),
    elapsed_ms: figures.series.duration_ms,
    exit_reason: last?.exit_reason ?? "interrupted",
    message: null,
    figures,
    ...by,
  };
  if (run.kind === "retry" && before !== undefined) {
    return { ...before, ...common, ...(own === undefined ? {} : totalsOf(files, own)) };
  }
  const { count: settled } = record.rows;
  const rows = Math.max(settled, run.rowsTotal ?? 0);
  const soFar = { tally: record.tallyWithUnsettled(), rows, settled, written: 0 };
  return { version: 2, ...run.imported, ...totalsOf(files, own ?? soFar), ...common };
}

/**
 * The manifest of an account when a part of it begins, or the next process of one.
 *
 * @param isTrusted whether the manifest of before has a good seal: nothing that was not trusted gets one
 */
export function manifestAtBegin(
  files: RunFiles,
  { before, run, record }: PartOfAccount,
  journal: number,
  isTrusted: boolean,
): Manifest {
  const { mapping, base_url, target = before?.target, options } = run.imported;
  const kept = before && settingsKeptAs(before.options, "rows");
  const whereItWent = { mapping, base_url, target, options: { ...options, ...kept } };
  const known = before && { ...before, ...(isTrusted ? {} : whereItWent) };
  return { ...manifestSoFar(files, { before: known, run, record }), journal };
}

/** What is on record of an unfinished account. Of a retry, what the account was before it, and what the retry did. */
export function manifestSoFar(files: RunFiles, part: PartOfAccount): Manifest {
  const { record, before } = part;
  if (record.end !== undefined) return strictManifestSchema.parse(record.end.manifest);
  return manifestWith(files, part, { journal: before?.journal ?? 0 }, undefined);
}

/** The figures of an account with what an unfinished part has made of it so far. */
export async function figuresSoFar(
  disk: Disk,
  { journal }: RunFiles,
  { before, record }: PartOfAccount,
) {
  if (before === undefined) return tallyMembers(record.tallyWithUnsettled());
  const { rows, unsettled } = record;
  const replaced = createTally();
  /** The part has attempts of them, and no line. */
  const sentAgain: AccountLine[] = [];
  for await (const selected of selectedRows(disk, journal)) {
    for (const { rowOfRun, row } of selected) {
      const isOver = (at: number) => rows.isDone(rowOfRun) || rows.begun.get(rowOfRun)?.has(at);
      const begun = unsettled.before(rowOfRun);
      for (const [at, line] of row.lines?.entries() ?? []) {
        if (isOver(at)) replaced.add({ ...line, status: line.status ?? "failed" });
        else if (begun?.some(({ event }) => event === line.event)) sentAgain.push(line);
      }
    }
  }
  const was = tallyMembers(replaced.withUnsettled(sentAgain));
  const now = tallyMembers(record.allLinesWithUnsettled());
  const counts = { ...now.counts };
  for (const one of outcomeStatuses) counts[one] += (before.counts[one] ?? 0) - was.counts[one];
  return {
    counts,
    events: before.events + now.events - was.events,
    attempts: before.attempts + now.attempts - was.attempts,
    unanswered: before.unanswered + now.unanswered - was.unanswered,
    perhaps_twice: before.perhaps_twice + now.perhaps_twice - was.perhaps_twice,
  };
}

/** Attempts of all parts, and how these sent, as a summary has them. */
export async function attemptsSoFar(disk: Disk, files: RunFiles, part: PartOfAccount) {
  const { attempts, unanswered, perhaps_twice } = await figuresSoFar(disk, files, part).catch(
    // A journal that cannot be read any more does not say what the part has replaced.
    () => figuresSoFar(disk, files, { ...part, before: undefined }),
  );
  const sending = summarizeFigures(part.record.meter.figures());
  return { attempts, unanswered, perhapsTwice: perhaps_twice, sending };
}

function tallyMembers({ events, counts, attempts, unanswered, perhapsTwice }: Tally) {
  return { events, counts, attempts, unanswered, perhaps_twice: perhapsTwice };
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
  readonly closed?: number;
}

export function totalsOf(files: RunFiles, totals: Totals) {
  const { tally, rows, settled = rows, written = rows } = totals;
  const { results, failed, superseded = 0, closed = 0 } = totals;
  return {
    rows,
    ...tallyMembers(tally),
    counts: results === undefined ? { ...tally.counts, not_sent: rows - settled } : tally.counts,
    superseded,
    closed,
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
  const { merged_into: into, superseded = 0, closed = 0 } = manifest;
  // What was merged is retried there, and what a broken night has left is sent by the next.
  const isElsewhere =
    into !== undefined || (manifest.state !== undefined && manifest.exit_reason === "closed");
  const hasFailedRows = manifest.failed_rows !== null && !isElsewhere;
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
    ...(figures === undefined ? {} : { sending: summarizeFigures(figures) }),
    superseded,
    closed,
    ...(manifest.never_begun === undefined ? {} : { neverBegun: manifest.never_begun }),
    problems: [],
    ungroupedProblems: 0,
    ...(options.shard === null || into !== undefined ? {} : { shard: options.shard }),
    results: files.results,
    ...(areThere ? { failedRows: files.failed } : {}),
    ...(hasFailedRows && !areThere ? { lacksFailedRows: true } : {}),
    manifest: files.manifest,
  };
}
