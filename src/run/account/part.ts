import { stat } from "node:fs/promises";
import { fileState, fingerprintFile, fingerprintOn } from "../../journal/fingerprint.ts";
import { differences } from "../../journal/run-identity.ts";
import type { UnfinishedRun } from "../../journal/unfinished-run.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import type { StopReason } from "../../model/stop.ts";
import { checkInput } from "../check/check.ts";
import type { RunContext } from "../options/run-context.ts";
import { noFigures, type RunSummary } from "../options/run-events.ts";
import type { InputFile } from "../prepare/open-inputs.ts";
import { identifyRun, type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { journalRoom, openRun } from "../send/open-run.ts";
import { type SentRows, sendRows } from "../send/send-rows.ts";
import { isOver } from "../state/compare.ts";
import { type HeldState, holdState, openKeysOf } from "../state/hold-state.ts";
import { createNight } from "../state/night.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import { refuseChangedResults } from "./account-rows.ts";
import { beginNight } from "./begin-night.ts";
import { notWritable } from "./claim-files.ts";
import { endPart } from "./end-part.ts";
import { prepareSelected } from "./selected-input.ts";

/** Prepare, select, check, open, send, end: the stages of every part, new or resumed. */
export async function runPart(context: RunContext): Promise<RunSummary> {
  const { clock } = context.settings;
  const startedMs = clock.now();
  const elapsedMs = () => clock.now() - startedMs;
  const prepared = await prepareRun(context, prepareSelected);
  if (prepared === undefined) return nothingRead(context, elapsedMs());
  let state: HeldState | undefined;
  try {
    state = await holdState(context, prepared);
    return await runPrepared(context, prepared, state, elapsedMs);
  } finally {
    await prepared.input.close();
    await state?.close();
  }
}

async function runPrepared(
  context: RunContext,
  prepared: PreparedRun,
  state: HeldState | undefined,
  elapsedMs: () => number,
): Promise<RunSummary> {
  const { settings, kind, account, files, unfinished, stop } = context;
  const { onNotice: notify, delivery } = settings;
  const { input } = prepared;
  const night =
    state === undefined || kind === "retry"
      ? undefined
      : createNight(state.log, input, { ...settings, stop });
  const failedRows = await failedRowsBefore(context);
  if (input.select !== undefined && unfinished === undefined) {
    const selection = await input.select().catch((error: unknown) => {
      throw notWritable(files.given, error);
    });
    if (selection.rows > 0) await refuseFullDisk(context, selection.events);
    notify({ kind: "selected", selection });
    if (stop.signal.aborted) return nothingRead(context, elapsedMs());
    // Failed rows that somebody has emptied are written again.
    const isAsBefore = failedRows === account?.failed_rows_file?.sha256;
    if (selection.rows === 0 && account !== undefined && isAsBefore) {
      return summaryOfAccount(files, account);
    }
  }
  const checked = await checkInput(context, input, night?.comparison);
  if (stop.signal.aborted && unfinished === undefined) return nothingRead(context, elapsedMs());
  const found = night && state && (await beginNight(context, prepared, night, state));
  if (found !== undefined && isOver(found)) {
    const { rows: unchangedRows = 0 } = checked;
    const nothing = { ...noFigures(), unchangedRows, differences: found };
    return { exitReason: "complete", ...nothing, delivery, elapsedMs: elapsedMs() };
  }
  if (state !== undefined && kind === "retry") await openKeysOf(state, context, input);
  const { rows: rowsTotal } = checked;
  const counted =
    night === undefined ? checked : { rows: night.eventsLeft, events: night.eventsLeft };
  const identified = await identifyRun(context, prepared);
  const identity = failedRows === undefined ? identified : { ...identified, failedRows };
  const known = await input.identify();
  const opened = await openRun(context, input, identity, counted.rows);
  const findChangedNow = (rowsRead: number, isWhole: boolean) =>
    findChanged(known.files, input.name, rowsRead, isWhole ? rowsTotal : undefined);
  const isSame = async (rowsRead: number) => (await findChangedNow(rowsRead, true)) === undefined;
  const sent = await sendRows(context, prepared, opened, counted, night, isSame);
  const { rowsRead, inputRows, damage } = sent;

  for (const name of await replaced(known.files)) {
    const message = `${name} was replaced or removed while it was read: this run has read the file that it had opened.`;
    notify({ kind: "warning", message });
  }
  const isFromInput = context.given === undefined && !stop.signal.aborted;
  const changed = isFromInput ? await findChangedNow(inputRows, damage === undefined) : undefined;
  const endedBy = whyEnded(context, sent, changed);
  if (endedBy !== undefined && isKnownBeyond(unfinished, rowsRead)) {
    const why = damage?.message ?? `${changed} was changed while it was read.`;
    const message = `${why} It lacks rows that were sent before: put the input back, then resume.`;
    stop.abort({ code: "files_changed", message });
  }
  const reason = stop.signal.reason ?? endedBy;
  if (reason !== undefined) notify({ kind: "stop", reason });
  const rows =
    night === undefined ? Math.max(rowsRead, rowsTotal ?? 0) : rowsRead + night.eventsLeft;
  return endPart(
    { context, identity, opened, sent, endedBy, rows, night, elapsedMs: elapsedMs() },
    stop,
  );
}

/**
 * Summarizes a complete run again, if an import may resume it and is the same. Engines start a task again if they
 * did not learn that it ended, so this is no mistake. Nothing is sent.
 *
 * @throws CannotStartError if that run had another input, mapping, service or other settings, or if its results
 *   are not as it wrote them
 */
export async function summaryOfSameRun(
  context: RunContext,
  manifest: Manifest,
): Promise<RunSummary> {
  const { files } = context;
  const prepared = await prepareRun(context, prepareSelected);
  if (prepared === undefined) return nothingRead(context, 0);
  const { imported } = await identifyRun(context, prepared).finally(prepared.input.close);
  const found = differences(manifest, imported);
  if (found.length > 0) {
    const { code, message } = cannotStart("results_exist", files.results);
    const details = [`They are not of the same run: ${found.join("; ")}.`];
    throw new CannotStartError(code, message, details);
  }
  await refuseChangedResults(context, manifest);
  return summaryOfAccount(files, manifest);
}

/** The hash of an account's failed rows when a retry of it began: edits that come later are not overwritten. */
async function failedRowsBefore({ kind, files, unfinished, ports }: RunContext) {
  if (kind !== "retry") return undefined;
  if (unfinished !== undefined) return unfinished.run.failedRows;
  return (await fingerprintOn(ports.disk, files.failed))?.sha256;
}

/**
 * At its end a retry has beside the account, and beside what it has selected: a second copy of the results, what it
 * changes in them, its own lines, the new failed rows, a manifest and the journal.
 */
async function refuseFullDisk(
  { files, account, ports, settings }: RunContext,
  events: number,
): Promise<void> {
  const [manifest = 0, selected = 0] = await Promise.all(
    [files.manifest, files.given].map((path) => ports.disk.length(path)),
  );
  const lines = 3 * selected + manifest + bytesOfNewPart;
  const journal = journalRoom(events, settings.concurrency, ports.journalGrowthBytes);
  const needed = (account?.results_file?.bytes ?? 0) + lines + journal;
  const free = await ports.disk.freeBytes(files.results);
  if (free === undefined || free >= needed) return;
  throw cannotStart("disk_too_small", files.results, needed, free);
}

/** In a manifest. */
const bytesOfNewPart = 16 * 1024;

/** The summary of a part that was stopped before it read a row. */
export function nothingRead(
  { settings, unfinished, stop }: RunContext,
  elapsedMs: number,
): RunSummary {
  // Earlier parts of a resumed run have sent events.
  const { reason: given } = stop.signal;
  const reason =
    given?.code === "interrupted" && unfinished === undefined
      ? { ...given, message: "Interrupted while checking; nothing was sent." }
      : given;
  if (reason !== undefined) settings.onNotice({ kind: "stop", reason });
  return {
    exitReason: reason?.code ?? "interrupted",
    ...(reason === undefined ? {} : { message: reason.message }),
    ...noFigures(),
    delivery: settings.delivery,
    elapsedMs,
  };
}

/**
 * Why a run ends with its input unread or changed, and what to do: it cannot be resumed, as a resume continues with
 * the same input only.
 */
function whyEnded(
  { settings, files }: RunContext,
  { rowsRead, damage }: Pick<SentRows, "rowsRead" | "damage">,
  changed: string | undefined,
): StopReason | undefined {
  const { state, input, skip } = settings;
  const nextNight = state && "The next night sends what is left: give the same command again.";
  if (changed !== undefined) {
    const advice =
      "This run has ended. To send the new file, import it with other --results: all its rows are sent.";
    const message = `${changed} was changed while it was read: the results hold what was read. ${nextNight ?? advice}`;
    return { code: "input_changed", message };
  }
  if (damage === undefined || rowsRead === 0) return damage;
  const file = input === files.input ? "save the input to a file and fix it" : "fix the file";
  const advice = `This run has ended, and the results hold the rows before that. To send the rest, ${file}, then import it with --skip ${skip + rowsRead} and other --results.`;
  return { ...damage, message: `${damage.message} ${nextNight ?? advice}` };
}

/** Whether an earlier part of the run sent rows that this one has not read. */
function isKnownBeyond(unfinished: UnfinishedRun | undefined, rowsRead: number): boolean {
  if (unfinished === undefined) return false;
  for (const row of unfinished.events.keys()) if (row > rowsRead) return true;
  return (unfinished.checkpoint?.rows ?? 0) > rowsRead;
}

/** The names of files whose paths no longer lead to what was read. */
async function replaced(files: readonly InputFile[]): Promise<string[]> {
  const names: string[] = [];
  for (const { path, name, held } of files) {
    const opened = await held?.stat({ bigint: true });
    const there = await stat(path, { bigint: true }).catch(() => undefined);
    if (opened === undefined || (there?.dev === opened.dev && there.ino === opened.ino)) continue;
    names.push(name);
  }
  return names;
}

/** The name of a file that has changed since the run began, if there is one. */
async function findChanged(
  files: readonly InputFile[],
  name: string,
  rowsRead: number,
  rowsTotal: number | undefined,
): Promise<string | undefined> {
  for (const file of files) {
    const { path, held, state } = file;
    if (state !== undefined && (await fileState(path, held)) === state) continue;
    const now = await fingerprintFile(path, held).catch(() => undefined);
    if (now?.sha256 !== file.sha256) return file.name;
  }
  return rowsTotal !== undefined && rowsTotal !== rowsRead ? name : undefined;
}
