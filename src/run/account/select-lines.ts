import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isNotFixed } from "../../input/open-results-file.ts";
import type { Arrivals } from "../../journal/arrivals.ts";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import { createBlockedKeys } from "../../model/blocked-keys.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { contentOf, goneEvent } from "../../model/event.ts";
import { holdsBackKey, isDone } from "../../model/outcome.ts";
import { type AccountLine, cutTo, type Origin, quote, type Row } from "../../model/row.ts";
import type { ChangedColumn, SelectedLines } from "../../model/run-events.ts";
import { cellsToCsv } from "../../results/to-csv.ts";
import { holdsBack, mayHaveArrived } from "../prepare/plan-row.ts";
import type { Selected } from "../prepare/prepare-input.ts";
import type { BoundMapping } from "../prepare/read-mapping.ts";
import type { RunContext } from "../send/run-context.ts";
import type { AccountRow, Candidate } from "./account-rows.ts";
import { closedCode } from "./close-part.ts";
import { refuseLine, withLineFeeds } from "./given-lines.ts";

/** Of a changed cell that a person is shown. */
const maxCellChars = 200;

/** What is wanted of a line. Where nothing is, it says why. */
type Wanted = "send" | "skip" | "not_given" | "done" | "unknown" | "not_fixed" | "passed";

/**
 * Selects what a retry sends: each row with a line that is to be sent or skipped, with all its lines. The account says
 * what is open; the given file selects rows and corrects cells. What becomes of a row is decided when it is planned.
 *
 * @param columns of the input
 * @param givenName undefined if all that is open is sent with its own cells
 * @param inputId of the account's own input: rows of another are from failed rows whose account is gone
 * @param rowsOf gives the rows that may be selected and, where rows have keys, all others
 * @param arrivals gets what has arrived, or may have, behind what is to be sent
 * @param put is given each row that is selected, in their order
 * @throws CannotStartError if a line cannot be used
 */
