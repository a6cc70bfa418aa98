import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isNotFixed } from "../../input/open-results-file.ts";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import { createBlockedKeys } from "../../model/blocked-keys.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { contentOf, goneEvent, goneEventText } from "../../model/event.ts";
import { createHashTable, digestOf } from "../../model/hash-table.ts";
import { type EventStatus, holdsBackKey, holdsBackRow, isDone } from "../../model/outcome.ts";
import { type ResultsColumn, sourceColumn } from "../../model/results-columns.ts";
import { type AccountLine, cutTo, type LineUse, quote, type Row } from "../../model/row.ts";
import { eventOf } from "../../results/result-line.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import type { ChangedColumn, Selection } from "../options/run-events.ts";
import type { BoundMapping } from "../prepare/read-mapping.ts";
import type { AccountRow, Candidate } from "./account-rows.ts";
import { closedCode } from "./close-part.ts";
import { refuseLine } from "./given-lines.ts";

/** Of a changed cell that a person is shown. */
const maxCellChars = 200;

/** What is to become of a line. Where nothing is, it says why. */
type Decision =
  | Exclude<LineUse, "keep">
  | "not_given"
  | "done"
  | "unknown"
  | "not_fixed"
  | "passed";

/**
 * Selects what a retry sends: each row with a line that gets another outcome, with all its lines. The account decides
 * what is open; the given file selects rows and corrects cells.
 *
 * @param columns of the results
 * @param givenName undefined if all that is open is sent with its own cells
 * @param inputId of the account's own input: rows of another are from failed rows whose account is gone
 * @param rowsOf gives the rows that may be selected and, where rows have keys, all others
 * @param put is given each row that is selected
 * @throws CannotStartError if a line cannot be used
 */
