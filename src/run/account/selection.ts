import type { ComparedColumn } from "../../lint/altered-cells.ts";
import type { Place } from "../../model/place.ts";
import { count } from "../../model/quantities.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { ChangedCell, ChangedColumn, Selection } from "../options/run-events.ts";

/* What a retry has selected, for people. */

/** A sentence for each kind of line that is not sent. */
export function describeSelection(selection: Selection): string[] {
  const kinds: readonly [
    keyof Selection,
    verbs: readonly [one: string, more: string],
    why: string,
  ][] = [
    ["done", ["is", "are"], "done already, and left out."],
    ["skipped", ["is", "are"], "set to skipped by the file."],
    [
      "unknown",
      ["is", "are"],
      "unknown, and not sent again under --delivery at-most-once, nor are changed cells taken: look in the service; set what has arrived to skipped, or send with --delivery at-least-once.",
    ],
    [
      "notFixed",
      ["was not fixed, and stays", "were not fixed, and stay"],
      "invalid: fix the cells, or clear import_error_code to send them as they stand.",
    ],
    [
      "superseded",
      ["is", "are"],
      "superseded, because a later event of the same row or ordering key has arrived, or may have: what is still needed of it, import in a file of its own; set the rest to skipped.",
    ],
    [
      "blocked",
      ["stays", "stay"],
      "blocked, because an earlier event of the same row or ordering key is open and not sent: retry that too, or set it to skipped.",
    ],
  ];
  return kinds.flatMap(([kind, [one, more], why]) => {
    const number = Number(selection[kind]);
    return number === 0 ? [] : [`${count(number, "line")} ${number === 1 ? one : more} ${why}`];
  });
}

const maxExamples = 2;
const maxCellChars = 200;

/** Counts changed cells by column, and keeps a few of each. */
export function countChangedCells(columns: readonly ComparedColumn[]) {
  const counted = columns.map((one) => ({
    ...one,
    rows: 0,
    lastRow: undefined as number | undefined,
    first: [] as ChangedCell[],
  }));
  return {
    see(place: Place, before: readonly string[], after: readonly string[]): void {
      for (const one of counted) {
        const [was, is] = [before[one.indexBefore] ?? "", after[one.index] ?? ""];
        // A row has a line for each of its events, one below the other.
        if (was === is || one.lastRow === place.row) continue;
        one.lastRow = place.row;
        one.rows++;
        if (one.first.length === maxExamples) continue;
        const [cutBefore, cutAfter] = [cutTo(maxCellChars, was), cutTo(maxCellChars, is)];
        one.first.push({ place, before: cutBefore, after: cutAfter });
      }
    },
    /** The most changed first. */
    counted: (): readonly ChangedColumn[] =>
      counted
        .filter(({ rows }) => rows > 0)
        .map(({ column, rows, first }) => ({ column, rows, first }))
        .toSorted((one, other) => other.rows - one.rows),
  };
}

const maxColumnsShown = 3;
const maxCharsShown = 40;

/** The changed cells: one sentence, or none. */
export function describeChangedCells(columns: readonly ChangedColumn[]): string[] {
  if (columns.length === 0) return [];
  const shown = columns.slice(0, maxColumnsShown);
  const examples = shown.length === 1 ? maxExamples : 1;
  const short = (cell: string) => quote(cutTo(maxCharsShown, cell));
  const parts = shown.map(({ column, rows, first }) => {
    const cells = first
      .slice(0, examples)
      .map(
        ({ place, before, after }) => `row ${place.row}: ${short(before)} is now ${short(after)}`,
      );
    return `column ${short(column)} in ${count(rows, "row")} (${cells.join("; ")})`;
  });
  const more = columns.length - shown.length;
  if (more > 0) parts.push(`and ${count(more, "more column")}`);
  return [`Changed since then: ${parts.join(", ")}.`];
}
