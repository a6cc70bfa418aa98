import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createBlockedKeys } from "../../delivery/ordering.ts";
import { isNotFixed } from "../../input/open-results-file.ts";
import {
  type ComparedColumn,
  createAlteredCells,
  describeAltered,
} from "../../lint/altered-cells.ts";
import { digestOf } from "../../model/digest.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { createHashTable } from "../../model/hash-table.ts";
import { holdsBackKey, holdsBackRow } from "../../model/key-failure.ts";
import { type EventStatus, isDone } from "../../model/outcome.ts";
import type { ResultsColumn } from "../../model/results-columns.ts";
import type { LineUse } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { DeliveryMode } from "../../model/run-settings.ts";
import type { StopSignal } from "../../model/stop.ts";
import { createHashedFile, type HashedFile } from "../../results/hashed-file.ts";
import type { Manifest } from "../../results/manifest.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { Selection } from "../options/run-events.ts";
import type { BoundMapping } from "../prepare/prepare-input.ts";
import { countChangedCells } from "./changed-cells.ts";
import type { GivenLine, GivenLines } from "./given-lines.ts";

export interface SelectionRequest {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly delivery: DeliveryMode;
  readonly mapping: Pick<BoundMapping, "keyOf" | "onKeyFailure" | "columnsRead" | "mapRow">;
  readonly allowAltered: boolean;
  /** Rows with something to send that are passed over, and how many are taken. */
  readonly skip: number;
  readonly limit: number;
  readonly stop?: StopSignal;
}

/** A line that may be selected. */
interface Candidate {
  readonly status: EventStatus | undefined;
  readonly unanswered: number;
  readonly event: number | undefined;
  /** All cells of the line. */
  readonly cells: readonly string[];
  /** Its cells as the given file has them; undefined if the file does not select it. */
  readonly given: GivenLine | undefined;
}

/** The columns that a selected line has behind those of the account. */
export const selectionColumns = ["use", "because"] as const;

/**
 * Selects what a retry sends: joins the given file with the results, row by row, and writes each row with a line to
 * send, all its lines, beside the part. The account decides what is open; the given file selects rows and corrects
 * cells.
 *
 * @param given undefined if the results themselves are retried: all that is open, with its own cells
 * @throws CannotStartError if the results are not as eventload wrote them, or a line of the given file cannot be used
 */
