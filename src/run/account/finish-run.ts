import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { RunIdentity } from "../../journal/run-identity.ts";
import { ChangedFileError, DiskError, stopForDisk } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { noCounts, type StatusCounts } from "../../model/outcome.ts";
import type { OutcomeGroups } from "../../model/outcome-groups.ts";
import { packageVersion } from "../../model/package-files.ts";
import type { AccountEnd } from "../../model/run-record.ts";
import { type RunSettings, settingsKeptAs } from "../../model/run-settings.ts";
import type { StopController, StopReason } from "../../model/stop.ts";
import { type Manifest, type ManifestPart, writeManifest } from "../../results/manifest.ts";
import type { MergedResults } from "../../results/merge-results.ts";
import { summarizeFigures } from "../../stats/run-meter.ts";
import { higherLimit } from "../options/max-errors.ts";
import type { RunContext } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { sealOf } from "../options/seal.ts";
import { readEarlierManifest } from "../options/unsealed.ts";
import type { PreparedRun } from "../prepare/prepare-run.ts";
import type { OpenRun } from "../send/open-run.ts";
import type { SentRows } from "../send/send-rows.ts";
import type { Night } from "../state/night.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { fingerprintOn } from "./fingerprint-on.ts";
import { endOf, type MergedFiles, type MergeSource, mergeFiles } from "./merge-files.ts";

/** A part of which every row that was read has ended, or will not in this process. */
export interface EndedPart {
  readonly context: RunContext;
  readonly prepared: PreparedRun;
  readonly identity: RunIdentity;
  readonly opened: OpenRun;
  readonly sent: SentRows;
  /**
   * Why the part is over although its input was not read to its end, or is another now; and what to do, for a
   * person. All that was read has its outcome.
   */
  readonly endedBy: { readonly reason: StopReason; readonly advice: string } | undefined;
  /** Rows of the part, as far as they are known. */
  readonly rows: number;
  readonly night: Night | undefined;
  readonly elapsedMs: number;
}

/**
 * Ends a part: merges its lines into the account, puts the new files in their places, and writes the manifest. If the
 * part stopped, it leaves what a resume needs.
 */
export async function finishRun(ended: EndedPart, stop: StopController): Promise<RunSummary> {
  const { context, opened, endedBy, rows, sent } = ended;
  const { results, journal } = opened;
  const { files, settings, ports, unfinished } = context;
  const requestStop = (error: unknown) => stop.abort(stopForDisk(error));
  const finishedAt = settings.clock.date();

  const ownership = await journal.ownership();
  await results.flush();
  const { tally } = results;
  const counts: StatusCounts = {
    ...tally.counts,
    not_sent: rows - results.rowsSettled,
  };
  const isOurs = ownership === "ours";
  // A wait that the service asked for is known to the next process from the journal alone.
  const isAskedToWait = (journal.askedToWaitUntil ?? 0) > finishedAt.getTime();
  const isWorthAFile =
    unfinished !== undefined || isAskedToWait || !nothingReached(counts, tally.unanswered);
  // Standard input cannot be read again: what was read is all that there will be.
  const isReadOnce = results.rowsSettled === sent.rowsRead && isReadOnceInput(ended);
  const isStopped = stop.signal.aborted || endedBy !== undefined;
  if (isOurs && isStopped && !isWorthAFile) {
    await results.discard().catch(requestStop);
    await ports.disk.remove(files.given).catch(requestStop);
    await journal.remove().catch(requestStop);
    return { ...reasonOfEnd(ended, stop), ...figuresOf(ended, counts) };
  }

  const written = await results.checkpoint().catch(requestStop);
  const isReconciled =
    written !== undefined && written.rows === sent.rowsRead && results.rowsSettled === written.rows;
  const lacksRows = endedBy !== undefined || isReadOnce;
  if (!stop.signal.aborted && !(isReconciled && (lacksRows || rows === sent.rowsRead))) {
    stop.abort(notReconciled(rows, written?.rows ?? 0, files.part));
  }
  const mayEnd = !stop.signal.aborted || (isReadOnce && isReconciled && isOurs);
  const merged = mayEnd ? await mergePart(ended).catch(requestStop) : undefined;
  if (merged !== undefined && !addsUp(ended, merged.merged)) {
    stop.abort(notReconciled(sent.rowsRead, merged.merged.rows, files.results));
  }
  const mayName = () => merged !== undefined && (!stop.signal.aborted || isReadOnce);
  if (mayName()) await ended.night?.end().catch(requestStop);
  const isOver = merged !== undefined && mayName();
  const manifest = await sealed(ended, stop, isOver ? merged.merged : undefined, finishedAt);
  if (isOver) {
    const end: AccountEnd = { ...endOf(files, merged.merged), manifest };
    const warn = (message: string) => settings.onNotice({ kind: "warning", message });
    let isRecorded = false;
    try {
      await keepEdits(ended);
      isRecorded = await journal.end(end);
      if (!isRecorded) throw new DiskError(`${files.journal} cannot be written`);
      await results.close();
      await completeAccount(ports.disk, files, end, false);
      await removePart(ports.disk, files, journal.remove, warn);
      await journal.release();
      return { ...reasonOfEnd(ended, stop), ...summaryOf(ended, manifest, merged.groups) };
    } catch (error) {
      requestStop(error);
      await (isRecorded ? journal.release() : journal.close());
    }
  } else await journal.close();
  await results.close();
  // Another process that has taken the run over writes one of its own.
  let hasManifest = isOurs || (ownership === "gone" && written !== undefined);
  if (hasManifest) {
    const left = await sealed(ended, stop, undefined, finishedAt);
    await writeManifest(files.manifest, left, ports.disk).catch((error) => {
      hasManifest = false;
      requestStop(error);
    });
  }
  return {
    ...reasonOfEnd(ended, stop),
    ...figuresOf(ended, counts),
    isOver: false,
    ...resumeNeeds(ended),
    results: files.results,
    ...(hasManifest ? { manifest: files.manifest } : {}),
  };
}

