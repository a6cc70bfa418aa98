import { resolve } from "node:path";
import type { Journal } from "../journal/journal.ts";
import { stopForDisk } from "../model/errors.ts";
import type { StatusCounts } from "../model/outcome.ts";
import type { OutcomeGroups } from "../model/outcome-groups.ts";
import type { LimitedBy, RunFigures } from "../model/run-figures.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { RunPart } from "../model/sending-settings.ts";
import type { StopController, StopReason } from "../model/stop.ts";
import { hasLostPart } from "../report/reconciliation.ts";
import { type Manifest, writeManifest } from "../results/manifest.ts";
import type { ResultsWriter } from "../results/results-writer.ts";
import { summarizeFigures } from "../stats/run-meter.ts";
import type { RunSummary } from "./import-options.ts";
import { inputsOf, manifestParts, pathOf } from "./import-settings.ts";
import type { InputKind } from "./input.ts";
import { packageVersion } from "./package-files.ts";
import type { InputIdentity, PreparedInput } from "./prepare-input.ts";
import { type Reconciliation, reconcile } from "./reconcile.ts";
import { sealOf } from "./seal.ts";

/** A run of which every row that was read has ended, or will not in this process. */
export interface EndedRun {
  readonly kind: InputKind;
  readonly input: PreparedInput;
  readonly known: InputIdentity;
  readonly parts: readonly RunPart[];
  readonly baseUrl: string;
  readonly target: string | undefined;
  readonly stateFolder: string | undefined;
  /** The options that shaped the run, as the manifest keeps them. */
  readonly options: Manifest["options"];
  readonly files: RunFiles;
  readonly results: ResultsWriter;
  readonly journal: Journal;
  /**
   * Why the run is over although its input was not read to its end, or is another now; and what to do, for a
   * person. All that was read has its outcome.
   */
  readonly endedBy: { readonly reason: StopReason; readonly advice: string } | undefined;
  /** Rows of the input, as far as they are known. */
  readonly rows: number;
  /** Rows that got a place in the results. */
  readonly rowsRead: number;
  /** Whether an interrupted run went on: what it had reached may stand in the journal alone. */
  readonly isResumed: boolean;
  readonly startedAt: string;
  readonly finishedAt: Date;
  readonly elapsedMs: number;
  readonly figures: RunFigures;
  /** What did not succeed. */
  readonly problems: OutcomeGroups;
  readonly limitedBy: LimitedBy | undefined;
}

/** Completes the files, reconciles the counts, and writes the manifest. */
export async function finishRun(run: EndedRun, stop: StopController): Promise<RunSummary> {
  const { results, journal, files, rows, elapsedMs } = run;
  const requestStop = (error: unknown) => stop.abort(stopForDisk(error));

  const ownership = await journal.ownership();
  await results.flush();
  const { tally } = results;
  const { events, attempts, unanswered, perhapsTwice } = tally;
  const counts: StatusCounts = {
    ...tally.counts,
    not_sent: tally.counts.not_sent + rows - run.rowsRead,
  };
  const figures = {
    ...{ rows, events, counts, attempts, unanswered, perhapsTwice, elapsedMs },
    sending: summarizeFigures(
      run.figures,
      run.isResumed && hasLostPart({ figures: run.figures, counts, attempts }),
    ),
    ...(run.limitedBy === undefined ? {} : { limitedBy: run.limitedBy }),
    problems: run.problems.groups(),
    ungroupedProblems: run.problems.ungrouped,
  };

  const isOurs = ownership === "ours";
  // A wait that the service asked for is known to the next process from the journal alone.
  const isAskedToWait = (journal.askedToWaitUntil ?? 0) > run.finishedAt.getTime();
  const isWorthAFile = run.isResumed || isAskedToWait || !nothingReached(counts, unanswered);
  const isStopped = stop.signal.aborted || run.endedBy !== undefined;
  if (isOurs && isStopped && !isWorthAFile) {
    await results.discard().catch(requestStop);
    await journal.remove().catch(requestStop);
    return { ...status(stop.signal.reason ?? run.endedBy?.reason), ...figures };
  }

  const written = await results.checkpoint().catch(requestStop);
  const reconciliation = reconcile(rows, results.rowsSettled, written ?? undefined, counts);
  const { addsUp, rowsSettled, rowsWritten } = reconciliation;
  /** The check counted rows that the input has no more. */
  const lacksRows = run.endedBy !== undefined && rows > run.rowsRead;
  const allSettled = rowsSettled === run.rowsRead && rowsWritten === run.rowsRead;
  if (!stop.signal.aborted && !(lacksRows ? allSettled : addsUp)) {
    stop.abort({
      code: "not_reconciled",
      message: `${rows} rows were read and ${reconciliation.rowsWritten} have their outcome in ${files.results}: this is a bug in eventload; do not rely on this run.`,
    });
  }
  const { failedRowsFile } = results;
  // Another process that has taken the run over writes one of its own.
  let hasManifest = isOurs || (ownership === "gone" && written !== undefined);
  const summary = (): RunSummary => ({
    ...status(stop.signal.reason ?? reasonWithAdvice(run)),
    ...figures,
    results: files.results,
    ...(run.options.shard === null ? {} : { shard: run.options.shard }),
    ...(failedRowsFile === undefined ? {} : { failedRows: failedRowsFile }),
    ...(hasManifest ? { manifest: files.manifest } : {}),
  });
  // The journal goes last, and only when all else is on the disk: until then it can be resumed from.
  const isOver = !stop.signal.aborted;
  if (!isOver) await journal.close();
  if (hasManifest) {
    const manifest = toManifest(run, summary(), reconciliation);
    // Why there is none was said at the start.
    const seal = await sealOf(files.manifest, manifest, run.stateFolder).catch(() => undefined);
    await writeManifest(files.manifest, { ...manifest, seal }).catch((error) => {
      hasManifest = false;
      requestStop(error);
    });
  }
  if (isOver && !stop.signal.aborted) await journal.remove().catch(requestStop);
  else if (isOver) await journal.close();
  await results.close();
  return summary();
}

