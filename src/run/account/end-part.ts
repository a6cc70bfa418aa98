import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import type { Journal } from "../../journal/journal.ts";
import { linesOf } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { ChangedFileError, DiskError, stopForDisk } from "../../model/errors.ts";
import { type Manifest, nightSchema } from "../../model/manifest.ts";
import { outcomeStatuses, type StatusCounts } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { Fingerprint } from "../../model/run-record.ts";
import type { LimitedBy } from "../../model/sending-state.ts";
import type { StopReason } from "../../model/stop.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { readManifest, writeManifest } from "../../results/manifest.ts";
import { type MergedResults, type MergeSource, mergeResults } from "../../results/merge-results.ts";
import { columnOfMember } from "../send/column-of-member.ts";
import type { OpenRun } from "../send/open-run.ts";
import { readPartRecord } from "../send/part-record.ts";
import type { RunContext } from "../send/run-context.ts";
import type { Night } from "../state/night.ts";
import { nightsAfter, type StateFile } from "../state/state-file.ts";
import {
  attemptsSoFar,
  manifestWith,
  type PartOfAccount,
  sealedManifest,
  summaryOfAccount,
  type Totals,
} from "./account-manifest.ts";
import { placeFiles, removePart } from "./place-files.ts";
import { hasReachedSomebody } from "./read-account.ts";

/** A part of which every row that was read has ended, or will not in this process. */
export interface EndedPart {
  readonly context: RunContext;
  readonly opened: OpenRun;
  /** Of a night, or a retry of one. */
  readonly state?: StateFile | undefined;
  readonly night?: Night | undefined;
  /** By the clock of the run. */
  readonly beganMs: number;
  /** Rows of the part that were read, and all of them as far as they are known. */
  readonly rowsRead: number;
  readonly rows: number;
  readonly limitedBy?: LimitedBy | undefined;
  /** Why the part is over although its input was not read to its end, or is another now; all that was read has its outcome. */
  readonly endedBy?: StopReason | undefined;
}

/**
 * Ends a part: renders the account from what it was and the journal, and puts the new files in their places. If the
 * part stopped, it leaves what a resume needs.
 */
export async function leavePart(ended: EndedPart): Promise<RunSummary> {
  const { context, opened, endedBy, rows, rowsRead, state } = ended;
  const { run, journal, record, add, startedMs } = opened;
  const { files, settings, ports, unfinished, stop } = context;
  const elapsedMs = settings.clock.now() - ended.beganMs;
  const requestStop = (error: unknown): undefined => {
    stop.abort(error instanceof NotReconciledError ? error.reason : stopForDisk(error));
  };
  const finishedAt = settings.clock.date();

  const standing = await journal.standing();
  const isStopped = stop.signal.aborted || endedBy !== undefined;
  // A wait that the service asked for is known to the next process from the journal alone.
  const isAskedToWait = (record.waitUntil ?? 0) > finishedAt.getTime();
  const isWithdrawn =
    unfinished === undefined && standing === "ours" && isStopped && !isAskedToWait;
  if (isWithdrawn && !hasReachedSomebody(record)) {
    const figures = await figuresOf(ended, elapsedMs);
    await withdraw(context, opened, state).catch(requestStop);
    return { ...reasonOfEnd(ended), ...figures };
  }

  const { count: settled } = record.rows;
  const isWhole = settled === rowsRead && (endedBy !== undefined || rows === rowsRead);
  if (!stop.signal.aborted && !isWhole) {
    const what = `${rows} rows were read and ${settled} have their outcome in ${files.journal}`;
    stop.abort(new NotReconciledError(what).reason);
  }
  const recordStop = () => {
    const atMs = Math.max(0, Math.round(settings.clock.now() - startedMs));
    const { exitReason } = reasonOfEnd(ended);
    add({ kind: "stop", atMs, finishedAt: finishedAt.toISOString(), exitReason });
  };
  if (!stop.signal.aborted) {
    recordStop();
    const account = await complete(ended).catch(requestStop);
    if (account !== undefined) return { ...account, ...partOf(ended, elapsedMs) };
  }
  if (record.end === undefined) recordStop();
  // Another process may have completed the part.
  const length = await ports.disk.length(files.results).catch(() => null);
  await journal.close(length === run.account?.bytes);
  const stopped = journal.hasFailed ? await asOnDisk(ended) : ended;
  const hasManifest =
    standing !== "taken_over" &&
    stopped !== undefined &&
    (await leaveManifest(stopped).catch(requestStop)) === true;
  return {
    ...reasonOfEnd(ended),
    ...(await figuresOf(stopped ?? ended, elapsedMs)),
    isOver: false,
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };
}

