import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { ChangedFileError, DiskError, stopForDisk } from "../../model/errors.ts";
import type { Manifest, ManifestPart } from "../../model/manifest.ts";
import type { StatusCounts } from "../../model/outcome.ts";
import { packageVersion } from "../../model/package-files.ts";
import { settingsKeptAs } from "../../model/run-settings.ts";
import type { StopController, StopReason } from "../../model/stop.ts";
import { hasLostPart } from "../../report/reported-run.ts";
import { writeManifest } from "../../results/manifest.ts";
import { type MergedResults, mergeResults } from "../../results/merge-results.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import type { RunContext } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { readSealedManifest } from "../options/seal.ts";
import { groupOpenLines } from "../send/open-lines.ts";
import type { OpenRun } from "../send/open-run.ts";
import type { SentRows } from "../send/send-rows.ts";
import type { Night } from "../state/night.ts";
import {
  partsSoFar,
  sealedManifest,
  summaryOfAccount,
  type Totals,
  totalsOf,
} from "./account-manifest.ts";
import { completeAccount, removePart } from "./complete-account.ts";

/** A part of which every row that was read has ended, or will not in this process. */
export interface EndedPart {
  readonly context: RunContext;
  readonly identity: RunIdentity;
  readonly opened: OpenRun;
  readonly sent: SentRows;
  /** Why the part is over although its input was not read to its end, or is another now; all that was read has its outcome. */
  readonly endedBy: StopReason | undefined;
  /** Rows of the part, as far as they are known. */
  readonly rows: number;
  readonly night: Night | undefined;
  readonly elapsedMs: number;
}

/**
 * Ends a part: merges its lines into the account, puts the new files in their places, and writes the manifest. If the
 * part stopped, it leaves what a resume needs.
 */
export async function endPart(ended: EndedPart, stop: StopController): Promise<RunSummary> {
  const { context, opened, endedBy, rows, sent, night } = ended;
  const { results, journal } = opened;
  const { files, settings, ports } = context;
  const requestStop = (error: unknown) => stop.abort(stopForDisk(error));
  const finishedAt = settings.clock.date();

  const ownership = await journal.ownership();
  await results.flush();
  const isOurs = ownership === "ours";
  // A wait that the service asked for is known to the next process from the journal alone.
  const isAskedToWait = (journal.askedToWaitUntil ?? 0) > finishedAt.getTime();
  const isStopped = stop.signal.aborted || endedBy !== undefined;
  if (isOurs && isStopped && hasReachedNobody(ended) && !isAskedToWait) {
    await results.discard().catch(requestStop);
    await journal.remove().catch(requestStop);
    return { ...reasonOfEnd(ended, stop), ...figuresOf(ended, false) };
  }

  const written = await results.snapshot().catch(requestStop);
  const isReconciled = written?.rows === sent.rowsRead && results.rowsSettled === written.rows;
  const lacksRows = endedBy !== undefined;
  if (!stop.signal.aborted && !(isReconciled && (lacksRows || rows === sent.rowsRead))) {
    stop.abort(notReconciled(rows, written?.rows ?? 0, files.part));
  }
  const open = groupOpenLines();
  const merged = stop.signal.aborted
    ? undefined
    : await mergePart(ended, open.see).catch(requestStop);
  if (merged !== undefined && !addsUp(ended, merged)) {
    stop.abort(notReconciled(sent.rowsRead, merged.rows, files.results));
  }
  if (!stop.signal.aborted) await night?.end().catch(requestStop);
  if (merged !== undefined && !stop.signal.aborted) {
    const manifest = await manifestOf(ended, stop, finishedAt, {
      ...merged,
      superseded: open.superseded,
    });
    const end = { from: basename(merged.path), manifest };
    const warn = (message: string) => settings.onNotice({ kind: "warning", message });
    let isRecorded = false;
    try {
      isRecorded = await journal.end(end);
      if (!isRecorded) throw new DiskError(`${files.journal} cannot be written`);
      await results.close();
      await completeAccount(ports.disk, files, end);
      await removePart(ports.disk, files, journal.remove, warn);
      await journal.release();
      const account = await summaryOfAccount(files, manifest);
      const own = partOf(ended, opened.results.tally.counts);
      return { ...account, ...own, ...open.problems(), wasComplete: false };
    } catch (error) {
      requestStop(error);
      await (isRecorded ? journal.release() : journal.close());
    }
  } else await journal.close();
  await results.close();
  // Another process that has taken the run over writes one of its own.
  let hasManifest = isOurs || (ownership === "gone" && written !== undefined);
  const left = await manifestOf(ended, stop, finishedAt, undefined);
  if (hasManifest) {
    await writeManifest(files.manifest, left, ports.disk).catch((error) => {
      hasManifest = false;
      requestStop(error);
    });
  }
  return {
    ...reasonOfEnd(ended, stop),
    ...figuresOf(ended, hasLostPart(left)),
    isOver: false,
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };
}