/** Whether no event has an outcome or may have arrived: the same command can simply be given again. */
function nothingReached(counts: StatusCounts, unanswered: number): boolean {
  const { succeeded, rejected, failed, unknown, blocked } = counts;
  return succeeded + rejected + failed + unknown + blocked + unanswered === 0;
}

/** Why the run is over, with what to do now. */
function reasonWithAdvice({ endedBy }: EndedRun): StopReason | undefined {
  if (endedBy === undefined) return undefined;
  const { reason, advice } = endedBy;
  return { ...reason, message: `${reason.message} ${advice}` };
}

function status(reason: StopReason | undefined): Pick<RunSummary, "exitReason" | "message"> {
  if (reason === undefined) return { exitReason: "complete" };
  return { exitReason: reason.code, message: reason.message };
}

function toManifest(run: EndedRun, summary: RunSummary, reconciliation: Reconciliation): Manifest {
  const { input, known } = run;
  const { name } = input;
  return {
    version: 1,
    eventload: packageVersion(),
    kind: run.kind,
    input: {
      path: pathOf(known.files),
      name,
      called: input.called,
      id: known.id,
      bytes: known.fingerprint?.bytes ?? null,
      sha256: known.fingerprint?.sha256 ?? null,
    },
    ...inputsOf(known.files),
    mapping: {
      ...input.mapping,
      path: resolve(input.mapping.path),
      lookups: [...input.mapping.lookups],
    },
    base_url: run.baseUrl,
    ...(run.target === undefined ? {} : { target: run.target }),
    options: run.options,
    ...manifestParts(run.parts),
    started_at: run.startedAt,
    finished_at: run.finishedAt.toISOString(),
    elapsed_ms: Math.round(summary.elapsedMs),
    rows: summary.rows,
    events: summary.events,
    counts: summary.counts,
    attempts: summary.attempts,
    unanswered: summary.unanswered,
    perhaps_twice: summary.perhapsTwice,
    reconciliation: {
      rows_read: reconciliation.rowsRead,
      rows_settled: reconciliation.rowsSettled,
      rows_not_settled: reconciliation.rowsNotSettled,
      rows_written: reconciliation.rowsWritten,
      lines: reconciliation.lines,
      adds_up: reconciliation.addsUp,
    },
    exit_reason: summary.exitReason,
    message: summary.message ?? null,
    results: resolve(run.files.results),
    figures: run.figures,
    failed_rows: summary.failedRows === undefined ? null : resolve(summary.failedRows),
  };
}
