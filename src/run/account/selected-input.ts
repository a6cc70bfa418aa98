import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isNotFixed, openResultsFile } from "../../input/open-results-file.ts";
import { type Arrivals, createArrivals } from "../../journal/arrivals.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import { selectedRows } from "../../journal/read-journal.ts";
import { createBlockedKeys } from "../../model/blocked-keys.ts";
import { isSamePath } from "../../model/disk/platform.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent } from "../../model/event.ts";
import type { Manifest } from "../../model/manifest.ts";
import { closedCode, holdsBackKey, isDone } from "../../model/outcome.ts";
import { inputColumnsOf, resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import { type AccountLine, quote, type Row } from "../../model/row.ts";
import type { ImportNotice, SelectedLines } from "../../model/run-events.ts";
import { cellsToCsv } from "../../results/to-csv.ts";
import { holdsBack, mayHaveArrived } from "../prepare/plan-row.ts";
import {
  type InputIdentity,
  type PreparedInput,
  type Selected,
  withoutBlankKeys,
} from "../prepare/prepare-input.ts";
import { type BoundMapping, readMapping } from "../prepare/read-mapping.ts";
import type { RunContext } from "../send/run-context.ts";
import {
  type AccountRow,
  openResults,
  type RetryLine,
  refuseChangedResults,
  rowsOfAccount,
  rowsOfGiven,
} from "./account-rows.ts";
import { createGivenCells } from "./given-cells.ts";
import { type GivenLines, openGivenLines, refuseLine } from "./given-lines.ts";

/**
 * Binds the mapping to the columns of an account whose rows are sent again, or of failed rows whose account is gone.
 *
 * @throws CannotStartError
 */
export async function prepareSelected(context: RunContext): Promise<PreparedInput> {
  const { settings, before, files, given, unfinished } = context;
  if (given === undefined) throw new Error("no file selects rows");
  const { reading } = settings;
  const { account: whole } = unfinished?.run ?? {};
  if (whole !== undefined) await refuseChangedResults(context, whole);
  const name = basename(given);
  const spec = { kind: "file", path: given, name } as const;
  const header = await columnsOfResults();
  const columns = inputColumnsOf(header);
  const hasSources = header.includes(sourceColumn);
  const input = before?.input ?? unfinished?.run.imported.input;
  const identity =
    input === undefined
      ? await identityOfFile(given, name)
      : { files: [], id: input.id, fingerprint: { bytes: input.bytes, sha256: input.sha256 } };
  const { id } = identity;
  const called = input?.called ?? name;
  const mapping = await readMapping(settings.mapping, async () => columns);
  const fits = mapping.bind(columns, { name: called, id });
  const bound = before?.state === undefined ? fits : withoutBlankKeys(fits);
  const arrivals = unfinished?.record.arrivals ?? createArrivals();
  const source = {
    ...{ name, columns, hasSources, warnings: [], totalBytes: undefined },
    dialect: { encoding: "utf-8", delimiter: ",", quote: '"' },
    bytesRead: () => 0,
    blankLines: () => ({ all: 0, between: 0 }),
    close: async () => {},
  };
  return {
    name,
    called,
    ...bound,
    columns,
    hasSources,
    reading: {},
    readAs: [],
    identify: async () => identity,
    async select(put) {
      if (before !== undefined) await refuseEdits(context, before, given);
      const known = () =>
        before === undefined ? noFailedRows() : rowsOfAccount(context, undefined, true);
      const isOwn = isSamePath(given, files.results);
      const lines = isOwn ? undefined : await openGivenLines(spec, reading, columns, known);
      for (const notice of noticesOf(lines)) settings.onNotice(notice);
      const isLost = before === undefined && lines !== undefined;
      const rowsOf = () =>
        isLost
          ? rowsOfGiven(lines, id, hasSources)
          : rowsOfAccount(context, lines, bound.keyOf !== undefined);
      const isAll = isOwn || isLost;
      const selecting = { ...bound, columns, name, isAll, inputId: id, arrivals };
      return selectLines(context, selecting, rowsOf, put);
    },
    beginPass: async () => ({
      ...source,
      batches: rowsForOnePass(),
    }),
    async close() {},
  };

  async function* rowsForOnePass(): AsyncGenerator<readonly Row[]> {
    for await (const records of selectedRows(context.ports.disk, files.journal)) {
      yield records.map(({ row }) => withArrivals(row, bound.keyOf, arrivals));
    }
  }

  async function columnsOfResults(): Promise<readonly string[]> {
    if (unfinished === undefined && before === undefined) {
      const source = await openResultsFile(spec, reading);
      await source.close();
      return [...source.columns, ...resultsColumnsOf(source.hasSources)];
    }
    if (unfinished !== undefined) return unfinished.run.columns;
    const reader = await openResults(context);
    await reader.close();
    return reader.columns;
  }
}

/** Nothing is known of failed rows whose account is gone. */
async function* noFailedRows(): AsyncGenerator<never> {}

/** How a given file is read where it is not as eventload wrote it. */
function noticesOf(lines: GivenLines | undefined): ImportNotice[] {
  const { name = "", encoding, lacks = [], leftOut = [] } = lines ?? {};
  const columns = lacks.map((column) => quote(column)).join(", ");
  const message = `${name} has lost the columns ${columns}: their cells are those of the account.`;
  return [
    ...(encoding === undefined ? [] : [{ kind: "opened", name, dialect: { encoding } } as const]),
    ...[...(lacks.length === 0 ? [] : [message]), ...leftOut].map(
      (said) => ({ kind: "warning", message: said }) as const,
    ),
  ];
}

/** Failed rows whose account is gone are an input. */
async function identityOfFile(path: string, name: string): Promise<InputIdentity> {
  const fingerprint = await fingerprintFile(path);
  const file = { path, name, ...fingerprint, state: await fileState(path) };
  return { files: [file], id: inputId(fingerprint), fingerprint };
}

/** Refuses failed rows that were edited and are not the given file: what was fixed in them would be overwritten. */
async function refuseEdits(context: RunContext, account: Manifest, given: string): Promise<void> {
  const { files, ports } = context;
  if (isSamePath(given, files.failed)) return;
  const now = await fingerprintOn(ports.disk, files.failed);
  if (now === undefined || now.sha256 === account.failed_rows_file?.sha256) return;
  throw cannotStart("failed_rows_edited", files.failed, basename(given));
}

/** A selected row with what has arrived, or may have, behind it: that was known once all rows were selected. */
function withArrivals(row: Row, keyOf: BoundMapping["keyOf"], arrivals: Arrivals): Row {
  const { lines = [] } = row;
  if (keyOf === undefined) return row;
  return {
    ...row,
    lines: lines.map((line) => {
      const key = line.use === "send" ? keyOf(line.cells) : undefined;
      const supersededBy = key === undefined ? undefined : arrivals.behind(row.row, key);
      return supersededBy === undefined ? line : { ...line, supersededBy };
    }),
  };
}

/** What is selected from: the columns are those of the input, the name is that of the given file. */
interface Selecting extends BoundMapping, Pick<PreparedInput, "columns" | "name"> {
  /** Whether all that did not succeed is sent, with its own cells; else only lines of the given file, with those there. */
  readonly isAll: boolean;
  /** Of the account's own input: rows of another are from failed rows whose account is gone. */
  readonly inputId: string;
  /** Gets what has arrived, or may have, behind what is to be sent. */
  readonly arrivals: Arrivals;
}

/** What is wanted of a line. Where nothing is, it says why. */
type RetryDecision = "send" | "skip" | "not_given" | "done" | "unknown" | "not_fixed" | "passed";

interface SelectedLine {
  readonly line: RetryLine;
  readonly wanted: RetryDecision;
  readonly now: readonly string[];
}

/**
 * Selects what a retry sends: each row with a line that is to be sent or skipped, with all its lines. The account says
 * what did not succeed; the given file selects rows and corrects cells. A row's fate is decided when it is planned.
 *
 * @param rowsOf gives the rows that may be selected and, where rows have keys, all others
 * @param put is given each row that is selected, in their order
 * @throws CannotStartError if a line cannot be used
 */
async function selectLines(
  { settings, files }: RunContext,
  { columns, name, isAll, inputId, arrivals, ...mapping }: Selecting,
  rowsOf: () => AsyncIterable<AccountRow>,
  put: (selected: Selected) => Promise<void>,
): Promise<SelectedLines> {
  const { skip, limit = Number.POSITIVE_INFINITY } = settings;
  // If all is sent with its own cells, there is nothing to restore.
  const isRestoring = settings.restoreAltered === true && !isAll;
  const cells = createGivenCells(mapping, columns, name, isRestoring);
  /** The keys of lines that did not succeed and are not sent, each with the first of their rows. */
  const blockers = createBlockedKeys();
  const counts = new Map<RetryDecision, number>();
  const count = (wanted: RetryDecision) => counts.get(wanted) ?? 0;
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  let rows = 0;

  // A program alters whole columns, so what it rewrote is known once all rows have been compared.
  if (isRestoring) {
    for await (const { row, lines } of rowsOf()) {
      for (const line of lines) if (isToRetry(wantedOf(line))) cells.compare(row, line);
    }
  }
  for await (const one of rowsOf()) {
    await noteArrivals(one);
    const judged = judge(one);
    cells.noteChanges(one.row, judged);
    const lines = select(judged);
    holdBack(one.row, lines);
    const isFixed = judged.some(({ line, now }) => !isDeepStrictEqual(now, line.cells));
    if (!isFixed && lines.every(({ use }) => use === "keep")) continue;
    rows++;
    await put({ kind: "row", row: rowOf(one, lines) });
  }
  if (settings.allowAltered !== true) cells.refuseAltered(basename(files.results));
  return {
    rows,
    done: count("done"),
    skipped: count("skip"),
    unknown: count("unknown"),
    notFixed: count("not_fixed"),
    changed: cells.changed(),
    restored: cells.restored(),
  };

  async function noteArrivals({ row, lines }: AccountRow): Promise<void> {
    for (const line of lines) {
      if (mapping.keyOf === undefined || !mayHaveArrived(line)) continue;
      const isLost = line.errorCode === closedCode; // nobody knows of which key it is
      const key = isLost ? undefined : mapping.keyOf(line.cells);
      const news = isLost || key !== undefined ? arrivals.arrives(key, row) : undefined;
      if (news === undefined) continue;
      arrivals.take(news);
      await put(news);
    }
  }

  function judge({ row, lines }: AccountRow): SelectedLine[] {
    return lines.map((line) => {
      const wanted = wantedOf(line);
      if (isToRetry(wanted) && !isRestoring) cells.compare(row, line);
      return { line, wanted, now: isToRetry(wanted) ? cells.corrected(line) : line.cells };
    });
  }

  function wantedOf(line: RetryLine): RetryDecision {
    const { status, given, errorCode, eventId } = line;
    if (given === undefined && !isAll) return "not_given";
    if (status !== undefined && isDone(status)) return "done";
    const { status: set } = given?.earlier ?? {};
    if (set === "skipped") return "skip";
    if (set === "succeeded" && given !== undefined) {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(name, given, why);
    }
    if (errorCode === closedCode) return "unknown"; // nobody has its cells any more
    if (status === "unknown" && settings.delivery === "at-most-once") return "unknown";
    const isFixed = !isNotFixed(errorCode, eventId, cells.corrected(line));
    return isFixed || given?.isSentAsItIs === true ? "send" : "not_fixed";
  }

  /** The lines of a row with what is done with each, unless the row is one of those that are passed over. */
  function select(judged: readonly SelectedLine[]): AccountLine[] {
    const isFound = judged.some(({ wanted }) => isActed(wanted));
    const isPassed = isFound && (++found <= skip || found > skip + limit);
    return judged.map(({ line, wanted, now }) => {
      const isLeft = isPassed && wanted !== "not_given" && wanted !== "done";
      counts.set(isLeft ? "passed" : wanted, count(isLeft ? "passed" : wanted) + 1);
      return lineOf(line, now, isActed(wanted) && !isPassed ? wanted : "keep");
    });
  }

  function lineOf(
    { given, own, errorCode: _, error: __, ...known }: RetryLine,
    now: readonly string[],
    use: AccountLine["use"],
  ): AccountLine {
    const line = { ...known, use, cells: now };
    if (use === "keep") return { ...line, text: `${cellsToCsv(now)},${own}` };
    if (use === "skip") return line;
    const key = mapping.keyOf?.(now);
    const blockedBy = key === undefined ? undefined : blockers.rowOf(key);
    return { ...line, givenLine: given?.line, blockedBy };
  }

  /** Notes which keys are sent, and which are held back by a line that is not. */
  function holdBack(row: number, lines: readonly AccountLine[]): void {
    for (const line of lines) {
      const key = mapping.keyOf?.(line.cells);
      if (key === undefined) continue;
      if (line.use === "send") arrivals.sends(key, row);
      const isBlocker = line.use === "keep" && holdsBack(line, holdsBackKey, mapping.onKeyFailure);
      if (isBlocker) blockers.block(key, row);
    }
  }

  /** A row has the cells of its first line that is sent, if there is one. */
  function rowOf({ row, origin }: AccountRow, lines: readonly AccountLine[]): Row {
    const sent = lines.find(({ use }) => use === "send");
    const { cells: own, event, givenLine } = sent ?? (lines[0] as AccountLine);
    return {
      ...{ row, line: givenLine ?? origin.line ?? 0, cells: own, lines, origin },
      ...(givenLine === undefined ? {} : { resultsFile: name }),
      ...(origin.input === inputId ? {} : { mayLackLines: true }),
      ...(event === goneEvent ? { isGone: true } : {}),
    };
  }
}

function isToRetry(wanted: RetryDecision): boolean {
  return wanted === "send" || wanted === "not_fixed";
}

function isActed(wanted: RetryDecision): wanted is "send" | "skip" {
  return wanted === "send" || wanted === "skip";
}
