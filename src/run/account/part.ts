import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fileState, fingerprintFile, fingerprintOn } from "../../journal/fingerprint.ts";
import { differences, nextProcess, type RunIdentity } from "../../journal/run-identity.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { noFigures, type RunSummary, type SelectedLines } from "../../model/run-events.ts";
import type { StopReason } from "../../model/stop.ts";
import { writeManifest } from "../../results/manifest.ts";
import { type CountedInput, checkInput, type RowWatch } from "../check/check.ts";
import type { InputFile } from "../prepare/open-inputs.ts";
import { planRow } from "../prepare/plan-row.ts";
import { identifyRun, type PreparedRun, prepareRun } from "../prepare/prepare-run.ts";
import { type OpenRun, openRun, reserveFor } from "../send/open-run.ts";
import type { RunContext } from "../send/run-context.ts";
import { readSealedManifest } from "../send/seal.ts";
import { rowsOfInput, type SentRows, sendRows } from "../send/send-rows.ts";
import { type HeldState, holdState } from "../state/hold-state.ts";
import { createNight, type Night } from "../state/night.ts";
import {
  attemptsSoFar,
  manifestAtBegin,
  sealedManifest,
  summaryOfAccount,
} from "./account-manifest.ts";
import { refuseChangedResults } from "./account-rows.ts";
import { beginNight, completeNight } from "./begin-night.ts";
import { notWritable } from "./claim-files.ts";
import { type EndedPart, endPart } from "./end-part.ts";
import { prepareSelected } from "./selected-input.ts";

interface Part extends Pick<EndedPart, "context" | "state" | "night" | "beganMs"> {
  readonly prepared: PreparedRun;
}

export async function runPart(context: RunContext): Promise<RunSummary> {
  const { settings, kind, stop } = context;
  const { clock } = settings;
  const beganMs = clock.now();
  const prepared = await prepareRun(context, () => prepareSelected(context));
  if (prepared === undefined) return nothingRead(context, beganMs);
  const { input } = prepared;
  let held: HeldState | undefined;
  try {
    held = await holdState(context, prepared, completeNight);
    const state = held?.file;
    const isNight = state !== undefined && kind === "import";
    const night = isNight ? createNight(state, input, stop) : undefined;
    return await runStages({ context, prepared, state, night, beganMs });
  } finally {
    await input.close();
    await held?.close();
  }
}

/** Select, check, compare, open, begin, send, end. Each of the first may find that nothing is to be sent. */
async function runStages(part: Part): Promise<RunSummary> {
  const { context, prepared, state, night } = part;
  const isNew = context.unfinished === undefined;
  const selecting =
    isNew && prepared.input.select !== undefined ? await beginJournal(part, null) : undefined;
  let unsent = selecting;
  try {
    const selected = selecting && (await recordSelection(part, selecting));
    if (selected !== undefined && "exitReason" in selected) return selected;
    const checked = await checkInput(context, prepared.input, selected ?? night?.comparison);
    if (isNew && context.stop.signal.aborted) return nothingRead(context, part.beganMs);
    const line = await lineOfState(part);
    if (night !== undefined && line === undefined) return nothingDiffers(part, night, checked);
    const counted =
      night === undefined
        ? checked
        : { rows: night.rowsTotal ?? night.rowsLeft, events: night.eventsToSend };
    if (isNew) await refuseFullDisk(context, counted.events ?? 0);
    const { rowsTotal } = night ?? { rowsTotal: counted.rows };
    const opened = selecting ?? (await beginJournal(part, rowsTotal ?? null));
    unsent = opened;
    if (line !== undefined) await state?.append(line);
    unsent = undefined;
    const begun = await beginPart(context, opened);
    const sent = await send(part, begun, checked, counted);
    return await endPart({ ...part, ...sent, opened: begun });
  } finally {
    await unsent?.journal.discard();
  }
}

/** Begins to write the journal. @param rowsTotal of a new part; null if that is not known */
async function beginJournal({ context, prepared }: Part, rowsTotal: number | null) {
  const { unfinished } = context;
  const failedRows = await failedRowsBefore(context);
  const identity = {
    ...(await identifyRun(context, prepared)),
    ...(failedRows === undefined ? {} : { failedRows }),
    rowsTotal: unfinished === undefined ? rowsTotal : unfinished.run.rowsTotal,
  };
  return openPart(context, identity);
}

function openPart(context: RunContext, identity: RunIdentity): Promise<OpenRun> {
  const { settings, unfinished } = context;
  if (unfinished !== undefined) {
    const { record } = unfinished;
    const perhapsSent = record.unsettled.perhapsSent();
    settings.onNotice({
      kind: "resumed",
      rows: record.rows.count,
      perhapsSent,
      inFlight: record.lost,
    });
  }
  return openRun(context, identity);
}

