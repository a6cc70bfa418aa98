import { checkRows } from "./check.ts";
import { checkOptions } from "./check-options.ts";
import { systemClock } from "./delivery/clock.ts";
import { parseBaseUrl } from "./delivery/endpoint.ts";
import { openDelivery } from "./delivery/open-delivery.ts";
import { readToken } from "./delivery/token.ts";
import { createWindow } from "./delivery/window.ts";
import { cannotStart, InputDamagedError, reasonOf } from "./domain/errors.ts";
import { noEndings } from "./domain/outcome.ts";
import { planRow } from "./domain/plan-row.ts";
import type { Row } from "./domain/row.ts";
import { createStopSwitch, type StopReason, type StopSwitch } from "./domain/stop.ts";
import { finishRun } from "./finish-run.ts";
import type { ImportNotice, ImportOptions, ImportProgress, RunSummary } from "./import-options.ts";
import { fingerprintFile } from "./journal/fingerprint.ts";
import { type InputKind, prepareInput } from "./prepare.ts";
import type { Manifest } from "./results/manifest.ts";
import { createResultsWriter } from "./results/results-writer.ts";
import { defaultResultsPath, reserveRunFiles, runFiles } from "./results/run-files.ts";
import { untilStop } from "./until-stop.ts";

const maxPending = 10_000;
const maxPendingChars = 16 * 1024 * 1024;
const progressEveryMs = 250;

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
export async function run(options: ImportOptions, kind: InputKind): Promise<RunSummary> {
  const { signal, cutOffSignal } = options;
  const stop = createStopSwitch();
  const interrupt = () =>
    stop.request({
      code: "interrupted",
      message: "Interrupted: what was on the wire is recorded.",
    });
  const signals = [signal, cutOffSignal].filter((given) => given !== undefined);
  for (const given of signals) {
    given.addEventListener("abort", interrupt);
    if (given.aborted) interrupt();
  }
  // What a listener throws ends the run like an interrupt, and is thrown when all is recorded.
  const thrown: unknown[] = [];
  const guard =
    <Told>(listener: ((told: Told) => void) | undefined) =>
    (told: Told) => {
      try {
        listener?.(told);
      } catch (error) {
        thrown.push(error);
        interrupt();
      }
    };
  try {
    const guarded = {
      ...options,
      ...(options.onProgress === undefined ? {} : { onProgress: guard(options.onProgress) }),
      onNotice: guard(options.onNotice),
    };
    const summary = await runUntil(stop, guarded, kind);
    if (thrown.length > 0) throw thrown[0];
    return summary;
  } finally {
    for (const given of signals) given.removeEventListener("abort", interrupt);
  }
}

