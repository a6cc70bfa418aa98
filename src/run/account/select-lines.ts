import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createBlockedKeys } from "../../delivery/ordering.ts";
import { isNotFixed } from "../../input/open-results-file.ts";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import type { LineUse } from "../../model/account-line.ts";
import { digestOf } from "../../model/digest.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { createHashTable } from "../../model/hash-table.ts";
import { holdsBackKey, holdsBackRow } from "../../model/key-failure.ts";
import { type EventStatus, isDone } from "../../model/outcome.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { DeliveryMode } from "../../model/run-settings.ts";
import { createHashedFile, type HashedFile } from "../../results/hashed-file.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { Selection } from "../options/run-events.ts";
import type { BoundMapping } from "../prepare/prepare-input.ts";
import { type GivenLine, refuseLine } from "./given-lines.ts";
import { countChangedCells } from "./selection.ts";

export interface SelectionRequest {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly delivery: DeliveryMode;
  readonly mapping: Pick<BoundMapping, "keyOf" | "onKeyFailure" | "columnsRead" | "mapRow">;
  readonly allowAltered: boolean;
  /** Rows with something to send that are passed over, and how many are taken. */
  readonly skip: number;
  readonly limit: number;
}

/** A line that may be selected. */
export interface Candidate {
  readonly status: EventStatus | undefined;
  readonly unanswered: number;
  /** All cells of the line. */
  readonly cells: readonly string[];
  /** What the given file wants of it; undefined if the file does not select it. */
  readonly given:
    | (Pick<GivenLine, "line" | "cells" | "isSentAsItIs"> & Partial<GivenLine>)
    | undefined;
}

/** A row of an account with all its lines. */
export interface AccountRow {
  readonly row: number;
  readonly lines: readonly Candidate[];
}

/** The columns that a selected line has behind those of the account. */
export const selectionColumns = ["use", "because"] as const;

/**
 * Selects what a retry sends, and writes each row with a line to send, all its lines, beside the part. The account
 * decides what is open; the given file selects rows and corrects cells.
 *
 * @param columns of the results
 * @param givenName undefined if all that is open is sent with its own cells
 * @param rowsOf gives the rows that may be selected, and shows the lines of all others
 * @throws CannotStartError if a line cannot be used
 */