/** What the state gets before anything is sent; undefined if that is nothing, as for a night in which nothing differs. */
async function lineOfState({ context, prepared, state, night }: Part) {
  if (state === undefined) return undefined;
  if (night !== undefined) return beginNight(context, prepared, night, state);
  const line = { run: prepared.startedAt, results: resolve(context.files.results) };
  return context.unfinished === undefined ? { ...line, retry: true as const } : undefined;
}

function nothingDiffers(
  { context: { settings }, beganMs }: Part,
  night: Night,
  { rows: unchangedRows = 0 }: CountedInput,
): RunSummary {
  const { delivery, clock } = settings;
  const nothing = { ...noFigures(), unchangedRows, differences: night.compared() };
  return { exitReason: "complete", ...nothing, delivery, elapsedMs: clock.now() - beganMs };
}

/**
 * Records the rows that a retry selects: from here on, they are read from the journal.
 *
 * @returns what counts, as they are checked, what is decided of them; or the summary if nothing is to be sent
 */
async function recordSelection(
  { context, prepared, state, beganMs }: Part,
  { run, journal, add }: OpenRun,
): Promise<RowWatch | RunSummary> {
  const { files, before, settings, stop } = context;
  const { input } = prepared;
  let rowOfRun = 0;
  const selected = (await input.select?.(async (one) => {
    if (one.kind === "arrived") return add(one);
    const { row } = one;
    const { events, orderingKey: key } = state === undefined ? noEvents : planRow(row, input);
    const isSent = events.length > 0 && key !== undefined;
    const record = { kind: "row", rowOfRun: ++rowOfRun, row: { ...row } } as const;
    const withKey = isSent ? { ...record, key } : record;
    state?.takeRecord(withKey);
    add(withKey);
    if (rowOfRun % rowsPerWrite === 0) await journal.write(false);
  })) as SelectedLines;
  add({ kind: "selected", rows: rowOfRun });
  if (!(await journal.write(true))) {
    throw cannotStart("output_not_writable", files.journal, "the selected rows cannot be written");
  }
  const counts = { events: 0, superseded: 0, blocked: 0 };
  const say = () => settings.onNotice({ kind: "selected", selection: { ...selected, ...counts } });
  if (selected.rows === 0) say();
  if (stop.signal.aborted) return nothingRead(context, beganMs);
  // Failed rows that somebody has emptied are written again.
  const isAsBefore = run.failedRows === before?.failed_rows_file?.sha256;
  if (selected.rows === 0 && before !== undefined && isAsBefore) {
    return summaryOfAccount(files, before);
  }
  return {
    see(_, { events, lines }) {
      counts.events += events.length;
      for (const line of lines) {
        const why = line.kind === "settled" ? line.outcome.errorCode : undefined;
        if (why === "superseded" || why === "blocked") counts[why]++;
      }
    },
    ended: () => selected.rows > 0 && say(),
  };
}

const rowsPerWrite = 256;
const noEvents = { events: [], orderingKey: undefined };

/**
 * Writes the manifest of an unfinished part: from here on, the account has it.
 *
 * @returns it with what the account was before, as far as that was trusted
 * @throws CannotStartError
 */
async function beginPart(context: RunContext, opened: OpenRun): Promise<OpenRun> {
  const { files, ports, settings } = context;
  const { stateFolder } = settings;
  const { journal, before } = opened;
  const sealedBefore = before && (await readSealedManifest(files.manifest, stateFolder));
  const isTrusted = isDeepStrictEqual(sealedBefore, before);
  const begun = manifestAtBegin(files, opened, journal.number, isTrusted);
  const sealed = await sealedManifest(files.manifest, begun, true, stateFolder);
  if ((await journal.standing()) !== "ours") throw cannotStart("locked", files.results);
  try {
    await writeManifest(files.manifest, sealed, ports.disk);
  } catch (error) {
    // It may have its name all the same, so the journal stays: without its manifest, the next process removes it.
    await journal.release();
    throw notWritable(files.manifest, error);
  }
  return { ...opened, before: before && sealed };
}

/**
 * Sends what is left of a part.
 *
 * @param checked what the check has counted
 * @param counted what of that is to be sent
 * @returns how it went
 */
