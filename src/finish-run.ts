import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { DeliveryFigures } from "./delivery/deliver-event.ts";
import { type Accounts, reconcile } from "./domain/accounts.ts";
import { reasonOf } from "./domain/errors.ts";
import type { EndingCounts } from "./domain/outcome.ts";
import type { StopSwitch } from "./domain/stop.ts";
import type { RunSummary } from "./import-options.ts";
import type { InputKind, PreparedInput } from "./prepare.ts";
import { type Manifest, writeManifest } from "./results/manifest.ts";
import type { ResultsTally, ResultsWriter } from "./results/results-writer.ts";
import type { RunFiles } from "./results/run-files.ts";

/** What a run leaves behind when the last of its rows has ended. */
export interface EndedRun {
  readonly kind: InputKind;
  readonly input: PreparedInput;
  readonly baseUrl: string;
  /** The options that shaped the run, as the manifest keeps them. */
  readonly options: Manifest["options"];
  readonly files: RunFiles;
  readonly results: ResultsWriter;
  readonly figures: Readonly<DeliveryFigures>;
  /** Rows of the input, as far as they are known. */
  readonly rows: number;
  /** Rows that got a place in the results. */
  readonly rowsRead: number;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly elapsedMs: number;
}

/** Completes the files, checks that the accounts add up, and writes the manifest. */
export async function finishRun(run: EndedRun, stop: StopSwitch): Promise<RunSummary> {
  const { results, files, figures, rows, elapsedMs } = run;
  const { attempts, unanswered } = figures;
  const counts: EndingCounts = {
    ...results.counts,
    not_sent: results.counts.not_sent + rows - run.rowsRead,
  };
  const figuresOfRun = { rows, counts, attempts, unanswered, elapsedMs };

  if (stop.reason !== undefined && nothingReached(counts, figures)) {
    await results.discard();
    return { ...ending(stop), ...figuresOfRun, events: 0, rowsInResults: 0 };
  }

  const tally = await results.finish();
  const accounts = reconcile(rows, tally, counts);
  if (!accounts.addsUp) {
    stop.request({
      code: "accounts_differ",
      message: `${rows} rows were read and ${accounts.rowsSettled} have their outcome in ${files.results}: this is a defect of eventload; do not rely on this run.`,
    });
  }
  const { failedRowsFile } = tally;
  const summary: RunSummary = {
    ...ending(stop, tally),
    ...figuresOfRun,
    events: tally.events,
    rowsInResults: tally.rowsWritten,
    results: files.results,
    ...(failedRowsFile === undefined ? {} : { failedRows: failedRowsFile }),
    manifest: files.manifest,
  };
  try {
    await writeManifest(files.manifest, toManifest(run, summary, accounts));
    return summary;
  } catch (error) {
    stop.request({ code: "disk", message: reasonOf(error) });
    const { manifest: _, ...others } = summary;
    return { ...others, ...ending(stop, tally) };
  }
}

/** Whether nothing that is worth a file has happened: the same command can simply be given again. */
function nothingReached(counts: EndingCounts, { unanswered }: DeliveryFigures): boolean {
  const { succeeded, rejected, failed, unknown, blocked } = counts;
  return succeeded + rejected + failed + unknown + blocked + unanswered === 0;
}

function ending(
  stop: StopSwitch,
  tally?: ResultsTally,
): Pick<RunSummary, "exitReason" | "message"> {
  if (stop.reason === undefined) return { exitReason: "complete" };
  const { code, message } = stop.reason;
  const lost = tally?.linesLost ?? 0;
  const note = lost === 0 ? "" : ` ${lost} outcomes could not be written down.`;
  return { exitReason: code, message: message + note };
}

function toManifest(run: EndedRun, summary: RunSummary, accounts: Accounts): Manifest {
  const { input } = run;
  const { name, id } = input;
  return {
    version: 1,
    eventload: packageVersion(),
    kind: run.kind,
    input: {
      path: input.path === undefined ? null : resolve(input.path),
      name,
      called: input.called,
      id,
      bytes: input.fingerprint?.bytes ?? null,
      sha256: input.fingerprint?.sha256 ?? null,
    },
    mapping: { ...input.mapping, path: resolve(input.mapping.path) },
    base_url: run.baseUrl,
    options: run.options,
    started_at: run.startedAt.toISOString(),
    finished_at: run.finishedAt.toISOString(),
    elapsed_ms: Math.round(summary.elapsedMs),
    rows: summary.rows,
    events: summary.events,
    counts: summary.counts,
    attempts: summary.attempts,
    unanswered: summary.unanswered,
    reconciliation: {
      rows_read: accounts.rowsRead,
      rows_settled: accounts.rowsSettled,
      rows_not_settled: accounts.rowsNotSettled,
      lines: accounts.lines,
      adds_up: accounts.addsUp,
    },
    exit_reason: summary.exitReason,
    message: summary.message ?? null,
    results: resolve(run.files.results),
    failed_rows: summary.failedRows === undefined ? null : resolve(summary.failedRows),
  };
}

/** The version in the package's own package.json, which stands one folder above the code. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