export async function selectLines(
  request: SelectionRequest,
  manifest: Manifest,
  given: (GivenLines & { readonly name: string }) | undefined,
): Promise<Selection> {
  const { disk, files, stop } = request;
  const changed = (why: string) =>
    cannotStart("account_damaged", files.results, `${basename(files.results)} was changed: ${why}`);
  const name = basename(files.results);
  const reader = await ResultsReader.open(disk.readChunks(files.results), name, changed);
  const writer = await createSelection(request, reader.columns, given?.name);
  const readToEnd = async () => {
    while (reader.row !== undefined && stop?.aborted !== true) await reader.next();
    if (stop?.aborted !== true && reader.fingerprint().sha256 !== manifest.results_file?.sha256) {
      throw changed("its hash is not that of its manifest");
    }
  };
  try {
    const givenRows = given?.rows();
    let next = (await givenRows?.next())?.value;
    for (let row = reader.row; row !== undefined && stop?.aborted !== true; row = reader.row) {
      if (
        given !== undefined &&
        request.mapping.keyOf === undefined &&
        row < (next?.[0]?.row ?? Infinity)
      ) {
        await reader.copyUntil(
          next?.[0]?.row ?? Infinity,
          () => undefined,
          () => {},
        );
        if (reader.row !== next?.[0]?.row) break;
        continue;
      }
      if (next !== undefined && (next[0]?.row ?? 0) < row) break;
      const ofRow = next?.[0]?.row === row ? next : undefined;
      const candidates: Candidate[] = [];
      while (reader.row === row) {
        const { status, unanswered } = reader;
        if (ofRow === undefined && given !== undefined) writer.pass(row, reader);
        else {
          const cells = reader.cells();
          const event = eventOf(cells, writer.eventAt);
          const line =
            given === undefined
              ? ownLine(row, event, cells, writer.inputCount)
              : findGiven(ofRow, event, given.name);
          candidates.push({ status, unanswered, event, cells, given: line });
        }
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      if (ofRow !== undefined && given !== undefined) {
        refuseUnknown(ofRow, candidates, given.name, writer.inputAt);
        next = (await givenRows?.next())?.value;
      }
      if (candidates.length > 0) await writer.see(row, candidates);
    }
    const [stranger] = next ?? [];
    if (stranger !== undefined && given !== undefined && stop?.aborted !== true) {
      throw refuseLine(given.name, stranger, "is for an event that the account does not have");
    }
    await readToEnd();
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    // Lines do not fit results that somebody has changed, and then these are the reason.
    if (error instanceof CannotStartError && error.code === "retry_refused") await readToEnd();
    throw error;
  } finally {
    await reader.close();
  }
}

/**
 * Selects from failed rows whose account is gone, for an import of their own: what has succeeded stays as it is.
 *
 * @param columns those of the results to be written
 * @param lines all lines of the file, with the cells of these columns
 */
export async function selectWithoutAccount(
  request: SelectionRequest,
  columns: readonly string[],
  lines: AsyncIterable<{ readonly given: GivenLine; readonly cells: readonly string[] }>,
): Promise<Selection> {
  const writer = await createSelection(request, columns, undefined);
  try {
    let row: number | undefined;
    let candidates: Candidate[] = [];
    for await (const { given, cells } of lines) {
      if (row !== undefined && given.row !== row) {
        await writer.see(row, candidates);
        candidates = [];
      }
      row = given.row;
      const { status, event } = given;
      const unanswered = Number(cells[columns.lastIndexOf("import_unanswered")]);
      candidates.push({ status, unanswered, event, cells, given: { ...given, status: undefined } });
    }
    if (row !== undefined) await writer.see(row, candidates);
    return await writer.finish();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function mayHaveArrived({ status, unanswered }: Pick<Candidate, "status" | "unanswered">): boolean {
  return status === "succeeded" || status === "unknown" || unanswered > 0;
}

function eventOf(cells: readonly string[], eventAt: number): number | undefined {
  const text = cells[eventAt] ?? "";
  return text === "" ? undefined : text === "gone" ? 0 : Number(text);
}

function ownLine(
  row: number,
  event: number | undefined,
  cells: readonly string[],
  inputCount: number,
): GivenLine {
  const own = { row, line: 0, event, input: undefined, status: undefined, isSentAsItIs: false };
  return { ...own, cells: cells.slice(0, inputCount) };
}

/** A line without an event is of a row that was invalid then: it stands for whatever the row has given since. */
function findGiven(
  lines: readonly GivenLine[] | undefined,
  event: number | undefined,
  name: string,
): GivenLine | undefined {
  const called = lines?.some((one) => one.event === event) ? event : undefined;
  const [line, twice] = lines?.filter((one) => one.event === called) ?? [];
  if (twice !== undefined && line !== undefined) {
    throw refuseLine(name, twice, `is for the same event as line ${line.line}: keep one of them`);
  }
  return line;
}

function refuseUnknown(
  lines: readonly GivenLine[],
  candidates: readonly Candidate[],
  name: string,
  inputAt: number,
): void {
  for (const line of lines) {
    const own = candidates.find(({ given }) => given === line);
    if (own === undefined || (line.input !== undefined && line.input !== own.cells[inputAt])) {
      throw refuseLine(name, line, "is for an event that the account does not have");
    }
  }
}

function refuseLine(name: string, { row, line }: GivenLine, why: string): CannotStartError {
  return cannotStart("retry_refused", name, `line ${line} (row ${row}) ${why}`);
}

async function createSelection(
  { disk, files, delivery, mapping, allowAltered, skip, limit }: SelectionRequest,
  columns: readonly string[],
  givenName: string | undefined,
) {
  const inputCount = columns.lastIndexOf("import_row");
  const place = (name: ResultsColumn) => columns.lastIndexOf(name);
  const [eventAt, inputAt] = [place("import_event"), place("import_input")];
  const [codeAt, idAt] = [place("import_error_code"), place("import_event_id")];
  const counts = { rows: 0, done: 0, skipped: 0, unknown: 0, notFixed: 0, blocked: 0 };
  const read = new Set(mapping.columnsRead);
  const compared: ComparedColumn[] = columns
    .slice(0, inputCount)
    .flatMap((column, index) => (read.has(column) ? [{ column, index, indexBefore: index }] : []));
  const altered = createAlteredCells(compared);
  const changes = countChangedCells(compared);
  /** The keys of rows that are open and not sent, each with the first of these rows. */
  const blockers = createBlockedKeys();
  /** The keys of rows to be sent, each with the last row of the key that has arrived, or may have: 20 bytes a key. */
  const arrivals = createHashTable(2);
  /** @param isSent whether the key has a row to be sent, so that later rows of it count from now on */
  const noteArrival = (key: string, row: number | undefined, isSent: boolean) => {
    const { high, low } = digestOf(key);
    const words = isSent ? arrivals.entry(high, low) : arrivals.get(high, low);
    if (words === undefined || row === undefined) return;
    [words[0], words[1]] = [Math.floor(row / 2 ** 32), row % 2 ** 32];
  };
  const path = `${files.given}.new`;
  const file = await createHashedFile(disk, path);
  await file.add(Buffer.from(toCsv([[...columns, ...selectionColumns]])));

  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  /** A blocked event waits for one before it, and those after it for both. */
  const holdsBack = (status: EventStatus, within = holdsBackKey) =>
    status === "blocked" || within(status, mapping.onKeyFailure);

  const isUnfixed = (cells: readonly string[], given: GivenLine) => {
    const now = corrected(cells, given, inputCount).slice(0, inputCount);
    return isNotFixed(cells[codeAt] ?? "", cells[idAt] ?? "", now);
  };

  const useOf = ({ status, given, cells }: Candidate): LineUse => {
    if (given === undefined || (status !== undefined && isDone(status))) return "keep";
    if (given.status === "skipped") return "skip";
    if (given.status === "succeeded") {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(givenName ?? "", given, why);
    }
    const isKept = staysUnknown(status) || (!given.isSentAsItIs && isUnfixed(cells, given));
    return isKept ? "keep" : "send";
  };
  const staysUnknown = (status: EventStatus | undefined) =>
    status === "unknown" && delivery === "at-most-once";

  /** Counts what is not sent although the given file has it. */
  const countUnsent = ({ status, given }: Candidate, use: LineUse, isPassedOver: boolean) => {
    if (given === undefined) return;
    if (status !== undefined && isDone(status)) counts.done++;
    else if (use === "skip") counts.skipped++;
    else if (use === "blocked") counts.blocked++;
    else if (use !== "keep" || isPassedOver) return;
    else if (staysUnknown(status)) counts.unknown++;
    else counts.notFixed++;
  };

  /** The cells that a line gets. What a person has fixed is not lost if its event is not sent now. */
  const cellsAfter = ({ cells, given, status }: Candidate): readonly string[] => {
    if (given === undefined || given.status === "skipped") return cells;
    if ((status !== undefined && isDone(status)) || staysUnknown(status)) return cells;
    return corrected(cells, given, inputCount);
  };

  const compare = (
    row: number,
    { given, cells, status }: Candidate,
    after: readonly string[],
  ): void => {
    if (givenName === undefined || given === undefined || after === cells) return;
    const place = { row, line: given.line, resultsFile: givenName };
    changes.see(place, cells, after);
    let wrong: readonly string[] | undefined;
    altered.see({
      place,
      cells: after,
      cellsBefore: cells,
      isToBeFixed: status === "rejected" || status === "invalid",
      wasWrong(column) {
        if (status !== "invalid") return false;
        const mapped = mapping.mapRow({ row, line: given.line, cells: cells.slice(0, inputCount) });
        const names =
          mapped.kind === "invalid" ? mapped.problems.map((one) => one.column ?? "") : [];
        wrong ??= names;
        // A problem of a template names all its columns.
        return wrong.some((one) => one === column || one.split(", ").includes(column));
      },
    });
  };

  return {
    inputCount,
    eventAt,
    inputAt,
    /** Notes a line that the given file does not select, for the order of its key. */
    pass(row: number, line: ResultsReader): void {
      if (mapping.keyOf === undefined) return;
      const { status = "failed" } = line;
      const isOpen = !isDone(status) && holdsBack(status);
      const hasArrived = arrivals.size > 0 && mayHaveArrived(line);
      if (!isOpen && !hasArrived) return;
      const key = mapping.keyOf(line.inputCells());
      if (key === undefined) return;
      if (isOpen) blockers.block(key, row);
      if (hasArrived) noteArrival(key, row, false);
    },
    /** Decides on the lines of a row; rows come in their order. */
    async see(row: number, lines: readonly Candidate[]): Promise<void> {
      let uses = lines.map(useOf);
      const isFound = uses.some((use) => use !== "keep");
      const isPassedOver = isFound && (++found <= skip || found > skip + limit);
      if (isPassedOver) uses = lines.map(() => "keep");
      const isOpenBefore = (at: number, within = holdsBackRow) =>
        lines.some(
          ({ status = "failed" }, before) =>
            before < at && uses[before] === "keep" && holdsBack(status, within),
        );
      const after = lines.map(cellsAfter);
      for (const [at, line] of lines.entries()) compare(row, line, after[at] ?? []);
      const keyCells = after[Math.max(0, uses.indexOf("send"))] ?? [];
      const key = mapping.keyOf?.(keyCells.slice(0, inputCount));
      const blocker = key === undefined ? undefined : blockers.rowOf(key);
      const because = new Map<number, number>();
      for (const at of lines.keys()) {
        if (uses[at] !== "send") continue;
        const holder = isOpenBefore(at) ? row : blocker;
        if (
          lines.some(
            (later, other) => other > at && uses[other] === "keep" && mayHaveArrived(later),
          )
        ) {
          uses[at] = "superseded";
          because.set(at, row);
        } else if (holder !== undefined) {
          uses[at] = "blocked";
          because.set(at, holder);
        }
      }
      if (key !== undefined) {
        if (isOpenBefore(lines.length, holdsBackKey)) blockers.block(key, row);
        noteArrival(key, lines.some(mayHaveArrived) ? row : undefined, uses.includes("send"));
      }
      for (const [at, line] of lines.entries()) {
        countUnsent(line, uses[at] ?? "keep", isPassedOver);
      }
      const isFixed = after.some((cells, at) => !isDeepStrictEqual(cells, lines[at]?.cells));
      if (!isFixed && uses.every((use) => use === "keep")) return;
      counts.rows++;
      const text = lines.map(({ given }, at) => {
        const use = uses[at] ?? "keep";
        const now = after[at] ?? [];
        const line = given === undefined || given.line === 0 ? "" : String(given.line);
        return [...now, use, use === "send" ? line : String(because.get(at) ?? "")];
      });
      const writing = file.add(Buffer.from(toCsv(text)));
      if (writing !== undefined) await writing;
    },
    async finish(): Promise<Selection> {
      const alterations = altered.found();
      if (alterations.length > 0 && !allowAltered) {
        const { code, message } = cannotStart(
          "cells_altered",
          givenName ?? "",
          basename(files.results),
          `eventload retry ${shellWord(files.results)}`,
        );
        throw new CannotStartError(code, message, alterations.map(describeAltered));
      }
      await file.finish();
      const decided = await decideSuperseded(disk, files, path, (cells, row) => {
        const key = mapping.keyOf?.(cells.slice(0, inputCount));
        if (key === undefined) return undefined;
        const { high, low } = digestOf(key);
        const [above = 0, below = 0] = arrivals.get(high, low) ?? [];
        const last = above * 2 ** 32 + below;
        return last > row ? last : undefined;
      });
      return { ...counts, ...decided, changed: changes.counted() };
    },
    async discard() {
      await file.discard();
    },
  };
}

/** The cells of a line with those of the given file. */
function corrected(
  cells: readonly string[],
  { cells: given }: GivenLine,
  inputCount: number,
): string[] {
  return cells.map((cell, at) => (at < inputCount ? (given[at] ?? cell) : cell));
}

/** Writes the selection once more, now that it is known which rows have arrived after those to be sent. */
async function decideSuperseded(
  disk: Disk,
  files: RunFiles,
  path: string,
  lastArrival: (cells: readonly string[], row: number) => number | undefined,
): Promise<{ readonly events: number; readonly superseded: number }> {
  const counts = { events: 0, superseded: 0 };
  const refuse = (why: string) => new Error(`${path}: ${why}`);
  const reader = await ResultsReader.open(disk.readChunks(path), basename(path), refuse);
  const useAt = reader.columns.length - selectionColumns.length;
  let file: HashedFile | undefined;
  try {
    file = await createHashedFile(disk, files.given);
    await file.add(reader.header);
    for (let row = reader.row; row !== undefined; row = reader.row) {
      const cells = reader.cells();
      const use = cells[useAt] as LineUse;
      const last = use === "send" ? lastArrival(cells, row) : undefined;
      if (last !== undefined) cells.splice(useAt, 2, "superseded", String(last));
      if (last !== undefined || use === "superseded") counts.superseded++;
      else if (use === "send") counts.events++;
      const writing = file.add(Buffer.from(toCsv([cells])));
      if (writing !== undefined) await writing;
      const reading = reader.next();
      if (reading !== undefined) await reading;
    }
    await file.finish();
    await disk.remove(path).catch(() => {}); // the next part does
    return counts;
  } catch (error) {
    await file?.discard();
    throw error;
  } finally {
    await reader.close();
  }
}