export async function selectLines(
  request: SelectionRequest,
  columns: readonly string[],
  givenName: string | undefined,
  rowsOf: (pass: (row: number, line: ResultsReader) => void) => AsyncIterable<AccountRow>,
): Promise<Selection> {
  const { disk, files, delivery, mapping, allowAltered, skip, limit } = request;
  const { keyOf, onKeyFailure } = mapping;
  const inputCount = columns.lastIndexOf("import_row");
  const codeAt = columns.lastIndexOf("import_error_code");
  const idAt = columns.lastIndexOf("import_event_id");
  const counts = { rows: 0, done: 0, skipped: 0, unknown: 0, notFixed: 0, blocked: 0 };
  const read = new Set(mapping.columnsRead);
  const compared = columns
    .slice(0, inputCount)
    .flatMap((column, index) => (read.has(column) ? [{ column, index, indexBefore: index }] : []));
  const altered = createAlteredCells(compared);
  const changes = countChangedCells(compared);
  const order = createKeyOrder();
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  const path = `${files.given}.new`;
  const file = await createHashedFile(disk, path);
  try {
    await file.add(Buffer.from(toCsv([[...columns, ...selectionColumns]])));
    for await (const { row, lines } of rowsOf(pass)) {
      const writing = see(row, lines);
      if (writing !== undefined) await writing;
    }
    refuseAltered();
    await file.finish();
    const decided = await decideSuperseded(disk, files, path, (cells) => {
      const key = keyOf?.(cells.slice(0, inputCount));
      return key === undefined ? 0 : order.lastArrival(key);
    });
    return { ...counts, ...decided, changed: changes.counted() };
  } catch (error) {
    await file.discard();
    throw error;
  }

  /** Notes a line that is not selected, for the order of its key. */
  function pass(row: number, line: ResultsReader): void {
    if (keyOf === undefined) return;
    const { status = "failed" } = line;
    const isOpen = !isDone(status) && holdsBack(status);
    const hasArrived = order.hasArrivals && mayHaveArrived(line);
    if (!isOpen && !hasArrived) return;
    const key = keyOf(line.inputCells());
    if (key === undefined) return;
    if (isOpen) order.blockers.block(key, row);
    if (hasArrived) order.noteArrival(key, row, false);
  }

  /** Decides on the lines of a row; rows come in their order. */
  function see(row: number, lines: readonly Candidate[]): Promise<void> | undefined {
    let uses = lines.map(useOf);
    const isFound = uses.some((use) => use !== "keep");
    const isPassedOver = isFound && (++found <= skip || found > skip + limit);
    if (isPassedOver) uses = lines.map(() => "keep");
    const after = lines.map(cellsAfter);
    for (const [at, line] of lines.entries()) compare(row, line, after[at] ?? []);
    const keyCells = after[Math.max(0, uses.indexOf("send"))] ?? [];
    const key = keyOf?.(keyCells.slice(0, inputCount));
    const isOpenBefore = (at: number, within: typeof holdsBackKey) =>
      lines
        .slice(0, at)
        .some(({ status = "failed" }, at) => uses[at] === "keep" && holdsBack(status, within));
    const because = new Map<number, number>();
    for (const at of lines.keys()) {
      if (uses[at] !== "send") continue;
      const blocker = key === undefined ? undefined : order.blockers.rowOf(key);
      const holder = isOpenBefore(at, holdsBackRow) ? row : blocker;
      const isOvertaken = lines.some(
        (later, other) => other > at && uses[other] === "keep" && mayHaveArrived(later),
      );
      if (isOvertaken) uses[at] = "superseded";
      else if (holder !== undefined) uses[at] = "blocked";
      if (isOvertaken || holder !== undefined) because.set(at, isOvertaken ? row : (holder ?? row));
    }
    if (key !== undefined) {
      if (isOpenBefore(lines.length, holdsBackKey)) order.blockers.block(key, row);
      const arrived = lines.some(mayHaveArrived) ? row : undefined;
      order.noteArrival(key, arrived, uses.includes("send"));
    }
    for (const [at, line] of lines.entries()) countUnsent(line, uses[at] ?? "keep", isPassedOver);
    const isFixed = after.some((cells, at) => !isDeepStrictEqual(cells, lines[at]?.cells));
    if (!isFixed && uses.every((use) => use === "keep")) return undefined;
    counts.rows++;
    const text = lines.map(({ given }, at) => {
      const use = uses[at] ?? "keep";
      const number = use === "send" ? given?.line || undefined : because.get(at);
      return [...(after[at] ?? []), use, String(number ?? "")];
    });
    return file.add(Buffer.from(toCsv(text)));
  }

  /** A blocked event waits for one before it, and those after it for both. */
  function holdsBack(status: EventStatus, within = holdsBackKey): boolean {
    return status === "blocked" || within(status, onKeyFailure);
  }

  function isSettled({ status }: Candidate): boolean {
    return status !== undefined && isDone(status);
  }

  function staysUnknown({ status }: Candidate): boolean {
    return status === "unknown" && delivery === "at-most-once";
  }

  function useOf(line: Candidate): LineUse {
    const { status, given, cells } = line;
    if (given === undefined || isSettled(line)) return "keep";
    const { status: set } = given.earlier ?? {};
    if (set === "skipped") return "skip";
    if (set === "succeeded") {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(givenName ?? "", given as GivenLine, why);
    }
    if (staysUnknown(line)) return "keep";
    const now = corrected(line).slice(0, inputCount);
    const isUnfixed =
      !given.isSentAsItIs && isNotFixed(cells[codeAt] ?? "", cells[idAt] ?? "", now);
    return isUnfixed ? "keep" : "send";
  }

  /** Counts what is not sent although the given file has it. */
  function countUnsent(line: Candidate, use: LineUse, isPassedOver: boolean): void {
    if (line.given === undefined) return;
    if (isSettled(line)) counts.done++;
    else if (use === "skip") counts.skipped++;
    else if (use === "blocked") counts.blocked++;
    else if (use !== "keep" || isPassedOver) return;
    else if (staysUnknown(line)) counts.unknown++;
    else counts.notFixed++;
  }

  /** The cells that a line gets. What a person has fixed is not lost if its event is not sent now. */
  function cellsAfter(line: Candidate): readonly string[] {
    const isKept = line.given?.earlier?.status === "skipped" || isSettled(line);
    return isKept || staysUnknown(line) ? line.cells : corrected(line);
  }

  /** The cells of a line with those of the given file. */
  function corrected({ cells, given }: Candidate): readonly string[] {
    if (given === undefined) return cells;
    return cells.map((cell, at) => (at < inputCount ? (given.cells[at] ?? cell) : cell));
  }

  function compare(
    row: number,
    { given, cells, status }: Candidate,
    after: readonly string[],
  ): void {
    if (givenName === undefined || given === undefined || after === cells) return;
    const place = { row, line: given.line, resultsFile: givenName };
    changes.see(place, cells, after);
    altered.see({
      ...{ place, cells: after, cellsBefore: cells },
      isToBeFixed: status === "rejected" || status === "invalid",
      wasWrong(column) {
        if (status !== "invalid") return false;
        const before = { row, line: given.line, cells: cells.slice(0, inputCount) };
        const mapped = mapping.mapRow(before);
        const wrong = mapped.kind === "invalid" ? mapped.problems : [];
        // A problem of a template names all its columns.
        return wrong.some(
          (one) => one.column === column || one.column?.split(", ").includes(column),
        );
      },
    });
  }

  function refuseAltered(): void {
    const alterations = altered.found();
    if (alterations.length === 0 || allowAltered) return;
    const retry = `eventload retry ${shellWord(files.results)}`;
    const names = [givenName ?? "", basename(files.results)] as const;
    const { code, message } = cannotStart("cells_altered", ...names, retry);
    throw new CannotStartError(code, message, alterations.map(describeAltered));
  }
}