async function send(
  { context, prepared, night }: Part,
  opened: OpenRun,
  { rows: rowsTotal }: CountedInput,
  counted: CountedInput,
) {
  const { unfinished, stop, settings } = context;
  const { input } = prepared;
  const known = await input.identify();
  const findChangedNow = (rowsRead: number, isWhole: boolean) =>
    findChanged(known.files, input.name, rowsRead, isWhole ? rowsTotal : undefined);
  const isSame = async (rowsRead: number) => (await findChangedNow(rowsRead, true)) === undefined;
  const { id: inputId } = opened.run.imported.input;
  const lines = { inputId, hasSources: input.hasSources, part: opened.run.part };
  const from = night ?? rowsOfInput(input);
  const sent = await sendRows(context, prepared, lines, opened, counted, from, isSame);
  const { rowsRead, inputRows, damage, limitedBy } = sent;

  const isFromInput = context.given === undefined && !stop.signal.aborted;
  const changed = isFromInput ? await findChangedNow(inputRows, damage === undefined) : undefined;
  const endedBy = whyEnded(context, sent, changed);
  const { rows: done, unsettled: begun } = opened.record;
  const isBeyond = done.count > rowsRead || begun.lastRow() > rowsRead;
  if (endedBy !== undefined && unfinished !== undefined && isBeyond) {
    const why = damage?.message ?? `${changed} was changed while it was read.`;
    const message = `${why} It lacks rows that were sent before: put the input back, then resume.`;
    stop.abort({ code: "files_changed", message });
  }
  const reason = stop.signal.reason ?? endedBy;
  if (reason !== undefined) settings.onNotice({ kind: "stop", reason });
  else opened.add({ kind: "over", rows: rowsRead });
  const rows = night === undefined ? rowsTotal : (night.rowsTotal ?? rowsRead + night.rowsLeft);
  return { rowsRead, rows: Math.max(rowsRead, rows ?? 0, done.count), endedBy, limitedBy };
}

/** Ends a part of which every row has its outcome, and that was interrupted then. Its input is not read. */
export async function endRecordedPart(context: RunContext): Promise<RunSummary> {
  const { settings, unfinished } = context;
  const { clock } = settings;
  if (unfinished === undefined) throw new Error("no part is unfinished");
  const beganMs = clock.now();
  const next = nextProcess(unfinished.run, clock.date().toISOString());
  const opened = await beginPart(context, await openPart(context, next));
  const { count: rows } = opened.record.rows;
  return endPart({ context, opened, beganMs, rowsRead: rows, rows });
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
  const prepared = await prepareRun(context, () => prepareSelected(context));
  if (prepared === undefined) return nothingRead(context);
  const { imported } = await identifyRun(context, prepared).finally(prepared.input.close);
  const found = differences(manifest, imported);
  if (found.length > 0) {
    const { code, message } = cannotStart("results_exist", files.results);
    const details = [`They are not of the same run: ${found.join("; ")}.`];
    throw new CannotStartError(code, message, details);
  }
  await refuseChangedResults(context, manifest.results_file);
  return summaryOfAccount(files, manifest);
}

/** The hash of an account's failed rows when a retry of it began: edits that come later are not overwritten. */
async function failedRowsBefore({ kind, files, unfinished, ports }: RunContext) {
  if (kind !== "retry") return undefined;
  if (unfinished !== undefined) return unfinished.run.failedRows;
  return (await fingerprintOn(ports.disk, files.failed))?.sha256;
}

/**
 * A part writes its journal, then new results, failed rows and a manifest beside those of the account. A line has the
 * cells of the input, and about as much of our own.
 */
async function refuseFullDisk(
  { files, before, ports, settings, given }: RunContext,
  events: number,
): Promise<void> {
  const [manifest = 0, selected = 0] = await Promise.all([
    ports.disk.length(files.manifest),
    ports.disk.length(
      given ?? [settings.input].flat().find((one) => typeof one === "string") ?? "",
    ),
  ]);
  const lines = selected + events * ownBytesOfLine;
  const journal =
    lines + events * bytesOfRecords + reserveFor(settings.concurrency) + allocatedAtOnce;
  const needed = (before?.results_file?.bytes ?? 0) + lines + journal + manifest + bytesOfNewPart;
  const free = await ports.disk.freeBytes(files.results);
  if (free === undefined || free >= needed) return;
  throw cannotStart("disk_too_small", files.results, needed, free);
}

/** Measured. */
const ownBytesOfLine = 160;
const bytesOfRecords = 340;
const allocatedAtOnce = 256 * 1024;
const bytesOfNewPart = 16 * 1024;

/** The summary of a part that was stopped before it read a row. */
export async function nothingRead(
  { settings, unfinished, before, stop, ports, files }: RunContext,
  beganMs = settings.clock.now(),
): Promise<RunSummary> {
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
    ...(unfinished && (await attemptsSoFar(ports.disk, files, { ...unfinished, before }))),
    delivery: settings.delivery,
    elapsedMs: settings.clock.now() - beganMs,
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
