import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { asWritten, openResultsFile } from "../../input/open-results-file.ts";
import { createAtomicFile, writeAtomically } from "../../model/disk/atomic-file.ts";
import { exists, isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, InputDamagedError, reasonOf } from "../../model/errors.ts";
import { hasEnded, type NextStep, nextCommandsOf, nextStep } from "../../model/next-step.ts";
import type { Reading } from "../../model/reading.ts";
import { baseOfRun, makeFolderOf, runFiles } from "../../model/run-files.ts";
import { compareResults } from "../../report/reconciliation.ts";
import { isReportOf, renderReport, reportMark } from "../../report/render-report.ts";
import {
  createResultsSummarizer,
  type ResultsSummary,
  type UnreadResults,
} from "../../report/results-summary.ts";
import { type Manifest, readManifest } from "../../results/manifest.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import {
  type Account,
  maxErrorsToResume,
  readAccount,
  refuseOtherThanResults,
  resumeCommand,
  type UnfinishedAccount,
} from "./read-account.ts";

export interface ReportOptions {
  /** Path of the results of a run, or of its failed rows. */
  readonly results: string;
  /** Path of the report; default `people.report.html` beside `people.results.csv`. */
  readonly output?: string;
  /** The command to type next, `null` for none; default derived from the manifest. */
  readonly next?: NextStep | null;
  /** Options for that command that the manifest does not hold, as typed: `--config ours.yaml`. */
  readonly typed?: readonly string[];
}

/** What was written. */
export interface ReportWritten {
  readonly output: string;
  readonly bytes: number;
  /** How the results file differs from what the run wrote, such as `39 lines instead of 40`; empty if not at all. */
  readonly differences: readonly string[];
  /** Paths of results, failed rows and the journal that the run wrote and that are missing now. */
  readonly missing: readonly string[];
  /** What is damaged, or not in the report yet, and what to do; absent if nothing is. */
  readonly damage?: string;
}

/**
 * Writes an HTML file that shows how a run went. An earlier report of that name is overwritten.
 *
 * @throws CannotStartError if there is no such run, or the file exists and is not a report
 */
export async function writeReport(options: ReportOptions): Promise<ReportWritten> {
  const base = baseOfRun(options.results);
  const output = options.output ?? `${base}.report.html`;
  await refuseOtherFile(output);
  await refuseOtherThanResults(options.results);
  const account = await readAccount(options.results);
  const { results } = account.files;
  const manifest = asNamedNow(await manifestOf(account, options.results), results);
  const isUnfinished = account.kind === "unfinished" || account.kind === "closed";
  // While the import is unfinished, its lines are in the file of the part.
  const lines = isUnfinished && manifest.results_file === null ? account.files.part : results;
  const written = lines === results ? undefined : manifest.reconciliation.lines;
  const summary = await readResults(lines, written);
  const differences = compareResults(manifest, summary);
  const missing = isUnfinished ? [] : await missingOf(manifest, results);
  // A resume writes missing results again.
  const isAsLeft = differences.length === 0 || missing.includes(manifest.results);
  const usual = await nextStepOf(account, manifest, isAsLeft, options.typed ?? []);
  const { next = usual } = options;
  const page = renderReport(manifest, summary, { missing, ...(next == null ? {} : { next }) });
  await makeFolderOf(output);
  await writeAtomically(output, page).catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  return {
    ...{ output, bytes: Buffer.byteLength(page), differences, missing },
    ...(account.kind === "damaged" ? { damage: account.error.message } : {}),
    ...(account.kind === "unfinished" && manifest.parts.at(-1)?.is_over === true
      ? { damage: notInReport(account) }
      : {}),
  };
}

/**
 * Makes sure in advance that the report can be written, and makes its folder.
 *
 * @param startedAt of the run whose report alone may be overwritten, in ISO 8601; default that of any run
 * @throws CannotStartError
 */
export async function prepareReport(output: string, startedAt?: string): Promise<void> {
  await refuseOtherFile(output, startedAt);
  await makeFolderOf(output);
  try {
    await (await createAtomicFile(output)).discard();
  } catch (error) {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  }
}

/** Makes sure that nothing but a report is overwritten. */
async function refuseOtherFile(output: string, startedAt?: string): Promise<void> {
  if (!(await isFileAt(output))) return;
  const page = await readFile(output, "utf8").catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  if (!page.startsWith(reportMark)) {
    throw cannotStart("output_exists", output, "--output, or --report of a run");
  }
  if (startedAt !== undefined && !isReportOf(page, startedAt)) {
    throw cannotStart("report_of_another", output);
  }
}