export async function selectLines(
  { settings, files, given }: RunContext,
  mapping: BoundMapping,
  columns: readonly string[],
  givenName: string | undefined,
  inputId: string,
  rowsOf: () => AsyncIterable<AccountRow>,
  put: (row: Row) => Promise<void>,
): Promise<Selection> {
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
  const altered = createAlteredCells(compared, mapping.clearValues);
  const changes = new Map<string, ChangedColumn>();
  const restored = new Map<string, ChangedColumn>();
  /** Whether all rows have been compared, so that it is known what a program rewrote. */
  let isCompared = false;
  /** The keys of lines to be sent, each with the last row of the key that has arrived, or may have: 16 bytes a key. */
  const arrivals = createHashTable(1);
  /** The keys of lines that are open and not sent, each with the first of their rows. */
  const blockers = createBlockedKeys();
  /** The last row whose cells are lost. */
  let lastClosed = 0;
  /** Rows with something to send, also those that are passed over. */
  let found = 0;
  let rows = 0;
  const counts = new Map<Decision, number>();

  // A program alters whole columns, so what it rewrote is known once all rows have been compared.
  if (restoreAltered === true && givenName !== undefined) {
    for await (const { row, lines } of rowsOf()) compare(row, lines);
    isCompared = true;
  }
  // Which rows have arrived after those to be sent has to be known first.
  if (mapping.keyOf !== undefined) for await (const row of rowsOf()) noteArrivals(row);
  for await (const row of rowsOf()) {
    const selected = take(row);
    if (selected !== undefined) await put(selected);
  }
  refuseAltered();
  const lossesOfZeros = altered.found().filter(({ alteration }) => alteration === "zeros");
  const losesZeros = new Set(lossesOfZeros.map(({ column }) => column));
  const count = (decision: Decision) => counts.get(decision) ?? 0;
  return {
    rows,
    events: count("send"),
    superseded: count("superseded"),
    blocked: count("blocked"),
    done: count("done"),
    skipped: count("skip"),
    unknown: count("unknown"),
    notFixed: count("not_fixed"),
    changed: mostFirst(changes).map((one) =>
      isCompared && losesZeros.has(one.column) ? { ...one, mayLackZeros: true } : one,
    ),
    restored: mostFirst(restored),
  };

  function noteArrivals({ row, lines }: AccountRow): void {
    for (const line of lines) {
      // It may have arrived, and nobody knows of which key it is.
      if (line.cells[codeAt] === closedCode) lastClosed = row;
      const isSent = wantedOf(line) === "send";
      const hasArrived = mayHaveArrived(line);
      if (!isSent && !(hasArrived && arrivals.size > 0)) continue;
      const key = keyOf(isSent ? corrected(line) : line.cells);
      if (key === undefined) continue;
      const { high, low } = digestOf(key);
      const last = isSent ? arrivals.entry(high, low) : arrivals.get(high, low);
      if (last !== undefined && hasArrived) last[0] = row;
    }
  }

  /** @returns the row with all its lines and their uses; undefined if all stays as it is */
  function take({ row, lines }: AccountRow): Row | undefined {
    const wanted = lines.map(wantedOf);
    const after = lines.map((line, at) =>
      wanted[at] === "send" || wanted[at] === "not_fixed" ? corrected(line) : line.cells,
    );
    const isFixed = after.some((cells, at) => !isDeepStrictEqual(cells, lines[at]?.cells));
    if (!isCompared) compare(row, lines);
    const typed = lines.map((line, at) => (after[at] === line.cells ? line.cells : asGiven(line)));
    const before = lines.map(({ cells }) => cells);
    noteChanges(changes, row, lines, before, after);
    noteChanges(restored, row, lines, typed, after, isSameEvent);
    const isFound = wanted.includes("send") || wanted.includes("skip");
    const isPassed = isFound && (++found <= skip || found > skip + limit);
    const decided = wanted.map((one) =>
      isPassed && one !== "not_given" && one !== "done" ? "passed" : one,
    );
    const held = heldBack(row, lines, decided, after);
    const uses = decided.map((one, at) => held[at]?.use ?? one);
    for (const use of uses) counts.set(use, (counts.get(use) ?? 0) + 1);
    if (!uses.some(isActed) && !isFixed) return undefined;
    rows++;
    return rowOf(
      row,
      lines.map((line, at) => {
        const use = uses[at] ?? "done";
        const because = use === "send" ? line.given?.line : held[at]?.row;
        return lineOf(line, after[at] ?? line.cells, isActed(use) ? use : "keep", because);
      }),
      lines[0]?.cells ?? [],
    );
  }

  function lineOf(
    { status, unanswered, attempts }: Candidate,
    cells: readonly string[],
    use: LineUse,
    because: number | undefined,
  ): AccountLine {
    return {
      use,
      ...(because === undefined ? {} : { because }),
      cells: cells.slice(0, inputCount),
      ...(use === "keep" ? { text: toCsv([cells]) } : {}),
      ...(status === undefined ? {} : { status }),
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
      line: sent?.because ?? line ?? 0,
      cells,
      lines,
      ...(sent?.because === undefined ? {} : { resultsFile: name }),
      ...(input === inputId ? {} : { mayLackLines: true }),
      ...(event === goneEvent ? { isGone: true } : {}),
      origin: { input, ...optional("line", line), ...optional("source", source) },
    };
  }

  function wantedOf(line: Candidate): Decision {
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

  /** Why lines that are to be sent are not, in the order of their keys: because of which row. Rows come in theirs. */
  function heldBack(
    row: number,
    lines: readonly Candidate[],
    decided: readonly Decision[],
    after: readonly (readonly string[])[],
  ) {
    const isKept = (at: number) => decided[at] !== "send" && decided[at] !== "skip";
    const held = lines.map((_, at) => {
      // What cannot be mapped waits for nothing: it stays invalid, and says why.
      if (decided[at] !== "send" || mapped(row, after[at] ?? []).kind === "invalid") {
        return undefined;
      }
      const isOvertaken = lines.some(
        (later, other) => other > at && isKept(other) && mayHaveArrived(later),
      );
      if (isOvertaken) return { use: "superseded", row } as const;
      const isBehind = lines.some(
        ({ status }, other) => other < at && isKept(other) && holdsBack(status, holdsBackRow),
      );
      if (isBehind) return { use: "blocked", row } as const;
      const key = keyOf(after[at]);
      if (key === undefined) return undefined;
      const blocker = blockers.rowOf(key);
      if (blocker !== undefined) return { use: "blocked", row: blocker } as const;
      const { high, low } = digestOf(key);
      const [arrived = 0] = arrivals.get(high, low) ?? [];
      const last = Math.max(arrived, lastClosed);
      return last > row ? ({ use: "superseded", row: last } as const) : undefined;
    });
    for (const [at, { status }] of lines.entries()) {
      const key = isKept(at) && holdsBack(status, holdsBackKey) ? keyOf(after[at]) : undefined;
      if (key !== undefined) blockers.block(key, row);
    }
    return held;
  }

  /** What the events of a row say; undefined if it is invalid. */
  function said(row: number, cells: readonly string[]) {
    const now = mapped(row, cells);
    if (now.kind === "invalid") return undefined;
    const events = now.kind === "skipped" ? [] : now.events;
    const each = events.map((event) => [event.index, event.resource, contentOf(event)]);
    return { each, key: now.orderingKey };
  }

  function mapped(row: number, cells: readonly string[]) {
    const isGone = cells[eventAt] === goneEventText ? { isGone: true as const } : {};
    return mapping.mapRow({ row, line: 0, cells: cells.slice(0, inputCount), ...isGone });
  }

  function keyOf(cells: readonly string[] = []): string | undefined {
    return mapping.keyOf?.(cells.slice(0, inputCount));
  }

  /** A blocked event waits for one before it, and those after it for both. */
  function holdsBack(status: EventStatus = "failed", within: typeof holdsBackKey): boolean {
    return status === "blocked" || within(status, onKeyFailure);
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
        isSameWith: (index) => isSameEvent(row, cells, index, cellsBefore[index]),
      });
    }
  }

  /** Whether a row gives the same events with another cell in one place. */
  function isSameEvent(row: number, cells: readonly string[], index: number, other = ""): boolean {
    return isDeepStrictEqual(said(row, cells) ?? {}, said(row, cells.with(index, other)));
  }

  /** Notes in which columns the cells of a row differ, and not only in how they are written. */
  function noteChanges(
    noted: Map<string, ChangedColumn>,
    row: number,
    lines: readonly Candidate[],
    before: readonly (readonly string[])[],
    after: readonly (readonly string[])[],
    isSame: typeof isSameEvent = () => false,
  ): void {
    for (const { column, index } of compared) {
      const at = before.findIndex((cells, line) => {
        const now = after[line]?.[index];
        return cells[index] !== now && !isSame(row, cells, index, now);
      });
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

function mayHaveArrived({ status, unanswered }: Pick<Candidate, "status" | "unanswered">): boolean {
  return status === "succeeded" || status === "unknown" || unanswered > 0;
}

/** Whether the line gets another outcome. */
function isActed(decision: Decision): decision is Exclude<LineUse, "keep"> {
  return ["send", "skip", "superseded", "blocked"].includes(decision);
}