function notReconciled(read: number, written: number, file: string): StopReason {
  return {
    code: "not_reconciled",
    message: `${read} rows were read and ${written} have their outcome in ${file}: do not rely on this run. If nobody has edited its files, this is a bug in eventload.`,
  };
}

/** Refuses to replace what somebody made or edited since the part began: moved away, it is in nobody's way. */
async function refuseChanged({ context, identity, night }: EndedPart): Promise<void> {
  const { files, ports } = context;
  const { account, failedRows } = identity;
  // The results of an account have been read and checked by the merge.
  const isMade = account === undefined && (await ports.disk.length(files.results)) !== undefined;
  const failed = await fingerprintOn(ports.disk, files.failed);
  const isEdited = failed !== undefined && failed.sha256 !== failedRows;
  if (!isMade && !isEdited) return;
  const path = isMade ? files.results : files.failed;
  const then = night === undefined ? "resume" : "give the same command again";
  throw new DiskError(`${path} was changed during the run: move it away, then ${then}.`);
}

/** The lines of the account with those of the part in the place of their rows. */
async function mergePart(
  ended: EndedPart,
  onOpen: Parameters<typeof mergeResults>[4],
): Promise<MergedResults> {
  const { files, ports } = ended.context;
  const { account: before } = ended.identity;
  const refuseOf = (path: string) => (why: string) =>
    new ChangedFileError(
      `${path} is not as eventload wrote it: ${why}. Put back what eventload wrote, then resume.`,
    );
  const sources = [
    ...(before === undefined ? [] : [{ path: files.results, sha256: before.sha256 }]),
    { path: files.part },
  ].map((source) => ({ ...source, refuse: refuseOf(source.path) }));
  const merged = await mergeResults(ports.disk, files, sources, true, onOpen);
  await refuseChanged(ended);
  return merged;
}

/** Whether each row of the part, and each of the account, is in the merged results. */
function addsUp({ context, sent, opened }: EndedPart, { rows, tally }: MergedResults): boolean {
  const { account, kind } = context;
  if (kind === "retry") return rows === account?.reconciliation.rows_written;
  const { tally: own } = opened.results;
  return rows === sent.rowsRead && tally.lines === own.lines + own.kept;
}

/** What this part did, whatever the rest of its account is. */
function partOf(
  { context, rows, sent, elapsedMs, identity, night }: EndedPart,
  counts: StatusCounts,
) {
  return {
    elapsedMs,
    delivery: context.settings.delivery,
    part: { number: identity.part, rows, counts },
    ...(night === undefined
      ? {}
      : { differences: night.compared(), unchangedRows: night.unchangedRows }),
    ...(sent.limitedBy === undefined ? {} : { limitedBy: sent.limitedBy }),
  };
}

