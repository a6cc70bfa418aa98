import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import { readJournal } from "../../journal/read-journal.ts";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { isRewritten } from "../../lint/alteration.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { ChangedFileError, DiskError, stopForDisk } from "../../model/errors.ts";
import { type Manifest, nightSchema } from "../../model/manifest.ts";
import type { StatusCounts } from "../../model/outcome.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { LineRecord } from "../../model/run-record.ts";
import type { LimitedBy } from "../../model/sending-state.ts";
import type { StopController, StopReason } from "../../model/stop.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { readManifest, writeManifest } from "../../results/manifest.ts";
import { type MergedResults, mergeResults } from "../../results/merge-results.ts";
import { groupOpenLines } from "../../results/open-lines.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { RunContext } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import type { OpenRun } from "../send/open-run.ts";
import type { Night } from "../state/night.ts";
import { nightsAfter, type StateFile } from "../state/state-file.ts";
import {
  manifestWith,
  type RecordedPart,
  sealedManifest,
  summaryOfAccount,
  type Totals,
} from "./account-manifest.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { hasReachedSomebody } from "./read-account.ts";

/** A part of which every row that was read has ended, or will not in this process. */
export interface EndedPart {
  readonly context: RunContext;
  readonly identity: RunIdentity;
  readonly opened: OpenRun;
  /** What the account was before the part; undefined in the first part. */
  readonly before: Manifest | undefined;
  /** Rows of the part that were read, and all of them as far as they are known. */
  readonly rowsRead: number;
  readonly rows: number;
  readonly limitedBy: LimitedBy | undefined;
  /** Why the part is over although its input was not read to its end, or is another now; all that was read has its outcome. */
  readonly endedBy: StopReason | undefined;
  readonly night: Night | undefined;
  /** Of a night, or a retry of one. */
  readonly state: StateFile | undefined;
  readonly elapsedMs: number;
}

/**
 * Ends a part: renders the account from what it was and the journal, and puts the new files in their places. If the
 * part stopped, it leaves what a resume needs.
 */
export async function endPart(ended: EndedPart, stop: StopController): Promise<RunSummary> {
  const { context, opened, endedBy, rows, rowsRead, night, state } = ended;
  const { journal, record, add, startedMs } = opened;
  const { files, settings, ports, unfinished } = context;
  const requestStop = (error: unknown) => stop.abort(stopForDisk(error));
  const finishedAt = settings.clock.date();

  const standing = await journal.standing();
  const isStopped = stop.signal.aborted || endedBy !== undefined;
  // A wait that the service asked for is known to the next process from the journal alone.
  const isAskedToWait = (record.waitUntil ?? 0) > finishedAt.getTime();
  const isWithdrawn =
    unfinished === undefined && standing === "ours" && isStopped && !isAskedToWait;
  if (isWithdrawn && !hasReachedSomebody(record)) {
    await withdraw(context, opened, state).catch(requestStop);
    return { ...reasonOfEnd(ended, stop), ...figuresOf(ended) };
  }

  const isReconciled = record.rows.count === rowsRead;
  if (!stop.signal.aborted && !(isReconciled && (endedBy !== undefined || rows === rowsRead))) {
    stop.abort(notReconciled(rows, record.rows.count, files.journal));
  }
  const recordStop = () => {
    const atMs = Math.max(0, Math.round(settings.clock.now() - startedMs));
    const { exitReason } = reasonOfEnd(ended, stop);
    add({ kind: "stop", atMs, finishedAt: finishedAt.toISOString(), exitReason });
  };
  if (!stop.signal.aborted) {
    recordStop();
    const summary = await complete(ended, stop, finishedAt).catch((error: unknown) => {
      requestStop(error);
      return undefined;
    });
    if (summary !== undefined) return summary;
  }
  if (record.end === undefined) recordStop();
  await journal.close();
  const left = await manifestOf(ended, stop, finishedAt, undefined);
  const hasManifest =
    standing !== "taken_over" &&
    (await leaveManifest(ended, left).catch((error: unknown) => {
      requestStop(error);
      return false;
    }));
  return {
    ...reasonOfEnd(ended, stop),
    ...figuresOf(ended),
    isOver: false,
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };

  async function complete(part: EndedPart, by: StopController, at: Date) {
    const open = groupOpenLines();
    let needsWorkbook = isWorkbook.test(part.identity.imported.input.name);
    const see = (line: ResultsReader) => {
      open.see(line);
      needsWorkbook ||= line.inputCells().some(isRewritten);
    };
    const then = night === undefined ? "resume" : "give the same command again";
    const merged = await renderPart(ports.disk, files, part.identity, then, see);
    if (!addsUp(part, merged)) {
      by.abort(notReconciled(rowsRead, merged.rows, files.results));
      return undefined;
    }
    const own = { ...merged, superseded: open.superseded };
    const manifest = await manifestOf(part, by, at, own);
    const newState = state && (await state.renderTo(nightsAfter(state, false), night?.mayChange));
    const end = { manifest, ...(newState === undefined ? {} : { state: newState }) };
    if (!(await journal.end(end))) throw new DiskError(`${journal.path} cannot be written`);
    await completeAccount(ports.disk, files, end);
    await journal.release();
    await removePart(ports.disk, files, (message) =>
      settings.onNotice({ kind: "warning", message }),
    );
    const account = await summaryOfAccount(files, manifest);
    const problems = open.problems();
    return { ...account, ...partOf(part), ...problems, needsWorkbook, wasComplete: false };
  }
}

