import { checkRows } from "./check.ts";
import { parseBaseUrl } from "./delivery/endpoint.ts";
import { openDelivery } from "./delivery/open-delivery.ts";
import { readToken } from "./delivery/token.ts";
import { createWindow } from "./delivery/window.ts";
import { cannotStart, InputDamagedError, reasonOf } from "./domain/errors.ts";
import { noEndings } from "./domain/outcome.ts";
import { planRow } from "./domain/plan-row.ts";
import type { Row } from "./domain/row.ts";
import type { StopReason, StopSwitch } from "./domain/stop.ts";
import { finishRun } from "./finish-run.ts";
import { heldBackKeys } from "./held-back-keys.ts";
import type { ImportOptions, ImportProgress, RunSummary } from "./import-options.ts";
import { type ImportPorts, thisMachine } from "./import-ports.ts";
import {
  type ImportSettings,
  identityOf,
  manifestOptions,
  withDefaults,
} from "./import-settings.ts";
import { interruptible } from "./interruptible.ts";
import { fingerprintFile } from "./journal/fingerprint.ts";
import {
  differences,
  findUnfinishedRun,
  perhapsSent,
  type UnfinishedRun,
} from "./journal/unfinished-run.ts";
import { openJournal } from "./journal/write-journal.ts";
import { type InputKind, type PreparedInput, prepareInput } from "./prepare.ts";
import { createReadPositions } from "./read-positions.ts";
import { openResultsWriter, type ResultsWriter } from "./results/results-writer.ts";
import { makeFolder, type RunFiles, refuseExisting, runFiles } from "./results/run-files.ts";
import { toInput } from "./to-input.ts";
import { untilStop } from "./until-stop.ts";

const maxPending = 10_000;
const maxPendingChars = 8 * 1024 * 1024;
const progressEveryMs = 250;
/** What an outcome and its neighbours may take in the journal when the disk is full. */
const journalBytesPerEvent = 2048;

/**
 * Imports an input: checks every row, sends the events that the mapping makes of them, and writes
 * a results file in which every row has its outcome.
 *
 * @returns the account of the run, also of one that stopped early: see `exitReason`
 * @throws CannotStartError where nothing was sent and nothing written
 */
export function runImport(options: ImportOptions): Promise<RunSummary> {
  return run(options, "import");
}

/** An import whose input is somebody's file, or the results of an earlier run. */
export function run(
  options: ImportOptions,
  kind: InputKind,
  ports: ImportPorts = thisMachine,
): Promise<RunSummary> {
  return interruptible(options, async (guarded, stop) => {
    const settings = withDefaults(await toInput(guarded));
    const files = runFiles(settings.results);
    const lock = await ports.acquireLock(files.results);
    if (lock === undefined) throw cannotStart("locked", files.results);
    try {
      const unfinished = await findUnfinishedRun(ports.disk, files.journal);
      if (unfinished === undefined) {
        if (settings.resume === "must") throw cannotStart("nothing_to_resume", files.results);
        await refuseExisting(files);
      } else if (settings.resume === "never") throw cannotStart("run_unfinished", files.results);
      return await runLocked(settings, kind, files, unfinished, stop, ports);
    } finally {
      await lock.release();
    }
  });
}

