import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import type { Journal } from "../../journal/journal.ts";
import { journalLines } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { ChangedFileError, DiskError } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { outcomeStatuses } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import type { StopReason } from "../../model/stop.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { type MergedResults, type MergeSource, mergeResults } from "../../results/merge-results.ts";
import { columnOfMember } from "../send/column-of-member.ts";
import { type PartOfAccount, summaryOfAccount, type Totals } from "./account-manifest.ts";
import { placeFiles, removePart } from "./place-files.ts";

/** What ends, and all in which the end of an import, a retry, a night, a part that is closed and a merge differ. */
export interface Ending {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly journal: Journal;
  readonly part: PartOfAccount | undefined;
  /** Of a merge: the results of the shards, which have other rows each, and their mapping. */
  readonly shards?: {
    readonly sources: readonly MergeSource[];
    readonly mapping: Manifest["mapping"] | undefined;
  };
  /** What to do when a file is in the way, as the end of a sentence. */
  readonly toContinue: string;
  readonly warn: (message: string) => void;
  /** @param own what the lines of the account add up to */
  toManifest(own: Totals): Promise<Manifest>;
  /** What else has to be on the disk before the end is on record. @returns what the new state is, if there is one */
  beforeEnd?: ((manifest: Manifest) => Promise<Fingerprint | undefined>) | undefined;
}

/**
 * Completes a part, whoever comes to it: results and failed rows are rendered from what the account was and the journal,
 * counts are compared, and the end is put on record. From then on, the next process does what is left: the new files
 * get their places, and what only an unfinished part has goes.
 *
 * @returns the summary of the account
 * @throws NotReconciledError, DiskError, or CannotStartError: then nothing has its place that is not on record
 */
export async function completePart(ending: Ending): Promise<RunSummary> {
  const { disk, files, journal, part, warn } = ending;
  const { sources, mapping } = ending.shards ?? {
    sources: sourcesOf(ending),
    mapping: part?.run.imported.mapping,
  };
  const columnOf = (columns: readonly string[]) => columnOfMember(mapping, columns);
  const mayReplace = part !== undefined;
  const rendered = await mergeResults(disk, files, sources, columnOf, mayReplace);
  await refuseChanged(ending);
  const manifest = await ending.toManifest(rendered);
  if (part !== undefined && !isReconciled(part, rendered, manifest)) {
    throw new NotReconciledError(`The counts of journal, ${files.results} and manifest differ`);
  }
  const state = await ending.beforeEnd?.(manifest);
  const end = { manifest, ...(state === undefined ? {} : { state }) };
  if (!(await journal.end(end))) throw new DiskError(`${journal.path} cannot be written`);
  await placeFiles(disk, files, end);
  await journal.release();
  await removePart(disk, files, warn);
  const account = await summaryOfAccount(files, manifest);
  return { ...account, ...rendered.problems, wasComplete: false };
}

/** What the account was, if there was one, and the lines of the part, which take the place of their rows. */
function sourcesOf({ disk, files, part }: Ending): MergeSource[] {
  const { results, journal } = files;
  const { account, columns = [] } = part?.run ?? {};
  const source = (name: string, chunks: AsyncIterable<Buffer>, sha256?: string) => ({
    ...{ name, chunks, sha256 },
    refuse: (why: string) =>
      new ChangedFileError(
        `${name} is not as eventload wrote it: ${why}. Put back what eventload wrote, then resume.`,
      ),
  });
  const before =
    account === undefined ? [] : [source(results, disk.readChunks(results), account.sha256)];
  return [...before, source(journal, linesInOrder(columns, journalLines(disk, journal)))];
}

/** Refuses to replace what somebody made or edited since the part began: moved away, it is in nobody's way. */
async function refuseChanged({ disk, files, part, toContinue }: Ending): Promise<void> {
  const { account, failedRows } = part?.run ?? {};
  // The results of an account have been read and checked by the render.
  const isMade = account === undefined && (await disk.length(files.results)) !== undefined;
  const failed = await fingerprintOn(disk, files.failed);
  const isEdited = failed !== undefined && failed.sha256 !== failedRows;
  if (!isMade && !isEdited) return;
  const path = isMade ? files.results : files.failed;
  throw new ChangedFileError(
    `${path} was changed during the run: move it away, then ${toContinue}.`,
  );
}

/** Whether fold, render and manifest say the same: rows, and lines by all that they are counted by. */
function isReconciled(
  { before, run, record }: PartOfAccount,
  { rows, tallies }: MergedResults,
  { parts }: Manifest,
): boolean {
  const { tally, allLines } = record;
  const own = parts.filter(({ part }) => part === run.part);
  const areTold = outcomeStatuses.every(
    (status) => sum(own.map(({ counts }) => counts[status] ?? 0)) === tally.counts[status],
  );
  const areRendered =
    rows === (before?.reconciliation.rows_written ?? record.rows.count) &&
    isDeepStrictEqual(tallies.at(-1), allLines);
  return areRendered && areTold && sum(own.map((one) => one.rows)) === record.rows.count;
}

/** What was read, what is on record and what was written differ, so none of it can be relied on. */
export class NotReconciledError extends Error {
  readonly reason: StopReason;

  /** @param what differs, as the beginning of a sentence */
  constructor(what: string) {
    const message = `${what}: do not rely on this run. If nobody has edited its files, this is a bug in eventload.`;
    super(message);
    this.reason = { code: "not_reconciled", message };
  }
}
