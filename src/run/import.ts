import { readFile, rm, rmdir } from "node:fs/promises";
import { fenceJournal } from "../journal/fence.ts";
import { fileState, fingerprintFile } from "../journal/fingerprint.ts";
import type { Lock } from "../journal/lock.ts";
import { findUnfinishedRun, type UnfinishedRun } from "../journal/unfinished-run.ts";
import { writeAtomically } from "../model/disk/atomic-file.ts";
import { exists } from "../model/disk/exists.ts";
import { cannotStart, reasonOf } from "../model/errors.ts";
import { noCounts } from "../model/outcome.ts";
import {
  makeFolderOf,
  refuseExisting,
  refuseOtherThanFiles,
  removeLeftovers,
  runFiles,
} from "../model/run-files.ts";
import type { StopController, StopReason } from "../model/stop.ts";
import type { Manifest } from "../results/manifest.ts";
import { completeRunOf, summaryOfSameRun } from "./complete-run.ts";
import { type EndedRun, finishRun } from "./finish-run.ts";
import type { ImportOptions, RunSummary } from "./import-options.ts";
import { manifestOptions, withDefaults, withSending } from "./import-settings.ts";
import { type InputKind, isStream, type MappingObject, toInput } from "./input.ts";
import { withoutLostFiles } from "./lost-files.ts";
import { findLostJournal, lostJournalError } from "./lost-journal.ts";
import { openRun } from "./open-run.ts";
import { checkInput, identifyRun, prepareRun } from "./prepare-run.ts";
import type { InputFile } from "./prepare-several.ts";
import { mappingText } from "./read-mapping.ts";
import { type ImportPorts, type RunContext, thisMachine } from "./run-context.ts";
import { sendRows } from "./send-rows.ts";

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

/**
 * An import whose input is somebody's file, or the results of an earlier run.
 *
 * @param options with `allowAltered` for a retry
 */
export function run(
  options: ImportOptions & { readonly allowAltered?: boolean },
  kind: InputKind,
  ports: ImportPorts = thisMachine,
): Promise<RunSummary> {
  return interruptible(options, async (guarded, stop) => {
    const given = await toInput(guarded);
    let settings = withDefaults(given);
    const files = runFiles(settings.results);
    // The lock is in this folder.
    const made = await makeFolderOf(files.results);
    let lock: Lock | undefined;
    let isMappingNew = false;
    let complete: Manifest | undefined;
    try {
      lock = await ports.acquireLock(files.manifest);
      if (lock === undefined) throw cannotStart("locked", files.results);
      await removeLeftovers(files);
      if (settings.resume !== "never") {
        await refuseOtherThanFiles(files);
        const { clock } = settings;
        const sleep = (ms: number) =>
          new Promise<void>((resolve) => void clock.schedule(ms, resolve));
        await fenceJournal(ports.disk, files.journal, sleep).catch((error: unknown) => {
          throw cannotStart("output_not_writable", files.journal, reasonOf(error));
        });
      }
      let unfinished = await findUnfinishedRun(ports.disk, files.journal);
      if (unfinished === undefined) {
        if (settings.resume === "must") throw cannotStart("nothing_to_resume", files.results);
        const lost = await findLostJournal(files.results, files);
        if (lost !== undefined) throw lostJournalError(lost);
        const paths = isStream(settings.input) ? [] : [settings.input].flat();
        const mayResume = settings.resume !== "never" && kind === "import" && paths.length > 0;
        complete = mayResume ? await completeRunOf(files) : undefined;
        if (complete === undefined) await refuseExisting(files, paths);
      } else if (settings.resume === "never") {
        throw cannotStart("run_unfinished", files.results, true);
      } else {
        unfinished = await withoutLostFiles(ports.disk, unfinished, files);
        const before = unfinished.run.parts.at(-1)?.sending;
        // What is not given is as before; for `resume`, it has been given.
        if (before !== undefined && settings.resume === "if-unfinished") {
          settings = withDefaults(withSending(given, before));
        }
      }
      const { mapping: called } = settings;
      const mapping = typeof called === "string" ? called : files.mapping;
      if (typeof called !== "string") isMappingNew = await keepMapping(called, mapping);
      const context = { settings, mapping, kind, files, unfinished, stop, ports };
      if (complete === undefined) return await runStages(context);
      return (await summaryOfSameRun(context, complete)) ?? nothingRead(context, 0);
    } finally {
      if (isMappingNew && !(await exists(files.results))) await rm(files.mapping, { force: true });
      await lock?.release();
      // They stay if the run has left something in them.
      for (const folder of made) await rmdir(folder).catch(() => {});
    }
  });
}

