import { stopForDisk } from "../../model/errors.ts";
import { type Manifest, nightSchema } from "../../model/manifest.ts";
import type { StatusCounts } from "../../model/outcome.ts";
import type { RunSummary } from "../../model/run-events.ts";
import type { LimitedBy } from "../../model/sending-state.ts";
import type { StopReason } from "../../model/stop.ts";
import { readManifest, writeManifest } from "../../results/manifest.ts";
import type { OpenRun } from "../send/open-run.ts";
import { readPartRecord } from "../send/part-record.ts";
import type { RunContext } from "../send/run-context.ts";
import type { Night } from "../state/night.ts";
import { nightsAfter, type StateFile } from "../state/state-file.ts";
import { attemptsSoFar, manifestWith, sealedManifest, type Totals } from "./account-manifest.ts";
import { completePart, NotReconciledError } from "./complete-part.ts";
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
export async function endPart(ended: EndedPart): Promise<RunSummary> {
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
    const figures = await figuresOfStopped(ended, elapsedMs);
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
    const account = await completeAccount(ended).catch(requestStop);
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
    ...(await figuresOfStopped(stopped ?? ended, elapsedMs)),
    isOver: false,
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };
}

function completeAccount(ended: EndedPart): Promise<RunSummary> {
  const { context, opened, night, state } = ended;
  const { files, ports, settings } = context;
  return completePart({
    ...{ disk: ports.disk, files, journal: opened.journal, part: opened },
    toContinue: night === undefined ? "resume" : "give the same command again",
    warn: (message) => settings.onNotice({ kind: "warning", message }),
    toManifest: (own) => manifestOfEnded(ended, own),
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
  await writeManifest(files.manifest, await manifestOfEnded(stopped, undefined), ports.disk);
  return true;
}

/** What the part did, whatever the rest of its account is. */
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
async function figuresOfStopped(ended: EndedPart, elapsedMs: number) {
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
async function manifestOfEnded(ended: EndedPart, own: Totals | undefined): Promise<Manifest> {
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
