import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createAtomicFile, writeAtomically } from "../../model/disk/atomic-file.ts";
import { exists, isFileAt } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { hasEnded, type NextStep, nextCommandsOf, nextStep } from "../../model/next-step.ts";
import { isDone } from "../../model/outcome.ts";
import { sourceColumn } from "../../model/results-columns.ts";
import { baseOfRun, makeFolderOf, type RunFiles } from "../../model/run-files.ts";
import {
  createFailedRows,
  type Example,
  type FailedRow,
  type FailedRows,
  offendingColumns,
} from "../../report/failed-rows.ts";
import { createMoments } from "../../report/moments.ts";
import { renderReport, reportMark } from "../../report/render-report.ts";
import { reportFigures } from "../../report/report-figures.ts";
import type { Reported } from "../../report/reported-run.ts";
import { renderTextReport } from "../../report/text-report.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { type BoundMapping, readMapping } from "../prepare/read-mapping.ts";
import { summaryOfAccount } from "./account-manifest.ts";
import {
  type Account,
  readAccount,
  refuseOtherThanResults,
  requireComplete,
  resumeCommand,
} from "./read-account.ts";

export interface ReportOptions {
  /** Path of the results of a run, or of its failed rows. */
  readonly results: string;
  /** Path of the report; default `people.report.html` beside `people.results.csv`. */
  readonly output?: string;
  /** Whether to leave out cells, keys, ids, and the messages that may quote them; default no. */
  readonly maskCells?: boolean;
  /** The zone of the times beside UTC, such as `Europe/Amsterdam`; default that of this machine. */
  readonly zone?: string;
  /** The command to type next, `null` for none; default derived from the manifest. */
  readonly next?: NextStep | null;
  /** Options for that command that the manifest does not hold, as typed: `--config ours.yaml`. */
  readonly typed?: readonly string[];
  /** Called before a report that shows cells is written. */
  readonly onCells?: () => void;
}

/** What was written. */
export interface ReportWritten {
  readonly output: string;
  readonly bytes: number;
  /** What the report says, as numbers. */
  readonly figures: Readonly<Record<string, unknown>>;
  /** The same in ten lines at most. */
  readonly text: readonly string[];
  /** Names of results and failed rows that were written and are missing now. */
  readonly missing: readonly string[];
  /** What is damaged, or not in the report yet, and what to do; absent if nothing is. */
  readonly damage?: string;
}

/**
 * Writes an HTML file that shows how an import went, from its manifest and its failed rows. An earlier report of that
 * name is overwritten.
 *
 * @throws CannotStartError if there is no such run, or the file exists and is not a report
 */
export async function writeReport(options: ReportOptions): Promise<ReportWritten> {
  const { maskCells: isMasked = false, zone = localZone(), typed = [] } = options;
  const output = options.output ?? `${baseOfRun(options.results)}.report.html`;
  await refuseOtherFile(output);
  await refuseOtherThanResults(options.results);
  const account = await readAccount(options.results);
  const manifest = manifestOf(account, options.results);
  const { files } = account;
  const usual = await nextStepOf(account, manifest, typed);
  const { next = usual } = options;
  const damage = notInReport(account, manifest);
  const hasFailed = manifest.failed_rows === null || (await exists(files.failed));
  const missing = hasFailed ? [] : [basename(files.failed)];
  const reported: Reported = {
    run: runOf(manifest, files),
    failed: await readFailedRows(manifest, files, isMasked),
    moments: createMoments(zone),
    next:
      next == null
        ? undefined
        : { before: withoutFolders(next.before), command: withoutFolders(next.command) },
    missing,
    isMasked,
    damage: damage === undefined ? undefined : withoutFolders(damage),
  };
  const page = renderReport(reported);
  const hasCells = !isMasked && (reported.failed?.lines ?? 0) > 0;
  if (hasCells) options.onCells?.();
  await makeFolderOf(output);
  await writeAtomically(output, page).catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  return {
    output,
    bytes: Buffer.byteLength(page),
    figures: reportFigures(reported),
    text: renderTextReport(reported),
    missing,
    ...(damage === undefined ? {} : { damage }),
  };
}

function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Makes sure in advance that the report can be written, and makes its folder.
 *
 * @throws CannotStartError
 */
export async function prepareReport(output: string): Promise<void> {
  await refuseOtherFile(output);
  await makeFolderOf(output);
  try {
    await (await createAtomicFile(output)).discard();
  } catch (error) {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  }
}

/** Makes sure that nothing but a report is overwritten. */
async function refuseOtherFile(output: string): Promise<void> {
  if (!(await isFileAt(output))) return;
  const page = await readFile(output, "utf8").catch((error: unknown) => {
    throw cannotStart("output_not_writable", output, reasonOf(error));
  });
  if (!page.startsWith(reportMark)) {
    throw cannotStart("output_exists", output, "--output, or --report of a run");
  }
}

/** @throws CannotStartError if the account has none, or is damaged */
function manifestOf(account: Account, given: string): Manifest {
  if (account.kind === "closed") return account.manifest;
  if (account.kind !== "unfinished") return requireComplete(account, given).manifest;
  if (account.manifest !== undefined) return account.manifest;
  const command = resumeCommand(account) ?? "the night's command";
  const why = `its run is still running, or was killed; if it was killed, ${command} continues it`;
  throw cannotStart("report_impossible", basename(given), why);
}

