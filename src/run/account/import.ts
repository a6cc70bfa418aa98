import { readFile, rm, rmdir } from "node:fs/promises";
import { basename } from "node:path";
import { fenceJournal } from "../../journal/fence.ts";
import { fileState, fingerprintFile } from "../../journal/fingerprint.ts";
import type { Lock } from "../../journal/lock.ts";
import type { UnfinishedRun } from "../../journal/unfinished-run.ts";
import { writeAtomically } from "../../model/disk/atomic-file.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { exists } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, DiskError, reasonOf } from "../../model/errors.ts";
import { makeFolderOf, type RunFiles, runFiles } from "../../model/run-files.ts";
import type { AccountEnd } from "../../model/run-record.ts";
import type { StopController, StopReason } from "../../model/stop.ts";
import type { Manifest } from "../../results/manifest.ts";
import { checkInput } from "../check/check-input.ts";
import type { ImportOptions } from "../options/import-options.ts";
import {
  type ImportSettings,
  onlyGiven,
  optionsOfKept,
  withDefaults,
} from "../options/import-settings.ts";
import { type InputKind, isStream, type MappingObject, toInput } from "../options/input.ts";
import {
  type GivenFile,
  type ImportPorts,
  type RunContext,
  thisMachine,
} from "../options/run-context.ts";
import { noFigures, type RunSummary } from "../options/run-events.ts";
import { identifyRun, type PreparedRun } from "../prepare/identify-run.ts";
import { isResultsFile } from "../prepare/open-rows.ts";
import type { PreparedInput } from "../prepare/prepare-input.ts";
import { prepareRun } from "../prepare/prepare-run.ts";
import type { InputFile } from "../prepare/prepare-several.ts";
import { mappingText } from "../prepare/read-mapping.ts";
import { openRun } from "../send/open-run.ts";
import { type SentRows, sendRows } from "../send/send-rows.ts";
import { isOver } from "../state/compare.ts";
import { refuseWithState } from "../state/compare-input.ts";
import { type HeldState, holdState, openKeysOf } from "../state/hold-state.ts";
import { createNight } from "../state/night.ts";
import { beginNight, nothingDiffers } from "./begin-night.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { refuseExisting, refuseOtherThanFiles, removeLeftovers } from "./files-in-the-way.ts";
import { fingerprintOn } from "./fingerprint-on.ts";
import { type EndedPart, finishRun } from "./finish-run.ts";
import { prepareSelected, refuseBesideAccount, type SelectedInput } from "./prepare-selected.ts";
import {
  type Account,
  isMerge,
  isNight,
  readAccount,
  refuseMerged,
  resumeCommand,
  unfinishedError,
} from "./read-account.ts";
import { summaryOfSameRun } from "./same-run.ts";
import { summaryOfAccount } from "./summarize-account.ts";

/**
 * Imports an input: checks every row, sends the events that the mapping makes from them, and writes
 * a results file in which every row has its outcome.
 *
 * @returns the summary of the run, even if it stopped early: see `exitReason`
 * @throws CannotStartError if nothing was sent and nothing written
 */
export function runImport(options: ImportOptions): Promise<RunSummary> {
  const { shard, ratePerSecond } = options;
  // The rate is for the whole import, and shards run at the same time.
  if (shard === undefined || ratePerSecond === undefined) return run(options, "import");
  return run({ ...options, ratePerSecond: ratePerSecond / shard.count }, "import");
}

/**
 * Writes a mapping that was given as an object beside the results, for a resume or retry.
 *
 * @returns whether the file is new
 * @throws CannotStartError if another mapping is there, or it cannot be written
 */
async function keepMapping(mapping: MappingObject, path: string): Promise<boolean> {
  const text = mappingText(mapping);
  if ((await readFile(path, "utf8").catch(() => undefined)) === text) return false;
  try {
    await writeAtomically(path, text, { mayReplace: false });
    return true;
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    const why = isThere ? "another mapping is there; give other results" : reasonOf(error);
    throw cannotStart("output_not_writable", path, why);
  }
}