/** Prepare, check, open, send, finish: the stages of every run, new or resumed. */
async function runStages(context: RunContext): Promise<RunSummary> {
  const { settings, kind, files, unfinished, stop } = context;
  const { clock, onNotice: notify } = settings;
  const startedMs = clock.now();
  const elapsedMs = () => clock.now() - startedMs;

  const prepared = await prepareRun(context);
  if (prepared === undefined) return nothingRead(context, elapsedMs());
  const { endpoint, input, startedAt } = prepared;
  const counted = await checkInput(context, input, prepared);
  if (stop.signal.aborted && unfinished === undefined) {
    await input.close();
    return nothingRead(context, elapsedMs());
  }
  const identity = await identifyRun(context, prepared);
  const known = await input.identify();
  const { rows: rowsTotal } = counted;
  const opened = await openRun(context, input, identity, rowsTotal);
  const sent = await sendRows(context, prepared, input, opened, counted);
  const { rowsRead, limitedBy } = sent;

  const changed = !stop.signal.aborted
    ? await findChanged(known.files, input.name, rowsRead, sent.damage ? undefined : rowsTotal)
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
  const summary = await finishRun(
    {
      kind,
      input,
      known,
      baseUrl: endpoint.baseUrl,
      target: settings.target,
      stateFolder: settings.stateFolder,
      options: manifestOptions(settings, input.reading),
      parts: identity.parts,
      files,
      results: opened.results,
      journal: opened.journal,
      endedBy,
      isResumed: unfinished !== undefined,
      rows: Math.max(rowsRead, rowsTotal ?? 0),
      rowsRead,
      startedAt,
      finishedAt: clock.date(),
      elapsedMs: elapsedMs(),
      figures: opened.meter.figures(),
      problems: opened.problems,
      limitedBy,
    },
    stop,
  );
  return { ...summary, ...counted.compared };
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
    rows: 0,
    events: 0,
    counts: noCounts(),
    attempts: 0,
    unanswered: 0,
    perhapsTwice: 0,
    elapsedMs,
    problems: [],
    ungroupedProblems: 0,
  };
}

/**
 * Why a run ends with its input unread or changed: it cannot be resumed, as a resume continues with the same
 * input only.
 */
function whyEnded(
  { kind, settings }: RunContext,
  { rowsRead, damage }: Pick<Awaited<ReturnType<typeof sendRows>>, "rowsRead" | "damage">,
  changed: string | undefined,
): EndedRun["endedBy"] {
  if (changed !== undefined) {
    const how = kind === "retry" ? "retry it again" : "import it with other --results";
    return {
      reason: {
        code: "input_changed",
        message: `${changed} was changed while it was read: the results hold what was read.`,
      },
      advice: `This run has ended. To send the new file, ${how}: all its rows are sent.`,
    };
  }
  if (damage === undefined) return undefined;
  const file = isStream(settings.input) ? "save the input to a file and fix it" : "fix the file";
  return {
    reason: damage,
    advice: `This run has ended, and the results hold the rows before that. To send the rest, ${file}, then ${kind} it with --skip ${settings.skip + rowsRead} and other --results.`,
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
