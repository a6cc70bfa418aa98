import { readFile } from "node:fs/promises";
import { basename, isAbsolute, relative } from "node:path";
import { writeAtomically } from "../../model/disk/atomic-file.ts";
import { exists, isFileAt } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { cannotStart, reasonOf } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { nextCommandsOf, nextStep } from "../../model/next-step.ts";
import { isDone } from "../../model/outcome.ts";
import { baseOfRun, makeFolderOf, mappingPathOf, type RunFiles } from "../../model/run-files.ts";
import { fileWord, tellCommand } from "../../model/typed-command.ts";
import { createFailedRows, type FailedRows } from "../../report/failed-rows.ts";
import { createMoments } from "../../report/moments.ts";
import { renderReport, renderTextReport, reportMark } from "../../report/render-report.ts";
import { reportFigures } from "../../report/report-figures.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { endedLineOf, ResultsReader } from "../../results/results-reader.ts";
import type { RunSummary } from "../options/run-events.ts";
import { manifestSoFar, summaryOfAccount } from "./account-manifest.ts";
import { columnOfMember } from "./column-of-member.ts";
import {
  type Account,
  isNight,
  readAccount,
  requireComplete,
  resumeCommand,
} from "./read-account.ts";
import { linesOf } from "./render-account.ts";

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

/** What a report says. */
interface ReadReport {
  /** As numbers. */
  readonly figures: Readonly<Record<string, unknown>>;
  /** The same in ten lines at most. */
  readonly text: readonly string[];
  /** Names of results and failed rows that were written and are missing now. */
  readonly missing: readonly string[];
  /** What is damaged, or not in the report yet, and what to do; absent if nothing is. */
  readonly damage?: string;
}

/** What was written. */
export interface ReportWritten extends ReadReport {
  readonly output: string;
  readonly bytes: number;
}

/**
 * Reads how an import went, from its manifest and its failed rows.
 *
 * @throws CannotStartError if there is no such run
 */
export async function readReport(options: Omit<ReportOptions, "output">): Promise<ReadReport> {
  return said(await readReported(options));
}

/**
 * Writes it as an HTML file. An earlier report of that name is overwritten.
 *
 * @throws CannotStartError if there is no such run, or the file exists and is not a report
 */
export async function writeReport(options: ReportOptions): Promise<ReportWritten> {
  const output = options.output ?? `${baseOfRun(options.results)}.report.html`;
  const reported = await readReported(options);
  await prepareReport(output);
  const page = renderReport(reported);
  if (!reported.isMasked && (reported.failed?.lines ?? 0) > 0) options.onCells?.();
  await writeAtomically(output, page).catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  return { output, bytes: Buffer.byteLength(page), ...said(reported) };
}

function said(reported: Awaited<ReturnType<typeof readReported>>): ReadReport {
  const { missing, notInReport: damage } = reported;
  const [figures, text] = [reportFigures(reported), renderTextReport(reported)];
  return { figures, text, missing, ...(damage === undefined ? {} : { damage }) };
}

async function readReported(options: ReportOptions) {
  const { results, maskCells: isMasked = false, typed = [], asTyped = (text) => text } = options;
  const account = await readAccount(results);
  const manifest = manifestOf(account, results);
  const { files } = account;
  const summary = await summaryOfAccount(files, manifest);
  const { next, toFix } = nextStepOf(account, summary, typed);
  const damage = notInReport(account);
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
    damage: damage && withoutFolders(damage),
    notInReport: damage,
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
  if (!(await isFileAt(output))) return void (await makeFolderOf(output));
  const page = await readFile(output, "utf8").catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  if (!page.startsWith(reportMark)) {
    throw cannotStart("output_exists", output, "--output, or --report of a run");
  }
}

/** @throws CannotStartError if the account has none, or is damaged */
function manifestOf(account: Account, given: string): Manifest {
  if (account.kind !== "unfinished") return requireComplete(account, given).manifest;
  return manifestSoFar(account.files, account.part);
}

/** Of a retry that is unfinished, the report says what it did, and the rows of the account are those before it. */
function notInReport(account: Account): string | undefined {
  if (account.kind !== "unfinished" || account.part.before === undefined) return undefined;
  const resume = resumeCommand(account);
  const how =
    resume === undefined ? "give the night's command again" : `run ${tellCommand(...resume)}`;
  return `part ${account.part.run.part} of the import is unfinished and is not in this report. To write it with that, first ${how}`;
}

/** What a report takes from a manifest: names of files, and no path of this machine. */
function runOf(manifest: Manifest, files: RunFiles): Manifest {
  const { mapping, options, message, failed_rows: failed } = manifest;
  return {
    ...manifest,
    mapping: { ...mapping, path: basename(mapping.path) },
    options: { ...options, ca_files: options.ca_files.map((path) => basename(path)) },
    message: message === null ? null : withoutFolders(message),
    results: basename(files.results),
    failed_rows: failed === null ? null : basename(files.failed),
  };
}

/** Takes the folders of absolute paths out of a text. */
function withoutFolders(text: string): string {
  return text.replaceAll(absoluteFolder, "$1");
}

/** An absolute path that is a word of its own: one in an address has something before it. */
const absoluteFolder = /(^|[\s'"=(])(?:[A-Za-z]:\\|\/)(?:[^\s'"/\\]+[/\\])+/g;

function nextStepOf(account: Account, summary: RunSummary, typed: readonly string[]) {
  const isUnfinished = account.kind === "unfinished";
  const night = isUnfinished && isNight(account.part) ? { unchangedRows: 0 } : {};
  // Whoever reads it may fix cells in a spreadsheet program.
  const run = { ...summary, ...night, isOver: !isUnfinished, needsWorkbook: true };
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
  const part =
    account.kind === "unfinished" && account.part.before === undefined ? account.part : undefined;
  if (part === undefined && (failed_rows === null || !(await exists(failed)))) return undefined;
  const chunks =
    part === undefined
      ? nodeDisk.readChunks(failed)
      : linesInOrder(part.run.columns, linesOf(nodeDisk, journal));
  const path = part === undefined ? failed : journal;
  let collector = createFailedRows([]);
  const refuse = (why: string) => cannotStart("account_damaged", path, why);
  try {
    const reader = await ResultsReader.open(chunks, basename(path), refuse);
    const columns = reader.inputColumns;
    collector = createFailedRows(columns, await columnOfMember(mapping, columns));
    try {
      for (; reader.row !== undefined; await reader.next()) {
        if (isDone(reader.status ?? "failed")) continue;
        collector.add({
          ...endedLineOf(reader),
          get cells() {
            return reader.inputCells();
          },
        });
      }
    } finally {
      await reader.close();
    }
    const isEdited = part === undefined && reader.fingerprint().sha256 !== written?.sha256;
    return { ...collector.groups(), isEdited };
  } catch (error) {
    const why = withoutFolders(reasonOf(error));
    const problem = `${basename(path)} has changed since eventload wrote it, so this report lacks a part of it: ${why}`;
    return { ...collector.groups(), isEdited: true, problem };
  }
}