/** An import, or the retry of an account: the next part of it. */
export type PartOptions = ImportOptions & {
  readonly allowAltered?: boolean;
  /** Of a retry: the file that selects rows. */
  readonly given?: GivenFile;
};

/** Runs the next part of an account, new or resumed. */
export function run(
  options: PartOptions,
  kind: InputKind,
  ports: ImportPorts = thisMachine,
): Promise<RunSummary> {
  return interruptible(options, async (guarded, stop) => {
    const given = await toInput(guarded);
    let settings = withDefaults(given);
    const files = runFiles(settings.results);
    if (settings.state !== undefined) await refuseWithState(settings.state, { ...settings, kind });
    // The lock is in this folder.
    const made = await makeFolderOf(files.results);
    let lock: Lock | undefined;
    let isMappingNew = false;
    try {
      lock = await ports.acquireLock(files.manifest);
      if (lock === undefined) throw cannotStart("locked", files.results);
      if (settings.resume !== "never") await fence(settings, files, ports.disk);
      const account = await readAccount(files.results, ports.disk);
      const begun = await begin(account, settings, kind, options.given);
      if (begun.step === "complete")
        return await completeAgain(account, begun.end, ports, settings);
      if (begun.unfinished === undefined) await removeLeftovers(files);
      const before = begun.unfinished?.run.parts.at(-1)?.sending;
      // What is not given is as before; for `resume`, it has been given.
      if (before !== undefined && settings.resume === "if-unfinished") {
        settings = withDefaults({ ...optionsOfKept(before), ...onlyGiven(given) });
      }
      const { mapping: called } = settings;
      const mapping = typeof called === "string" ? called : files.mapping;
      if (typeof called !== "string") isMappingNew = await keepMapping(called, mapping);
      const context = { settings, mapping, kind, files, stop, ports, ...begun };
      if (begun.step === "same") {
        return (await summaryOfSameRun(context, begun.account)) ?? nothingRead(context, 0);
      }
      return await runStages(context);
    } finally {
      if (isMappingNew && !(await exists(files.manifest)) && !(await exists(files.journal))) {
        await rm(files.mapping, { force: true });
      }
      await lock?.release((message) => settings.onNotice({ kind: "warning", message }));
      // They stay if the run has left something in them.
      for (const folder of made) await rmdir(folder).catch(() => {});
    }
  });
}

/** Keeps another process, from where no lock reaches, from writing to the account. */
async function fence(settings: ImportSettings, files: RunFiles, disk: Disk): Promise<void> {
  await refuseOtherThanFiles(files);
  const { clock } = settings;
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.schedule(ms, resolve));
  await fenceJournal(disk, files.journal, sleep).catch((error: unknown) => {
    throw cannotStart("output_not_writable", files.journal, reasonOf(error));
  });
}

/** What the next part of an account begins with. */
type Begun =
  | ({ readonly step: "part" } & Pick<RunContext, "account" | "given" | "unfinished">)
  /** The account is complete, and an import may have been given again. */
  | ({ readonly step: "same"; readonly account: Manifest } & Pick<
      RunContext,
      "given" | "unfinished"
    >)
  /** Every row has its outcome, and only names were left to be changed. */
  | { readonly step: "complete"; readonly end: AccountEnd; readonly unfinished?: undefined };