function isReadOnceInput({ identity }: EndedPart): boolean {
  return (
    identity.input.path === null && identity.inputs === undefined && identity.given === undefined
  );
}

function notReconciled(read: number, written: number, file: string): StopReason {
  return {
    code: "not_reconciled",
    message: `${read} rows were read and ${written} have their outcome in ${file}: this is a bug in eventload; do not rely on this run.`,
  };
}

/** Keeps failed rows under another name that somebody has edited since the retry began. */
async function keepEdits({ context, identity }: EndedPart): Promise<void> {
  const { files, ports, settings, kind } = context;
  const now = kind === "retry" ? await fingerprintOn(ports.disk, files.failed) : undefined;
  if (now === undefined || now.sha256 === identity.failedRows) return;
  const time = settings.clock
    .date()
    .toISOString()
    .replaceAll(/\.\d+|[:-]/g, "");
  const kept = files.failed.replace(/\.csv$/, `.edited-${time}.csv`);
  await ports.disk.rename(files.failed, kept);
  const message = `${files.failed} was edited after its retry began, so the edits are not in the results: they are kept in ${kept}. To send them, type eventload retry ${shellWord(kept)}`;
  settings.onNotice({ kind: "warning", message });
}

/** The lines of the account with those of the part in the place of their rows. */
async function mergePart({ context, identity }: EndedPart): Promise<MergedFiles> {
  const { files, ports } = context;
  for (const path of identity.account === undefined ? [files.results, files.failed] : []) {
    if ((await ports.disk.length(path)) === undefined) continue;
    throw new DiskError(
      `${path} was made by somebody while the run went on: move it away, then resume.`,
    );
  }
  const source = (path: string, sha256?: string): MergeSource => {
    const refuse = (why: string) =>
      new ChangedFileError(`${path} was changed while the run wrote it: ${why}.`);
    return { path, sha256, refuse };
  };
  const before = identity.account;
  const account = before === undefined ? [] : [source(files.results, before.sha256)];
  return mergeFiles(ports.disk, files, [...account, source(files.part)], true);
}

/** Whether each row of the part, and each of the account, is in the merged results. */
function addsUp({ context, sent, opened }: EndedPart, { rows, tally }: MergedResults): boolean {
  const { account, kind } = context;
  if (kind === "retry") return rows === account?.reconciliation.rows_written;
  const { tally: own } = opened.results;
  return rows === sent.rowsRead && tally.lines === own.lines + own.kept;
}

/** The figures of the part, as far as it has come. */
function figuresOf(ended: EndedPart, counts: StatusCounts) {
  const { context, opened, rows, sent, elapsedMs, identity } = ended;
  const { settings } = context;
  const { events, attempts, unanswered, perhapsTwice } = opened.results.tally;
  return {
    ...{ rows, events, counts, attempts, unanswered, perhapsTwice, elapsedMs },
    delivery: settings.delivery,
    ...nightFigures(ended),
    part: { number: identity.part, rows, counts },
    sending: summarizeFigures(opened.meter.figures(), wasKilled(ended)),
    ...(sent.limitedBy === undefined ? {} : { limitedBy: sent.limitedBy }),
    problems: opened.problems.groups(),
    ungroupedProblems: opened.problems.ungrouped,
  };
}

