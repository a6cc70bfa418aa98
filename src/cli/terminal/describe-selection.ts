import { count } from "../../model/quantities.ts";
import { cutTo, quote } from "../../model/row.ts";
import type { Selection } from "../../run/options/run-events.ts";

const kinds: readonly (readonly [
  kind: Exclude<keyof Selection, "changed">,
  one: string,
  more: string,
  why: string,
])[] = [
  ["done", "is", "are", "done already and not sent again."],
  ["skipped", "is", "are", "set to skipped in the file."],
  [
    ...(["unknown", "is", "are"] as const),
    "unknown and not sent again under --delivery at-most-once: look in the service. Set what has arrived to skipped, or retry with --delivery at-least-once.",
  ],
  [
    ...(["notFixed", "was not fixed, and stays", "were not fixed, and stay"] as const),
    "invalid: fix the cells, or clear import_error_code to send them as they are.",
  ],
  [
    ...(["superseded", "is", "are"] as const),
    "superseded, because a later event of the same row or ordering key has arrived, or may have: set them to skipped, or import what is still needed in a file of its own.",
  ],
  [
    ...(["blocked", "stays", "stay"] as const),
    "blocked, because an earlier event of the same row or ordering key is not sent: retry that too, or set it to skipped.",
  ],
];

const maxColumnsShown = 3;
const maxCharsShown = 40;

/** What a retry has selected: a sentence for each kind of line that is not sent, and one for the changed cells. */
export function describeSelection(selection: Selection): string[] {
  const said = kinds.flatMap(([kind, one, more, why]) => {
    const number = selection[kind];
    return number === 0 ? [] : [`${count(number, "line")} ${number === 1 ? one : more} ${why}`];
  });
  const { changed } = selection;
  if (changed.length === 0) return said;
  const short = (cell: string) => quote(cutTo(maxCharsShown, cell));
  const columns = changed.slice(0, maxColumnsShown).map(({ column, rows, first }) => {
    const example = `row ${first.place.row}: ${short(first.before)} is now ${short(first.after)}`;
    return `column ${short(column)} in ${count(rows, "row")} (${example})`;
  });
  const left = changed.length - columns.length;
  if (left > 0) columns.push(`and ${count(left, "more column")}`);
  return [...said, `Changed cells: ${columns.join(", ")}.`];
}