/** @throws CannotStartError if the account is not in the right state */
async function begin(
  account: Account,
  { resume, input, results, state }: ImportSettings,
  kind: InputKind,
  given: GivenFile | undefined,
): Promise<Begun> {
  const paths = isStream(input) ? [] : [input].flat();
  switch (account.kind) {
    case "damaged":
      if (kind === "import" && resume === "never" && account.error.code !== "journal_missing") {
        await refuseExisting(account.files, paths, state !== undefined);
      }
      throw account.error;
    case "closed":
      throw cannotStart("results_exist", account.files.manifest, state !== undefined);
    case "unfinished": {
      const { part, manifest } = account;
      if (state !== undefined) throw cannotStart("results_exist", part.run.results, true);
      if (isNight(part)) throw unfinishedError(account);
      if (resume === "never" || part.run.kind !== kind) {
        throw cannotStart(
          "run_unfinished",
          results,
          resumeCommand(account) ?? "",
          kind === "import",
        );
      }
      if (part.end !== undefined) {
        // A merge looks at its shards again.
        if (isMerge(part)) throw unfinishedError(account);
        return { step: "complete", end: part.end };
      }
      const { given: name } = part.run;
      const selected = name === undefined ? undefined : { path: name, name, isResults: false };
      return { step: "part", account: manifest, given: selected, unfinished: part };
    }
    case "none":
      if (resume === "must") throw cannotStart("nothing_to_resume", results);
      if (kind === "retry") throw cannotStart("account_missing", given?.path ?? results);
      await refuseExisting(account.files, paths, state !== undefined);
      return {
        step: "part",
        account: undefined,
        given: await failedRowsIn(paths, state),
        unfinished: undefined,
      };
    case "complete": {
      const { manifest } = account;
      if (kind === "retry") {
        refuseMerged(account, given?.path ?? results);
        return { step: "part", account: manifest, given, unfinished: undefined };
      }
      if (resume === "never" || paths.length === 0) {
        await refuseExisting(account.files, paths, state !== undefined);
      }
      return { step: "same", account: manifest, given: undefined, unfinished: undefined };
    }
    default:
      return account satisfies never;
  }
}

/**
 * The input, if it is failed rows whose account is gone.
 *
 * @throws CannotStartError if the account is there
 */
async function failedRowsIn(
  paths: readonly string[],
  state: string | undefined,
): Promise<GivenFile | undefined> {
  for (const path of paths) {
    if (!(await isResultsFile(path))) continue;
    if (state !== undefined) await refuseWithState(state, { input: path, kind: "retry" });
    if (paths.length > 1) throw cannotStart("results_file_as_input", basename(path), path);
    await refuseBesideAccount(path);
    return { path, name: basename(path), isResults: false };
  }
  return undefined;
}

/** Completes an account whose last files were about to get their names. */
async function completeAgain(
  { files }: Account,
  end: AccountEnd,
  { disk }: ImportPorts,
  { onNotice: notify }: ImportSettings,
): Promise<RunSummary> {
  await completeAccount(disk, files, end, true).catch((error: unknown) => {
    throw notWritable(files.results, error);
  });
  const warn = (message: string) => notify({ kind: "warning", message });
  await removePart(disk, files, () => disk.remove(files.journal), warn);
  return summaryOfAccount(files, end.manifest as Manifest);
}