function nightFigures({ night }: EndedPart): Pick<RunSummary, "differences" | "unchangedRows"> {
  if (night === undefined) return {};
  return { differences: night.compared(), unchangedRows: night.unchangedRows };
}

/** Whether a process that sent for this account has left no figures: it was killed, or met a full disk. */
function wasKilled({ context, identity }: EndedPart): boolean {
  const known = context.account?.parts ?? [];
  const isKnown = (startedAt: string) => known.some((one) => one.started_at === startedAt);
  return (
    known.some(({ finished_at: at }) => at === null) ||
    identity.parts.slice(0, -1).some(({ startedAt }) => !isKnown(startedAt))
  );
}

/** The figures of the account, of which the part is a part now. */
function summaryOf(
  ended: EndedPart,
  manifest: Manifest,
  groups: OutcomeGroups,
): Omit<RunSummary, "exitReason" | "message"> {
  const { context, opened, identity, rows } = ended;
  const { files, settings } = context;
  const { kept: _, ...tally } = opened.results.tally;
  return {
    ...figuresOf(ended, { ...noCounts(), ...manifest.counts }),
    rows: manifest.rows,
    events: manifest.events,
    attempts: manifest.attempts,
    unanswered: manifest.unanswered,
    perhapsTwice: manifest.perhaps_twice,
    part: { number: identity.part, rows, counts: tally.counts },
    problems: groups.groups(),
    ungroupedProblems: groups.ungrouped,
    isOver: true,
    results: files.results,
    ...(manifest.failed_rows === null ? {} : { failedRows: files.failed }),
    manifest: files.manifest,
    ...(settings.shard === undefined ? {} : { shard: settings.shard }),
  };
}

/** Whether no event has an outcome or may have arrived: the same command can simply be given again. */
function nothingReached(counts: StatusCounts, unanswered: number): boolean {
  const { succeeded, rejected, failed, unknown, blocked } = counts;
  return succeeded + rejected + failed + unknown + blocked + unanswered === 0;
}

/** Why the run ended, with what to do now. */
function reasonOfEnd(
  ended: EndedPart,
  stop: StopController,
): Pick<RunSummary, "exitReason" | "message"> {
  const { endedBy } = ended;
  const { reason } = stop.signal;
  if (reason?.code === "too_many_errors") {
    return { exitReason: reason.code, message: `${reason.message}${afterErrors(ended)}` };
  }
  if (reason !== undefined) return { exitReason: reason.code, message: reason.message };
  if (endedBy === undefined) return { exitReason: "complete" };
  const { code, message } = endedBy.reason;
  return { exitReason: code, message: `${message} ${endedBy.advice}` };
}

/** What to do after too many errors, a sentence. */
function afterErrors(ended: EndedPart): string {
  const { context, opened } = ended;
  const { counts, unanswered } = opened.results.tally;
  if (context.unfinished === undefined && nothingReached(counts, unanswered)) {
    return " Correct the input, or allow more.";
  }
  const { maxErrors } = resumeNeeds(ended);
  if (maxErrors === undefined || ended.night !== undefined || isReadOnceInput(ended)) return "";
  return ` To send the rest all the same, resume with --max-errors ${maxErrors}.`;
}

function resumeNeeds({ context, opened }: EndedPart): Pick<RunSummary, "maxErrors"> {
  const maxErrors = higherLimit(context.settings.maxErrors, opened.results.tally.counts);
  return maxErrors === undefined ? {} : { maxErrors };
}

/** @param merged undefined if the part stopped */
async function sealed(
  ended: EndedPart,
  stop: StopController,
  merged: MergedResults | undefined,
  finishedAt: Date,
): Promise<Manifest> {
  const { files, settings } = ended.context;
  const isTrusted = await isAccountSealed(ended.context);
  const manifest = toManifest(ended, stop, merged, finishedAt, isTrusted);
  // Why there is none was said at the start.
  const seal = await sealOf(files.manifest, manifest, settings.stateFolder).catch(() => undefined);
  return { ...manifest, seal };
}

/** Whether the manifest of the account before this part has a good seal; otherwise anybody may have written it. */
async function isAccountSealed({ account, files, settings }: RunContext): Promise<boolean> {
  if (account === undefined) return false;
  const read = await readEarlierManifest(files.manifest, settings.stateFolder);
  return read.kind === "sealed" && isDeepStrictEqual(read.manifest, account);
}