function complete(ended: EndedPart): Promise<RunSummary> {
  const { context, opened, night, state } = ended;
  const { files, ports, settings } = context;
  return endPart({
    ...{ disk: ports.disk, files, journal: opened.journal, part: opened },
    toContinue: night === undefined ? "resume" : "give the same command again",
    warn: (message) => settings.onNotice({ kind: "warning", message }),
    toManifest: (own) => manifestOf(ended, own),
    beforeEnd: state && (() => state.renderTo(nightsAfter(state, false), night?.mayChange)),
  });
}

/** Takes back a part that has reached nobody: the account is what it was before. */
async function withdraw(
  { files, ports }: RunContext,
  { journal, manifestBefore }: OpenRun,
  state: StateFile | undefined,
): Promise<void> {
  if (manifestBefore === undefined) await ports.disk.remove(files.manifest);
  else await writeManifest(files.manifest, manifestBefore, ports.disk);
  await state?.cut();
  await journal.discard();
}

/** A part as its journal has it, which lacks what could not be written; undefined if that cannot be read. */
async function asOnDisk(ended: EndedPart): Promise<EndedPart | undefined> {
  const { context, opened } = ended;
  const { disk } = context.ports;
  const read = await readPartRecord(disk, context.files.journal).catch(() => undefined);
  read?.record.lose();
  return read && { ...ended, opened: { ...opened, record: read.record } };
}

/** Writes the manifest of a part that stopped. @returns false if another process has the part, or has completed it */
async function leaveManifest(stopped: EndedPart): Promise<boolean> {
  const { context, opened } = stopped;
  const { files, ports } = context;
  const read = await readManifest(files.manifest, ports.disk);
  const own = opened.run.parts.at(-1)?.startedAt;
  const last = read.kind === "manifest" ? read.manifest.parts.at(-1) : undefined;
  if (last !== undefined && (last.is_over || last.started_at !== own)) return false;
  await writeManifest(files.manifest, await manifestOf(stopped, undefined), ports.disk);
  return true;
}

/** What this part did, whatever the rest of its account is. */
function partOf({ context, rows, opened, night, limitedBy }: EndedPart, elapsedMs: number) {
  const { record, run } = opened;
  const counts: StatusCounts = { ...record.tally.counts, not_sent: rows - record.rows.count };
  return {
    elapsedMs,
    delivery: context.settings.delivery,
    part: { number: run.part, rows, counts },
    ...(night === undefined
      ? {}
      : { differences: night.differences(), unchangedRows: night.unchangedRows }),
    ...(limitedBy === undefined ? {} : { limitedBy }),
  };
}

/** The figures of a part that stopped, as far as it has come: its rows and lines, and the attempts of all parts. */
async function figuresOf(ended: EndedPart, elapsedMs: number) {
  const { context, opened } = ended;
  const { record } = opened;
  const part = partOf(ended, elapsedMs);
  return {
    rows: ended.rows,
    events: record.tally.events,
    counts: part.part.counts,
    ...(await attemptsSoFar(context.ports.disk, context.files, opened)),
    ...part,
    problems: record.problems.groups(),
    ungroupedProblems: record.problems.ungrouped,
  };
}

/** Why the run ended. One that is interrupted once all has its outcome ends as if it were not. */
function reasonOfEnd(
  { endedBy, context }: EndedPart,
  isWhole = false,
): Pick<RunSummary, "exitReason" | "message"> {
  const why = isWhole ? endedBy : (context.stop.signal.reason ?? endedBy);
  if (why === undefined) return { exitReason: "complete" };
  return { exitReason: why.code, message: why.message };
}

/** @param own what the new results add up to; undefined if the part stopped */
async function manifestOf(ended: EndedPart, own: Totals | undefined): Promise<Manifest> {
  const { context, opened, rows, night } = ended;
  const { run, record, journal } = opened;
  const { files, settings } = context;
  const { exitReason: exit_reason, message = null } = reasonOfEnd(ended, own !== undefined);
  const { changedBy: changed_by, ...found } = night?.differences() ?? {};
  const ofNight = night && {
    unchanged_rows: night.unchangedRows,
    night: nightSchema.parse({ ...found, changed_by }),
  };
  const by = { journal: journal.number, exit_reason, message, ...ofNight };
  const { count: settled } = record.rows;
  const totals = own && run.kind === "import" ? { ...own, rows, settled } : own;
  const manifest = manifestWith(files, opened, by, totals);
  return sealedManifest(files.manifest, manifest, true, settings.stateFolder);
}

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
 * The end of a part, whoever comes to it: results and failed rows are rendered from what the account was and the journal,
 * counts are compared, and the end is put on record. From then on, the next process does what is left: the new files
 * get their places, and what only an unfinished part has goes.
 *
 * @returns the summary of the account
 * @throws NotReconciledError, DiskError, or CannotStartError: then nothing has its place that is not on record
 */
export async function endPart(ending: Ending): Promise<RunSummary> {
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
  return [...before, source(journal, linesInOrder(columns, linesOf(disk, journal)))];
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