const isWorkbook = /\.(xls[xm]|ods)$/i;

function notReconciled(read: number, written: number, file: string): StopReason {
  return {
    code: "not_reconciled",
    message: `${read} rows were read and ${written} have their outcome in ${file}: do not rely on this run. If nobody has edited its files, this is a bug in eventload.`,
  };
}

/** Takes back a part that has reached nobody: the account is what it was before. */
export async function withdraw(
  { files, ports }: RunContext,
  { journal, manifestBefore }: OpenRun,
  state: StateFile | undefined,
): Promise<void> {
  if (manifestBefore === undefined) await ports.disk.remove(files.manifest);
  else await writeManifest(files.manifest, manifestBefore, ports.disk);
  await state?.cut();
  await journal.discard();
}

/** Writes the manifest of a part that stopped. @returns false if another process has the part, or has completed it */
async function leaveManifest(
  { context, identity }: EndedPart,
  manifest: Manifest,
): Promise<boolean> {
  const { files, ports } = context;
  const read = await readManifest(files.manifest, ports.disk);
  const own = identity.parts.at(-1)?.startedAt;
  const last = read.kind === "manifest" ? read.manifest.parts.at(-1) : undefined;
  if (last !== undefined && (last.is_over || last.started_at !== own)) return false;
  await writeManifest(files.manifest, manifest, ports.disk);
  return true;
}

/** The lines of a journal, in the order in which they were written. */
export async function* linesOf(
  disk: Pick<Disk, "readChunks" | "namesBeside">,
  journal: string,
): AsyncGenerator<LineRecord> {
  for await (const { records } of readJournal(disk, journal)) {
    for (const record of records) if (record.kind === "line") yield record;
  }
}

/**
 * The lines of the account with those of the part in the place of their rows: new results and failed rows.
 *
 * @param then what to do when a file is in the way
 * @param closing the last lines of a part that is closed
 */
export async function renderPart(
  disk: Disk,
  files: RunFiles,
  run: RunIdentity,
  then: string,
  onOpen: Parameters<typeof mergeResults>[4],
  closing?: readonly LineRecord[],
): Promise<MergedResults> {
  const { account: before, columns } = run;
  const refuseOf = (path: string) => (why: string) =>
    new ChangedFileError(
      `${path} is not as eventload wrote it: ${why}. Put back what eventload wrote, then resume.`,
    );
  const { results, journal } = files;
  const written = linesOf(disk, journal);
  const lines = linesInOrder(toCsv([columns]), written, closing);
  const sources = [
    ...(before === undefined
      ? []
      : [
          {
            name: results,
            chunks: disk.readChunks(results),
            sha256: before.sha256,
            refuse: refuseOf(results),
          },
        ]),
    { name: journal, chunks: lines, refuse: refuseOf(journal) },
  ];
  const merged = await mergeResults(disk, files, sources, true, onOpen);
  await refuseChanged(disk, files, run, then);
  return merged;
}