/** Prepare, select, check, open, send, finish: the stages of every part, new or resumed. */
async function runStages(context: RunContext): Promise<RunSummary> {
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
  prepared: PreparedRun<PreparedInput | SelectedInput>,
  state: HeldState | undefined,
  elapsedMs: () => number,
): Promise<RunSummary> {
  const { settings, kind, account, files, unfinished, stop } = context;
  const { onNotice: notify } = settings;
  const { input } = prepared;
  const night =
    state === undefined || kind === "retry"
      ? undefined
      : createNight(state.log, input, { ...settings, stop, path: state.path });
  const failedRows = await failedRowsBefore(context);
  if ("select" in input && unfinished === undefined) {
    await refuseFullDisk(context);
    const selection = await input.select().catch(async (error: unknown) => {
      await removeSelection(context);
      throw notWritable(files.given, error);
    });
    notify({ kind: "selected", selection });
    if (stop.signal.aborted) return nothingRead(context, elapsedMs());
    // Failed rows that somebody has emptied are written again.
    const isAsBefore = failedRows === account?.failed_rows_file?.sha256;
    if (selection.rows === 0 && account !== undefined && isAsBefore) {
      await removeSelection(context);
      return summaryOfAccount(files, account);
    }
  }
  const checked = await checkInput(context, input, night?.comparison).catch(
    async (error: unknown) => {
      if (unfinished === undefined) await removeSelection(context);
      throw error;
    },
  );
  if (stop.signal.aborted && unfinished === undefined) {
    await removeSelection(context);
    return nothingRead(context, elapsedMs());
  }
  const differences = night && state && (await beginNight(context, prepared, night, state));
  if (differences !== undefined && isOver(differences)) {
    return {
      ...nothingDiffers(checked, differences),
      delivery: settings.delivery,
      elapsedMs: elapsedMs(),
    };
  }
  if (state !== undefined && kind === "retry") await openKeysOf(state, context, input);
  const { rows: rowsTotal } = checked;
  const counted =
    night === undefined ? checked : { rows: night.eventsLeft, events: night.eventsLeft };
  const identified = await identifyRun(context, prepared);
  const identity = failedRows === undefined ? identified : { ...identified, failedRows };
  const known = await input.identify();
  const opened = await openRun(context, input, identity, counted.rows);
  const isSame = async (rowsRead: number) =>
    (await findChanged(known.files, input.name, rowsRead, rowsTotal)) === undefined;
  const sent = await sendRows(context, prepared, opened, counted, night, isSame);
  const { rowsRead } = sent;

  const isFromInput = context.given === undefined && !stop.signal.aborted;
  const changed = isFromInput
    ? await findChanged(
        ...([known.files, input.name, sent.inputRows] as const),
        sent.damage === undefined ? rowsTotal : undefined,
      )
    : undefined;
  const endedBy = whyEnded(context, sent, changed);
  if (endedBy !== undefined && isKnownBeyond(unfinished, rowsRead)) {
    stop.abort({
      code: "files_changed",
      message: `${endedBy.reason.message} It lacks rows that were sent before: put the input back, then resume.`,
    });
  }
  const reason = stop.signal.reason ?? endedBy?.reason;
  if (reason !== undefined) notify({ kind: "stop", reason });
  const rows =
    night === undefined ? Math.max(rowsRead, rowsTotal ?? 0) : rowsRead + night.eventsLeft;
  return finishRun(
    { context, prepared, identity, opened, sent, endedBy, rows, night, elapsedMs: elapsedMs() },
    stop,
  );
}

/** The hash of an account's failed rows when a retry of it began: edits that come later are kept. */
async function failedRowsBefore({ kind, files, unfinished, ports }: RunContext) {
  if (kind !== "retry") return undefined;
  if (unfinished !== undefined) return unfinished.run.failedRows;
  return (await fingerprintOn(ports.disk, files.failed))?.sha256;
}

/** What a disk that fails is for a command that has sent nothing. */
function notWritable(path: string, error: unknown): CannotStartError {
  if (error instanceof CannotStartError) return error;
  const why = error instanceof DiskError ? error.cause : error;
  return cannotStart("output_not_writable", path, reasonOf(why));
}

/** Of a part that does not begin. What cannot be removed does no harm: the next retry writes over it. */
async function removeSelection({ files, ports }: RunContext): Promise<void> {
  await ports.disk.remove(files.given).catch(() => {});
}

/** A retry writes a second copy of the results at its end. */
async function refuseFullDisk({ files, account, ports }: RunContext): Promise<void> {
  const { results_file: results = null, failed_rows_file: failed = null } = account ?? {};
  const needed = (results?.bytes ?? 0) + 2 * (failed?.bytes ?? 0);
  const free = await ports.disk.freeBytes(files.results);
  if (free === undefined || free >= needed) return;
  throw cannotStart("disk_too_small", files.results, needed, free);
}

function nothingRead({ settings, unfinished, stop }: RunContext, elapsedMs: number): RunSummary {
  // Earlier parts of a resumed run have sent events.
  const { reason: given } = stop.signal;
  const isFirstPart = given !== undefined && unfinished === undefined;
  const reason = isFirstPart ? beforeSending(given) : given;
  if (reason !== undefined) settings.onNotice({ kind: "stop", reason });
  return {
    exitReason: reason?.code ?? "interrupted",
    ...(reason === undefined ? {} : { message: reason.message }),
    delivery: settings.delivery,
    ...noFigures(),
    elapsedMs,
  };
}

