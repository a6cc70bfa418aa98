import { basename, isAbsolute, relative } from "node:path";
import { journalLines } from "../../journal/read-journal.ts";
import { writeAtomically } from "../../model/disk/atomic-file.ts";
import { exists, isFileAt, isOursAt } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { cannotStart, reasonOf, refuseWrite } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { nextCommandsOf, nextStep } from "../../model/next-step.ts";
import { isDone } from "../../model/outcome.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { baseOfRun, makeFolderOf, mappingPathOf, type RunFiles } from "../../model/run-files.ts";
import { fileWord } from "../../model/typed-command.ts";
import { createFailedRows, type FailedRows } from "../../report/failed-rows.ts";
import { createMoments } from "../../report/moments.ts";
import { renderReport, renderTextReport, reportMark } from "../../report/render-report.ts";
import { reportFigures } from "../../report/report-figures.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { endedLineOf } from "../../results/result-line.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { columnOfMember } from "../send/column-of-member.ts";
import { figuresSoFar, manifestSoFar, summaryOfAccount } from "./account-manifest.ts";
import { type Account, isNight, readAccount, requireComplete } from "./read-account.ts";

export interface ReportOptions {
  /** Path of the results of a run, or of its failed rows. */
  readonly results: string;
  /** Path of the report; default `people.report.html` beside `people.results.csv`. */
  readonly output?: string;
  /** Whether to leave out cells, keys, ids, and the messages that may quote them; default no. */
  readonly maskCells?: boolean;
  /** Options for the next command that the manifest does not hold, as typed: `--config ours.yaml`. */
  readonly typed?: readonly string[];
  /** How the commands of a text are typed, such as `npx eventload` in place of `eventload`; default as they are. */
  readonly asTyped?: (text: string) => string;
  /** Called before a report that shows cells is written. */
  readonly onCells?: () => void;
}

interface ReadReport {
  readonly figures: Readonly<Record<string, unknown>>;
  /** The report in ten lines at most. */
  readonly text: readonly string[];
  /** Names of results and failed rows that were written and are missing now. */
  readonly missing: readonly string[];
}

export interface ReportWritten extends ReadReport {
  readonly output: string;
  readonly bytes: number;
}

/** Reads how an import went, from its manifest and its failed rows. @throws CannotStartError if there is no such run */
export async function readReport(options: Omit<ReportOptions, "output">): Promise<ReadReport> {
  return said(await readReported(options));
}

/**
 * Writes the report as an HTML file. An earlier report of that name is overwritten.
 *
 * @throws CannotStartError if there is no such run, or the file exists and is not a report
 */
export async function writeReport(options: ReportOptions): Promise<ReportWritten> {
  const output = options.output ?? `${baseOfRun(options.results)}.report.html`;
  const reported = await readReported(options);
  await prepareReport(output);
  const page = renderReport(reported);
  if (!reported.isMasked && (reported.failed?.lines ?? 0) > 0) options.onCells?.();
  await writeAtomically(output, page).catch(refuseWrite(output));
  return { output, bytes: Buffer.byteLength(page), ...said(reported) };
}

function said(reported: Awaited<ReturnType<typeof readReported>>): ReadReport {
  const { missing } = reported;
  return { figures: reportFigures(reported), text: renderTextReport(reported), missing };
}

async function readReported(options: ReportOptions) {
  const { results, maskCells: isMasked = false, typed = [], asTyped = (text) => text } = options;
  const account = await readAccount(results);
  const manifest = await manifestToReport(account, results);
  const { files } = account;
  const summary = await summaryOfAccount(files, manifest);
  const { next, toFix } = nextStepOf(account, summary, typed);
  const missing = summary.lacksFailedRows === true ? [basename(files.failed)] : [];
  return {
    run: runOf(manifest, files),
    failed: await readFailedRows(account, manifest),
    moments: createMoments(new Intl.DateTimeFormat().resolvedOptions().timeZone),
    next: next && {
      before: withoutFolders(next.before),
      command: next.command.map(withoutFolders),
    },
    asTyped,
    toFix: toFix?.map(withoutFolders),
    // Cells are fixed where a retry comes next, and its rows are at hand.
    map:
      summary.failedRows === undefined || account.kind === "unfinished"
        ? undefined
        : await mapCommandOf(manifest),
    missing,
    isMasked,
  };
}