export async function selectLines(
  { settings, files, given }: RunContext,
  mapping: BoundMapping,
  columns: readonly string[],
  givenName: string | undefined,
  inputId: string,
  rowsOf: () => AsyncIterable<AccountRow>,
  arrivals: Arrivals,
  put: (selected: Selected) => Promise<void>,
): Promise<SelectedLines> {
  const { delivery, allowAltered, restoreAltered, skip } = settings;
  const { limit = Number.POSITIVE_INFINITY } = settings;
  const { onKeyFailure } = mapping;
  const name = basename(given ?? "");
  const read = new Set(mapping.columnsRead);
  const compared = columns.map((column, index) => ({ column, index, isRead: read.has(column) }));
  /** Where all that is open is sent with its own cells, there is nothing to restore. */
  const isRestoring = restoreAltered === true && givenName !== undefined;
  const altered = createAlteredCells(compared, isRestoring, mapping.clearValues);
  const changes = new Map<string, ChangedColumn>();
  /** The keys of lines that are open and not sent, each with the first of their rows. */
  const blockers = createBlockedKeys();
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  let rows = 0;
  const counts = new Map<Wanted, number>();
  const count = (wanted: Wanted) => counts.get(wanted) ?? 0;

  // A program alters whole columns, so what it rewrote is known once all rows have been compared.
  if (isRestoring) {
    for await (const { row, lines } of rowsOf()) {
      for (const line of lines) compare(row, line);
    }
  }
  for await (const one of rowsOf()) {
    await noteArrivals(one);
    const row = take(one);
    if (row !== undefined) await put({ kind: "row", row });
  }
  refuseAltered();
  return {
    rows,
    done: count("done"),
    skipped: count("skip"),
    unknown: count("unknown"),
    notFixed: count("not_fixed"),
    changed: [...changes.values()].toSorted((one, other) => other.rows - one.rows),
    restored: altered
      .found()
      .filter(({ isRead }) => isRestoring || !isRead)
      .map(describeAltered),
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

  /** @returns the row with all its lines; undefined if all stays as it is */
  function take({ row, origin, lines: all }: AccountRow): Row | undefined {
    const lines = all.map((line) => {
      const wanted = wantedOf(line);
      const isOpen = wanted === "send" || wanted === "not_fixed";
      if (!isRestoring) compare(row, line);
      return { line, wanted, now: isOpen ? corrected(line) : line.cells };
    });
    noteChanges(row, lines);
    const isFound = lines.some(({ wanted }) => isActed(wanted));
    const isPassed = isFound && (++found <= skip || found > skip + limit);
    const selected = lines.map(({ line, wanted, now }) => {
      const isLeft = isPassed && wanted !== "not_given" && wanted !== "done";
      counts.set(isLeft ? "passed" : wanted, count(isLeft ? "passed" : wanted) + 1);
      return lineOf(line, now, isActed(wanted) && !isPassed ? wanted : "keep");
    });
    for (const line of selected) {
      const key = mapping.keyOf?.(line.cells);
      if (key === undefined) continue;
      if (line.use === "send") arrivals.sends(key, row);
      const isBlocker = line.use === "keep" && holdsBack(line, holdsBackKey, onKeyFailure);
      if (isBlocker) blockers.block(key, row);
    }
    const isFixed = lines.some(({ line, now }) => !isDeepStrictEqual(now, line.cells));
    if (isFixed || selected.some(({ use }) => use !== "keep")) return rowOf(row, origin, selected);
    return undefined;
  }

  function lineOf(
    { given: asked, own, errorCode: _, error: __, ...known }: Candidate,
    cells: readonly string[],
    use: AccountLine["use"],
  ): AccountLine {
    const line = { ...known, use, cells };
    if (use === "keep") return { ...line, text: `${cellsToCsv(cells)},${own}` };
    if (use === "skip") return line;
    const key = mapping.keyOf?.(cells);
    const blockedBy = key === undefined ? undefined : blockers.rowOf(key);
    return { ...line, givenLine: asked?.line, blockedBy };
  }

  /** A row has the cells of its first line that is sent, if there is one. */
  function rowOf(row: number, origin: Origin, lines: readonly AccountLine[]): Row {
    rows++;
    const sent = lines.find(({ use }) => use === "send");
    const { cells, event, givenLine } = sent ?? (lines[0] as AccountLine);
    return {
      ...{ row, line: givenLine ?? origin.line ?? 0, cells, lines, origin },
      ...(givenLine === undefined ? {} : { resultsFile: name }),
      ...(origin.input === inputId ? {} : { mayLackLines: true }),
      ...(event === goneEvent ? { isGone: true } : {}),
    };
  }

  function wantedOf(line: Candidate): Wanted {
    const { status, given, errorCode, eventId } = line;
    if (given === undefined && givenName !== undefined) return "not_given";
    if (status !== undefined && isDone(status)) return "done";
    const { status: set } = given?.earlier ?? {};
    if (set === "skipped") return "skip";
    if (set === "succeeded" && given !== undefined) {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(givenName ?? "", given, why);
    }
    if (errorCode === closedCode) return "unknown"; // nobody has its cells any more
    if (status === "unknown" && delivery === "at-most-once") return "unknown";
    const isFixed = !isNotFixed(errorCode, eventId, corrected(line));
    return isFixed || given?.isSentAsItIs === true ? "send" : "not_fixed";
  }

  /** What the events of a row say; undefined if it is invalid. */
  function said(row: number, event: number | undefined, cells: readonly string[]) {
    const isGone = event === goneEvent ? { isGone: true as const } : {};
    const now = mapping.mapRow({ row, line: 0, cells, ...isGone });
    if (now.kind === "invalid") return undefined;
    const events = now.kind === "skipped" ? [] : now.events;
    const each = events.map((event) => [event.index, event.resource, contentOf(event)]);
    return { each, key: now.orderingKey };
  }

  /** The cells of a line with those of the given file, as they stand there. */
  function asGiven({ cells, given }: Candidate): readonly string[] {
    const now = given?.cells.map((cell, at) => {
      const before = cells[at] ?? "";
      return cell === undefined || withLineFeeds(cell) === withLineFeeds(before) ? before : cell;
    });
    return now ?? cells;
  }

  /** The same, without what a program rewrote where that is put back. */
  function corrected(line: Candidate): readonly string[] {
    const cells = asGiven(line);
    return altered.putBack({ cells, cellsBefore: line.cells, wasWrong: wrongIn(line) });
  }

  function wrongIn({ status, error }: Candidate): (column: string) => boolean {
    return (column) => status === "invalid" && error.includes(`column ${quote(column)}:`);
  }

  /** Looks for cells of a line that a program has altered. */
  function compare(row: number, line: Candidate): void {
    const { status, event, given, cells: cellsBefore } = line;
    if (given === undefined || !["send", "not_fixed"].includes(wantedOf(line))) return;
    const cells = asGiven(line);
    altered.see({
      place: { row, line: given.line, resultsFile: givenName ?? "" },
      cells,
      cellsBefore,
      isToBeFixed: status === "rejected" || status === "invalid",
      wasWrong: wrongIn(line),
      isSameWith: (index) => isSameEvent(row, event, cells, index, cellsBefore[index]),
    });
  }

  /** Whether a line gives the same event with another cell in one place. */
  function isSameEvent(
    row: number,
    event: Candidate["event"],
    cells: readonly string[],
    index: number,
    other = "",
  ): boolean {
    return isDeepStrictEqual(
      said(row, event, cells) ?? {},
      said(row, event, cells.with(index, other)),
    );
  }

  /** Notes in which columns the cells of a row differ. */
  function noteChanges(
    row: number,
    lines: readonly { readonly line: Candidate; readonly now: readonly string[] }[],
  ): void {
    for (const { column, index } of compared) {
      const changed = lines.find(({ line, now }) => line.cells[index] !== now[index]);
      if (changed === undefined) continue;
      const { line, now } = changed;
      const known = changes.get(column) ?? {
        column,
        rows: 0,
        first: {
          place: { row, line: line.given?.line ?? 0, resultsFile: name },
          before: cutTo(maxCellChars, line.cells[index] ?? ""),
          after: cutTo(maxCellChars, now[index] ?? ""),
        },
      };
      changes.set(column, { ...known, rows: known.rows + 1 });
    }
  }

  function refuseAltered(): void {
    const alterations = altered.found().filter(({ isRead }) => isRead);
    if (alterations.length === 0 || allowAltered === true || isRestoring) return;
    const names = [givenName ?? "", basename(files.results)] as const;
    const { code, message } = cannotStart("cells_altered", ...names);
    throw new CannotStartError(code, message, alterations.map(describeAltered));
  }
}

/** Whether the line gets another outcome. */
function isActed(wanted: Wanted): wanted is "send" | "skip" {
  return wanted === "send" || wanted === "skip";
}