/** @throws CannotStartError if there is none */
async function manifestOf(account: Account, given: string): Promise<Manifest> {
  const { manifest: path } = account.files;
  const read = await readManifest(path);
  const refuse = (why: string) => cannotStart("report_impossible", basename(given), why);
  switch (read.kind) {
    case "manifest":
      return read.manifest;
    case "unreadable":
      throw refuse(`${path}: ${read.message}`);
    case "absent":
      if (account.kind === "damaged") throw account.error;
      if (account.kind === "unfinished") {
        const command = resumeCommand(account) ?? "the night's command";
        throw refuse(
          `its run is still working, or was killed; if it was killed, ${command} continues it`,
        );
      }
      if (!(await exists(given))) throw cannotStart("input_not_found", given);
      throw refuse(
        `there is no ${basename(path)} beside it, which a run leaves when it ends: if the file was moved or renamed, move the manifest too, and give it that name`,
      );
  }
}

/** The manifest of a retry that was killed is what the account was before it. */
function notInReport(account: UnfinishedAccount): string {
  const { part } = account.part.run;
  return `part ${part} of the import is unfinished and is not in this report: run ${resumeCommand(account)}, then write the report again.`;
}

/** A report uses the current names of files that were renamed. */
function asNamedNow(manifest: Manifest, results: string): Manifest {
  if (basename(results) === basename(manifest.results)) return manifest;
  return {
    ...manifest,
    results: resolve(results),
    failed_rows: manifest.failed_rows === null ? null : resolve(runFiles(results).failed),
  };
}

/** The files of the run that are missing. */
async function missingOf(manifest: Manifest, results: string): Promise<string[]> {
  const { failed } = runFiles(results);
  const { failed_rows } = manifest;
  return [
    ...((await exists(results)) ? [] : [manifest.results]),
    ...(failed_rows === null || (await exists(failed)) ? [] : [failed_rows]),
  ];
}

/** @param isAsLeft whether the results are as the run left them */
async function nextStepOf(
  account: Account,
  manifest: Manifest,
  isAsLeft: boolean,
  typed: readonly string[],
): Promise<NextStep | undefined> {
  if (account.kind === "closed") return undefined;
  const { results } = account.files;
  const { failed_rows, input, inputs, merged_into: into } = manifest;
  const isUnfinished = account.kind === "unfinished";
  const maxErrors = isUnfinished ? maxErrorsToResume(account.part) : undefined;
  const isNight = manifest.state !== undefined && manifest.parts.at(-1)?.part === 1;
  const mayRetry = failed_rows !== null && into === undefined && (await exists(results));
  const run = {
    // Results can be retried as well as failed rows.
    ...(mayRetry ? { failedRows: results } : {}),
    ...(await summaryOfAccount(account.files, manifest)),
    isOver: !isUnfinished && hasEnded(manifest.exit_reason),
    ...(maxErrors === undefined ? {} : { maxErrors }),
    ...(isNight ? { unchangedRows: 0 } : {}),
  };
  const canResume = isUnfinished && isAsLeft && (input.path !== null || inputs !== undefined);
  return nextStep(run, nextCommandsOf(run, typed, canResume));
}

const { maxRecordBytes } = asWritten;
/** Somebody may have saved them in another form since; only the maximum length of a record still holds. */
const reading: Reading = maxRecordBytes === undefined ? {} : { maxRecordBytes };

/**
 * Adds up what a results file says.
 *
 * @param most lines to read; default all
 * @returns why it cannot be read, if it cannot at all
 */
export async function readResults(
  path: string,
  most = Number.POSITIVE_INFINITY,
): Promise<ResultsSummary | UnreadResults> {
  const name = basename(path);
  const summarizer = createResultsSummarizer();
  try {
    const source = await openResultsFile({ kind: "file", path, name }, reading);
    try {
      let left = most;
      lines: for await (const rows of source.batches) {
        for (const row of rows) {
          if (left-- <= 0) break lines;
          summarizer.add(row);
        }
      }
    } finally {
      await source.close();
    }
  } catch (error) {
    if (error instanceof InputDamagedError) return summarizer.summary(`${name}: ${error.message}`);
    if (error instanceof CannotStartError) {
      return { problem: error.message, isMissing: error.code === "input_not_found" };
    }
    throw error;
  }
  return summarizer.summary();
}