async function runLocked(
  settings: ImportSettings,
  kind: InputKind,
  files: RunFiles,
  unfinished: UnfinishedRun | undefined,
  stop: StopSwitch,
  ports: ImportPorts,
): Promise<RunSummary> {
  const { clock, cutOffSignal, onNotice: notify } = settings;
  const startedMs = clock.now();
  const retryUnknown = settings.delivery === "at-least-once";

  // What can be found wrong without reading a row.
  const endpoint = parseBaseUrl(settings.baseUrl, settings.allowHttp);
  const token = await readToken(settings.token, stop).catch((error: unknown) => {
    if (stop.reason === undefined) throw error;
    return undefined;
  });
  if (token === undefined) return nothingRead(stop, clock.now() - startedMs);
  const isFile = typeof settings.input === "string";
  if (settings.strict && !(isFile && settings.check)) throw cannotStart("strict_needs_a_file");
  if (unfinished !== undefined && !isFile) throw cannotStart("resume_needs_a_file", files.results);
  const input = await prepareInput({
    input: typeof settings.input === "string" ? settings.input : untilStop(settings.input, stop),
    kind,
    inputName: settings.inputName,
    mapping: settings.mapping,
    selection: { skip: settings.skip, limit: settings.limit },
    warn: (message) => notify({ kind: "warning", message }),
  }).catch((error: unknown) => {
    // A stream that was left before its header came looks like one without a header.
    if (stop.reason === undefined || isFile) throw error;
    return undefined;
  });
  if (input === undefined) return nothingRead(stop, clock.now() - startedMs);
  const identity = identityOf(settings, kind, input, endpoint.baseUrl);
  if (unfinished !== undefined) {
    const found = differences(unfinished.run, identity);
    if (found.length > 0) throw cannotStart("resume_differs", files.results, found);
  }

  // Check.
  let rowsTotal = unfinished?.run.rowsTotal ?? undefined;
  if (unfinished === undefined && isFile && settings.check) {
    const report = await checkRows(
      await input.open(),
      input.mapRow,
      retryUnknown,
      {
        onProblem: (row, problem) => notify({ kind: "invalid", row, problem }),
        onProgress: settings.onProgress,
      },
      stop,
    );
    if (stop.reason === undefined) rowsTotal = report.rows;
    notify({ kind: "checked", report });
    if (settings.strict && report.invalidRows > 0) {
      throw cannotStart("rows_invalid", input.name, report.invalidRows);
    }
  }

  // Send. What is written from here on is the run's; the journal is the first file of a run and the last to go.
  await makeFolder(files);
  const from = unfinished?.checkpoint;
  const window = createWindow({ maxPending, maxPendingChars }, stop);
  const positions = createReadPositions(from);
  let results: ResultsWriter | undefined;
  const journal = await openJournal({
    disk: ports.disk,
    path: files.journal,
    run: unfinished?.run ?? { ...identity, rowsTotal: rowsTotal ?? null },
    durability: settings.durability,
    events: [...(unfinished?.events.values() ?? [])].flat(),
    reserveBytes: 2 * settings.concurrency * journalBytesPerEvent,
    maxInDoubt: 2 * settings.concurrency,
    growthBytes: ports.journalGrowthBytes,
    checkpoint: async () => positions.checkpoint(await results?.checkpoint()),
    onFailure: (error) =>
      stop.request({
        code: "disk",
        message: `${files.journal} cannot be written: ${reasonOf(error)}`,
      }),
  }).catch(async (error: unknown) => {
    await input.close();
    throw cannotStart("output_not_writable", files.journal, reasonOf(error));
  });
  results = await openResultsWriter({
    disk: ports.disk,
    files,
    columns: input.columns,
    inputId: input.id,
    from,
    schedule: clock.schedule,
    onWritten: (row) => window.leave(charsOf(row)),
    onDiskError: ({ message }) => stop.request({ code: "disk", message }),
  }).catch(async (error: unknown) => {
    // Where it cannot be taken away, it says that nothing has been sent yet.
    if (unfinished === undefined) await journal.remove().catch(() => {});
    else await journal.close();
    await input.close();
    throw error;
  });
  const delivery = openDelivery(
    { ...settings, endpoint, token, mode: settings.delivery },
    ports.createPoster,
    journal,
    clock,
    stop,
    notify,
  );
  cutOffSignal?.addEventListener("abort", delivery.cutOff);
  if (unfinished !== undefined) {
    notify({ kind: "resumed", rows: from?.rows ?? 0, perhapsSent: perhapsSent(unfinished) });
    for await (const { key, row } of heldBackKeys(
      ports.disk,
      results.failedRowsFile,
      input.mapRow,
    )) {
      delivery.block(key, row);
    }
  }

  const source = await input.open(from);
  const delivering = new Set<Promise<void>>();
  let rowsRead = positions.rowsBefore;
  let damage: StopReason | undefined;
  const progress = watch(settings, () => ({
    phase: "send",
    rowsRead,
    rowsEnded: results.rowsEnded,
    rowsTotal,
    bytesRead: source.bytesRead(),
    totalBytes: source.totalBytes,
    counts: results.tally.counts,
    inFlight: delivery.figures.inFlight,
    pending: window.pending,
    pausedForMs: delivery.pausedForMs(),
  }));

  try {
    reading: for await (const batch of source.batches) {
      positions.beginBatch(rowsRead, source.batchStart());
      for (const row of batch) {
        if (rowsRead < (from?.rows ?? 0)) {
          rowsRead++; // it stands in the results already
          continue;
        }
        await delivery.room();
        await window.enter(charsOf(row));
        if (stop.reason !== undefined) {
          window.leave(charsOf(row));
          break reading;
        }
        const rowOfRun = ++rowsRead;
        const place = results.place(row);
        const planned = planRow(row, input.mapRow, retryUnknown);
        if (planned.kind === "send") {
          const before = unfinished?.events.get(rowOfRun) ?? [];
          const delivered = delivery
            .deliverRow({ ...planned, row: row.row, rowOfRun, before })
            .then(place.settle)
            .finally(() => delivering.delete(delivered));
          delivering.add(delivered);
          continue;
        }
        place.settle([{ ...planned.outcome, finishedAt: clock.date().toISOString() }]);
        if (rowsTotal !== undefined) continue; // a check has told of its problems
        for (const problem of planned.problems) notify({ kind: "invalid", row, problem });
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const why = error instanceof InputDamagedError ? error.message : reasonOf(error);
    damage = { code: "input_damaged", message: `${input.name}: ${why}` };
  } finally {
    await Promise.all(delivering);
    cutOffSignal?.removeEventListener("abort", delivery.cutOff);
    await delivery.close();
    await source.close();
    progress.end();
  }
  if (damage !== undefined) stop.request(damage);

  // Finish.
  if (stop.reason === undefined && (await hasChanged(input, rowsRead, rowsTotal))) {
    stop.request({
      code: "input_changed",
      message: `${input.name} was changed while it was read: the results hold what was read.`,
    });
  }
  if (stop.reason !== undefined) notify({ kind: "stop", reason: stop.reason });
  return finishRun(
    {
      kind,
      input,
      baseUrl: endpoint.baseUrl,
      options: manifestOptions(settings),
      files,
      results,
      journal,
      rows: Math.max(rowsRead, rowsTotal ?? 0),
      rowsRead,
      isResumed: unfinished !== undefined,
      startedAt: (unfinished?.run ?? identity).startedAt,
      finishedAt: clock.date(),
      elapsedMs: clock.now() - startedMs,
    },
    stop,
  );
}

function nothingRead({ reason }: StopSwitch, elapsedMs: number): RunSummary {
  return {
    exitReason: reason?.code ?? "interrupted",
    ...(reason === undefined ? {} : { message: reason.message }),
    rows: 0,
    events: 0,
    counts: noEndings(),
    attempts: 0,
    unanswered: 0,
    elapsedMs,
  };
}

async function hasChanged(
  { path, fingerprint }: PreparedInput,
  rowsRead: number,
  rowsTotal: number | undefined,
): Promise<boolean> {
  if (rowsTotal !== undefined && rowsTotal !== rowsRead) return true;
  if (path === undefined || fingerprint === undefined) return false;
  const now = await fingerprintFile(path).catch(() => undefined);
  return now?.sha256 !== fingerprint.sha256;
}

/** Calls back a few times a second. */
function watch({ clock, onProgress, isWatched }: ImportSettings, snapshot: () => ImportProgress) {
  let cancel = () => {};
  const tick = () => {
    onProgress(snapshot());
    cancel = clock.schedule(progressEveryMs, tick);
  };
  if (isWatched) tick();
  return {
    end() {
      cancel();
      onProgress(snapshot());
    },
  };
}

/** What a row weighs while it waits: its text, and about as much again for keeping it. */
function charsOf({ cells }: Row): number {
  let chars = 64;
  for (const cell of cells) chars += cell.length;
  return chars;
}