function toManifest(
  ended: EndedPart,
  stop: StopController,
  merged: MergedResults | undefined,
  finishedAt: Date,
  isTrusted: boolean,
): Manifest {
  const { context, opened, rows, elapsedMs, identity } = ended;
  const { account, files, kind } = context;
  const { exitReason, message = null } = reasonOfEnd(ended, stop);
  const parts = partsOf(ended, exitReason, merged !== undefined, finishedAt);
  const common = {
    ...{ version: 2 as const, eventload: packageVersion(), parts },
    exit_reason: exitReason,
    message,
    finished_at: finishedAt.toISOString(),
    figures: opened.meter.figures(),
  };
  const own = merged && totalsOf(merged, files);
  if (kind === "retry" && account !== undefined) {
    const { seal: _, ...before } = account;
    const elapsed = before.elapsed_ms + Math.round(elapsedMs);
    // Nothing that was not trusted gets a good seal.
    const whereItWent = isTrusted ? {} : whereItGoes(ended, before.options);
    return { ...before, ...whereItWent, ...common, ...own, elapsed_ms: elapsed };
  }
  const { tally, rowsSettled } = opened.results;
  const { input: read, inputs, startedAt } = identity;
  const { path, name, called, id, bytes, sha256 } = read;
  return {
    ...common,
    input: { path, name, called, id, bytes, sha256 },
    ...(inputs === undefined ? {} : { inputs: inputs.map((file) => ({ ...file })) }),
    ...whereItGoes(ended),
    ...(identity.state === undefined ? {} : { state: identity.state }),
    ...(ended.night === undefined ? {} : { unchanged_rows: ended.night.unchangedRows }),
    started_at: startedAt,
    elapsed_ms: Math.round(elapsedMs),
    events: tally.events,
    attempts: tally.attempts,
    unanswered: tally.unanswered,
    perhaps_twice: tally.perhapsTwice,
    results: resolve(files.results),
    failed_rows: null,
    results_file: null,
    failed_rows_file: null,
    ...own,
    rows,
    counts: own?.counts ?? {
      ...tally.counts,
      not_sent: rows - rowsSettled,
    },
    reconciliation: {
      rows_read: rows,
      rows_settled: rowsSettled,
      rows_not_settled: rows - rowsSettled,
      rows_written: own?.reconciliation.rows_written ?? opened.results.written.rows,
      lines: own?.reconciliation.lines ?? opened.results.written.tally.lines,
      adds_up: merged !== undefined && rows === rowsSettled,
    },
  };
}

/** Where this part was sent, by which mapping, and how. @param before what it does not change of an account's options */
function whereItGoes({ identity, prepared }: EndedPart, before?: RunSettings) {
  const { mapping, endpoint } = { ...prepared, ...prepared.input };
  const settings = {
    ...identity.settings,
    ...(before === undefined ? {} : settingsKeptAs(before, "rows")),
  };
  return {
    mapping: { ...mapping, path: resolve(mapping.path), lookups: [...mapping.lookups] },
    base_url: endpoint.baseUrl,
    target: identity.target,
    options: { ...settings, ca_files: [...settings.ca_files] },
  };
}

/** What the merged lines add up to. */
export function totalsOf(
  { rows, tally, read, results, failed }: MergedResults,
  files: RunContext["files"],
) {
  return {
    rows,
    events: tally.events,
    counts: tally.counts,
    attempts: tally.attempts,
    unanswered: tally.unanswered,
    perhaps_twice: tally.perhapsTwice,
    reconciliation: {
      ...{ rows_read: rows, rows_settled: rows, rows_not_settled: 0 },
      ...{ rows_written: rows, lines: tally.lines, adds_up: true },
    },
    results: resolve(files.results),
    failed_rows: failed === undefined ? null : resolve(files.failed),
    results_file: results ?? read[0] ?? null,
    failed_rows_file: failed ?? null,
  };
}

/** What each import, resume and retry did, this one last. One that was killed has left only how it sent. */
function partsOf(
  { context, identity, sent }: EndedPart,
  exitReason: string,
  isOver: boolean,
  finishedAt: Date,
): ManifestPart[] {
  const { account, kind } = context;
  const known = account?.parts ?? [];
  const before = known.filter(({ part }) => part < identity.part);
  const own = identity.parts.map(({ startedAt, sending }, at): ManifestPart => {
    const command = at === 0 ? kind : "resume";
    const isThis = at === identity.parts.length - 1;
    const left = known.find((one) => one.started_at === startedAt && one.part === identity.part);
    if (left !== undefined && !isThis) return left;
    const { rowsDone, counts, attempts, unanswered } = sent;
    return {
      ...{ part: identity.part, command, started_at: startedAt },
      finished_at: isThis ? finishedAt.toISOString() : null,
      ...(isThis
        ? { rows: rowsDone, counts, attempts, unanswered }
        : { rows: 0, counts: {}, attempts: 0, unanswered: 0 }),
      exit_reason: isThis ? exitReason : null,
      is_over: isThis && isOver,
      ...sending,
    };
  });
  return [...before, ...own];
}