/** Refuses to replace what somebody made or edited since the part began: moved away, it is in nobody's way. */
async function refuseChanged(
  disk: Disk,
  files: RunFiles,
  { account, failedRows }: RunIdentity,
  then: string,
): Promise<void> {
  // The results of an account have been read and checked by the render.
  const isMade = account === undefined && (await disk.length(files.results)) !== undefined;
  const failed = await fingerprintOn(disk, files.failed);
  const isEdited = failed !== undefined && failed.sha256 !== failedRows;
  if (!isMade && !isEdited) return;
  const path = isMade ? files.results : files.failed;
  throw new DiskError(`${path} was changed during the run: move it away, then ${then}.`);
}

/** Whether the new results have what is on record of the part, and each row of the account. */
function addsUp({ context, opened }: EndedPart, { rows, tally }: MergedResults): boolean {
  const { account, kind } = context;
  const { record } = opened;
  if (kind === "retry" && account !== undefined) {
    return rows === account.reconciliation.rows_written;
  }
  if (rows !== record.rows.count) return false;
  const { keptLines, tally: own } = record;
  return keptLines === 0 ? isDeepStrictEqual(tally, own) : tally.lines === own.lines + keptLines;
}

/** What this part did, whatever the rest of its account is. */
function partOf({ context, rows, opened, elapsedMs, identity, night, limitedBy }: EndedPart) {
  const { record } = opened;
  const counts: StatusCounts = { ...record.tally.counts, not_sent: rows - record.rows.count };
  return {
    elapsedMs,
    delivery: context.settings.delivery,
    part: { number: identity.part, rows, counts },
    ...(night === undefined
      ? {}
      : { differences: night.differences(), unchangedRows: night.unchangedRows }),
    ...(limitedBy === undefined ? {} : { limitedBy }),
  };
}

/** The figures of a part that stopped, as far as it has come. */
function figuresOf(ended: EndedPart) {
  const { record } = ended.opened;
  const { events, attempts, unanswered, perhapsTwice } = record.tallyWithOpen();
  const part = partOf(ended);
  return {
    rows: ended.rows,
    events,
    counts: part.part.counts,
    attempts,
    unanswered,
    perhapsTwice,
    ...part,
    sending: summarizeFigures(record.meter.figures()),
    problems: record.problems.groups(),
    ungroupedProblems: record.problems.ungrouped,
  };
}

/** Why the run ended, with what to do now. */
function reasonOfEnd(
  { endedBy }: Pick<EndedPart, "endedBy">,
  { signal: { reason } }: StopController,
): Pick<RunSummary, "exitReason" | "message"> {
  const why = reason ?? endedBy;
  if (why === undefined) return { exitReason: "complete" };
  return { exitReason: why.code, message: why.message };
}

/** @param own what the new results add up to; undefined if the part stopped */
async function manifestOf(
  ended: EndedPart,
  stop: StopController,
  finishedAt: Date,
  own: Totals | undefined,
): Promise<Manifest> {
  const { context, opened, before, rows, elapsedMs, identity: run, night } = ended;
  const { files, settings } = context;
  const { exitReason, message = null } = reasonOfEnd(ended, stop);
  const part: RecordedPart = { before, run, record: opened.record };
  const end = {
    journal: opened.journal.number,
    exit_reason: exitReason,
    message,
    finished_at: finishedAt.toISOString(),
    elapsed_ms: Math.round(elapsedMs),
  };
  const { count: settled } = opened.record.rows;
  const totals = own && run.kind === "import" ? { ...own, rows, settled } : own;
  const manifest = {
    ...manifestWith(files, part, end, totals),
    ...(night === undefined ? {} : keysOfNight(night)),
  };
  return sealedManifest(files.manifest, manifest, true, settings.stateFolder);
}

function keysOfNight({ unchangedRows, differences }: Night) {
  const { changedBy: changed_by, ...found } = differences();
  return { unchanged_rows: unchangedRows, night: nightSchema.parse({ ...found, changed_by }) };
}