/**
 * Why a run ends with its input unread or changed: it cannot be resumed, as a resume continues with the same
 * input only.
 */
function whyEnded(
  { settings }: RunContext,
  { rowsRead, damage }: Pick<SentRows, "rowsRead" | "damage">,
  changed: string | undefined,
): EndedPart["endedBy"] {
  const nextNight = "The next night sends what is left: give the same command again.";
  if (changed !== undefined) {
    return {
      reason: {
        code: "input_changed",
        message: `${changed} was changed while it was read: the results hold what was read.`,
      },
      advice:
        settings.state !== undefined
          ? nextNight
          : "This run has ended. To send the new file, import it with other --results: all its rows are sent.",
    };
  }
  if (damage === undefined) return undefined;
  const file = isStream(settings.input) ? "save the input to a file and fix it" : "fix the file";
  return {
    reason: damage,
    advice:
      settings.state !== undefined
        ? nextNight
        : `This run has ended, and the results hold the rows before that. To send the rest, ${file}, then import it with --skip ${settings.skip + rowsRead} and other --results.`,
  };
}

/** Whether an earlier part of the run sent rows that this one has not read. */
function isKnownBeyond(unfinished: UnfinishedRun | undefined, rowsRead: number): boolean {
  if (unfinished === undefined) return false;
  for (const [row] of unfinished.events) if (row > rowsRead) return true;
  return (unfinished.checkpoint?.rows ?? 0) > rowsRead;
}

/** The name of a file that has changed since the run began, if there is one. */
async function findChanged(
  files: readonly InputFile[],
  name: string,
  rowsRead: number,
  rowsTotal: number | undefined,
): Promise<string | undefined> {
  for (const file of files) {
    if (file.state !== undefined && (await fileState(file.path)) === file.state) continue;
    const now = await fingerprintFile(file.path).catch(() => undefined);
    if (now?.sha256 !== file.sha256) return file.name;
  }
  return rowsTotal !== undefined && rowsTotal !== rowsRead ? name : undefined;
}

const recorded = "what was in flight is recorded.";

/**
 * Ends a run when its signal fires or one of its listeners throws; the listener's error is
 * rethrown when everything is recorded.
 */
export async function interruptible<Result>(
  options: ImportOptions,
  act: (options: ImportOptions, stop: StopController) => Promise<Result>,
): Promise<Result> {
  const { signal, onProgress, onNotice } = options;
  const stop = new AbortController();
  const interrupt = () =>
    stop.abort({
      code: "interrupted",
      message: `Interrupted: ${saidBy(signal) ?? ""}${recorded}`,
    });
  signal?.addEventListener("abort", interrupt);
  if (signal?.aborted === true) interrupt();
  const thrown: unknown[] = [];
  const guard =
    <Argument>(listener: (argument: Argument) => void) =>
    (argument: Argument) => {
      try {
        listener(argument);
      } catch (error) {
        thrown.push(error);
        interrupt();
      }
    };
  try {
    const guarded = {
      ...options,
      ...(onProgress === undefined ? {} : { onProgress: guard(onProgress) }),
      ...(onNotice === undefined ? {} : { onNotice: guard(onNotice) }),
    };
    const result = await act(guarded, stop);
    if (thrown.length > 0) throw thrown[0];
    return result;
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/** The same reason for a run with nothing in flight. */
function beforeSending({ code, message }: StopReason): StopReason {
  return {
    code,
    message: message
      .replace(`Interrupted: ${recorded}`, "Interrupted while checking; nothing was sent.")
      .replace(recorded, "nothing was sent."),
  };
}

/** The reason given with a signal, if there is one. */
function saidBy(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  // Without a reason of its own, a signal has a DOMException.
  if (!(reason instanceof Error) || reason instanceof DOMException) return undefined;
  return `${reason.message.replace(/\.?$/, ";")} `;
}