/** The manifest of a retry that was killed is what the account was before it. */
function notInReport(account: Account, manifest: Manifest): string | undefined {
  if (account.kind !== "unfinished" || manifest.parts.at(-1)?.is_over !== true) return undefined;
  const { part } = account.part.run;
  return `part ${part} of the import is unfinished and is not in this report: run ${resumeCommand(account)}, then write the report again.`;
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

async function nextStepOf(
  account: Account,
  manifest: Manifest,
  typed: readonly string[],
): Promise<NextStep | undefined> {
  if (account.kind === "closed") return undefined;
  const { files } = account;
  const { failed_rows, input, inputs, merged_into: into } = manifest;
  const isUnfinished = account.kind === "unfinished";
  const isNight = manifest.state !== undefined && manifest.parts.at(-1)?.part === 1;
  const run = {
    // Results can be retried as well as failed rows.
    ...(failed_rows !== null && into === undefined ? { failedRows: files.results } : {}),
    ...(await summaryOfAccount(files, manifest)),
    isOver: !isUnfinished && hasEnded(manifest.exit_reason),
    ...(isNight ? { unchangedRows: 0 } : {}),
  };
  const canResume = isUnfinished && (input.path !== null || inputs !== undefined);
  return nextStep(run, nextCommandsOf(run, typed, canResume));
}

/**
 * Reads the failed rows, or the lines of a part that stopped before there are any, and groups what did not succeed.
 *
 * @returns undefined if there are none, or they are missing
 */
async function readFailedRows(
  manifest: Manifest,
  { failed, part }: RunFiles,
  isMasked: boolean,
): Promise<FailedRows | undefined> {
  const isWhole = manifest.results_file !== null;
  const path = isWhole ? failed : part;
  if ((isWhole && manifest.failed_rows === null) || !(await exists(path))) return undefined;
  const collector = createFailedRows();
  const name = basename(path);
  let columns: readonly string[] = [];
  let problem: string | undefined;
  let isEdited = true;
  try {
    const refuse = (why: string) => cannotStart("account_damaged", name, why);
    const reader = await ResultsReader.open(nodeDisk.readChunks(path), name, refuse);
    try {
      columns = reader.inputColumns;
      while (reader.row !== undefined) {
        if (!isDone(reader.status ?? "failed")) collector.add(failedRowOf(reader));
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      isEdited = isWhole && reader.fingerprint().sha256 !== manifest.failed_rows_file?.sha256;
    } finally {
      await reader.close();
    }
  } catch (error) {
    problem = `${name} has changed since eventload wrote it, so this report lacks a part of it: ${reasonOf(error)}`;
  }
  // Cells that somebody has edited are not what was sent.
  const explain = isMasked || isEdited ? undefined : await explainerOf(manifest, columns);
  const groups = collector.groups((row) => explain?.(row));
  return { columns, ...groups, isEdited, ...(problem === undefined ? {} : { problem }) };
}

/** The line at hand. The cells of the input are read when they are asked for. */
function failedRowOf(reader: ResultsReader): FailedRow {
  return {
    row: reader.row ?? 0,
    status: reader.status ?? "failed",
    code: reader.cell("import_error_code"),
    message: reader.cell("import_error"),
    line: Number(reader.cell("import_line")) || undefined,
    source: reader.hasSources ? reader.cell(sourceColumn) : undefined,
    event: Number(reader.cell("import_event")) || undefined,
    attempts: reader.attempts,
    eventId: reader.cell("import_event_id"),
    input: reader.cell("import_input"),
    get cells() {
      return reader.inputCells();
    },
  };
}

/** What a body says where only the attempt knew the time. */
const timeOfAttempt = "(time of the first attempt)";

/**
 * Explains failed rows by the mapping that they were sent with. Without it, as when the file has changed since, nothing
 * but what they say themselves is known.
 */
async function explainerOf(
  { mapping, input }: Manifest,
  columns: readonly string[],
): Promise<(row: FailedRow) => Example> {
  const bound = await boundMapping();
  return (row) => {
    const { row: number, line = 0, source, event, status, code, message } = row;
    const earlier = {
      row: number,
      line,
      input: row.input,
      eventId: row.eventId,
      unanswered: 0,
      errorCode: code,
      error: message,
      ...(source === undefined ? {} : { source }),
      ...(event === undefined ? {} : { event }),
    };
    const given = { row: number, line, cells: row.cells, earlier };
    const mapped = status === "invalid" ? undefined : bound?.mapRow(given);
    const events = mapped?.kind === "events" ? mapped.events : [];
    const made = events.find(({ index }) => event === undefined || index === event);
    const isSame = made !== undefined && made.id === row.eventId;
    const members = (bound?.explain?.(given, events, timeOfAttempt) ?? [])
      .filter(({ index }) => event === undefined || index === event)
      .flatMap((one) => one.members)
      .map(({ name, steps }) => {
        const of = steps.flatMap(({ by, of: column = "" }) => (by === "column" ? [column] : []));
        return [name, of] as const;
      });
    return {
      columns: offendingColumns(row, columns, new Map(members)),
      ...(isSame ? { body: made.body(timeOfAttempt) } : {}),
    };
  };

  async function boundMapping(): Promise<BoundMapping | undefined> {
    try {
      const read = await readMapping(mapping.path, async () => columns);
      const bound = read.bind(columns, { name: input.called, id: input.id });
      return bound.mapping.sha256 === mapping.sha256 ? bound : undefined;
    } catch (error) {
      if (error instanceof CannotStartError) return undefined;
      throw error;
    }
  }
}
