import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { rowsSettled, type UnfinishedRun } from "../journal/unfinished-run.ts";
import { CannotStartError, cannotStart, reasonOf } from "../model/errors.ts";
import { isDone, noCounts, type StatusCounts } from "../model/outcome.ts";
import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import { retryOf } from "../model/run-files.ts";
import { type Manifest, readManifest } from "../results/manifest.ts";
import { unfinishedRunOf } from "./find-unfinished.ts";
import type { Shard } from "./shard.ts";

/**
 * `running`: it has written within the last minute. `unfinished`: it has not, and can be resumed. `stopped`: it
 * said why it stopped. `damaged`: its manifest or journal cannot be read.
 */
export type RunState = "running" | "unfinished" | "stopped" | "complete" | "damaged";

/** How far a run has come, by its manifest and its journal. */
export interface FoundRun {
  /** The path of its results without their extension, such as `out/people`. */
  readonly base: string;
  /** Undefined where neither file can be read. */
  readonly input: string | undefined;
  readonly shard: Shard | undefined;
  readonly state: RunState;
  /** Why it stopped, or what cannot be read. */
  readonly reason: string | undefined;
  /** The retries of its rows that are in the same folder. */
  readonly retriedBy: readonly string[];
  /** Of how many shards it was merged. */
  readonly mergedFrom: number | undefined;
  readonly rowsSettled: number;
  /** Undefined if no check has counted them. */
  readonly rowsTotal: number | undefined;
  readonly succeeded: number;
  /** Rejected, failed, unknown, invalid or blocked. */
  readonly notSucceeded: number;
  /** Lines with an outcome; undefined where that is not known. */
  readonly perSecond: number | undefined;
  readonly wroteAt: Date;
}

const runningForMs = 60_000;

/**
 * Finds the runs whose files are in a folder, by name. It reads manifests and journals, and locks nothing.
 *
 * @throws CannotStartError if it is no folder, or cannot be read
 */
export async function findRuns(folder: string, now: Date): Promise<readonly FoundRun[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    const isNoFolder = error.code === "ENOTDIR";
    if (isNoFolder) throw cannotStart("option_invalid", folder, "it is a file; give its folder");
    throw cannotStart("input_unreadable", folder, reasonOf(error));
  });
  const bases = new Set(
    names.flatMap((name) => /^(.+)\.(?:run\.json|results\.csv\.journal)$/s.exec(name)?.[1] ?? []),
  );
  const found: FoundRun[] = [];
  for (const name of [...bases].toSorted(byNumber)) {
    const run = await findRun(join(folder, name), now);
    const retries = [...bases].filter((other) => {
      const { first, number } = retryOf(`${other}.results.csv`);
      return number !== undefined && first === name;
    });
    if (run !== undefined) found.push({ ...run, retriedBy: retries.toSorted(byNumber) });
  }
  return found;
}

/** `10-of-12` after `9-of-12` */
function byNumber(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}

/** @returns undefined if its files went meanwhile */
async function findRun(base: string, now: Date): Promise<FoundRun | undefined> {
  const [manifestAt, journalAt] = await Promise.all([
    writtenAt(`${base}.run.json`),
    writtenAt(`${base}.results.csv.journal`),
  ]);
  const wroteAt = new Date(Math.max(manifestAt ?? 0, journalAt ?? 0));
  const nothing = {
    ...{ base, input: undefined, shard: undefined, retriedBy: [], mergedFrom: undefined },
    ...{ rowsSettled: 0, rowsTotal: undefined, succeeded: 0, notSucceeded: 0 },
    ...{ perSecond: undefined, wroteAt },
  };
  const read = await readManifest(`${base}.run.json`);
  let unfinished: UnfinishedRun | undefined;
  try {
    unfinished = await unfinishedRunOf(`${base}.results.csv.journal`);
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { ...nothing, state: "damaged", reason: `journal: ${error.code}` };
  }
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  if (unfinished !== undefined && journalAt !== undefined) {
    // A run that stops writes its manifest last, and one that is resumed its journal.
    const stopped = (manifestAt ?? 0) >= journalAt ? manifest : undefined;
    if (stopped !== undefined) return { ...nothing, ...ended(stopped) };
    const isRunning = now.getTime() - journalAt < runningForMs;
    const state = isRunning ? "running" : "unfinished";
    return { ...nothing, ...inProgress(unfinished, journalAt), state, reason: undefined };
  }
  if (manifest !== undefined) return { ...nothing, ...ended(manifest) };
  if (read.kind === "unreadable") {
    return { ...nothing, state: "damaged", reason: `manifest: ${read.message}` };
  }
  return undefined;
}

/** In epoch milliseconds; undefined if there is no such file. */
function writtenAt(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

function ended(manifest: Manifest): Omit<FoundRun, "base" | "retriedBy" | "wroteAt"> {
  const { counts, reconciliation, options, figures, exit_reason: reason } = manifest;
  const isComplete = reason === "complete";
  return {
    input: basename(manifest.input.name),
    shard: options.shard ?? undefined,
    state: isComplete ? "complete" : "stopped",
    reason: isComplete ? undefined : reason,
    mergedFrom: manifest.shards?.length,
    rowsSettled: reconciliation.rows_settled,
    rowsTotal: manifest.rows,
    ...progressOf({ ...noCounts(), ...counts }),
    perSecond: figures && rateOf(figures),
  };
}

/** Of a run that was killed and resumed, the part that left no times does not count, nor do its lines. */
function rateOf({ series }: RunFigures): number | undefined {
  const lines = sum([...series.succeeded, ...series.not_succeeded, ...series.skipped]);
  return series.duration_ms > 0 ? (lines * 1000) / series.duration_ms : undefined;
}

function inProgress(
  unfinished: UnfinishedRun,
  journalAt: number,
): Omit<FoundRun, "base" | "retriedBy" | "wroteAt" | "state" | "reason"> {
  const { run, checkpoint, events } = unfinished;
  const counts = { ...noCounts(), ...checkpoint?.tally.counts };
  for (const [row, records] of events) {
    if (row <= (checkpoint?.rows ?? 0)) continue;
    for (const record of records) if (record.kind === "outcome") counts[record.outcome.status]++;
  }
  const [part, another] = run.parts;
  const lastedMs = journalAt - Date.parse(part?.startedAt ?? "");
  const progress = progressOf(counts);
  const lines = progress.succeeded + progress.notSucceeded + counts.skipped;
  return {
    input: basename(run.input.name),
    shard: run.options.shard,
    mergedFrom: undefined,
    rowsSettled: rowsSettled(unfinished),
    rowsTotal: run.rowsTotal ?? undefined,
    ...progress,
    // How long it stood still before it was resumed is not known.
    perSecond: another === undefined && lastedMs > 0 ? (lines * 1000) / lastedMs : undefined,
  };
}

function progressOf({ not_sent: _, ...counts }: StatusCounts) {
  const entries = Object.entries(counts) as [keyof typeof counts, number][];
  return {
    succeeded: counts.succeeded,
    notSucceeded: sum(entries.flatMap(([status, number]) => (isDone(status) ? [] : [number]))),
  };
}