function mayHaveArrived({ status, unanswered }: Pick<Candidate, "status" | "unanswered">): boolean {
  return status === "succeeded" || status === "unknown" || unanswered > 0;
}

/** What a retry must neither overtake nor be overtaken by, by ordering key. */
function createKeyOrder() {
  /** The keys of rows to be sent, each with the last row of the key that has arrived, or may have: 20 bytes a key. */
  const arrivals = createHashTable(2);
  return {
    /** The keys of rows that are open and not sent, each with the first of these rows. */
    blockers: createBlockedKeys(),
    get hasArrivals() {
      return arrivals.size > 0;
    },
    /** @param isSent whether the key has a row to be sent, so that later rows of it count from now on */
    noteArrival(key: string, row: number | undefined, isSent: boolean): void {
      const { high, low } = digestOf(key);
      const words = isSent ? arrivals.entry(high, low) : arrivals.get(high, low);
      if (words === undefined || row === undefined) return;
      [words[0], words[1]] = [Math.floor(row / 2 ** 32), row % 2 ** 32];
    },
    /** 0 if there is none. */
    lastArrival(key: string): number {
      const { high, low } = digestOf(key);
      const [above = 0, below = 0] = arrivals.get(high, low) ?? [];
      return above * 2 ** 32 + below;
    },
  };
}

/** Writes the selection once more, now that it is known which rows have arrived after those to be sent. */
async function decideSuperseded(
  disk: Disk,
  files: RunFiles,
  path: string,
  lastArrival: (cells: readonly string[]) => number,
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
      const isSent = cells[useAt] === "send";
      const last = isSent ? lastArrival(cells) : 0;
      if (last > row) cells.splice(useAt, 2, "superseded", String(last));
      if (cells[useAt] === "superseded") counts.superseded++;
      else if (isSent) counts.events++;
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