async function runUntil(
  stop: StopSwitch,
  options: ImportOptions,
  kind: InputKind,
): Promise<RunSummary> {
  const settings: Settings = { ...defaults, ...options };
  const { clock, onNotice: notify, cutOffSignal } = settings;
  const startedAt = clock.date();
  const startedMs = clock.now();
  const retryUnknown = settings.delivery === "at-least-once";

  // What can be found wrong without reading a row.
  checkOptions(settings);
  const endpoint = parseBaseUrl(settings.baseUrl, settings.allowHttp);
  const token = await readToken(
    typeof settings.token === "string"
      ? { kind: "value", value: settings.token, from: "the options" }
      : settings.token,
  );
  const isFile = typeof settings.input === "string";
  if (settings.strict && !(isFile && settings.check)) throw cannotStart("strict_needs_a_file");
  const files = runFiles(
    settings.results ?? defaultResultsPath(isFile ? (settings.input as string) : "stdin"),
  );
  await reserveRunFiles(files);
  const prepared = await prepareInput({
    input: typeof settings.input === "string" ? settings.input : untilStop(settings.input, stop),
    kind,
    inputName: settings.inputName,
    mapping: settings.mapping,
    selection: { skip: settings.skip, limit: settings.limit },
    warn: (message) => notify({ kind: "warning", message }),
  }).catch((error: unknown) => {
    // A stream that was left before its header came looks like one without a header.
    if (stop.reason === undefined || typeof settings.input === "string") throw error;
    return undefined;
  });
  if (prepared === undefined) return nothingRead(stop, clock.now() - startedMs);
  const input = prepared;

  // Check.
  let rowsTotal: number | undefined;
  if (isFile && settings.check) {
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

  // Send.
  const window = createWindow({ maxPending, maxPendingChars }, stop);
  const results = await createResultsWriter({
    files,
    columns: input.columns,
    inputId: input.id,
    schedule: clock.schedule,
    onWritten: (row) => window.leave(charsOf(row)),
    onDiskError: ({ message }) => stop.request({ code: "disk", message }),
  }).catch(async (error: unknown) => {
    await input.close();
    throw error;
  });
  const delivery = openDelivery(
    {
      endpoint,
      token,
      concurrency: settings.concurrency,
      ratePerSecond: settings.ratePerSecond,
      maxAttempts: settings.maxAttempts,
      timeoutMs: settings.timeoutMs,
      mode: settings.delivery,
      idempotencyHeader: settings.idempotencyHeader,
    },
    clock,
    stop,
    notify,
  );
  cutOffSignal?.addEventListener("abort", delivery.cutOff);
  const source = await input.open();
  let rowsRead = 0;
  let damage: StopReason | undefined;
  const progress = watch(() => ({
    phase: "send",
    rowsRead,
    rowsEnded: results.rowsEnded,
    rowsTotal,
    bytesRead: source.bytesRead(),
    totalBytes: source.totalBytes,
    counts: results.counts,
    inFlight: delivery.figures.inFlight,
    pending: window.pending,
    pausedForMs: delivery.pausedForMs(),
  }));

  try {
    reading: for await (const batch of source.batches) {
      for (const row of batch) {
        await delivery.room();
        await window.enter(charsOf(row));
        if (stop.reason !== undefined) {
          window.leave(charsOf(row));
          break reading;
        }
        rowsRead++;
        const place = results.place(row);
        const planned = planRow(row, input.mapRow, retryUnknown);
        if (rowsTotal === undefined && planned.kind === "settled") {
          for (const problem of planned.problems) notify({ kind: "invalid", row, problem });
        }
        if (planned.kind === "send") {
          void delivery.deliverRow({ ...planned, row: row.row }).then(place.settle);
        } else {
          place.settle([{ ...planned.outcome, finishedAt: clock.date().toISOString() }]);
        }
      }
    }
  } catch (error) {
    // The rows before the damage are sound: they are sent before the run stops.
    const why = error instanceof InputDamagedError ? error.message : reasonOf(error);
    damage = { code: "input_damaged", message: `${input.name}: ${why}` };
  } finally {
    await window.idle();
    cutOffSignal?.removeEventListener("abort", delivery.cutOff);
    await delivery.close();
    await source.close();
    progress.end();
  }
  if (damage !== undefined) stop.request(damage);

  // Finish.
  if (stop.reason === undefined && (await hasChanged())) {
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
      options: optionsOf(settings),
      files,
      results,
      figures: delivery.figures,
      rows: Math.max(rowsRead, rowsTotal ?? 0),
      rowsRead,
      startedAt,
      finishedAt: clock.date(),
      elapsedMs: clock.now() - startedMs,
    },
    stop,
  );

  async function hasChanged(): Promise<boolean> {
    if (rowsTotal !== undefined && rowsTotal !== rowsRead) return true;
    const { path, fingerprint } = input;
    if (path === undefined || fingerprint === undefined) return false;
    const now = await fingerprintFile(path).catch(() => undefined);
    return now?.sha256 !== fingerprint.sha256;
  }

  function watch(snapshot: () => ImportProgress) {
    let cancel = () => {};
    const tick = () => {
      settings.onProgress(snapshot());
      cancel = clock.schedule(progressEveryMs, tick);
    };
    if (options.onProgress !== undefined) tick();
    return {
      end() {
        cancel();
        settings.onProgress(snapshot());
      },
    };
  }
}

function nothingRead({ reason }: StopSwitch, elapsedMs: number): RunSummary {
  return {
    exitReason: reason?.code ?? "interrupted",
    ...(reason === undefined ? {} : { message: reason.message }),
    rows: 0,
    events: 0,
    rowsInResults: 0,
    counts: noEndings(),
    attempts: 0,
    unanswered: 0,
    elapsedMs,
  };
}

type Settings = ImportOptions & Required<Pick<ImportOptions, keyof typeof defaults>>;

const defaults = {
  concurrency: 32,
  maxAttempts: 5,
  timeoutMs: 30_000,
  delivery: "at-least-once",
  allowHttp: false,
  skip: 0,
  limit: Number.POSITIVE_INFINITY,
  check: true,
  strict: false,
  clock: systemClock,
  onProgress: (_: ImportProgress) => {},
  onNotice: (_: ImportNotice) => {},
} satisfies Partial<ImportOptions>;

/** What the manifest keeps of the options. Where the token came from is not among it. */
function optionsOf(settings: Settings): Manifest["options"] {
  const { limit } = settings;
  return {
    concurrency: settings.concurrency,
    rate_per_second: settings.ratePerSecond ?? null,
    max_attempts: settings.maxAttempts,
    timeout_ms: settings.timeoutMs,
    delivery: settings.delivery,
    idempotency_header: settings.idempotencyHeader ?? null,
    allow_http: settings.allowHttp,
    skip: settings.skip,
    limit: limit === Number.POSITIVE_INFINITY ? null : limit,
    check: settings.check,
    strict: settings.strict,
  };
}

/** What a row weighs while it waits: its text, and about as much again for keeping it. */
function charsOf({ cells }: Row): number {
  let chars = 64;
  for (const cell of cells) chars += cell.length;
  return chars;
}
