import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isNotFixed } from "../../input/open-results-file.ts";
import type { Arrivals } from "../../journal/arrivals.ts";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import { createBlockedKeys } from "../../model/blocked-keys.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { contentOf, goneEvent, goneEventText } from "../../model/event.ts";
import { holdsBackKey, isDone } from "../../model/outcome.ts";
import { type ResultsColumn, sourceColumn } from "../../model/results-columns.ts";
import { type AccountLine, cutTo, quote, type Row } from "../../model/row.ts";
import { eventOf } from "../../results/result-line.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import type { ChangedColumn, SelectedLines } from "../options/run-events.ts";
import { holdsBack, mayHaveArrived } from "../prepare/plan-row.ts";
import type { Selected } from "../prepare/prepare-input.ts";
import type { BoundMapping } from "../prepare/read-mapping.ts";
import type { AccountRow, Candidate } from "./account-rows.ts";
import { closedCode } from "./close-part.ts";
import { refuseLine } from "./given-lines.ts";

/** Of a changed cell that a person is shown. */
const maxCellChars = 200;

/** What is wanted of a line. Where nothing is, it says why. */
type Wanted = "send" | "skip" | "not_given" | "done" | "unknown" | "not_fixed" | "passed";

/**
 * Selects what a retry sends: each row with a line that is to be sent or skipped, with all its lines. The account says
 * what is open; the given file selects rows and corrects cells. What becomes of a row is decided when it is planned.
 *
 * @param columns of the results
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
  const at = (column: ResultsColumn) => columns.lastIndexOf(column);
  const inputCount = at("import_row");
  const [lineAt, sourceAt, eventAt, statusAt] = [
    at("import_line"),
    at(sourceColumn),
    at("import_event"),
    at("import_http_status"),
  ];
  const [codeAt, errorAt, idAt, inputAt] = [
    at("import_error_code"),
    at("import_error"),
    at("import_event_id"),
    at("import_input"),
  ];
  const read = new Set(mapping.columnsRead);
  const compared = columns
    .slice(0, inputCount)
    .flatMap((column, index) => (read.has(column) ? [{ column, index }] : []));
  const altered = createAlteredCells(compared);
  const changes = new Map<string, ChangedColumn>();
  const restored = new Map<string, ChangedColumn>();
  /** Whether all rows have been compared, so that it is known what a program rewrote. */
  let isCompared = false;
  /** The keys of lines that are open and not sent, each with the first of their rows. */
  const blockers = createBlockedKeys();
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  let rows = 0;
  const counts = new Map<Wanted, number>();

  // A program alters whole columns, so what it rewrote is known once all rows have been compared.
  if (restoreAltered === true && givenName !== undefined) {
    for await (const { row, lines } of rowsOf()) compare(row, lines);
    isCompared = true;
  }
  for await (const { row, lines } of rowsOf()) {
    await noteArrivals(row, lines);
    const selected = take(row, lines);
    if (selected !== undefined) await put({ kind: "row", row: selected });
  }
  refuseAltered();
  const lossesOfZeros = altered.found().filter(({ alteration }) => alteration === "zeros");
  const losesZeros = new Set(lossesOfZeros.map(({ column }) => column));
  const count = (wanted: Wanted) => counts.get(wanted) ?? 0;
  return {
    rows,
    done: count("done"),
    skipped: count("skip"),
    unknown: count("unknown"),
    notFixed: count("not_fixed"),
    changed: mostFirst(changes).map((one) =>
      isCompared && losesZeros.has(one.column) ? { ...one, mayLackZeros: true } : one,
    ),
    restored: mostFirst(restored),
  };

  async function noteArrivals(row: number, lines: readonly Candidate[]): Promise<void> {
    for (const line of lines) {
      if (mapping.keyOf === undefined || !mayHaveArrived(line)) continue;
      const isLost = line.cells[codeAt] === closedCode; // nobody knows of which key it is
      const key = isLost ? undefined : keyOf(line.cells);
      const news = isLost || key !== undefined ? arrivals.arrives(key, row) : undefined;
      if (news === undefined) continue;
      arrivals.take(news);
      await put(news);
    }
  }

  /** @returns the row with all its lines; undefined if all stays as it is */
  function take(row: number, lines: readonly Candidate[]): Row | undefined {
    const wanted = lines.map(wantedOf);
    const after = lines.map((line, at) =>
      wanted[at] === "send" || wanted[at] === "not_fixed" ? corrected(line) : line.cells,
    );
    const isFixed = after.some((cells, at) => !isDeepStrictEqual(cells, lines[at]?.cells));
    if (!isCompared) compare(row, lines);
    const typed = lines.map((line, at) => (after[at] === line.cells ? line.cells : asGiven(line)));
    const before = lines.map(({ cells }) => cells);
    noteChanges(changes, row, lines, before, after);
    noteChanges(restored, row, lines, typed, after);
    const isFound = wanted.some(isActed);
    const isPassed = isFound && (++found <= skip || found > skip + limit);
    const uses = wanted.map((one) =>
      isPassed && one !== "not_given" && one !== "done" ? "passed" : one,
    );
    for (const use of uses) counts.set(use, (counts.get(use) ?? 0) + 1);
    const selected = lines.map((line, at) =>
      lineOf(line, after[at] ?? line.cells, uses[at] ?? "done"),
    );
    for (const [at, { use, status }] of selected.entries()) {
      const key = keyOf(after[at]);
      if (key === undefined) continue;
      if (use === "send") arrivals.sends(key, row);
      if (use === "keep" && holdsBack({ status }, holdsBackKey, onKeyFailure)) {
        blockers.block(key, row);
      }
    }
    if (!uses.some(isActed) && !isFixed) return undefined;
    rows++;
    return rowOf(row, selected, lines[0]?.cells ?? []);
  }

  function lineOf(
    { status, unanswered, attempts, given: asked }: Candidate,
    cells: readonly string[],
    wanted: Wanted,
  ): AccountLine {
    const use = isActed(wanted) ? wanted : "keep";
    const key = use === "send" ? keyOf(cells) : undefined;
    return {
      use,
      ...(use === "send" ? optional("givenLine", asked?.line) : {}),
      ...optional("blockedBy", key === undefined ? undefined : blockers.rowOf(key)),
      cells: cells.slice(0, inputCount),
      ...(use === "keep" ? { text: toCsv([cells]) } : {}),
      ...optional("status", status),
      ...optional("event", eventOf(cells[eventAt] ?? "")),
      eventId: cells[idAt] ?? "",
      ...optional("httpStatus", Number(cells[statusAt]) || undefined),
      attempts,
      unanswered,
    };
  }

  /** A row has the cells of its first line that is sent, if there is one. */
  function rowOf(row: number, lines: readonly AccountLine[], first: readonly string[]): Row {
    const sent = lines.find(({ use }) => use === "send");
    const { cells, event } = sent ?? (lines[0] as AccountLine);
    const line = Number(first[lineAt]) || undefined;
    const { [inputAt]: input = "", [sourceAt]: source } = first;
    return {
      row,
      line: sent?.givenLine ?? line ?? 0,
      cells,
      lines,
      ...(sent?.givenLine === undefined ? {} : { resultsFile: name }),
      ...(input === inputId ? {} : { mayLackLines: true }),
      ...(event === goneEvent ? { isGone: true } : {}),
      origin: { input, ...optional("line", line), ...optional("source", source) },
    };
  }

  function wantedOf(line: Candidate): Wanted {
    const { status, given, cells } = line;
    if (given === undefined && givenName !== undefined) return "not_given";
    if (status !== undefined && isDone(status)) return "done";
    const { status: set } = given?.earlier ?? {};
    if (set === "skipped") return "skip";
    if (set === "succeeded" && given !== undefined) {
      const why = `says succeeded, and the account says ${status}: set it to skipped if nothing is to be sent`;
      throw refuseLine(givenName ?? "", given, why);
    }
    if (cells[codeAt] === closedCode) return "unknown"; // nobody has its cells any more
    if (status === "unknown" && delivery === "at-most-once") return "unknown";
    const now = corrected(line).slice(0, inputCount);
    const isFixed = !isNotFixed(cells[codeAt] ?? "", cells[idAt] ?? "", now);
    return isFixed || given?.isSentAsItIs === true ? "send" : "not_fixed";
  }

  /** What the events of a row say; undefined if it is invalid. */
  function said(row: number, cells: readonly string[]) {
    const isGone = cells[eventAt] === goneEventText ? { isGone: true as const } : {};
    const now = mapping.mapRow({ row, line: 0, cells: cells.slice(0, inputCount), ...isGone });
    if (now.kind === "invalid") return undefined;
    const events = now.kind === "skipped" ? [] : now.events;
    const each = events.map((event) => [event.index, event.resource, contentOf(event)]);
    return { each, key: now.orderingKey };
  }

  function keyOf(cells: readonly string[] = []): string | undefined {
    return mapping.keyOf?.(cells.slice(0, inputCount));
  }

  /** The cells of a line with those of the given file, as they stand there. */
  function asGiven({ cells, given }: Candidate): readonly string[] {
    if (given === undefined) return cells;
    const now = given.cells.map((cell, at) => cell ?? cells[at] ?? "");
    return [...now, ...cells.slice(inputCount)];
  }

  /** The same, without what a program rewrote if that is to be restored. */
  function corrected(line: Candidate): readonly string[] {
    const cells = asGiven(line);
    return isCompared && line.given !== undefined
      ? altered.putBack({ cells, cellsBefore: line.cells, wasWrong: wrongIn(line) })
      : cells;
  }

  function wrongIn({ status, cells }: Candidate): (column: string) => boolean {
    const error = status === "invalid" ? (cells[errorAt] ?? "") : "";
    return (column) => error.includes(`column ${quote(column)}:`);
  }

  /** Looks for cells of a row that a program has altered. */
  function compare(row: number, lines: readonly Candidate[]): void {
    for (const line of lines) {
      const { status, given, cells: cellsBefore } = line;
      const wanted = wantedOf(line);
      if (given === undefined || (wanted !== "send" && wanted !== "not_fixed")) continue;
      const cells = asGiven(line);
      altered.see({
        place: { row, line: given.line, resultsFile: givenName ?? "" },
        cells,
        cellsBefore,
        isToBeFixed: status === "rejected" || status === "invalid",
        wasWrong: wrongIn(line),
        isSameWith: (index) => {
          const before = cells.with(index, cellsBefore[index] ?? "");
          return isDeepStrictEqual(said(row, cells) ?? {}, said(row, before));
        },
      });
    }
  }

  /** Notes in which columns the cells of a row differ. */
  function noteChanges(
    noted: Map<string, ChangedColumn>,
    row: number,
    lines: readonly Candidate[],
    before: readonly (readonly string[])[],
    after: readonly (readonly string[])[],
  ): void {
    for (const { column, index } of compared) {
      const at = before.findIndex((cells, line) => cells[index] !== after[line]?.[index]);
      if (at < 0) continue;
      const known = noted.get(column) ?? {
        column,
        rows: 0,
        first: {
          place: { row, line: lines[at]?.given?.line ?? 0, resultsFile: name },
          before: cutTo(maxCellChars, before[at]?.[index] ?? ""),
          after: cutTo(maxCellChars, after[at]?.[index] ?? ""),
        },
      };
      noted.set(column, { ...known, rows: known.rows + 1 });
    }
  }

  function refuseAltered(): void {
    const alterations = altered.found();
    if (alterations.length === 0 || allowAltered === true || isCompared) return;
    const names = [givenName ?? "", basename(files.results)] as const;
    const { code, message } = cannotStart("cells_altered", ...names);
    throw new CannotStartError(code, message, alterations.map(describeAltered));
  }
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [name in Name]?: Value };
}

function mostFirst(columns: ReadonlyMap<string, ChangedColumn>): readonly ChangedColumn[] {
  return [...columns.values()].toSorted((one, other) => other.rows - one.rows);
}

/** Whether the line gets another outcome. */
function isActed(wanted: Wanted): wanted is "send" | "skip" {
  return wanted === "send" || wanted === "skip";
}
