import { isDeepStrictEqual } from "node:util";
import { createAlteredCells, describeAltered } from "../../lint/altered-cells.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { contentOf, goneEvent } from "../../model/event.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { ChangedColumn } from "../../model/run-events.ts";
import type { BoundMapping } from "../prepare/read-mapping.ts";
import type { RetryLine } from "./account-rows.ts";
import { withLineFeeds } from "./given-lines.ts";

/** Of a changed cell that a person is shown. */
const maxChangedCellChars = 200;

/**
 * The cells of lines as a given file has them. What a person has changed is told from what a program rewrote.
 *
 * @param columns of the input
 * @param name of the given file
 * @param isRestoring whether the account's cells are put back where a program seems to have altered them
 */
export function createGivenCells(
  mapping: BoundMapping,
  columns: readonly string[],
  name: string,
  isRestoring: boolean,
) {
  const read = new Set(mapping.columnsRead);
  const compared = columns.map((column, index) => ({ column, index, isRead: read.has(column) }));
  const altered = createAlteredCells(compared, isRestoring, mapping.clearValues);
  const changes = new Map<string, ChangedColumn>();

  /** The cells of a line with those of the given file, as they stand there. */
  const asGiven = ({ cells, given }: RetryLine): readonly string[] => {
    const now = given?.cells.map((cell, at) => {
      const before = cells[at] ?? "";
      return cell === undefined || withLineFeeds(cell) === withLineFeeds(before) ? before : cell;
    });
    return now ?? cells;
  };

  const wrongIn = ({ status, error }: RetryLine) => {
    return (column: string) => status === "invalid" && error.includes(`column ${quote(column)}:`);
  };

  const said = (row: number, event: number | undefined, cells: readonly string[]) => {
    const isGone = event === goneEvent ? { isGone: true as const } : {};
    const now = mapping.mapRow({ row, line: 0, cells, ...isGone });
    if (now.kind === "invalid") return undefined;
    const events = now.kind === "skipped" ? [] : now.events;
    const each = events.map((event) => [event.index, event.resource, contentOf(event)]);
    return { each, key: now.orderingKey };
  };

  return {
    /** The cells that a line is sent with: those of the given file, without what a program rewrote where that is put back. */
    corrected(line: RetryLine): readonly string[] {
      const cells = asGiven(line);
      return altered.putBack({ cells, cellsBefore: line.cells, wasWrong: wrongIn(line) });
    },
    /** Looks for cells of a line that a program has altered: whether it did is known once all lines were seen. */
    compare(row: number, line: RetryLine): void {
      const { status, event, given, cells: cellsBefore } = line;
      if (given === undefined) return;
      const cells = asGiven(line);
      altered.see({
        place: { row, line: given.line, resultsFile: name },
        cells,
        cellsBefore,
        isToBeFixed: status === "rejected" || status === "invalid",
        wasWrong: wrongIn(line),
        isSameWith: (index) =>
          isDeepStrictEqual(
            said(row, event, cells) ?? {},
            said(row, event, cells.with(index, cellsBefore[index] ?? "")),
          ),
      });
    },
    noteChanges(row: number, lines: readonly { line: RetryLine; now: readonly string[] }[]): void {
      for (const { column, index } of compared) {
        const changed = lines.find(({ line, now }) => line.cells[index] !== now[index]);
        if (changed === undefined) continue;
        const { line, now } = changed;
        const known = changes.get(column) ?? {
          column,
          rows: 0,
          first: {
            place: { row, line: line.given?.line ?? 0, resultsFile: name },
            before: cutTo(maxChangedCellChars, line.cells[index] ?? ""),
            after: cutTo(maxChangedCellChars, now[index] ?? ""),
          },
        };
        changes.set(column, { ...known, rows: known.rows + 1 });
      }
    },
    changed: () => [...changes.values()].toSorted((one, other) => other.rows - one.rows),
    /** What was put back, a sentence for each column. */
    restored: () =>
      altered
        .found()
        .filter(({ isRead }) => isRestoring || !isRead)
        .map(describeAltered),
    /** @throws CannotStartError if a program has altered what is sent, and nothing puts it back */
    refuseAltered(results: string): void {
      const alterations = altered.found().filter(({ isRead }) => isRead);
      if (alterations.length === 0 || isRestoring) return;
      const { code, message } = cannotStart("cells_altered", name, results);
      throw new CannotStartError(code, message, alterations.map(describeAltered));
    },
  };
}