/** @returns undefined if the cells fit, or the input is not at hand below the working directory */
async function mapCommandOf({ counts, input, mapping, options }: Manifest) {
  const isAsked = (counts.invalid ?? 0) > 0 && options.shard === null;
  if (!isAsked || input.path === null || !(await isFileAt(input.path))) return undefined;
  const [file, by] = [relative("", input.path), relative("", mapping.path)];
  if ([file, by].some((path) => path.startsWith("..") || isAbsolute(path))) return undefined;
  if (!/\.ya?ml$/i.test(by)) return undefined;
  const named = by === mappingPathOf(file) ? [] : ["--mapping", fileWord(by)];
  return ["eventload", "map", fileWord(file), ...named];
}

/**
 * Makes sure that nothing but a report is overwritten, and makes the folder of the new one.
 *
 * @throws CannotStartError
 */
export async function prepareReport(output: string): Promise<void> {
  const isThere = await isOursAt(output, [reportMark], "--output, or --report of a run");
  if (!isThere) await makeFolderOf(output);
}

/** What a manifest says, or would say if an unfinished part ended now. @throws CannotStartError if there is none */
async function manifestToReport(account: Account, given: string): Promise<Manifest> {
  if (account.kind !== "unfinished") return requireComplete(account, given).manifest;
  const { files, part } = account;
  const manifest = manifestSoFar(files, part);
  if (part.before === undefined || part.record.end !== undefined) return manifest;
  return { ...manifest, ...(await figuresSoFar(nodeDisk, files, part)) };
}

/** What a report takes from a manifest: names of files, and no path of this machine. */
function runOf(manifest: Manifest, files: RunFiles): Manifest {
  const { mapping, options, message, failed_rows: failed } = manifest;
  return {
    ...manifest,
    mapping: { ...mapping, path: basename(mapping.path) },
    options: { ...options, ca_files: [options.ca_files].flat().map((path) => basename(path)) },
    message: message === null ? null : withoutFolders(message),
    results: basename(files.results),
    failed_rows: failed === null ? null : basename(files.failed),
  };
}

function withoutFolders(text: string): string {
  return text.replaceAll(absoluteFolder, "$1");
}

/** An absolute path that is a word of its own: one in an address has something before it. */
const absoluteFolder = /(^|[\s'"=(])(?:[A-Za-z]:\\|\/)(?:[^\s'"/\\]+[/\\])+/g;

function nextStepOf(account: Account, summary: RunSummary, typed: readonly string[]) {
  const isUnfinished = account.kind === "unfinished";
  const night = isUnfinished && isNight(account.part) ? { unchangedRows: 0 } : {};
  const run = { ...summary, ...night, isOver: !isUnfinished };
  const commands = nextCommandsOf(run, typed);
  return { next: nextStep(run, commands), toFix: commands.retry && commands.export };
}

/**
 * Groups the failed rows, or what did not succeed of an import that is unfinished.
 *
 * @returns undefined if there are none, or they are missing
 */
async function readFailedRows(
  account: Account,
  { failed_rows, failed_rows_file: written, mapping }: Manifest,
): Promise<FailedRows | undefined> {
  const { failed, journal } = account.files;
  const sources: AsyncIterable<Buffer>[] = [];
  const hasBefore = failed_rows !== null && (await exists(failed));
  if (hasBefore) sources.push(nodeDisk.readChunks(failed));
  if (account.kind === "unfinished") {
    const { run, record, before } = account.part;
    // In a retry, a row that is not done is as it was.
    const lines = journalLines(nodeDisk, journal, before && record.rows.isDone);
    sources.push(linesInOrder(run.columns, lines));
  }
  const refuse = (why: string) => cannotStart("account_damaged", failed, why);
  const readers: ResultsReader[] = [];
  let collector = createFailedRows([]);
  try {
    for (const chunks of sources) {
      readers.push(await ResultsReader.open(chunks, basename(failed), refuse));
    }
    if (readers[0] === undefined) return undefined;
    const columns = readers[0].inputColumns;
    collector = createFailedRows(columns, await columnOfMember(mapping, columns));
    for (;;) {
      const row = Math.min(...readers.map((reader) => reader.row ?? Number.POSITIVE_INFINITY));
      const last = readers.findLast((reader) => reader.row === row);
      if (last === undefined) break;
      for (const reader of readers) {
        for (; reader.row === row; await reader.next()) {
          if (reader !== last || isDone(reader.said.outcome.status)) continue;
          collector.add({
            ...endedLineOf(reader.said),
            get cells() {
              return reader.inputCells();
            },
          });
        }
      }
    }
    const isEdited = hasBefore && readers[0].fingerprint().sha256 !== written?.sha256;
    return { ...collector.groups(), isEdited };
  } catch (error) {
    const why = withoutFolders(reasonOf(error));
    const problem = `${basename(failed)} has changed since eventload wrote it, so this report lacks a part of it: ${why}`;
    return { ...collector.groups(), isEdited: true, problem };
  } finally {
    for (const reader of readers) await reader.close();
  }
}
