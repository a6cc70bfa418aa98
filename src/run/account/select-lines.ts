import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createBlockedKeys } from "../../delivery/ordering.ts";
import { isNotFixed } from "../../input/open-results-file.ts";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import { goneEventText, type MappedRow } from "../../model/event.ts";
import { createHashTable, digestOf } from "../../model/hash-table.ts";
import { type EventStatus, holdsBackKey, holdsBackRow, isDone } from "../../model/outcome.ts";
import { cutTo, type LineUse } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { DeliveryMode } from "../../model/run-settings.ts";
import { createHashedFile } from "../../results/hashed-file.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { ChangedColumn, Selection } from "../options/run-events.ts";
import type { BoundMapping } from "../prepare/read-mapping.ts";
import type { AccountRow, Candidate, Pass } from "./account-rows.ts";
import { refuseLine } from "./given-lines.ts";

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

/** Of a changed cell that a person is shown. */
const maxCellChars = 200;

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
  rowsOf: (pass: Pass) => AsyncIterable<AccountRow>,
): Promise<Selection> {
  const { disk, files, delivery, mapping, allowAltered, skip, limit } = request;
  const { keyOf, onKeyFailure } = mapping;
  const inputCount = columns.lastIndexOf("import_row");
  const eventAt = columns.lastIndexOf("import_event");
  const codeAt = columns.lastIndexOf("import_error_code");
  const idAt = columns.lastIndexOf("import_event_id");
  const counts = {
    rows: 0,
    events: 0,
    superseded: 0,
    blocked: 0,
    done: 0,
    skipped: 0,
    unknown: 0,
    notFixed: 0,
  };
  const read = new Set(mapping.columnsRead);
  const compared = columns
    .slice(0, inputCount)
    .flatMap((column, index) => (read.has(column) ? [{ column, index, indexBefore: index }] : []));
  const altered = createAlteredCells(compared);
  const changes = new Map<string, ChangedColumn & { lastRow: number }>();
  /** The keys of rows to be sent, each with the last row of the key that has arrived, or may have: 16 bytes a key. */
  const arrivals = createHashTable(1);
  /** The keys of rows that are open and not sent, each with the first of these rows. */
  let blockers = createBlockedKeys();
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  for await (const { row, lines } of rowsOf(pass)) decide(row, lines);
  // Only now is it known which rows have arrived after those to be sent.
  blockers = createBlockedKeys();
  found = 0;
  const file = await createHashedFile(disk, files.given);
  try {
    await file.add(Buffer.from(toCsv([[...columns, ...selectionColumns]])));
    for await (const { row, lines } of rowsOf(pass)) {
      const text = take(row, lines);
      if (text.length > 0) await file.add(Buffer.from(toCsv(text)));
    }
    refuseAltered();
    await file.finish();
    const changed = [...changes.values()].map(({ column, rows, first }) => ({
      column,
      rows,
      first,
    }));
    return { ...counts, changed: changed.toSorted((one, other) => other.rows - one.rows) };
  } catch (error) {
    await file.discard();
    throw error;
  }

  /** Notes a line that is not selected, for the order of its key. */
  function pass(row: number, line: ResultsReader): void {
    if (keyOf === undefined) return;
    const { status = "failed" } = line;
    const isOpen = !isDone(status) && holdsBack(status);
    const hasArrived = arrivals.size > 0 && mayHaveArrived(line);
    if (!isOpen && !hasArrived) return;
    const key = keyOf(line.inputCells());
    if (key === undefined) return;
    if (isOpen) blockers.block(key, row);
    const arrival = hasArrived ? arrivalOf(key) : undefined;
    if (arrival !== undefined) noteArrival(arrival, row);
  }

  /** Decides on the lines of a row; rows come in their order. */
  function decide(row: number, lines: readonly Candidate[]) {
    const wanted = lines.map(useOf);
    const isFound = wanted.some((use) => use !== "keep");
    const isPassedOver = isFound && (++found <= skip || found > skip + limit);
    const uses = isPassedOver ? wanted.map((): LineUse => "keep") : wanted;
    const after = lines.map(cellsAfter);
    const keyCells = after[Math.max(0, uses.indexOf("send"))] ?? [];
    const key = keyOf?.(keyCells.slice(0, inputCount));
    const isOpenBefore = (at: number, within: typeof holdsBackKey) =>
      lines
        .slice(0, at)
        .some(({ status = "failed" }, at) => uses[at] === "keep" && holdsBack(status, within));
    const blocker = key === undefined ? undefined : blockers.rowOf(key);
    const isSent = uses.includes("send");
    const arrival = key === undefined ? undefined : arrivalOf(key, isSent);
    const because = uses.map((use, at) => {
      // What cannot be mapped waits for nothing: it stays invalid, and says why.
      if (use !== "send" || !isMapped(row, after[at] ?? [])) return undefined;
      const holder = isOpenBefore(at, holdsBackRow) ? row : blocker;
      const isOvertaken = lines.some(
        (later, other) => other > at && uses[other] === "keep" && mayHaveArrived(later),
      );
      if (isOvertaken) return { use: "superseded", row } as const;
      if (holder !== undefined) return { use: "blocked", row: holder } as const;
      const last = arrival?.[0] ?? 0;
      return last > row ? ({ use: "superseded", row: last } as const) : undefined;
    });
    if (key !== undefined && isOpenBefore(lines.length, holdsBackKey)) blockers.block(key, row);
    if (arrival !== undefined && lines.some(mayHaveArrived)) noteArrival(arrival, row);
    return { uses: uses.map((use, at) => because[at]?.use ?? use), because, after, isPassedOver };
  }

  function isMapped(row: number, cells: readonly string[]): boolean {
    return mapCells(row, 0, cells).kind !== "invalid";
  }

  function mapCells(row: number, line: number, cells: readonly string[]): MappedRow {
    const isGone = cells[eventAt] === goneEventText ? { isGone: true as const } : {};
    return mapping.mapRow({ row, line, cells: cells.slice(0, inputCount), ...isGone });
  }

  /** @returns the lines that are written for a row, and their uses; none if all stays as it is */
  function take(row: number, lines: readonly Candidate[]): readonly (readonly string[])[] {
    const { uses, because, after, isPassedOver } = decide(row, lines);
    for (const [at, line] of lines.entries()) {
      compare(row, line, after[at] ?? []);
      countLine(line, uses[at] ?? "keep", isPassedOver);
    }
    const isFixed = after.some((cells, at) => !isDeepStrictEqual(cells, lines[at]?.cells));
    if (!isFixed && uses.every((use) => use === "keep")) return [];
    counts.rows++;
    return lines.map(({ given }, at) => {
      const use = uses[at] ?? "keep";
      const number = use === "send" ? given?.line || undefined : because[at]?.row;
      return [...(after[at] ?? []), use, String(number ?? "")];
    });
  }

  /** @param isSent whether the key has a row to be sent, so that later rows of it count from now on */
  function arrivalOf(key: string, isSent = false): Uint32Array | undefined {
    const { high, low } = digestOf(key);
    return isSent ? arrivals.entry(high, low) : arrivals.get(high, low);
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
    const { status: set } = given.earlier;
    if (set === "skipped") return "skip";
    if (set === "succeeded") {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(givenName ?? "", given, why);
    }
    if (staysUnknown(line)) return "keep";
    const now = corrected(line).slice(0, inputCount);
    const isUnfixed =
      !given.isSentAsItIs && isNotFixed(cells[codeAt] ?? "", cells[idAt] ?? "", now);
    return isUnfixed ? "keep" : "send";
  }

  function countLine(line: Candidate, use: LineUse, isPassedOver: boolean): void {
    if (line.given === undefined) return;
    if (isSettled(line)) counts.done++;
    else if (use === "send") counts.events++;
    else if (use === "superseded") counts.superseded++;
    else if (use === "skip") counts.skipped++;
    else if (use === "blocked") counts.blocked++;
    else if (isPassedOver) return;
    else if (staysUnknown(line)) counts.unknown++;
    else counts.notFixed++;
  }

  /** The cells that a line gets. What a person has fixed is not lost if its event is not sent now. */
  function cellsAfter(line: Candidate): readonly string[] {
    const isKept = line.given?.earlier.status === "skipped" || isSettled(line);
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
    for (const { column, index } of compared) {
      const [was, is] = [cells[index] ?? "", after[index] ?? ""];
      const known = changes.get(column);
      // A row has a line for each of its events, one below the other.
      if (was === is || known?.lastRow === row) continue;
      const first = { place, before: cutTo(maxCellChars, was), after: cutTo(maxCellChars, is) };
      changes.set(column, { column, first, ...known, rows: (known?.rows ?? 0) + 1, lastRow: row });
    }
    altered.see({
      place,
      cells: after,
      cellsBefore: cells,
      isToBeFixed: status === "rejected" || status === "invalid",
      wasWrong(column) {
        if (status !== "invalid") return false;
        const mapped = mapCells(row, given.line, cells);
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

function noteArrival(words: Uint32Array, row: number): void {
  words[0] = Math.max(words[0] ?? 0, row);
}