/** The figures of a part that stopped, as far as it has come. @param hasLost whether one before it left none */
function figuresOf(ended: EndedPart, hasLost: boolean) {
  const { opened, rows } = ended;
  const { tally, rowsSettled } = opened.results;
  const { events, attempts, unanswered, perhapsTwice } = tally;
  const counts: StatusCounts = { ...tally.counts, not_sent: rows - rowsSettled };
  return {
    rows,
    events,
    counts,
    attempts,
    unanswered,
    perhapsTwice,
    ...partOf(ended, counts),
    sending: summarizeFigures(opened.meter.figures(), hasLost),
    problems: opened.problems.groups(),
    ungroupedProblems: opened.problems.ungrouped,
  };
}

/** Whether no event has an outcome or may have arrived: the same command can simply be given again. */
function hasReachedNobody({ context, opened }: EndedPart): boolean {
  const { counts, unanswered } = opened.results.tally;
  const { succeeded, rejected, failed, unknown, blocked } = counts;
  const reached = succeeded + rejected + failed + unknown + blocked + unanswered;
  return context.unfinished === undefined && reached === 0;
}

/** Why the run ended, with what to do now. */
function reasonOfEnd(
  { endedBy }: EndedPart,
  { signal: { reason } }: StopController,
): Pick<RunSummary, "exitReason" | "message"> {
  const why = reason ?? endedBy;
  if (why === undefined) return { exitReason: "complete" };
  return { exitReason: why.code, message: why.message };
}

/** @param own what the merged lines add up to; undefined if the part stopped */
async function manifestOf(
  ended: EndedPart,
  stop: StopController,
  finishedAt: Date,
  own: Totals | undefined,
): Promise<Manifest> {
  const { context, opened, rows, elapsedMs, identity, night } = ended;
  const { account, files, settings, kind } = context;
  const { exitReason, message = null } = reasonOfEnd(ended, stop);
  const common = {
    eventload: packageVersion(),
    parts: partsOf(ended, exitReason, own !== undefined, finishedAt),
    exit_reason: exitReason,
    message,
    finished_at: finishedAt.toISOString(),
    figures: opened.meter.figures(),
  };
  const seal = (manifest: Manifest) =>
    sealedManifest(files.manifest, manifest, true, settings.stateFolder);
  if (kind === "retry" && account !== undefined) {
    // Nothing that was not trusted gets a good seal.
    const { mapping, base_url, target = account.target, options } = identity.imported;
    const kept = settingsKeptAs(account.options, "rows");
    const whereItWent = { mapping, base_url, target, options: { ...options, ...kept } };
    const sealedBefore = await readSealedManifest(files.manifest, settings.stateFolder);
    return seal({
      ...account,
      ...(isDeepStrictEqual(sealedBefore, account) ? {} : whereItWent),
      ...common,
      ...(own === undefined ? {} : totalsOf(files, own)),
      elapsed_ms: account.elapsed_ms + Math.round(elapsedMs),
    });
  }
  const { tally, rowsSettled: settled, written } = opened.results;
  const soFar = { tally, rows, settled, written: written.rows };
  return seal({
    version: 2,
    ...identity.imported,
    ...(night === undefined ? {} : { unchanged_rows: night.unchangedRows }),
    ...totalsOf(files, own === undefined ? soFar : { ...own, rows, settled }),
    ...common,
    elapsed_ms: Math.round(elapsedMs),
  });
}

/** What each import, resume and retry did, this one last. */
function partsOf(
  { context, identity, sent }: EndedPart,
  exitReason: RunSummary["exitReason"],
  isOver: boolean,
  finishedAt: Date,
): ManifestPart[] {
  const parts = partsSoFar(context.account?.parts ?? [], identity);
  const own = parts.pop() as ManifestPart;
  const { rowsDone: rows, counts, attempts, unanswered } = sent;
  const did = { finished_at: finishedAt.toISOString(), rows, counts, attempts, unanswered };
  return [...parts, { ...own, ...did, exit_reason: exitReason, is_over: isOver }];
}
