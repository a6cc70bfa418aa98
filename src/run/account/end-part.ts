import type { RunIdentity } from "../../journal/run-identity.ts";
import { isRewritten } from "../../lint/alteration.ts";
import { stopForDisk } from "../../model/errors.ts";
import { type Manifest, nightSchema } from "../../model/manifest.ts";
import type { StatusCounts } from "../../model/outcome.ts";
import type { LimitedBy } from "../../model/sending-state.ts";
import type { StopController, StopReason } from "../../model/stop.ts";
import { readManifest, writeManifest } from "../../results/manifest.ts";
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
import { hasReachedSomebody } from "./read-account.ts";
import { NotReconciledError, renderAccount } from "./render-account.ts";

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
  const { context, identity, before, opened, endedBy, rows, rowsRead, night, state } = ended;
  const { journal, record, add, startedMs } = opened;
  const { files, settings, ports, unfinished } = context;
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
    await withdraw(context, opened, state).catch(requestStop);
    return { ...reasonOfEnd(ended, stop), ...figuresOf(ended) };
  }

  const { count: settled } = record.rows;
  const isWhole = settled === rowsRead && (endedBy !== undefined || rows === rowsRead);
  if (!stop.signal.aborted && !isWhole) {
    const what = `${rows} rows were read and ${settled} have their outcome in ${files.journal}`;
    stop.abort(new NotReconciledError(what).reason);
  }
  const recordStop = () => {
    const atMs = Math.max(0, Math.round(settings.clock.now() - startedMs));
    const { exitReason } = reasonOfEnd(ended, stop);
    add({ kind: "stop", atMs, finishedAt: finishedAt.toISOString(), exitReason });
  };
  if (!stop.signal.aborted) {
    recordStop();
    const summary = await complete().catch(requestStop);
    if (summary !== undefined) return summary;
  }
  if (record.end === undefined) recordStop();
  await journal.close();
  const left = await manifestOf(ended, stop, finishedAt, undefined);
  const hasManifest =
    standing !== "taken_over" && (await leaveManifest(ended, left).catch(requestStop)) === true;
  return {
    ...reasonOfEnd(ended, stop),
    ...figuresOf(ended),
    isOver: false,
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };

  async function complete(): Promise<RunSummary> {
    let needsWorkbook = isWorkbook.test(identity.imported.input.name);
    const { manifest, problems } = await renderAccount({
      ...{ disk: ports.disk, files, journal },
      part: { before, run: identity, record },
      toContinue: night === undefined ? "resume" : "give the same command again",
      warn: (message) => settings.onNotice({ kind: "warning", message }),
      onOpen(line) {
        needsWorkbook ||= line.inputCells().some(isRewritten);
      },
      toManifest: (own) => manifestOf(ended, stop, finishedAt, own),
      renderState: state && (() => state.renderTo(nightsAfter(state, false))),
    });
    const account = await summaryOfAccount(files, manifest);
    return { ...account, ...partOf(ended), ...problems, needsWorkbook, wasComplete: false };
  }
}

const isWorkbook = /\.(xls[xm]|ods)$/i;

/** Takes back a part that has reached nobody: the account is what it was before. */
export async function withdraw(
  { files, ports, account }: RunContext,
  { journal }: OpenRun,
  state: StateFile | undefined,
): Promise<void> {
  if (account === undefined) await ports.disk.remove(files.manifest);
  else await writeManifest(files.manifest, account, ports.disk);
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
