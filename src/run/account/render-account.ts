import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import type { Journal } from "../../journal/journal.ts";
import { readJournal } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { ChangedFileError } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { outcomeStatuses } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint, LineRecord } from "../../model/run-record.ts";
import type { StopReason } from "../../model/stop.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { type MergedResults, type MergeSource, mergeResults } from "../../results/merge-results.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { columnOfMember } from "../options/column-of-member.ts";
import type { RecordedPart, Totals } from "./account-manifest.ts";
import { finishAccount } from "./complete-account.ts";

/** A part that has its last line, and what its end needs. */
export interface PartToRender {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly journal: Journal;
  readonly part: RecordedPart;
  /** What to do when a file is in the way, as the end of a sentence. */
  readonly toContinue: string;
  readonly warn: (message: string) => void;
  /** Of a night, or a retry of one: writes what the service has by now beside its state. */
  readonly renderState?: (() => Promise<Fingerprint>) | undefined;
  /** Sees each line that did not succeed. */
  readonly onOpen?: (line: ResultsReader) => void;
  /** @param own what the lines of the account add up to */
  toManifest(own: Totals): Promise<Manifest>;
}

/**
 * The end of a part: the account is rendered from what it was and the journal, and the new files get their places.
 *
 * @returns its manifest, and what did not succeed
 * @throws NotReconciledError, DiskError, or CannotStartError: then nothing has its place that is not on record
 */
export async function renderAccount(ended: PartToRender) {
  const { disk, files, journal, part, warn, onOpen, renderState } = ended;
  const { mapping } = part.run.imported;
  const columnOf = (columns: readonly string[]) => columnOfMember(mapping, columns);
  const merged = await mergeResults(disk, files, sourcesOf(ended), columnOf, true, onOpen);
  await refuseChanged(ended);
  const manifest = await ended.toManifest(merged);
  if (!isReconciled(part, merged, manifest)) {
    throw new NotReconciledError(`The counts of journal, ${files.results} and manifest differ`);
  }
  const state = await renderState?.();
  const end = { manifest, ...(state === undefined ? {} : { state }) };
  await finishAccount(disk, files, journal, end, warn);
  return { manifest, problems: merged.problems };
}

/** The lines of a journal, of some of its rows or of all, in the order in which they were written. */
export async function* linesOf(
  disk: Pick<Disk, "readChunks" | "namesBeside">,
  journal: string,
  isOf: (rowOfRun: number) => boolean = () => true,
): AsyncGenerator<LineRecord> {
  for await (const { records } of readJournal(disk, journal, "line")) {
    for (const one of records) if (one.kind === "line" && isOf(one.rowOfRun)) yield one;
  }
}

/** What the account was, if there was one, and the lines of the part, which take the place of their rows. */
function sourcesOf({ disk, files, part }: PartToRender): MergeSource[] {
  const { results, journal } = files;
  const { account, columns } = part.run;
  const lines = linesInOrder(columns, linesOf(disk, journal));
  const all: MergeSource[] = [];
  if (account !== undefined) {
    const { sha256 } = account;
    all.push({
      name: results,
      chunks: disk.readChunks(results),
      sha256,
      refuse: refuseOf(results),
    });
  }
  return [...all, { name: journal, chunks: lines, refuse: refuseOf(journal) }];
}

const refuseOf = (path: string) => (why: string) =>
  new ChangedFileError(
    `${path} is not as eventload wrote it: ${why}. Put back what eventload wrote, then resume.`,
  );

/** Refuses to replace what somebody made or edited since the part began: moved away, it is in nobody's way. */
async function refuseChanged({ disk, files, part, toContinue }: PartToRender): Promise<void> {
  const { account, failedRows } = part.run;
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
  { before, run, record }: RecordedPart,
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
